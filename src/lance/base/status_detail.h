#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/status.h"
#include "lance/status_detail.h"

namespace lance {

/// The same status with `detail`; OK stays OK. A detail that is there already is kept.
arrow::Status WithDetail(const arrow::Status& status, std::shared_ptr<arrow::StatusDetail> detail);

/// Put "`context`: " before the message of a failure, keeping code and detail.
///
/// A message that begins with that name already, or with a longer path that it is the end or a
/// folder of, stays as it is: "/t.lance/data/a.lance: open failed" needs neither "/t.lance" nor
/// "data/a.lance" in front.
arrow::Status WithContext(const arrow::Status& status, std::string_view context);

/// Name the file in a failure: context and, on SerializationError, a CorruptFile detail.
arrow::Status InFile(const arrow::Status& status, const std::string& path);

/// KeyError + NotFound.
arrow::Status NotFoundError(std::string kind, std::string name, std::string_view message);

/// NotImplemented + UnsupportedFeature.
arrow::Status UnsupportedError(std::string feature, std::string_view message, int flag_bit = -1);

/// UnknownError for a bug of ours; the message starts with "internal: ".
arrow::Status InternalError(std::string_view message);

}  // namespace lance
