#include "lance/base/roaring_bitmap.h"

#include <array>
#include <exception>
#include <utility>

#include "lance/base/byte_reader.h"
#include "roaring/roaring.hh"

namespace lance {

namespace {

// Portable 32-bit Roaring, all little-endian:
//
//   u32 12346 | u32 n                                no run containers
//   u16 12347 | u16 n - 1 | ceil(n / 8) bytes        bit i set: container i holds runs
//   n x { u16 key | u16 cardinality - 1 }            keys strictly ascending
//   n x u32 offset from the first byte               with cookie 12347 only if n >= 4
//   n containers:
//     runs         u16 number of runs | { u16 start | u16 length - 1 } each
//     array        cardinality x u16, strictly ascending     (cardinality <= 4096)
//     bitset       8192 bytes, lowest bit first              (cardinality > 4096)
constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kMaxContainers = 1 << 16;
constexpr uint32_t kMaxArrayCardinality = 4096;
constexpr size_t kBitsetBytes = 8192;
constexpr uint32_t kMinContainersForOffsets = 4;  // of the form with runs

/// Checks portable Roaring bytes completely, because CRoaring 0.2 checks only that it stays inside.
///
/// Allocates nothing. Borrows the bytes.
class PortableValidator {
 public:
  PortableValidator(std::span<const std::byte> bytes, std::string_view structure)
      : in_(bytes, structure) {}

  /// \return how many bytes the bitmap takes; others may follow
  arrow::Result<size_t> Validate() {
    ARROW_RETURN_NOT_OK(ReadHeader());
    ARROW_ASSIGN_OR_RAISE(descriptors_, in_.Take(uint64_t{num_containers_} * 4, "descriptors"));
    ARROW_RETURN_NOT_OK(CheckKeys());
    if (!has_runs_ || num_containers_ >= kMinContainersForOffsets) {
      ARROW_ASSIGN_OR_RAISE(offsets_, in_.Take(uint64_t{num_containers_} * 4, "offsets"));
    }
    for (uint32_t i = 0; i < num_containers_; ++i) {
      ARROW_RETURN_NOT_OK(CheckContainer(i));
    }
    return in_.offset();
  }

