#include "fuzz/data_file_parts.h"

#include <algorithm>
#include <utility>

#include "fuzz/mutate_message.h"
#include "google/protobuf/stubs/logging.h"
#include "lance/base/byte_reader.h"
#include "lance/format/footer.h"
#include "lance_encodings20.pb.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

using lance_pb::file::ColumnMetadata;
using testing::SeededRandom;

constexpr uint64_t kMaxParts = 1000;

std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads the parts of a file; whatever leaves the file or is no message ends it.
class PartReader {
 public:
  explicit PartReader(std::span<const std::byte> file) : file_(file) {}

  bool Read(DataFileParts* parts) {
    if (file_.size() < format::kFooterBytes) return false;
    const auto footer = format::ParseFooter(file_.last(format::kFooterBytes), file_.size());
    if (!footer.ok()) return false;
    if (footer->num_columns > kMaxParts || footer->num_global_buffers > kMaxParts) return false;
    parts->major_version = footer->major_version;
    parts->minor_version = footer->minor_version;
    for (uint64_t i = 0; i < footer->num_global_buffers; ++i) {
      const auto buffer = Entry(footer->buffer_table_start, i);
      if (!buffer.has_value()) return false;
      if (i == 0) {
        parts->descriptor = *buffer;
      } else {
        parts->more_buffers.push_back(*buffer);
      }
    }
    for (uint64_t i = 0; i < footer->num_columns; ++i) {
      const auto bytes = Entry(footer->column_table_start, i);
      if (!bytes.has_value() || !ReadColumn(*bytes, &parts->columns.emplace_back())) return false;
    }
    return true;
  }

 private:
  std::optional<std::string> Bytes(uint64_t offset, uint64_t length) const {
    if (offset > file_.size() || length > file_.size() - offset) return std::nullopt;
    return Text(file_.subspan(offset, length));
  }

  std::optional<std::string> Entry(uint64_t table, uint64_t i) const {
    const std::byte* const at = file_.data() + table + i * format::kTableEntryBytes;
    return Bytes(LoadLittleEndian<uint64_t>(at), LoadLittleEndian<uint64_t>(at + 8));
  }

  bool ReadColumn(const std::string& bytes, DataFileParts::Column* column) const {
    const google::protobuf::LogSilencer silencer;
    if (!column->message.ParseFromString(bytes)) return false;
    for (const auto& message : column->message.pages()) {
      DataFileParts::Page& page = column->pages.emplace_back();
      page.message = message;
      const int num_buffers = std::min(message.buffer_offsets_size(), message.buffer_sizes_size());
      for (int i = 0; i < num_buffers; ++i) {
        const auto buffer = Bytes(message.buffer_offsets(i), message.buffer_sizes(i));
        if (!buffer.has_value()) return false;
        page.buffers.push_back(*buffer);
      }
    }
    column->message.clear_pages();
    return true;
  }

  std::span<const std::byte> file_;
};

/// Append bytes where a buffer may begin. \return where they are
ByteRange AppendBuffer(const std::string& bytes, std::string* file) {
  constexpr uint64_t kAlignment = format::kBufferAlignment;
  file->resize((file->size() + kAlignment - 1) / kAlignment * kAlignment);
  const ByteRange range = {file->size(), bytes.size()};
  *file += bytes;
  return range;
}

/// Changes a file that was taken apart.
class PartMutator {
 public:
  PartMutator(DataFileParts* parts, size_t room, SeededRandom* random,
              const ByteMutator& mutate_bytes)
      : parts_(parts), room_(room), random_(random), mutate_bytes_(mutate_bytes) {}

  void Mutate() {
    const uint64_t choice = random_->Below(100);
    if (choice < 8) return MutateDescriptor();
    if (choice < 10) return MutateVersion();
    if (choice < 12) return MutateColumns();
    DataFileParts::Page* const page = AnyPage();
    if (page == nullptr) return MutateDescriptor();
    if (choice < 40) return MutateEncoding(page);
    if (choice < 48) return MutatePage(page);
    MutateBuffer(page);
  }

