#include "lance/base/status_detail.h"

namespace lance {

namespace {

/// Whether a message begins with `name`, or with a path that has it as an end or a folder.
bool BeginsWithName(std::string_view message, std::string_view name) {
  const auto ends_at = [&](size_t end) {
    return end == message.size() || message.substr(end).starts_with(": ") || message[end] == '/';
  };
  if (message.starts_with(name)) return ends_at(name.size());
  const std::string_view path = message.substr(0, message.find(": "));
  return path.size() > name.size() && path.ends_with(name) &&
         path[path.size() - name.size() - 1] == '/';
}

}  // namespace

std::string CommitConflict::ToString() const {
  return "version " + std::to_string(version) + " (" + operation + "), " +
         (is_retryable ? "retryable" : "not retryable");
}

std::string FilterError::ToString() const {
  return "filter at byte " + std::to_string(offset) + ", length " + std::to_string(length);
}

arrow::Status WithDetail(const arrow::Status& status, std::shared_ptr<arrow::StatusDetail> detail) {
  if (status.ok() || status.detail() != nullptr) return status;
  return status.WithDetail(std::move(detail));
}

arrow::Status WithContext(const arrow::Status& status, std::string_view context) {
  if (status.ok() || BeginsWithName(status.message(), context)) return status;
  return status.WithMessage(context, ": ", status.message());
}

arrow::Status InFile(const arrow::Status& status, const std::string& path) {
  const arrow::Status named = WithContext(status, path);
  if (!named.IsSerializationError()) return named;
  return WithDetail(named, std::make_shared<CorruptFile>(path));
}

arrow::Status NotFoundError(std::string kind, std::string name, std::string_view message) {
  return arrow::Status::KeyError(message).WithDetail(
      std::make_shared<NotFound>(std::move(kind), std::move(name)));
}

arrow::Status UnsupportedError(std::string feature, std::string_view message, int flag_bit) {
  return arrow::Status::NotImplemented(message).WithDetail(
      std::make_shared<UnsupportedFeature>(std::move(feature), flag_bit));
}

arrow::Status InternalError(std::string_view message) {
  return arrow::Status::UnknownError("internal: ", message);
}

}  // namespace lance
