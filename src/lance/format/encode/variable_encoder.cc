#include <algorithm>
#include <cstring>

#include "lance/base/checked_math.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr char kPadByte = 'H';  // the reference's padding, counted as size

/// Variable chunks: offsets from the buffer's start, then the bytes.
class VariableEncoder : public ChunkEncoder {
 public:
  VariableEncoder(const PageValues& values, uint64_t chunk_bytes, std::string fsst_table)
      : values_(values),
        offset_bytes_(values.offset_bits / 8),
        chunk_bytes_(chunk_bytes),
        fsst_table_(std::move(fsst_table)) {}

  void Describe(pb::CompressiveEncoding* encoding) const override {
    if (!fsst_table_.empty()) {
      encoding->mutable_fsst()->set_symbol_table(fsst_table_);
      encoding = encoding->mutable_fsst()->mutable_values();
    }
    encoding->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
        values_.offset_bits);
  }

  size_t num_buffers() const override { return 1; }
  uint64_t num_values() const override { return values_.num_values; }

  uint64_t MaxValues(uint64_t first) const override {
    // Find the last value that keeps offsets and bytes within the target.
    uint64_t low = 1;
    uint64_t high = std::min(kTargetChunkValues, values_.num_values - first);
    while (low < high) {
      const uint64_t middle = low + (high - low + 1) / 2;
      if (Bytes(first, middle) <= chunk_bytes_) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return std::max<uint64_t>(low, 2);
  }

  uint64_t BytesBound(uint64_t first, uint64_t count) const override {
    return PaddedBytes(Bytes(first, count));
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    std::string& out = (*buffers)[0];
    const uint64_t size = Bytes(first, count);
    out.resize(CeilDiv(size, offset_bytes_) * offset_bytes_, kPadByte);
    const uint64_t header = (count + 1) * offset_bytes_;
    if (offset_bytes_ == 8) {
      WriteOffsets<uint64_t>(first, count, header, out.data());
    } else {
      WriteOffsets<uint32_t>(first, count, header, out.data());
    }
    if (size > header) {
      std::memcpy(out.data() + header, values_.bytes.data() + values_.offset(first), size - header);
    }
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override {
    const uint64_t n = values_.num_values;
    const uint64_t data = n * offset_bytes_ + values_.num_bytes();
    // Powers of two fill three quarters of the target on average.
    const uint64_t num_chunks =
        1 + std::max(data / std::max<uint64_t>(chunk_bytes_ * 3 / 4, 1), n / kTargetChunkValues);
    return data + num_chunks * (kChunkOverheadBytes + offset_bytes_ + 4) + fsst_table_.size();
  }

 private:
  uint64_t Bytes(uint64_t first, uint64_t count) const {
    return (count + 1) * offset_bytes_ + values_.offset(first + count) - values_.offset(first);
  }

  template <typename Offset>
  void WriteOffsets(uint64_t first, uint64_t count, uint64_t header, char* out) const {
    const Offset* const from = reinterpret_cast<const Offset*>(values_.offsets) + first;
    const Offset shift = static_cast<Offset>(header) - from[0];
    for (uint64_t i = 0; i <= count; ++i) {
      const Offset offset = from[i] + shift;
      std::memcpy(out + i * sizeof(Offset), &offset, sizeof(offset));
    }
  }

  const PageValues& values_;
  uint64_t offset_bytes_;
  uint64_t chunk_bytes_;
  std::string fsst_table_;
};

}  // namespace

std::unique_ptr<ChunkEncoder> MakeVariableEncoder(const PageValues& values, uint64_t chunk_bytes,
                                                  std::string fsst_table) {
  return std::make_unique<VariableEncoder>(values, chunk_bytes, std::move(fsst_table));
}

}  // namespace lance::format