 private:
  DataFileParts::Column* AnyColumn() {
    if (parts_->columns.empty()) return nullptr;
    return &parts_->columns[random_->Below(parts_->columns.size())];
  }

  DataFileParts::Page* AnyPage() {
    DataFileParts::Column* const column = AnyColumn();
    if (column == nullptr || column->pages.empty()) return nullptr;
    return &column->pages[random_->Below(column->pages.size())];
  }

  void MutateDescriptor() {
    MutateSerialized(lance_pb::file::FileDescriptor::default_instance(),
                     parts_->descriptor.size() + room_, random_, mutate_bytes_,
                     &parts_->descriptor);
  }

  void MutateVersion() {
    parts_->major_version = static_cast<uint16_t>(random_->OneIn(3) ? 0 : 2);
    parts_->minor_version =
        static_cast<uint16_t>(parts_->major_version == 0 ? 3 : random_->Below(4));
  }

  void MutateColumns() {
    DataFileParts::Column* const column = AnyColumn();
    if (column == nullptr) {
      parts_->columns.emplace_back();
    } else if (random_->OneIn(3)) {
      MutateMessage(&column->message, random_, mutate_bytes_);
    } else if (random_->OneIn(2)) {
      *AnyColumn() = DataFileParts::Column(*column);
    } else if (random_->OneIn(2)) {
      parts_->columns.push_back(DataFileParts::Column(*column));
    } else {
      parts_->columns.pop_back();
    }
  }

  /// Change the message that describes a page: it is wrapped twice.
  void MutateEncoding(DataFileParts::Page* page) {
    lance_pb::file::AnyEncoding any;
    auto* const direct = page->message.mutable_encoding()->mutable_direct();
    if (!any.ParseFromString(direct->encoding())) {
      return MutateMessage(&page->message, random_, mutate_bytes_);
    }
    const size_t max_size = any.value().size() + room_;
    if (any.type_url().find("encodings21") != std::string::npos) {
      MutateSerialized(lance_pb::encodings21::PageLayout::default_instance(), max_size, random_,
                       mutate_bytes_, any.mutable_value());
    } else {
      MutateSerialized(lance_pb::encodings::ArrayEncoding::default_instance(), max_size, random_,
                       mutate_bytes_, any.mutable_value());
    }
    direct->set_encoding(any.SerializeAsString());
  }

  void MutatePage(DataFileParts::Page* page) {
    DataFileParts::Column* const column = AnyColumn();
    switch (random_->Below(5)) {
      case 0:
        page->message.set_length(MutateNumber(page->message.length(), random_));
        return;
      case 1:
        return MutateMessage(&page->message, random_, mutate_bytes_);
      case 2:
        if (room_ > 1000) column->pages.push_back(DataFileParts::Page(*page));
        return;
      case 3:
        if (!column->pages.empty()) column->pages.pop_back();
        return;
      default:
        *page = DataFileParts::Page(*AnyPageOr(page));
    }
  }

  DataFileParts::Page* AnyPageOr(DataFileParts::Page* page) {
    DataFileParts::Page* const any = AnyPage();
    return any == nullptr ? page : any;
  }

  void MutateBuffer(DataFileParts::Page* page) {
    std::vector<std::string>& buffers = page->buffers;
    if (buffers.empty() || random_->OneIn(40)) {
      buffers.emplace_back();
    } else if (random_->OneIn(40)) {
      buffers.pop_back();
    } else if (random_->OneIn(40)) {
      std::swap(buffers[random_->Below(buffers.size())], buffers.back());
    } else {
      std::string& buffer = buffers[random_->Below(buffers.size())];
      if (buffer.size() >= 4 && random_->OneIn(4)) return MutateWord(&buffer);
      mutate_bytes_(&buffer, buffer.size() + room_);
    }
  }

