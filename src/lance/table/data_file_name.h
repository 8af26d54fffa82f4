#pragma once

#include <string>

#include "lance/base/uuid.h"

namespace lance::table {

/// Make a fresh data file name: 50 characters and ".lance" (table-format 1.2).
///
/// The first three random bytes are written as binary digits, so that object stores can split their
/// key space by prefix early. Readers accept any name.
std::string MakeDataFileName(RandomSource& random);

/// Name a data file after a UUID; MakeDataFileName with the randomness given.
std::string DataFileNameOf(const Uuid& uuid);

}  // namespace lance::table
