#include "command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>

#include "arrow/util/cancel.h"
#include "terminal_progress.h"

namespace lancectl {

CLI::App* AddCommand(CLI::App* parent, const std::string& name, const std::string& description,
                     CommonFlags* flags, bool commits) {
  CLI::App* app = parent->add_subcommand(name, description);
  app->add_option("TABLE", flags->table, "the table: a path, or a URI with scheme file")
      ->required();
  app->add_option("--branch", flags->branch, "a branch instead of the main one")
      ->check(IsNotEmpty());
  if (!commits) AddVersionFlags(app, flags);  // writes go onto the newest version
  app->add_option("--storage-option", flags->storage_options, "K=V for the store; repeat")
      ->expected(1)
      ->take_all();
  app->add_option("--memory", flags->memory, "most memory: bytes, or 512MiB, 4GiB");
  app->add_option("--threads", flags->num_threads, "most threads")->check(IsWholeNumber());
  app->add_flag("--json", flags->json, "print one JSON document (rows: JSON lines)");
  app->add_flag("--quiet", flags->quiet, "print nothing on success");
  app->add_flag("--no-progress", flags->no_progress, "show no progress bar");
  if (commits) {
    app->add_option("--message", flags->message, "a line kept with the commit");
    app->add_option("--property", flags->properties, "K=V kept with the commit; repeat")
        ->expected(1)
        ->take_all();
    app->add_option("--retries", flags->max_retries, "attempts when other writers win the race")
        ->check(IsWholeNumber());
  }
  return app;
}

void AddVersionFlags(CLI::App* app, CommonFlags* flags) {
  app->add_option("--version", flags->version, "a version of the table instead of the newest")
      ->check(IsWholeNumber());
  app->add_option("--tag", flags->tag, "the version that a tag names")
      ->check(IsNotEmpty())
      ->excludes("--version")
      ->excludes("--branch");
  app->add_option("--as-of", flags->as_of, "the newest version not later than a time in RFC 3339")
      ->check(IsNotEmpty())
      ->excludes("--version")
      ->excludes("--tag");
}

CLI::Validator IsWholeNumber() {
  return CLI::Validator(
      [](std::string& text) {
        uint64_t number = 0;  // from_chars takes no sign and says when 64 bits do not suffice
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, number);
        const bool is_number = error == std::errc() && end == last;
        return is_number ? std::string() : "\"" + text + "\" is no whole number below 2^64";
      },
      "WHOLE NUMBER");
}

CLI::Validator IsNotEmpty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, "");
}

arrow::Result<uint64_t> ParseSize(const std::string& text) {
  static const std::map<std::string, uint64_t> kUnits = {
      {"", 1}, {"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = kUnits.find(std::string(end, text.data() + text.size()));
  if (error != std::errc() || unit == kUnits.end() || number > UINT64_MAX / unit->second) {
    return arrow::Status::Invalid("size \"", text,
                                  "\" is not understood; allowed: bytes, or 512KiB, 512MiB, 4GiB");
  }
  return number * unit->second;
}

arrow::Result<std::vector<std::string>> SplitList(const std::string& text) {
  std::vector<std::string> items;
  std::string item;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      item += text[++i];  // a doubled quote stands for one
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      items.push_back(std::exchange(item, {}));
    } else if (!(c == ' ' && item.empty() && !is_quoted)) {
      item += c;
    }
  }
  if (is_quoted) return arrow::Status::Invalid("the list ", text, " has an open quote");
  items.push_back(std::move(item));
  return items;
}

namespace {

arrow::Result<std::map<std::string, std::string>> ParsePairs(const std::vector<std::string>& pairs,
                                                             const char* flag) {
  std::map<std::string, std::string> parsed;
  for (const std::string& pair : pairs) {
    const size_t place = pair.find('=');
    if (place == std::string::npos || place == 0) {
      return arrow::Status::Invalid(flag, " \"", pair, "\" is not understood; allowed: KEY=VALUE");
    }
    parsed[pair.substr(0, place)] = pair.substr(place + 1);
  }
  return parsed;
}

/// What SIGINT and SIGTERM stop. Lives as long as the process, as handlers do.
arrow::StopSource& SignalStopSource() {
  static auto* const source = new arrow::StopSource();
  return *source;
}

/// Make SIGINT and SIGTERM stop a call.
///
/// The stop is requested in the handler itself: a read that the signal cut short may return at
/// once, and whoever looks at the token then must see the stop. Reads are not restarted.
arrow::StopToken StopAtSignals() {
  arrow::StopSource& source = SignalStopSource();  // made before a signal can come
  struct sigaction action = {};
  action.sa_handler = [](int signal) { SignalStopSource().RequestStopFromSignal(signal); };
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  return source.token();
}

}  // namespace

arrow::Result<lance::Ref> Invocation::ref() const {
  if (flags.version == 0u) {
    return arrow::Status::Invalid("--version is 0; allowed: 1 or more");
  }
  if (!flags.tag.empty()) return lance::Ref::Tag(flags.tag);
  lance::Ref::Branch branch;
  if (!flags.branch.empty()) branch = flags.branch;
  if (flags.version) return lance::Ref::Version(*flags.version, branch);
  if (flags.as_of.empty()) return lance::Ref::Latest(branch);
  const auto time = lance::ParseTimestamp(flags.as_of);
  if (!time.ok()) return time.status().WithMessage("--as-of: ", time.status().message());
  return lance::Ref::AsOf(*time, branch);
}

arrow::Result<lance::OpenOptions> Invocation::open_options() const {
  ARROW_ASSIGN_OR_RAISE(lance::Ref named, ref());
  return lance::OpenOptions{.ref = std::move(named), .session = session};
}

arrow::Result<lance::Dataset> Invocation::Open() const {
  ARROW_ASSIGN_OR_RAISE(const lance::OpenOptions options, open_options());
  return lance::Dataset::Open(flags.table, options, call);
}

arrow::Result<lance::CommitOptions> Invocation::commit_options() const {
  lance::CommitOptions options{.message = flags.message};
  ARROW_ASSIGN_OR_RAISE(options.properties, ParsePairs(flags.properties, "--property"));
  if (flags.max_retries) options.max_retries = *flags.max_retries;
  return options;
}

arrow::Result<Invocation> MakeInvocation(const CommonFlags& flags) {
  Invocation invocation{.flags = flags};
  lance::SessionOptions options;
  ARROW_ASSIGN_OR_RAISE(options.storage_options,
                        ParsePairs(flags.storage_options, "--storage-option"));
  if (!flags.memory.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.max_memory_bytes, ParseSize(flags.memory));
  }
  options.num_threads = flags.num_threads.value_or(0);
  ARROW_ASSIGN_OR_RAISE(invocation.session, lance::Session::Make(std::move(options)));
  invocation.call.stop_token = StopAtSignals();
  invocation.call.observer = MakeTerminalObserver(flags);
  return invocation;
}

}  // namespace lancectl
