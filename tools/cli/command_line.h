#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/lance.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace lancectl {

/// Flags that every command has.
struct CommonFlags {
  std::string table;
  std::optional<uint64_t> version;
  std::string tag;     // "": none
  std::string branch;  // "": that of the place, which is mostly the main one
  std::string as_of;   // "": no time
  std::vector<std::string> storage_options;
  std::string memory;
  std::optional<int> num_threads;
  bool json = false;
  bool quiet = false;
  bool no_progress = false;
  // Of commands that commit.
  std::string message;
  std::vector<std::string> properties;
  std::optional<int> max_retries;
};

/// What a command runs with, made from the flags.
struct Invocation {
  CommonFlags flags;
  std::shared_ptr<lance::Session> session;
  lance::CallOptions call;

  /// The version that the flags name, once they were checked.
  arrow::Result<lance::Ref> ref() const;
  arrow::Result<lance::OpenOptions> open_options() const;
  arrow::Result<lance::Dataset> Open() const;
  arrow::Result<lance::CommitOptions> commit_options() const;
};

/// One command: its flags are declared on the app, and it runs when it was chosen.
struct Command {
  CLI::App* app = nullptr;
  std::function<arrow::Status(const Invocation&)> run;
};

/// Declare a command with the common flags. \param commits adds --message, --property, --retries
CLI::App* AddCommand(CLI::App* parent, const std::string& name, const std::string& description,
                     CommonFlags* flags, bool commits);

/// Declare the flags that name a version: --version, --tag, --as-of.
void AddVersionFlags(CLI::App* app, CommonFlags* flags);

/// Refuse what is not a whole number of digits only; "-1" would become a huge one.
CLI::Validator IsWholeNumber();

/// Refuse the empty text: an unset shell variable more often than a wish for everything.
CLI::Validator IsNotEmpty();

/// Parse a size: bytes, or a number with KiB, MiB, GiB. \return Invalid saying what is allowed
arrow::Result<uint64_t> ParseSize(const std::string& text);

/// Split a list at commas, with CSV quoting: `a,"b,c"` is a and b,c.
arrow::Result<std::vector<std::string>> SplitList(const std::string& text);

/// Make session and call options from the flags. Ctrl-C fires the call's stop token.
arrow::Result<Invocation> MakeInvocation(const CommonFlags& flags);

// The commands, by the headings of the help text. Each adds to `commands`.
void AddWriteCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddRowCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddLookCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddExplainCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddIndexCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddSchemaCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddBranchCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddHistoryCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddCheckCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddDiffCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddCleanupCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddMaintainCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);
void AddCompactCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands);

}  // namespace lancectl
