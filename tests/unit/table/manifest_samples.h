#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lance/table/commit.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Bytes from hex digits; blanks and newlines between them are skipped.
inline std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      bytes += static_cast<char>(high * 16 + digit(c));
      high = -1;
    }
  }
  return bytes;
}

/// Columns a (int64), b (double), s (string), q (struct of q.k int64): ids 0 to 4.
inline format::LanceSchema SampleSchema() {
  format::LanceSchema schema;
  schema.fields = {{.name = "a", .id = 0, .logical_type = "int64"},
                   {.name = "b", .id = 1, .logical_type = "double"},
                   {.name = "s", .id = 2, .logical_type = "string"},
                   {.name = "q", .id = 3, .logical_type = "struct"},
                   {.name = "k", .id = 4, .parent_id = 3, .logical_type = "int64"}};
  return schema;
}

/// A fragment of one file with columns a and b.
inline Fragment SampleFragment(uint64_t id, const std::string& file = "", uint64_t rows = 10) {
  Fragment fragment;
  fragment.id = id;
  fragment.physical_rows = rows;
  fragment.files.push_back({.path = file.empty() ? "f" + std::to_string(id) + ".lance" : file,
                            .field_ids = {0, 1},
                            .column_indices = {0, 1},
                            .size_bytes = 100});
  return fragment;
}

/// A table with fragments of these ids, as version 1.
inline Manifest SampleManifest(const std::vector<uint64_t>& fragment_ids = {}) {
  Manifest manifest;
  manifest.schema = SampleSchema();
  manifest.version = 1;
  manifest.data_storage_version = "2.1";
  for (const uint64_t id : fragment_ids) {
    manifest.fragments.push_back(SampleFragment(id));
    manifest.max_fragment_id = static_cast<uint32_t>(id);
  }
  return manifest;
}

/// A UUID whose bytes all are `byte`.
inline Uuid SampleUuid(uint8_t byte) {
  Uuid uuid;
  uuid.bytes.fill(byte);
  return uuid;
}

/// An index segment over column a that covers these fragments.
inline IndexMetadata SampleIndex(const std::string& name, uint8_t uuid_byte,
                                 std::vector<uint32_t> fragment_ids) {
  return {.uuid = SampleUuid(uuid_byte),
          .field_ids = {0},
          .name = name,
          .dataset_version = 1,
          .fragment_bitmap = RoaringBitmap(fragment_ids).Serialize(),
          .details_type_url = "/lance.table.ZoneMapIndexDetails",
          .has_details = true};
}

/// A transaction with a fixed uuid made of `digit`.
inline Transaction SampleTransaction(uint64_t read_version, Operation operation, char digit = '1') {
  Transaction transaction;
  transaction.read_version = read_version;
  for (const int length : {8, 4, 4, 4, 12}) {
    if (!transaction.uuid.empty()) transaction.uuid += '-';
    transaction.uuid += std::string(static_cast<size_t>(length), digit);
  }
  transaction.operation = std::move(operation);
  return transaction;
}

/// A request that creates a table with one fragment.
inline CommitRequest CreateRequest() {
  Overwrite overwrite{.fragments = {SampleFragment(0, "first.lance")}, .schema = SampleSchema()};
  return {.transaction = SampleTransaction(0, std::move(overwrite), 'c')};
}

/// A request that appends one fragment of one file.
inline CommitRequest AppendRequest(uint64_t read_version, const std::string& file,
                                   char digit = '1') {
  Append append{.fragments = {SampleFragment(0, file)}};
  return {.transaction = SampleTransaction(read_version, std::move(append), digit)};
}

/// A layout over column a.
inline LayoutDefinition SampleLayout(uint64_t version = 1) {
  return {.field_ids = {0, 1}, .version = version};
}

/// An update that sets config keys.
inline UpdateConfig SetConfig(std::vector<std::pair<std::string, std::string>> entries) {
  UpdateMap map;
  for (auto& [key, value] : entries) map.entries.emplace_back(key, value);
  return {.config = std::move(map)};
}

}  // namespace lance::table
