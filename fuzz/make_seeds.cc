// Takes data files apart into inputs for the fuzz targets:
//
//   lance_fuzz_seeds OUT FILE.lance ...    writes OUT/<target>/<name>
//
// Each part that a target parses becomes an input of its own, so that fuzzing starts behind the
// checks that random bytes do not pass. Targets whose inputs are choices get random ones.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "fuzz/bytes_store.h"
#include "fuzz/data_file_parts.h"
#include "fuzz/page_input.h"
#include "fuzz/random_file.h"
#include "fuzz/value_input.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/pages/chunk_table.h"
#include "lance/format/pages/mini_block_chunk.h"
#include "lance/format/pages/page_layout_proto.h"
#include "lance_encodings20.pb.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

namespace fs = std::filesystem;
namespace pb = lance_pb::encodings21;

using format::FieldNode;

// Larger inputs make fuzzing slow.
constexpr size_t kMaxSeedBytes = 12'000;

std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
std::string Number(T number) {
  std::string bytes;
  AppendLittleEndian(number, &bytes);
  return bytes;
}

/// Writes inputs below a folder, each once.
class SeedFolder {
 public:
  explicit SeedFolder(fs::path root) : root_(std::move(root)) {}

  void Add(const char* target, const std::string& input) {
    if (input.size() > kMaxSeedBytes) return;
    const fs::path folder = root_ / target;
    fs::create_directories(folder);
    std::ofstream out(folder / NameOf(input), std::ios::binary);
    out.write(input.data(), static_cast<std::streamsize>(input.size()));
    ++num_seeds_;
  }

  int num_seeds() const { return num_seeds_; }

 private:
  /// The same bytes have the same name.
  static std::string NameOf(const std::string& input) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : input) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    char name[17];
    std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash));
    return name;
  }

  fs::path root_;
  int num_seeds_ = 0;
};

/// Makes inputs of one page of a 2.1 or 2.2 file.
class PageSeeds {
 public:
  PageSeeds(const PageSeed& seed, const FieldNode& leaf, SeedFolder* out)
      : seed_(seed), leaf_(leaf), out_(out) {}

  void Make() {
    pb::PageLayout layout;
    if (!layout.ParseFromString(seed_.message)) return;
    out_->Add("page_layout", SerializePageSeed(seed_));
    switch (layout.layout_case()) {
      case pb::PageLayout::kMiniBlockLayout:
        AddPage("mini_block_page", layout.mini_block_layout());
        return MiniBlock(layout.mini_block_layout());
      case pb::PageLayout::kFullZipLayout:
        AddPage("full_zip_page", layout.full_zip_layout());
        return FullZip(layout.full_zip_layout());
      case pb::PageLayout::kConstantLayout:
        AddPage("constant_page", layout.constant_layout());
        return Constant(layout.constant_layout());
      case pb::PageLayout::kBlobLayout:
        return AddPage("blob_page", layout.blob_layout());
      case pb::PageLayout::LAYOUT_NOT_SET:
        return;
    }
  }

 private:
  void AddPage(const char* target, const google::protobuf::Message& message) {
    PageSeed copy = seed_;
    copy.message = message.SerializeAsString();
    out_->Add(target, SerializePageSeed(copy));
  }

  void AddDecoder(const char* target, const std::string& parameters,
                  const pb::CompressiveEncoding& encoding, std::vector<std::string> buffers) {
    std::vector<std::string> sections = {parameters, encoding.SerializeAsString()};
    std::move(buffers.begin(), buffers.end(), std::back_inserter(sections));
    out_->Add(target, JoinSections(sections));
    if (encoding.has_fsst() && sections.size() > 2) {
      out_->Add("fsst", JoinSections(
                            std::vector<std::string>{encoding.fsst().symbol_table(), sections[2]}));
    }
    if (encoding.has_general() && sections.size() > 2) {
      const bool is_zstd = encoding.general().compression().scheme() == pb::BufferCompression::ZSTD;
      out_->Add("compressed_buffer", (is_zstd ? '\1' : '\0') + sections[2]);
    }
  }

