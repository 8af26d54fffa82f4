#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <new>
#include <string_view>

#include "command_line.h"
#include "option_names.h"
#include "output.h"

namespace {

constexpr int kUsageExit = 2;  // a wrong request

arrow::Status RunChosen(const std::vector<lancectl::Command>& commands,
                        const lancectl::CommonFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const lancectl::Invocation invocation, lancectl::MakeInvocation(flags));
  for (const lancectl::Command& command : commands) {
    if (!command.app->parsed()) continue;
    const arrow::Status status = command.run(invocation);
    return status.ok()
               ? status
               : status.WithMessage(lancectl::WithFlagNames(status.message(), *command.app));
  }
  return arrow::Status::UnknownError("internal: no command was chosen");
}

/// Run the command; output that could not be written is a failure, and so is memory that ran short.
arrow::Status RunAndFlush(const std::vector<lancectl::Command>& commands,
                          const lancectl::CommonFlags& flags) {
  try {
    ARROW_RETURN_NOT_OK(RunChosen(commands, flags));
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("memory ran short");
  }
  std::cout.flush();
  return std::cout ? arrow::Status::OK()
                   : arrow::Status::IOError("standard output could not be written");
}

void PrintFailure(const arrow::Status& status, bool json) {
  if (json) {
    std::cerr << lance::ToJson(status) << '\n';
  } else {
    std::cerr << "lancectl: " << lancectl::PrintableMessage(status.message()) << '\n';
  }
}

/// The first words of the command line up to one that should be a command and is none; or "".
std::string UnknownCommand(const CLI::App& app, int argc, char** argv) {
  std::string words;
  const CLI::App* parent = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    words += (words.empty() ? "" : " ") + std::string(argv[i]);
    const auto named = [&](const CLI::App* command) { return command->get_name() == argv[i]; };
    const auto found = parent->get_subcommands(named);
    if (found.empty()) return words;
    parent = found.front();
    if (parent->get_subcommands([](const CLI::App*) { return true; }).empty()) break;
  }
  return "";
}

/// The command line up to the command that it chose, as far as it was understood.
std::string ChosenName(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + ChosenName(*chosen.front()));
}

/// A command line that is not understood, on one line.
arrow::Status UsageError(std::string message, const std::string& command) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return arrow::Status::Invalid(message, "; see ", command, " --help");
}

/// Whether --json is there, for command lines that are not understood: no flag has its value yet.
bool WantsJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](std::string_view argument) { return argument == "--json"; });
}

}  // namespace

int main(int argc, char** argv) {
  // Who closes the pipe wants no more rows: end quietly then, also below a parent that ignores it.
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app{"Look at Lance tables and keep them clustered", "lancectl"};
  app.require_subcommand(1);
  app.set_version_flag("--version", lance::build_info().version);
  lancectl::CommonFlags flags;
  std::vector<lancectl::Command> commands;
  lancectl::AddWriteCommands(&app, &flags, &commands);
  lancectl::AddRowCommands(&app, &flags, &commands);
  lancectl::AddLookCommands(&app, &flags, &commands);
  lancectl::AddExplainCommands(&app, &flags, &commands);
  lancectl::AddIndexCommands(&app, &flags, &commands);
  lancectl::AddSchemaCommands(&app, &flags, &commands);
  lancectl::AddCheckCommands(&app, &flags, &commands);
  lancectl::AddMaintainCommands(&app, &flags, &commands);
  lancectl::AddCompactCommands(&app, &flags, &commands);
  lancectl::AddHistoryCommands(&app, &flags, &commands);
  lancectl::AddDiffCommands(&app, &flags, &commands);
  lancectl::AddCleanupCommands(&app, &flags, &commands);
  lancectl::AddBranchCommands(&app, &flags, &commands);
  if (const std::string unknown = UnknownCommand(app, argc, argv); !unknown.empty()) {
    PrintFailure(UsageError("there is no command " + unknown, app.get_name()),
                 WantsJson(argc, argv));
    return kUsageExit;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    PrintFailure(UsageError(error.what(), ChosenName(app)), WantsJson(argc, argv));
    return kUsageExit;
  }
  const arrow::Status status = RunAndFlush(commands, flags);
  if (status.ok()) return 0;
  PrintFailure(status, flags.json);
  return lance::ExitCode(status);
}
