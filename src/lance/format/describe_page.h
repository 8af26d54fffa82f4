#pragma once

#include <string>

#include "lance/format/data_file_metadata.h"

namespace lance::format {

/// Say how a page is encoded, in one line for people, for example
/// "MiniBlock(Dictionary(Variable), InlineBitpacking)". A page that is not understood says why.
std::string DescribePage(const PageMetadata& page, FileVersion version);

}  // namespace lance::format