  /// Change one number of a buffer.
  void MutateWord(std::string* buffer) {
    const size_t width = buffer->size() >= 8 ? size_t{1} << random_->Below(4) : 2;
    const size_t at = random_->Below(buffer->size() / width) * width;
    uint64_t number = 0;
    std::copy_n(buffer->data() + at, width, reinterpret_cast<char*>(&number));
    number = MutateNumber(number, random_);
    std::copy_n(reinterpret_cast<const char*>(&number), width, buffer->data() + at);
  }

  DataFileParts* parts_;
  size_t room_;
  SeededRandom* random_;
  const ByteMutator& mutate_bytes_;
};

}  // namespace

std::optional<DataFileParts> TakeApart(std::span<const std::byte> file) {
  DataFileParts parts;
  if (!PartReader(file).Read(&parts)) return std::nullopt;
  return parts;
}

std::string PutTogether(DataFileParts parts) {
  std::string file;
  for (DataFileParts::Column& column : parts.columns) {
    for (DataFileParts::Page& page : column.pages) {
      page.message.clear_buffer_offsets();
      page.message.clear_buffer_sizes();
      for (const std::string& buffer : page.buffers) {
        const ByteRange range = AppendBuffer(buffer, &file);
        page.message.add_buffer_offsets(range.offset);
        page.message.add_buffer_sizes(range.length);
      }
      *column.message.add_pages() = page.message;
    }
  }
  std::vector<ByteRange> global_buffers(1 + parts.more_buffers.size());
  for (size_t i = 1; i < global_buffers.size(); ++i) {
    global_buffers[i] = AppendBuffer(parts.more_buffers[i - 1], &file);
  }
  global_buffers[0] = AppendBuffer(parts.descriptor, &file);
  format::Footer footer = {.column_metadata_start = file.size()};
  std::string tables;
  for (const DataFileParts::Column& column : parts.columns) {
    const std::string bytes = column.message.SerializePartialAsString();
    format::AppendTableEntry({file.size(), bytes.size()}, &tables);
    file += bytes;
  }
  footer.column_table_start = file.size();
  footer.buffer_table_start = file.size() + tables.size();
  for (const ByteRange& range : global_buffers) format::AppendTableEntry(range, &tables);
  footer.num_columns = static_cast<uint32_t>(parts.columns.size());
  footer.num_global_buffers = static_cast<uint32_t>(global_buffers.size());
  footer.major_version = parts.major_version;
  footer.minor_version = parts.minor_version;
  file += tables;
  format::AppendFooter(footer, &file);
  return file;
}

void MutateDataFile(std::string* file, size_t max_size, uint64_t seed,
                    const ByteMutator& mutate_bytes) {
  SeededRandom random(seed);
  auto parts = TakeApart(AsBytes(*file));
  if (!parts.has_value() || random.OneIn(12)) return mutate_bytes(file, max_size);
  const size_t room = file->size() < max_size ? max_size - file->size() : 0;
  do {
    PartMutator(&*parts, room, &random, mutate_bytes).Mutate();
  } while (random.OneIn(3));
  std::string changed = PutTogether(*std::move(parts));
  if (changed.size() <= max_size) *file = std::move(changed);
}

void CrossDataFiles(std::string* file, std::span<const std::byte> other, uint64_t seed) {
  SeededRandom random(seed);
  auto parts = TakeApart(AsBytes(*file));
  const auto donor = TakeApart(other);
  if (!parts.has_value() || !donor.has_value()) return;
  if (parts->columns.empty() || donor->columns.empty()) return;
  auto& column = parts->columns[random.Below(parts->columns.size())];
  const auto& from = donor->columns[random.Below(donor->columns.size())];
  if (random.OneIn(3) || column.pages.empty() || from.pages.empty()) {
    column = from;
  } else {
    column.pages[random.Below(column.pages.size())] = from.pages[random.Below(from.pages.size())];
  }
  if (random.OneIn(4)) parts->descriptor = donor->descriptor;
  *file = PutTogether(*std::move(parts));
}

}  // namespace lance::fuzz
