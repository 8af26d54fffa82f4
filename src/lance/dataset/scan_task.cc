#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/envelope.h"
#include "lance/dataset/scan_reader.h"
#include "lance/dataset/scan_task_impl.h"
#include "lance/refs.h"

namespace lance {

namespace {

constexpr EnvelopeForm kForm{.magic = "LNCESCAN",
                             .format_version = 1,
                             .name = "scan task",
                             .content = "a task of a planned scan"};
constexpr uint16_t kTaskKind = 1;

/// Writes the payload: numbers of 64 bits, texts with their length before them, lists with their
/// count. Thread-compatible.
class PayloadWriter {
 public:
  void Add(uint64_t number) { AppendLittleEndian(number, &payload_); }
  void Add(const std::string& text) {
    Add(static_cast<uint64_t>(text.size()));
    payload_ += text;
  }
  void Add(const std::optional<uint64_t>& number) {
    Add(uint64_t{number.has_value()});
    Add(number.value_or(0));
  }

  const std::string& payload() const { return payload_; }

 private:
  std::string payload_;
};

/// Reads what PayloadWriter wrote. Borrows; thread-compatible.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) : reader_(AsBytes(payload), kForm.name) {}

  arrow::Status Take(const char* name, uint64_t* number) {
    return reader_.Read<uint64_t>(name).Value(number);
  }
  arrow::Status Take(const char* name, bool* flag) {
    uint64_t number = 0;
    ARROW_RETURN_NOT_OK(Take(name, &number));
    if (number > 1) return reader_.Corrupt(name, "found ", number, "; allowed: 0, 1");
    *flag = number == 1;
    return arrow::Status::OK();
  }
  arrow::Status Take(const char* name, std::string* text) {
    uint64_t size = 0;
    ARROW_RETURN_NOT_OK(Take(name, &size));
    ARROW_ASSIGN_OR_RAISE(const auto bytes, reader_.Take(size, name));
    text->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return arrow::Status::OK();
  }
  arrow::Status Take(const char* name, std::optional<uint64_t>* number) {
    bool is_set = false;
    uint64_t value = 0;
    ARROW_RETURN_NOT_OK(Take(name, &is_set));
    ARROW_RETURN_NOT_OK(Take(name, &value));
    if (is_set) *number = value;
    return arrow::Status::OK();
  }
  /// The number of items that follow, each of so many bytes at least.
  arrow::Status TakeCount(const char* name, uint64_t least_bytes, uint64_t* count) {
    ARROW_RETURN_NOT_OK(Take(name, count));
    if (*count <= reader_.remaining() / least_bytes) return arrow::Status::OK();
    return reader_.Corrupt(name, *count, " of them do not fit into what is left");
  }
  arrow::Status ExpectEnd() { return reader_.ExpectEnd(); }
  arrow::Status Wrong(const char* name, const std::string& problem) {
    return reader_.Corrupt(name, problem);
  }