  format::ValueShape ShapeOf(const pb::MiniBlockLayout& layout) const {
    if (layout.has_dictionary()) return {.bits_per_value = 32};
    auto shape = format::MakeValueShape(*leaf_.type);
    return shape.ok() ? *std::move(shape) : format::ValueShape{};
  }

  void MiniBlock(const pb::MiniBlockLayout& layout) {
    const bool has_rep = layout.has_rep_compression();
    const std::string& words = seed_.buffers[0];
    const std::string& chunks = seed_.buffers[1];
    const uint32_t word_bytes = layout.has_large_chunk() ? 4 : 2;
    const auto num_words = static_cast<uint8_t>(std::min<size_t>(255, words.size() / word_bytes));
    std::string table = {word_bytes == 4 ? '\1' : '\0', has_rep ? '\1' : '\0'};
    table += Number(static_cast<uint32_t>(layout.num_items() - 1));
    if (has_rep) table += Number(seed_.num_rows - 1);
    table += Number(static_cast<uint32_t>(chunks.size())) + Number(num_words) + words;
    if (has_rep) table += seed_.buffers.back();
    out_->Add("chunk_table", table);
    const auto parsed = format::ParseChunkTable(
        AsBytes(words), word_bytes,
        {.num_values = layout.num_items(), .num_rows = seed_.num_rows, .num_bytes = chunks.size()});
    if (layout.has_dictionary()) Dictionary(layout);
    if (!parsed.ok()) return;
    for (const size_t i : {size_t{0}, parsed->num_chunks() - 1}) {
      const uint64_t begin = parsed->byte_of(i);
      Chunk(layout, parsed->num_values(i), chunks.substr(begin, parsed->byte_of(i + 1) - begin));
    }
  }

  void Dictionary(const pb::MiniBlockLayout& layout) {
    const auto shape = format::MakeValueShape(*leaf_.type);
    if (!shape.ok() || seed_.buffers.size() < 3) return;
    std::string parameters;
    AppendShape(*shape, &parameters);
    parameters += Number(static_cast<uint32_t>(layout.num_dictionary_items()));
    AddDecoder("block_decoder", parameters, layout.dictionary(), {seed_.buffers[2]});
  }

  void Chunk(const pb::MiniBlockLayout& layout, uint64_t num_values, const std::string& bytes) {
    const format::ChunkFormat format = {.has_rep = layout.has_rep_compression(),
                                        .has_def = layout.has_def_compression(),
                                        .num_buffers = static_cast<int>(layout.num_buffers()),
                                        .has_large_chunks = layout.has_large_chunk()};
    out_->Add("mini_block_chunk",
              std::string{static_cast<char>(format.has_rep), static_cast<char>(format.has_def),
                          static_cast<char>(format.num_buffers - 1),
                          static_cast<char>(format.has_large_chunks)} +
                  bytes);
    format::MiniBlockChunk chunk;
    if (!format::ParseMiniBlockChunk(AsBytes(bytes), format, &chunk).ok()) return;
    std::string parameters;
    AppendShape(ShapeOf(layout), &parameters);
    parameters += Number(static_cast<uint16_t>(num_values));
    std::vector<std::string> buffers;
    for (const auto& buffer : chunk.buffers) buffers.push_back(Text(buffer));
    AddDecoder("mini_block_decoder", parameters, layout.value_compression(), std::move(buffers));
    Levels(layout, chunk);
  }

