#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lance::vectors {

/// The files of published vectors that we know, sorted.
const std::vector<std::string>& KnownFiles();

/// What is wrong with a folder of vectors, apart from the contents of the files we know.
///
/// \return one line for each known file that is missing and each entry that is not a known file;
/// one
///   line when the folder itself is missing
std::vector<std::string> CheckFolder(const std::filesystem::path& folder);

/// Run every case of a known file against the library.
///
/// \return one line for each difference, unknown or missing key, malformed value or empty list of
///   cases; none when the library agrees with the file
std::vector<std::string> CheckFile(const std::filesystem::path& folder,
                                   const std::string& file_name);

}  // namespace lance::vectors