 private:
  ByteReader reader_;
};

void WriteOptions(const ScanOptions& options, PayloadWriter* out) {
  out->Add(uint64_t{options.columns.size()});
  for (const std::string& name : options.columns) out->Add(name);
  out->Add(uint64_t{options.computed_columns.size()});
  for (const ComputedColumn& column : options.computed_columns) {
    out->Add(column.name);
    out->Add(column.expression);
  }
  out->Add(uint64_t{options.filter.has_value()});
  out->Add(options.filter ? options.filter->sql() : std::string());
  out->Add(options.batch_size);
  out->Add(options.batch_size_bytes);
  out->Add(uint64_t{options.include_deleted_rows});
  out->Add(uint64_t{options.with_row_id});
  out->Add(uint64_t{options.with_row_address});
  out->Add(uint64_t{options.blob_handling == BlobHandling::kBinary});
}

arrow::Status ReadOptions(PayloadReader* in, ScanOptions* options) {
  uint64_t count = 0;
  ARROW_RETURN_NOT_OK(in->TakeCount("columns", sizeof(uint64_t), &count));
  options->columns.resize(count);
  for (std::string& name : options->columns) ARROW_RETURN_NOT_OK(in->Take("column", &name));
  ARROW_RETURN_NOT_OK(in->TakeCount("computed columns", 2 * sizeof(uint64_t), &count));
  options->computed_columns.resize(count);
  for (ComputedColumn& column : options->computed_columns) {
    ARROW_RETURN_NOT_OK(in->Take("computed column", &column.name));
    ARROW_RETURN_NOT_OK(in->Take("expression", &column.expression));
  }
  bool has_filter = false;
  std::string sql;
  ARROW_RETURN_NOT_OK(in->Take("filter", &has_filter));
  ARROW_RETURN_NOT_OK(in->Take("filter", &sql));
  if (has_filter) options->filter = Filter(std::move(sql));
  ARROW_RETURN_NOT_OK(in->Take("batch_size", &options->batch_size));
  ARROW_RETURN_NOT_OK(in->Take("batch_size_bytes", &options->batch_size_bytes));
  ARROW_RETURN_NOT_OK(in->Take("include_deleted_rows", &options->include_deleted_rows));
  ARROW_RETURN_NOT_OK(in->Take("with_row_id", &options->with_row_id));
  ARROW_RETURN_NOT_OK(in->Take("with_row_address", &options->with_row_address));
  bool is_binary = false;
  ARROW_RETURN_NOT_OK(in->Take("blob_handling", &is_binary));
  options->blob_handling = is_binary ? BlobHandling::kBinary : BlobHandling::kDescriptions;
  return arrow::Status::OK();
}

void WritePart(const ScanTaskPart& part, PayloadWriter* out) {
  out->Add(part.fragment_id);
  out->Add(part.file_path);
  out->Add(uint64_t{part.rows.ranges().size()});
  for (const RowRange& range : part.rows.ranges()) {
    out->Add(range.begin);
    out->Add(range.end);
  }
}

arrow::Status ReadPart(PayloadReader* in, ScanTaskPart* part) {
  ARROW_RETURN_NOT_OK(in->Take("fragment", &part->fragment_id));
  ARROW_RETURN_NOT_OK(in->Take("data file", &part->file_path));
  uint64_t count = 0;
  ARROW_RETURN_NOT_OK(in->TakeCount("ranges", 2 * sizeof(uint64_t), &count));
  std::vector<RowRange> ranges(count);
  uint64_t end = 0;
  for (RowRange& range : ranges) {
    ARROW_RETURN_NOT_OK(in->Take("range", &range.begin));
    ARROW_RETURN_NOT_OK(in->Take("range", &range.end));
    if (range.begin < end || range.begin >= range.end) {
      return in->Wrong("range", "rows " + std::to_string(range.begin) + " to " +
                                    std::to_string(range.end) + " do not follow row " +
                                    std::to_string(end));
    }
    end = range.end;
  }
  if (ranges.empty()) return in->Wrong("ranges", "there is none");
  part->rows = RowRanges::Make(std::move(ranges));
  return arrow::Status::OK();
}

arrow::Status ReadTask(PayloadReader* in, ScanTask::Impl* task) {
  ARROW_RETURN_NOT_OK(in->Take("table", &task->table_uri));
  ARROW_RETURN_NOT_OK(in->Take("branch", &task->branch));
  ARROW_RETURN_NOT_OK(in->Take("version", &task->read_version));
  ARROW_RETURN_NOT_OK(in->Take("rows", &task->num_rows));
  ARROW_RETURN_NOT_OK(in->Take("bytes", &task->num_bytes));
  ARROW_RETURN_NOT_OK(ReadOptions(in, &task->options));
  uint64_t count = 0;
  ARROW_RETURN_NOT_OK(in->TakeCount("parts", 3 * sizeof(uint64_t), &count));
  task->parts.resize(count);
  std::set<uint64_t> ids;
  for (ScanTaskPart& part : task->parts) {
    ARROW_RETURN_NOT_OK(ReadPart(in, &part));
    if (!ids.insert(part.fragment_id).second) {
      return in->Wrong("parts", "fragment " + std::to_string(part.fragment_id) + " is there twice");
    }
    task->fragment_ids.push_back(part.fragment_id);
  }
  return in->ExpectEnd();
}

arrow::Status CheckPart(const ScanTaskPart& part, const table::Fragment& fragment,
                        uint64_t version) {
  const std::string path = fragment.files.empty() ? "" : fragment.files.front().path;
  const bool is_same =
      path == part.file_path && part.rows.ranges().back().end <= fragment.physical_rows;
  if (is_same) return arrow::Status::OK();
  return arrow::Status::Invalid("fragment ", part.fragment_id, " of version ", version,
                                " is not what the task was planned for: it is in file \"", path,
                                "\", not \"", part.file_path,
                                "\"; allowed: a handle of the table of the plan");
}

/// A scan of the rows of a task.
arrow::Result<std::shared_ptr<const Scanner::Impl>> ScanOf(const ScanTask::Impl& task,
                                                           const Dataset& dataset) {
  ScanOptions options = task.options;
  options.fragment_ids = task.fragment_ids;
  options.use_stats = false;  // the plan has used them
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan(std::move(options)));
  auto scan = std::make_shared<Scanner::Impl>(scanner.impl());
  auto rows = std::make_shared<std::map<size_t, RowRanges>>();
  for (size_t i = 0; i < task.parts.size(); ++i) {
    const size_t position = scan->fragments[i];
    ARROW_RETURN_NOT_OK(
        CheckPart(task.parts[i], scan->dataset->manifest().fragments[position], task.read_version));
    rows->emplace(position, task.parts[i].rows);
  }
  scan->only_rows = std::move(rows);
  return scan;
}

}  // namespace