  void Levels(const pb::MiniBlockLayout& layout, const format::MiniBlockChunk& chunk) {
    std::string parameters(1, static_cast<char>(layout.layers_size() - 1));
    for (const int layer : layout.layers()) parameters.push_back(static_cast<char>(layer));
    parameters += Number(chunk.claimed_num_levels) + std::string(8, '\0');
    out_->Add("level_decoder",
              JoinSections(std::vector<std::string>{
                  parameters, layout.def_compression().SerializeAsString(),
                  layout.rep_compression().SerializeAsString(), Text(chunk.def), Text(chunk.rep)}));
    std::string shape;
    AppendShape({.bits_per_value = 16}, &shape);
    shape += Number(uint32_t{chunk.claimed_num_levels});
    if (layout.has_def_compression()) {
      AddDecoder("block_decoder", shape, layout.def_compression(), {Text(chunk.def)});
    }
  }

  void FullZip(const pb::FullZipLayout& layout) {
    if (seed_.buffers.size() > 1) {
      out_->Add("row_index", '\1' + Number(static_cast<uint8_t>(seed_.num_rows)) + '\1' +
                                 Number(static_cast<uint8_t>(seed_.buffers[0].size())) +
                                 seed_.buffers[1]);
    }
    const auto shape = format::MakeValueShape(*leaf_.type);
    if (!shape.ok()) return;
    std::string parameters;
    AppendShape(*shape, &parameters);
    AddDecoder("per_value_decoder", parameters, layout.value_compression(), CutValues(layout));
  }

  /// The values of a page without lists, without their control words.
  std::vector<std::string> CutValues(const pb::FullZipLayout& layout) const {
    std::vector<std::string> values;
    const uint32_t bits = layout.bits_rep() + layout.bits_def();
    const size_t control = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    const bool is_fixed = layout.has_bits_per_value();
    const size_t length_bytes = is_fixed ? 0 : layout.bits_per_offset() / 8;
    std::string all;
    Input in(AsBytes(seed_.buffers[0]));
    while (!in.empty() && values.size() < 200) {
      const auto word = in.TakeBytes(control);
      const bool is_null = !word.empty() && word[0] != std::byte{0};
      if (is_fixed) {
        all += Text(in.TakeBytes(layout.bits_per_value() / 8));
      } else if (is_null) {
        values.emplace_back();
      } else {
        const auto length = length_bytes == 4 ? in.Take<uint32_t>() : in.Take<uint64_t>();
        values.push_back(Text(in.TakeBytes(length)));
      }
      if (is_fixed && all.size() > kMaxSeedBytes / 2) break;
    }
    if (is_fixed) values = {all};
    return values;
  }

  void Constant(const pb::ConstantLayout& layout) {
    const auto shape = format::MakeValueShape(*leaf_.type);
    if (!shape.ok()) return;
    std::string parameters;
    AppendShape(*shape, &parameters);
    if (layout.has_inline_value()) out_->Add("constant_value", parameters + layout.inline_value());
    if (!seed_.buffers.empty()) out_->Add("constant_value", parameters + seed_.buffers[0]);
  }

  const PageSeed& seed_;
  const FieldNode& leaf_;
  SeedFolder* out_;
};

/// Makes inputs of one file.
class FileSeeds {
 public:
  FileSeeds(const std::string& bytes, SeedFolder* out) : bytes_(bytes), out_(out) {}

  arrow::Status Make() {
    out_->Add("data_file", bytes_);
    out_->Add("data_file_metadata", bytes_);
    const auto parts = TakeApart(AsBytes(bytes_));
    if (!parts.has_value()) return arrow::Status::Invalid("is no data file");
    out_->Add("schema", parts->descriptor);
    const format::DataFileLocation location{std::make_shared<BytesStore>(AsBytes(bytes_)), "f"};
    ARROW_ASSIGN_OR_RAISE(
        const auto metadata,
        format::LoadDataFileMetadata(location, std::nullopt, arrow::StopToken::Unstoppable()));
    for (const auto& field : metadata.schema.fields) out_->Add("logical_type", field.logical_type);
    ARROW_ASSIGN_OR_RAISE(const auto fields, format::MakeFieldTree(metadata.schema));
    const auto columns = format::NumberColumns(fields, metadata.version);
    uint8_t leaf_index = 0;
    for (const FieldNode& field : fields) {
      ARROW_ASSIGN_OR_RAISE(const auto paths, format::PathsOf(field));
      const auto leaves = format::LeavesOf(field);
      for (size_t i = 0; i < leaves.size(); ++i) {
        const auto column = columns.find(leaves[i]->id);
        if (column == columns.end()) continue;
        MakeColumn(*parts, metadata, leaf_index++, *leaves[i], paths[i],
                   static_cast<size_t>(column->second));
      }
    }
    return arrow::Status::OK();
  }

