#include "fuzz/page_input.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "arrow/api.h"
#include "fuzz/bytes_store.h"
#include "fuzz/read_data_file.h"
#include "fuzz/target.h"
#include "lance/base/checked_math.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/describe_page.h"
#include "lance/format/levels/assemble.h"
#include "lance/format/pages/read_leaf.h"
#include "lance/format/v20/read_field.h"
#include "lance/testing/validate_layout.h"

namespace lance::fuzz {
namespace {

using format::DataFileMetadata;
using format::FieldNode;
using format::PageMetadata;

const auto kNever = arrow::StopToken::Unstoppable();

/// Find the leaf with a number among the leaves of all fields.
bool FindLeaf(const std::vector<FieldNode>& fields, size_t number, PageInput* page) {
  for (const FieldNode& field : fields) {
    const auto leaves = format::LeavesOf(field);
    if (number >= leaves.size()) {
      number -= leaves.size();
      continue;
    }
    const auto paths = format::PathsOf(field);
    if (!paths.ok()) return false;
    page->field = field;
    page->leaf = *leaves[number];
    page->path = (*paths)[number];
    page->is_only_leaf = leaves.size() == 1;
    return true;
  }
  return false;
}

/// Put the buffers into a file, apart from each other so that they are not read as one.
PageMetadata AddBuffers(std::span<const ExactBytes> buffers, ExactBytes* file) {
  constexpr size_t kGap = 5000;  // RangeBatch reads over smaller ones
  PageMetadata page;
  for (const ExactBytes& buffer : buffers) {
    page.buffers.push_back({file->size(), buffer.size()});
    file->insert(file->end(), buffer.begin(), buffer.end());
    file->resize(file->size() + kGap);
  }
  return page;
}

std::vector<RowRanges> ChooseRows(uint64_t num_rows, uint64_t seed) {
  testing::SeededRandom random(seed);
  const uint64_t most = std::min(num_rows, kMaxRowsAtOnce);
  std::vector<RowRanges> choices = {RowRanges::All(most)};
  std::vector<RowRange> ranges;
  for (uint64_t i = 0; i < 1 + seed % 5 && num_rows > 0; ++i) {
    const uint64_t begin = random.Below(num_rows);
    ranges.push_back({begin, std::min(num_rows, begin + 1 + random.Below(i % 2 == 0 ? 2 : most))});
  }
  choices.push_back(RowRanges::Make(ranges));
  if (seed % 2 == 1) std::swap(choices[0], choices[1]);
  return choices;
}

void CheckArray(const arrow::Array& array, const arrow::DataType& type, const RowRanges& rows) {
  const auto status = testing::ValidateLayout(array);
  LANCE_FUZZ_CHECK(status.ok(), status.ToString());
  LANCE_FUZZ_CHECK(static_cast<uint64_t>(array.length()) == rows.num_rows(), "rows are all there");
  LANCE_FUZZ_CHECK(array.type()->Equals(type), array.type()->ToString());
}

void CheckStatus(const arrow::Status& status) {
  LANCE_FUZZ_CHECK(!status.IsUnknownError(), status.ToString());
}

/// Read one choice of rows of a 2.1 or 2.2 page.
void ReadRows(const PageInput& page, const RowRanges& rows, format::PageHeaderCache* headers,
              arrow::MemoryPool* pool) {
  const format::DataFileLocation location{std::make_shared<BytesStore>(page.file), "f.lance"};
  auto column = format::ReadLeaf({.location = location,
                                  .metadata = page.metadata,
                                  .headers = *headers,
                                  .column_index = 0,
                                  .leaf = page.leaf,
                                  .path = page.path,
                                  .rows = rows,
                                  .pool = pool,
                                  .stop = kNever});
  CheckStatus(column.status());
  if (!column.ok() || !page.is_only_leaf) return;
  std::vector<format::LeafColumn> leaves;
  leaves.push_back(*std::move(column));
  const auto array = format::AssembleField(page.field, rows.num_rows(), std::move(leaves), pool);
  CheckStatus(array.status());
  const bool is_blob = page.leaf.kind == format::FieldKind::kBlob;
  if (array.ok()) CheckArray(**array, is_blob ? *(*array)->type() : *page.field.type, rows);
}

}  // namespace

std::optional<PageInput> ParsePageInput(std::span<const std::byte> input) {
  const std::vector<ExactBytes> sections = SplitSections(input);
  if (sections.size() <= kPageMessageSection) return std::nullopt;
  PageInput page;
  Input parameters(sections[0]);
  const auto leaf = parameters.Take<uint8_t>();
  page.metadata.version =
      parameters.TakeBool() ? format::FileVersion::k2_2 : format::FileVersion::k2_1;
  const uint64_t num_rows = parameters.Take<uint32_t>();
  const auto seed = parameters.Take<uint64_t>();
  if (!format::ParseDescriptor(sections[1], &page.metadata).ok()) return std::nullopt;
  const auto fields = format::MakeFieldTree(page.metadata.schema);
  if (!fields.ok() || !FindLeaf(*fields, leaf, &page)) return std::nullopt;
  const auto length = CheckedMul(num_rows, page.path.entries_per_row(), "rows");
  if (!length.ok()) return std::nullopt;
  page.metadata.num_rows = num_rows;
  page.message.assign(reinterpret_cast<const char*>(sections[kPageMessageSection].data()),
                      sections[kPageMessageSection].size());
  format::ColumnMetadata column;
  column.encoding = format::PlainColumnEncoding();
  column.pages.push_back(
      AddBuffers(std::span(sections).subspan(kPageMessageSection + 1), &page.file));
  column.pages[0].num_rows = *length;
  page.metadata.file_size = page.file.size();
  page.metadata.columns.push_back(std::move(column));
  page.row_choices = ChooseRows(num_rows, seed);
  return page;
}

std::string SerializePageSeed(const PageSeed& seed) {
  std::string parameters;
  AppendLittleEndian(seed.leaf_index, &parameters);
  AppendLittleEndian(static_cast<uint8_t>(seed.is_2_2 ? 1 : 0), &parameters);
  AppendLittleEndian(seed.num_rows, &parameters);
  AppendLittleEndian(uint64_t{seed.num_rows} + 2, &parameters);
  std::vector<std::string> sections = {parameters, seed.descriptor, seed.message};
  sections.insert(sections.end(), seed.buffers.begin(), seed.buffers.end());
  return JoinSections(sections);
}

void ReadPage(PageInput page, std::string layout) {
  page.metadata.columns[0].pages[0].encoding =
      format::PackEncoding(std::move(layout), "lance.encodings21.PageLayout");
  (void)format::DescribePage(page.metadata.columns[0].pages[0], page.metadata.version);
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, kMaxPoolBytes);
  format::PageHeaderCache headers;
  try {
    for (const RowRanges& rows : page.row_choices) ReadRows(page, rows, &headers, &pool);
  } catch (const std::bad_alloc&) {
    return;  // as the reader's entry points do; the pool has a cap
  }
}

void ReadPage20(PageInput page, std::string encoding) {
  page.metadata.version = format::FileVersion::k2_0;
  page.metadata.columns[0].pages[0].num_rows = page.metadata.num_rows;
  page.metadata.columns[0].pages[0].encoding =
      format::PackEncoding(std::move(encoding), "lance.encodings.ArrayEncoding");
  (void)format::DescribePage(page.metadata.columns[0].pages[0], page.metadata.version);
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, kMaxPoolBytes);
  const format::DataFileLocation location{std::make_shared<BytesStore>(page.file), "f.lance"};
  const format::ColumnMap columns = {{page.leaf.id, 0}};
  try {
    for (const RowRanges& rows : page.row_choices) {
      const auto array = format::v20::ReadField({.location = location,
                                                 .metadata = page.metadata,
                                                 .columns = columns,
                                                 .node = page.leaf,
                                                 .rows = rows,
                                                 .pool = &pool,
                                                 .stop = kNever});
      CheckStatus(array.status());
      const bool is_blob = page.leaf.kind == format::FieldKind::kBlob;
      if (array.ok()) CheckArray(**array, is_blob ? *(*array)->type() : *page.leaf.type, rows);
    }
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace lance::fuzz
