#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"

namespace {

constexpr int kUsageExit = 2;  // a wrong request

arrow::Status RunChosen(const std::vector<lancectl::Command>& commands,
                        const lancectl::CommonFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const lancectl::Invocation invocation, lancectl::MakeInvocation(flags));
  for (const lancectl::Command& command : commands) {
    if (command.app->parsed()) return command.run(invocation);
  }
  return arrow::Status::UnknownError("internal: no command was chosen");
}

void PrintFailure(const arrow::Status& status, bool json) {
  if (json) {
    std::cerr << lance::ToJson(status) << '\n';
  } else {
    std::cerr << "lancectl: " << status.message() << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Look at Lance tables and keep them clustered", "lancectl"};
  app.require_subcommand(1);
  app.set_version_flag("--version", lance::build_info().version);
  lancectl::CommonFlags flags;
  std::vector<lancectl::Command> commands;
  lancectl::AddWriteCommands(&app, &flags, &commands);
  lancectl::AddLookCommands(&app, &flags, &commands);
  lancectl::AddMaintainCommands(&app, &flags, &commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int exit_code = app.exit(error);
    return exit_code == 0 ? 0 : kUsageExit;
  }
  const arrow::Status status = RunChosen(commands, flags);
  if (status.ok()) return 0;
  PrintFailure(status, flags.json);
  return lance::ExitCode(status);
}
