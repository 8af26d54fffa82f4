#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "index_fixtures.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/format/schema.h"
#include "lance/index/scalar_index.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/seeded_random.h"

namespace lance::index {

using RowNumbers = std::vector<uint64_t>;

/// Numbers from `first` on.
inline RowNumbers Consecutive(uint64_t first, int64_t count) {
  RowNumbers rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

inline std::shared_ptr<arrow::Array> ToArray(const RowNumbers& rows) {
  arrow::UInt64Builder builder;
  if (!builder.AppendValues(rows).ok()) std::abort();
  return builder.Finish().ValueOrDie();
}

/// The rows of a map, ascending.
inline RowNumbers ToRows(const RowAddressMap& map) {
  RowNumbers rows;
  for (const auto& entry : map.entries) {
    for (const uint32_t offset : entry.offsets->ToVector()) {
      rows.push_back(uint64_t{entry.fragment_id} << 32 | offset);
    }
  }
  return rows;
}

/// Columns `value` and `row` in batches, as an index is built from.
inline std::shared_ptr<arrow::RecordBatchReader> RowsToIndex(
    const std::shared_ptr<arrow::Array>& values, const RowNumbers& rows,
    int64_t batch_rows = 1000) {
  const auto schema = arrow::schema(
      {arrow::field("value", values->type()), arrow::field("row", arrow::uint64(), false)});
  const auto all = arrow::RecordBatch::Make(schema, values->length(), {values, ToArray(rows)});
  arrow::RecordBatchVector batches;
  for (int64_t at = 0; at < all->num_rows(); at += batch_rows) {
    batches.push_back(all->Slice(at, batch_rows));
  }
  return arrow::RecordBatchReader::Make(batches, schema).ValueOrDie();
}

/// Rows that moved; all others are gone.
class MovedRows : public RowMapping {
 public:
  explicit MovedRows(std::map<uint64_t, uint64_t> moved) : moved_(std::move(moved)) {}
  std::optional<uint64_t> Map(uint64_t row) const override {
    const auto found = moved_.find(row);
    return found == moved_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<uint64_t, uint64_t> moved_;
};

/// What tests of an index run with, and where it is.
struct IndexBench {
  IndexBench() {
    run.clock = &clock;
    run.random = &random;
  }

  /// Write a segment and describe it.
  arrow::Result<table::IndexMetadata> Write(const NewScalarIndex& request) {
    table::IndexMetadata segment;
    segment.uuid = Uuid::Random(random);
    ARROW_ASSIGN_OR_RAISE(auto written, WriteScalarIndex(store, segment.uuid, request, run));
    segment.name = "x_idx";
    segment.field_ids = {0};
    segment.has_details = true;
    segment.details_type_url = written.details_type_url;
    segment.index_version = written.index_version;
    segment.files = written.files;
    return segment;
  }

  arrow::Result<std::shared_ptr<const ScalarIndex>> Open(
      const table::IndexMetadata& segment, const std::shared_ptr<arrow::DataType>& type) {
    return OpenScalarIndex(store, segment, type, run);
  }

  /// The files of the store.
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    const auto listed = store->List("", [&](const ObjectInfo& info) {
      paths.push_back(info.path);
      return arrow::Status::OK();
    });
    if (!listed.ok()) std::abort();
    return paths;
  }

  std::shared_ptr<ObjectStore> store = MakeMemoryStore();
  lance::testing::FakeClock clock;
  lance::testing::SeededRandom random;
  RunContext run;
};

inline std::string SegmentPath(const table::IndexMetadata& segment, const std::string& name) {
  return "_indices/" + segment.uuid.ToString() + "/" + name;
}

/// A new BTree of rows only.
inline NewScalarIndex NewBTree(const std::shared_ptr<arrow::Array>& values,
                               const RowNumbers& rows) {
  NewScalarIndex request;
  request.index_type = "BTree";
  request.column = "x";
  request.column_type = values->type();
  request.rows = RowsToIndex(values, rows);
  return request;
}

/// A file of any columns, as another writer might have left it.
inline arrow::Status WriteFileOf(ObjectStore& store, const std::string& path,
                                 const arrow::RecordBatch& rows,
                                 const std::map<std::string, std::string>& metadata = {}) {
  ARROW_ASSIGN_OR_RAISE(const auto schema, format::MakeLanceSchema(*rows.schema()));
  ARROW_ASSIGN_OR_RAISE(auto out, store.OpenWrite(path));
  ARROW_ASSIGN_OR_RAISE(const auto writer, format::DataFileWriter::Make(std::move(out), schema));
  if (rows.num_rows() > 0) ARROW_RETURN_NOT_OK(writer->Write(rows));
  for (const auto& [key, value] : metadata) writer->AddSchemaMetadata(key, value);
  return writer->Finish().status();
}

/// A column of a file, whole.
inline arrow::Result<std::shared_ptr<arrow::Array>> ReadColumnOf(
    const std::shared_ptr<ObjectStore>& store, const std::string& path, int column) {
  ARROW_ASSIGN_OR_RAISE(
      const auto file,
      format::DataFileReader::Open(store, path, std::nullopt, arrow::StopToken::Unstoppable()));
  ARROW_ASSIGN_OR_RAISE(const auto type,
                        format::ParseLogicalType(file->schema().fields[column].logical_type));
  return file->ReadColumn(column, type, RowRanges::All(file->num_rows()),
                          arrow::StopToken::Unstoppable());
}

}  // namespace lance::index
