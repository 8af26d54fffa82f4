#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace lance {

/// Which version of a table to open. Branches, tags and times come with later parts. A plain value.
class Ref {
 public:
  /// The newest version.
  static Ref Latest() { return Ref(0); }
  /// One version, 1 or higher.
  static Ref Version(uint64_t version) { return Ref(version); }

  /// Whether this is the newest version, whatever its number.
  bool is_latest() const { return version_ == 0; }
  /// The version asked for; 0 when it is the newest.
  uint64_t version() const { return version_; }

 private:
  explicit Ref(uint64_t version) : version_(version) {}
  uint64_t version_;
};

/// How a call commits. A plain value.
struct CommitOptions {
  /// Attempts after the first when other writers win the race.
  int max_retries = 20;
  /// Time for all attempts together.
  std::chrono::milliseconds timeout{30'000};
  /// A line for people, kept in the transaction.
  std::string message;
  /// Entries for programs, kept in the transaction.
  std::map<std::string, std::string> properties;
  /// Commit on top of the version that was read, as a version with a random number that never is
  /// the newest and is not listed. No conflict is possible. Only where manifests have V2 names.
  bool detached = false;
};

}  // namespace lance
