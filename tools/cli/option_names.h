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

/// The same for a text of the library that is printed by itself, of calls alone: `OptimizeIndices`
/// is `index optimize`.
std::string WithCommandNames(std::string message);

}  // namespace lancectl
