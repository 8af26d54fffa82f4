#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <variant>

#include "arrow/api.h"
#include "command_line.h"
#include "output.h"
#include "print_rows.h"

namespace lancectl {

namespace {

using Json = nlohmann::ordered_json;

/// Flags of diff and history.
struct DiffFlags {
  lance::DiffRequest request;
  bool rows = false;
  uint64_t limit = 100;
};

/// All changes as rows: `_change`, then the columns, null where a row is gone.
class ChangesReader : public arrow::RecordBatchReader {
 public:
  explicit ChangesReader(const lance::Diff& diff)
      : parts_{{"inserted", diff.inserted},
               {"updated", diff.updated},
               {"deleted", diff.deleted_row_ids}} {
    arrow::FieldVector fields = {arrow::field("_change", arrow::utf8())};
    for (const auto& field : diff.inserted->schema()->fields()) {
      fields.push_back(field->WithNullable(true));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    for (; at_ < std::size(parts_); ++at_) {
      ARROW_RETURN_NOT_OK(parts_[at_].reader->ReadNext(batch));
      if (*batch != nullptr) {
        ARROW_ASSIGN_OR_RAISE(*batch, Widen(**batch, parts_[at_].change));
        return arrow::Status::OK();
      }
    }
    return arrow::Status::OK();
  }

 private:
  struct Part {
    const char* change;
    std::shared_ptr<arrow::RecordBatchReader> reader;
  };

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Widen(const arrow::RecordBatch& rows,
                                                           const char* change) const {
    ARROW_ASSIGN_OR_RAISE(auto changes,
                          arrow::MakeArrayFromScalar(arrow::StringScalar(change), rows.num_rows()));
    arrow::ArrayVector columns = {std::move(changes)};
    for (int i = 1; i < schema_->num_fields(); ++i) {
      auto column = rows.GetColumnByName(schema_->field(i)->name());
      if (column == nullptr) {
        ARROW_ASSIGN_OR_RAISE(column,
                              arrow::MakeArrayOfNull(schema_->field(i)->type(), rows.num_rows()));
      }
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema_, rows.num_rows(), std::move(columns));
  }

  Part parts_[3];
  size_t at_ = 0;
  std::shared_ptr<arrow::Schema> schema_;
};

arrow::Result<uint64_t> CountRows(arrow::RecordBatchReader& reader) {
  uint64_t rows = 0;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return rows;
    rows += static_cast<uint64_t>(batch->num_rows());
  }
}

arrow::Status RunDiff(const Invocation& invocation, const DiffFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto diff,
                        lance::DiffVersions(dataset, flags.request, invocation.call));
  if (flags.rows) {
    ChangesReader changes(diff);
    return PrintRows(changes, invocation.flags.json ? RowFormat::kJsonLines : RowFormat::kTable);
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t inserted, CountRows(*diff.inserted));
  ARROW_ASSIGN_OR_RAISE(const uint64_t updated, CountRows(*diff.updated));
  ARROW_ASSIGN_OR_RAISE(const uint64_t deleted, CountRows(*diff.deleted_row_ids));
  if (!invocation.flags.json) {
    std::cout << Counted(inserted, "row") << " inserted, " << WithCommas(updated) << " updated, "
              << WithCommas(deleted) << " deleted by "
              << Counted(diff.transactions.size(), "commit") << '\n';
    return arrow::Status::OK();
  }
  Json json = {{"kind", "diff"},
               {"format", 1},
               {"begin_version", flags.request.begin_version},
               {"end_version", flags.request.end_version},
               {"rows_inserted", inserted},
               {"rows_updated", updated},
               {"rows_deleted", deleted},
               {"transactions", Json::array()}};
  for (const lance::HistoryEntry& entry : diff.transactions) {
    json["transactions"].push_back(Json::parse(lance::ToJson(entry)));
  }
  PrintJson(json);
  return arrow::Status::OK();
}

/// The names of index segments, each once.
std::vector<std::string> NamesOf(const std::vector<lance::IndexSegmentInfo>& segments) {
  std::vector<std::string> names;
  for (const lance::IndexSegmentInfo& segment : segments) {
    if (std::ranges::find(names, segment.name) == names.end()) names.push_back(segment.name);
  }
  return names;
}

/// What a commit did to indices: "wrote a_idx, dropped b_idx"; "": nothing, or not known.
std::string IndexChanges(const lance::HistoryEntry& entry) {
  if (!entry.transaction || entry.operation != "CreateIndex") return "";
  const auto operation = lance::OperationOf(*entry.transaction);
  if (!operation.ok()) return "";  // the entry stands without it
  const auto* change = std::get_if<lance::CreateIndexOperation>(&*operation);
  if (change == nullptr) return "";
  const auto written = NamesOf(change->new_indices);
  const auto gone = NamesOf(change->removed_indices);
  const auto is_in = [](const std::string& name, const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> parts;
  for (const std::string& name : written) {
    parts.push_back((is_in(name, gone) ? "rewrote " : "wrote ") + name);
  }
  for (const std::string& name : gone) {
    if (!is_in(name, written)) parts.push_back("dropped " + name);
  }
  return JoinNames(parts);
}

/// "Append", "CreateIndex: wrote a_idx", or "?".
std::string OperationText(const lance::HistoryEntry& entry) {
  if (entry.operation.empty()) return "?";
  const std::string changes = IndexChanges(entry);
  return changes.empty() ? entry.operation : entry.operation + ": " + changes;
}

std::string NumberOrUnknown(const std::optional<uint64_t>& number) {
  return number ? WithCommas(*number) : "?";
}

arrow::Status RunHistory(const Invocation& invocation, const DiffFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto history,
                        lance::ListHistory(dataset, flags.limit, invocation.call));
  std::vector<std::vector<std::string>> rows;
  for (const lance::HistoryEntry& entry : history) {
    const Json json = Json::parse(lance::ToJson(entry));
    if (invocation.flags.json) {
      PrintJson(json);
      continue;
    }
    rows.push_back({std::to_string(entry.version), json["timestamp"], OperationText(entry),
                    NumberOrUnknown(entry.rows_inserted), NumberOrUnknown(entry.rows_updated),
                    NumberOrUnknown(entry.rows_deleted), JoinNames(entry.tags),
                    entry.message.value_or("")});
  }
  if (!invocation.flags.json) {
    PrintTable(
        {"version", "timestamp", "operation", "inserted", "updated", "deleted", "tags", "message"},
        rows);
  }
  return arrow::Status::OK();
}

}  // namespace

void AddDiffCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* history = AddCommand(app, "history", "list what was committed, newest first", common,
                                 /*commits=*/false);
  history->add_option("--limit", flags->limit, "most versions")->check(IsWholeNumber());
  commands->push_back(
      {history, [flags](const Invocation& invocation) { return RunHistory(invocation, *flags); }});
  CLI::App* diff = AddCommand(app, "diff", "count or print the rows that two versions differ in",
                              common, /*commits=*/false);
  diff->add_option("FROM", flags->request.begin_version, "the older version; 0: before the first")
      ->check(IsWholeNumber())
      ->required();
  diff->add_option("TO", flags->request.end_version, "the newer version")
      ->check(IsWholeNumber())
      ->required();
  diff->add_flag("--rows", flags->rows, "print them");
  commands->push_back(
      {diff, [flags](const Invocation& invocation) { return RunDiff(invocation, *flags); }});
}

}  // namespace lancectl