 private:
  arrow::Status ReadHeader() {
    ARROW_ASSIGN_OR_RAISE(const auto cookie, in_.Read<uint32_t>("cookie"));
    if ((cookie & 0xffff) == kCookieWithRuns) {
      has_runs_ = true;
      num_containers_ = (cookie >> 16) + 1;
      return in_.Take((num_containers_ + 7) / 8, "run_flags").Value(&run_flags_);
    }
    if (cookie != kCookieWithoutRuns) {
      return in_.Corrupt("cookie", "is ", cookie, ", allowed 12346 and 12347");
    }
    ARROW_ASSIGN_OR_RAISE(num_containers_, in_.Read<uint32_t>("num_containers"));
    if (num_containers_ > kMaxContainers) {
      return in_.Corrupt("num_containers", "is ", num_containers_, ", allowed 0 to 65536");
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckKeys() const {
    for (uint32_t i = 1; i < num_containers_; ++i) {
      if (Key(i) <= Key(i - 1)) {
        return in_.Corrupt("descriptors", "key ", Key(i), " of container ", i,
                           " is not above its predecessor ", Key(i - 1));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckContainer(uint32_t i) {
    if (!offsets_.empty()) {
      const auto claimed = LoadLittleEndian<uint32_t>(offsets_.data() + size_t{i} * 4);
      if (claimed != in_.offset()) {
        return in_.Corrupt("offsets", "container ", i, " is said to be at byte ", claimed,
                           ", it is at byte ", in_.offset());
      }
    }
    if (IsRun(i)) return CheckRuns(i);
    return Cardinality(i) <= kMaxArrayCardinality ? CheckArray(i) : CheckBitset(i);
  }

  arrow::Status CheckArray(uint32_t i) {
    const uint32_t cardinality = Cardinality(i);
    ARROW_ASSIGN_OR_RAISE(const auto values, in_.Take(uint64_t{cardinality} * 2, "array"));
    for (uint32_t k = 1; k < cardinality; ++k) {
      const auto value = LoadLittleEndian<uint16_t>(values.data() + size_t{k} * 2);
      const auto previous = LoadLittleEndian<uint16_t>(values.data() + size_t{k - 1} * 2);
      if (value <= previous) {
        return in_.Corrupt("array", "value ", value, " of container ", i,
                           " is not above its predecessor ", previous);
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckBitset(uint32_t i) {
    ARROW_ASSIGN_OR_RAISE(const auto words, in_.Take(kBitsetBytes, "bitset"));
    uint32_t num_set = 0;
    for (size_t at = 0; at < kBitsetBytes; at += sizeof(uint64_t)) {
      num_set += static_cast<uint32_t>(
          __builtin_popcountll(LoadLittleEndian<uint64_t>(words.data() + at)));
    }
    return CheckCardinality("bitset", i, num_set);
  }

  arrow::Status CheckRuns(uint32_t i) {
    ARROW_ASSIGN_OR_RAISE(const auto num_runs, in_.Read<uint16_t>("num_runs"));
    ARROW_ASSIGN_OR_RAISE(const auto runs, in_.Take(uint64_t{num_runs} * 4, "runs"));
    uint32_t num_values = 0;
    uint32_t previous_end = 0;
    for (size_t k = 0; k < num_runs; ++k) {
      const uint32_t start = LoadLittleEndian<uint16_t>(runs.data() + k * 4);
      const uint32_t length = uint32_t{LoadLittleEndian<uint16_t>(runs.data() + k * 4 + 2)} + 1;
      if (start + length > 65536) {
        return in_.Corrupt("runs", "run of container ", i, " starts at ", start, " and has length ",
                           length, ", it may end at 65536 at most");
      }
      // Runs that touch are refused too: two forms of one set would compare as different.
      if (k > 0 && start <= previous_end) {
        return in_.Corrupt("runs", "run of container ", i, " starts at ", start,
                           ", its predecessor ends at ", previous_end, " and leaves no gap");
      }
      previous_end = start + length;
      num_values += length;
    }
    return CheckCardinality("runs", i, num_values);
  }

  arrow::Status CheckCardinality(std::string_view field, uint32_t i, uint32_t found) const {
    if (found == Cardinality(i)) return arrow::Status::OK();
    return in_.Corrupt(field, "container ", i, " holds ", found, " values, its descriptor says ",
                       Cardinality(i));
  }

  uint32_t Key(uint32_t i) const {
    return LoadLittleEndian<uint16_t>(descriptors_.data() + size_t{i} * 4);
  }

  uint32_t Cardinality(uint32_t i) const {
    return uint32_t{LoadLittleEndian<uint16_t>(descriptors_.data() + size_t{i} * 4 + 2)} + 1;
  }

  bool IsRun(uint32_t i) const {
    return has_runs_ && (std::to_integer<uint32_t>(run_flags_[i / 8]) >> (i % 8) & 1) != 0;
  }

  ByteReader in_;
  bool has_runs_ = false;
  uint32_t num_containers_ = 0;
  std::span<const std::byte> run_flags_;
  std::span<const std::byte> descriptors_;
  std::span<const std::byte> offsets_;
};

}  // namespace

RoaringBitmap::RoaringBitmap() : bitmap_(std::make_unique<::Roaring>()) {}

RoaringBitmap::RoaringBitmap(std::span<const uint32_t> values) : RoaringBitmap() {
  bitmap_->addMany(values.size(), values.data());
}

RoaringBitmap::RoaringBitmap(std::initializer_list<uint32_t> values)
    : RoaringBitmap(std::span(values.begin(), values.size())) {}

RoaringBitmap::RoaringBitmap(const RoaringBitmap& other)
    : bitmap_(std::make_unique<::Roaring>(*other.bitmap_)) {}

RoaringBitmap::RoaringBitmap(RoaringBitmap&&) noexcept = default;

RoaringBitmap& RoaringBitmap::operator=(const RoaringBitmap& other) {
  if (this != &other) bitmap_ = std::make_unique<::Roaring>(*other.bitmap_);
  return *this;
}

RoaringBitmap& RoaringBitmap::operator=(RoaringBitmap&&) noexcept = default;

RoaringBitmap::~RoaringBitmap() = default;

arrow::Result<RoaringBitmap> RoaringBitmap::Parse(std::span<const std::byte> bytes,
                                                  std::string_view structure) {
  std::span<const std::byte> rest = bytes;
  ARROW_ASSIGN_OR_RAISE(RoaringBitmap bitmap, ParsePrefix(&rest, structure));
  if (rest.empty()) return bitmap;
  return arrow::Status::SerializationError(structure, ".end at byte ", bytes.size() - rest.size(),
                                           ": ", rest.size(), " bytes follow the last field");
}

arrow::Result<RoaringBitmap> RoaringBitmap::ParsePrefix(std::span<const std::byte>* rest,
                                                        std::string_view structure) {
  ARROW_ASSIGN_OR_RAISE(const size_t size, PortableValidator(*rest, structure).Validate());
  const std::span<const std::byte> bytes = rest->first(size);
  *rest = rest->subspan(size);
  RoaringBitmap result;
  try {
    *result.bitmap_ =
        ::Roaring::readSafe(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } catch (const std::exception& error) {  // the bytes are valid, so only memory can be short
    return arrow::Status::OutOfMemory(structure, ": bitmap of ", bytes.size(),
                                      " bytes: ", error.what());
  }
  return result;
}

std::string RoaringBitmap::Serialize() const {
  // Not removeRunCompression(): that of CRoaring 0.2.66 follows a null pointer in containers that
  // set operations leave behind. Adding values makes array and bitset containers only.
  ::Roaring without_runs;
  std::array<uint32_t, 4096> values;
  roaring_uint32_iterator_t members;
  roaring_init_iterator(&bitmap_->roaring, &members);
  while (const uint32_t count =
             roaring_read_uint32_iterator(&members, values.data(), values.size())) {
    without_runs.addMany(count, values.data());
  }
  std::string bytes(without_runs.getSizeInBytes(), '\0');
  without_runs.write(bytes.data());
  return bytes;
}

void RoaringBitmap::Add(uint32_t value) { bitmap_->add(value); }

void RoaringBitmap::AddRange(uint64_t begin, uint64_t end) {
  constexpr uint64_t kDomainEnd = uint64_t{1} << 32;
  end = end < kDomainEnd ? end : kDomainEnd;
  if (begin < end) bitmap_->addRange(begin, end);
}

void RoaringBitmap::Remove(uint32_t value) { bitmap_->remove(value); }

bool RoaringBitmap::Contains(uint32_t value) const { return bitmap_->contains(value); }

uint64_t RoaringBitmap::Rank(uint32_t value) const {
  return value == 0 ? 0 : bitmap_->rank(value - 1);
}

uint64_t RoaringBitmap::size() const { return bitmap_->cardinality(); }

bool RoaringBitmap::empty() const { return bitmap_->isEmpty(); }

std::vector<uint32_t> RoaringBitmap::ToVector() const {
  std::vector<uint32_t> values(bitmap_->cardinality());
  bitmap_->toUint32Array(values.data());
  return values;
}

bool RoaringBitmap::operator==(const RoaringBitmap& other) const {
  return *bitmap_ == *other.bitmap_;
}

RoaringBitmap& RoaringBitmap::operator|=(const RoaringBitmap& other) {
  *bitmap_ |= *other.bitmap_;
  return *this;
}

RoaringBitmap& RoaringBitmap::operator&=(const RoaringBitmap& other) {
  *bitmap_ &= *other.bitmap_;
  return *this;
}

RoaringBitmap& RoaringBitmap::operator-=(const RoaringBitmap& other) {
  *bitmap_ -= *other.bitmap_;
  return *this;
}

bool RoaringBitmap::Intersects(const RoaringBitmap& other) const {
  return bitmap_->intersect(*other.bitmap_);
}

}  // namespace lance