const std::string& ScanTask::table_uri() const { return impl_->table_uri; }
uint64_t ScanTask::read_version() const { return impl_->read_version; }
uint64_t ScanTask::num_rows() const { return impl_->num_rows; }
uint64_t ScanTask::num_bytes() const { return impl_->num_bytes; }
const std::vector<uint64_t>& ScanTask::fragment_ids() const { return impl_->fragment_ids; }

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScanTask::Execute(
    const Dataset& dataset, const CallOptions& call) const {
  Dataset version = dataset;
  if (dataset.version() != impl_->read_version || dataset.branch() != impl_->branch) {
    ARROW_ASSIGN_OR_RAISE(version,
                          dataset.Checkout(Ref::Version(impl_->read_version, impl_->branch), call));
  }
  ARROW_ASSIGN_OR_RAISE(const auto scan, ScanOf(*impl_, version));
  return ScanReader::Make(scan, scan->dataset->Run(call));
}

arrow::Result<std::string> ScanTask::Serialize() const {
  PayloadWriter out;
  out.Add(impl_->table_uri);
  out.Add(impl_->branch);
  out.Add(impl_->read_version);
  out.Add(impl_->num_rows);
  out.Add(impl_->num_bytes);
  WriteOptions(impl_->options, &out);
  out.Add(uint64_t{impl_->parts.size()});
  for (const ScanTaskPart& part : impl_->parts) WritePart(part, &out);
  return SealEnvelope(kForm, kTaskKind, out.payload());
}

arrow::Result<ScanTask> ScanTask::Parse(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const OpenedEnvelope opened, OpenEnvelope(kForm, bytes));
  if (opened.kind != kTaskKind) {
    return arrow::Status::SerializationError("scan task: its kind is ", opened.kind,
                                             "; allowed: 1");
  }
  auto task = std::make_shared<Impl>();
  PayloadReader in(opened.payload);
  ARROW_RETURN_NOT_OK(ReadTask(&in, task.get()));
  return ScanTask(std::move(task));
}

}  // namespace lance
