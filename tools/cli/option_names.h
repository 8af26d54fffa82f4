#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lancectl {

/// Let a message of the library, which calls options by the names of its interfaces, call them as
/// the command does that ran: `max_rows_per_file` is `--max-rows-per-file`.
///
/// \param app the command that ran, for its flags
std::string WithFlagNames(std::string message, const CLI::App& app);

}  // namespace lancectl