 private:
  void MakeColumn(const DataFileParts& parts, const format::DataFileMetadata& metadata,
                  uint8_t leaf_index, const FieldNode& leaf, const format::LeafPath& path,
                  size_t column) {
    const bool is_2_0 = metadata.version == format::FileVersion::k2_0;
    const auto& pages = metadata.columns[column].pages;
    for (size_t i = 0; i < std::min(pages.size(), parts.columns[column].pages.size()); ++i) {
      auto message =
          format::UnpackEncoding(pages[i].encoding, is_2_0 ? "lance.encodings.ArrayEncoding"
                                                           : "lance.encodings21.PageLayout");
      if (!message.ok()) continue;
      const PageSeed seed = {
          .leaf_index = leaf_index,
          .is_2_2 = metadata.version == format::FileVersion::k2_2,
          .num_rows = static_cast<uint32_t>(pages[i].num_rows / path.entries_per_row()),
          .descriptor = parts.descriptor,
          .message = *message,
          .buffers = parts.columns[column].pages[i].buffers};
      if (is_2_0) {
        out_->Add("v20_page", SerializePageSeed(seed));
        const std::string parameters = std::string(1, static_cast<char>(seed.buffers.size())) +
                                       Number(static_cast<uint16_t>(seed.num_rows));
        out_->Add("v20_array_encoding",
                  JoinSections(std::vector<std::string>{parameters, *message}));
      } else {
        PageSeeds(seed, leaf, out_).Make();
      }
    }
  }

  const std::string& bytes_;
  SeedFolder* out_;
};

/// Inputs that are choices: random ones of many sizes.
void AddChoices(SeedFolder* out) {
  testing::SeededRandom random(1);
  for (const char* target : {"assemble", "dictionaries", "fsst_encoder", "round_trip",
                             "vector_kernels", "chunk_table", "row_index"}) {
    for (size_t size = 1; size <= 2048; size = size * 3 / 2 + 1) {
      std::string input;
      for (size_t i = 0; i < size; ++i) {
        const uint64_t number = random.Next();
        input.push_back(static_cast<char>(number % 3 == 0 ? number >> 32 : (number >> 32) % 16));
      }
      out->Add(target, input);
    }
  }
}

/// Files of our own writer, which has encodings of its own liking.
void AddOwnFiles(SeedFolder* out) {
  testing::SeededRandom random(2);
  for (int i = 0; i < 300; ++i) {
    const auto file = WriteRandomFile(random.OneIn(2) ? 12 : 300, &random);
    if (file.ok()) (void)FileSeeds(file->bytes, out).Make();
  }
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::cerr << "usage: lance_fuzz_seeds OUT FILE.lance ...\n";
    return 2;
  }
  SeedFolder out{fs::path(arguments[0])};
  AddChoices(&out);
  AddOwnFiles(&out);
  int num_refused = 0;
  for (size_t i = 1; i < arguments.size(); ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto status = FileSeeds(bytes, &out).Make();
    if (status.ok()) continue;
    std::cerr << arguments[i] << ": " << status.ToString() << "\n";
    ++num_refused;
  }
  std::cout << out.num_seeds() << " seeds of " << arguments.size() - 1 << " files, " << num_refused
            << " files could not be taken apart\n";
  return 0;
}

}  // namespace
}  // namespace lance::fuzz

int main(int argc, char** argv) { return lance::fuzz::Run({argv + 1, argv + argc}); }
