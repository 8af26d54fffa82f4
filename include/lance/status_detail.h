#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "arrow/status.h"

namespace lance {

/// Common part of the details that a failed Status can carry.
///
/// Branch on the code and the detail of a status, never on its text. Details are immutable.
template <typename T>
class Detail : public arrow::StatusDetail {
 public:
  /// Find a detail of this type. \return null when `status` carries another detail or none
  static const T* From(const arrow::Status& status) {
    return dynamic_cast<const T*>(status.detail().get());
  }

  /// The detail's type, for people.
  const char* type_id() const override { return T::kTypeId; }
};

/// Something that was asked for is not there. With KeyError or IndexError.
struct NotFound : Detail<NotFound> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::NotFound";
  /// Name both parts.
  NotFound(std::string kind_in, std::string name_in)
      : kind(std::move(kind_in)), name(std::move(name_in)) {}
  /// table, version, column, index, fragment or object.
  std::string kind;
  /// Which one.
  std::string name;
  /// Say it for people.
  std::string ToString() const override { return kind + " " + name; }
};

/// A commit met another one that it cannot pass. With AlreadyExists; nothing was stored.
struct CommitConflict : Detail<CommitConflict> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::CommitConflict";
  /// Name whom we met.
  CommitConflict(uint64_t version_in, std::string operation_in, bool retryable_in)
      : version(version_in), operation(std::move(operation_in)), is_retryable(retryable_in) {}
  /// The version that was in the way.
  uint64_t version;
  /// Its operation, for example "Overwrite".
  std::string operation;
  /// See retryable().
  bool is_retryable;
  /// Whether doing the whole operation again on the newest version can help.
  bool retryable() const { return is_retryable; }
  /// Say it for people.
  std::string ToString() const override;
};

/// A commit's reply was lost and looking did not settle it. With UnknownError.
///
/// Look at the table before you try again, and delete nothing.
struct CommitUnknown : Detail<CommitUnknown> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::CommitUnknown";
  /// Name the transaction.
  CommitUnknown(std::string transaction_uuid_in, uint64_t read_version_in)
      : transaction_uuid(std::move(transaction_uuid_in)), read_version(read_version_in) {}
  /// The transaction to look for.
  std::string transaction_uuid;
  /// The version it was built on.
  uint64_t read_version;
  /// Say it for people.
  std::string ToString() const override { return "transaction " + transaction_uuid; }
};

/// A filter's text is wrong at one place. With Invalid.
struct FilterError : Detail<FilterError> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::FilterError";
  /// Name the place.
  FilterError(size_t offset_in, size_t length_in) : offset(offset_in), length(length_in) {}
  /// First byte of the place in the filter's text.
  size_t offset;
  /// Its length in bytes; 0 at the end of the text.
  size_t length;
  /// Say it for people.
  std::string ToString() const override;
};

/// Bytes are not what the format says. With SerializationError.
struct CorruptFile : Detail<CorruptFile> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::CorruptFile";
  /// Name the file.
  explicit CorruptFile(std::string path_in, uint64_t offset_in = 0)
      : path(std::move(path_in)), offset(offset_in) {}
  /// Relative to the table root.
  std::string path;
  /// Where in the file; 0 when not known.
  uint64_t offset;
  /// Say it for people.
  std::string ToString() const override { return path; }
};

/// A stated budget does not suffice. With CapacityError.
struct OverBudget : Detail<OverBudget> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::OverBudget";
  /// Name the budget and both sizes.
  OverBudget(std::string budget_in, uint64_t needed_in, uint64_t allowed_in)
      : budget(std::move(budget_in)), needed(needed_in), allowed(allowed_in) {}
  /// Which budget, as its option is called.
  std::string budget;
  /// What was needed, in the budget's unit.
  uint64_t needed;
  /// What was allowed, in the budget's unit.
  uint64_t allowed;
  /// Say it for people.
  std::string ToString() const override { return budget; }
};

/// The table or file uses a feature that this version does not have. With NotImplemented.
struct UnsupportedFeature : Detail<UnsupportedFeature> {
  /// Name of this detail.
  static constexpr const char* kTypeId = "lance::UnsupportedFeature";
  /// Name the feature.
  explicit UnsupportedFeature(std::string feature_in, int flag_bit_in = -1)
      : feature(std::move(feature_in)), flag_bit(flag_bit_in) {}
  /// Which feature.
  std::string feature;
  /// Its feature flag's bit; -1 when it is not a feature flag.
  int flag_bit;
  /// Say it for people.
  std::string ToString() const override { return feature; }
};

}  // namespace lance
