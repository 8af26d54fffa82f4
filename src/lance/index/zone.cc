#include "lance/index/zone.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/bit_run_reader.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/status_detail.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

constexpr uint64_t kMaxFragmentRows = std::numeric_limits<uint32_t>::max();

/// Running bounds of the zone that is open.
class Bounds {
 public:
  virtual ~Bounds() = default;

  /// Take in the values [begin, begin + count) of an array, none of them null.
  virtual void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) = 0;

  /// Write bounds and NaN count of the zone and start the next one.
  virtual arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) = 0;
};

arrow::Status SetUnknown(const std::shared_ptr<arrow::DataType>& type, Zone* zone) {
  zone->min = zone->max = arrow::MakeNullScalar(type);
  return arrow::Status::OK();
}

template <typename Value>
arrow::Status SetBounds(const std::shared_ptr<arrow::DataType>& type, const Value& min,
                        const Value& max, Zone* zone) {
  ARROW_ASSIGN_OR_RAISE(zone->min, arrow::MakeScalar(type, min));
  ARROW_ASSIGN_OR_RAISE(zone->max, arrow::MakeScalar(type, max));
  return arrow::Status::OK();
}

/// Integers, and whatever is stored as one and ordered like it.
template <typename T>
class IntegerBounds final : public Bounds {
 public:
  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    const T* values = data.GetValues<T>(1) + begin;
    T min = min_, max = max_;  // locals, so that the loop keeps them in registers
    for (int64_t i = 0; i < count; ++i) {
      min = std::min(min, values[i]);
      max = std::max(max, values[i]);
    }
    min_ = min;
    max_ = max;
  }

  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    const T min = std::exchange(min_, std::numeric_limits<T>::max());
    const T max = std::exchange(max_, std::numeric_limits<T>::lowest());
    return min > max ? SetUnknown(type, zone) : SetBounds(type, min, max, zone);
  }

 private:
  T min_ = std::numeric_limits<T>::max();
  T max_ = std::numeric_limits<T>::lowest();
};

class BoolBounds final : public Bounds {
 public:
  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    const int64_t num_true =
        arrow::internal::CountSetBits(data.buffers[1]->data(), data.offset + begin, count);
    has_true_ |= num_true > 0;
    has_false_ |= num_true < count;
  }

  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    const bool has_true = std::exchange(has_true_, false);
    const bool has_false = std::exchange(has_false_, false);
    if (!has_true && !has_false) return SetUnknown(type, zone);
    return SetBounds(type, !has_false, has_true, zone);
  }

 private:
  bool has_true_ = false;
  bool has_false_ = false;
};

/// Layout of a float type: its bits as a signed integer, and the patterns of two of its values.
template <typename ValueType, typename SignedType, SignedType kInfinityBits,
          SignedType kQuietNanBits>
struct FloatLayout {
  using Value = ValueType;
  using Signed = SignedType;
  static constexpr Signed kInfinity = kInfinityBits;
  static constexpr Signed kQuietNan = kQuietNanBits;
};
using HalfLayout = FloatLayout<uint16_t, int16_t, 0x7c00, 0x7e00>;
using SingleLayout = FloatLayout<float, int32_t, 0x7f800000, 0x7fc00000>;
using DoubleLayout = FloatLayout<double, int64_t, 0x7ff0000000000000, 0x7ff8000000000000>;

/// Floats in IEEE 754 total order, NaNs counted apart by sign.
template <typename Layout>
class FloatBounds final : public Bounds {
  using Signed = typename Layout::Signed;
  using Value = typename Layout::Value;
  static constexpr Signed kMagnitude = std::numeric_limits<Signed>::max();
  static constexpr int kSignShift = std::numeric_limits<Signed>::digits;

 public:
  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    const Signed* values = data.GetValues<Signed>(1) + begin;
    Signed min = min_, max = max_;
    int64_t num_nans = 0, num_negative_nans = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Signed bits = values[i];
      const bool nan = static_cast<Signed>(bits & kMagnitude) > Layout::kInfinity;
      num_nans += nan;
      num_negative_nans += nan & (bits < 0);
      const Signed key = ToKey(bits);
      min = nan ? min : std::min(min, key);
      max = nan ? max : std::max(max, key);
    }
    min_ = min;
    max_ = max;
    num_nans_ += num_nans;
    num_negative_nans_ += num_negative_nans;
  }

  // The table "What we write" of zonemap-and-indices 2.6: bounds that released readers, which know
  // neither the sign of NaNs nor IN lists over a NaN minimum, still read correctly.
  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    const Signed min = std::exchange(min_, kNoMin), max = std::exchange(max_, kNoMax);
    const int64_t num_nans = std::exchange(num_nans_, 0);
    const int64_t num_negative_nans = std::exchange(num_negative_nans_, 0);
    const bool has_ordinary = min <= max;
    const bool has_negative_nan = num_negative_nans > 0;
    const bool has_positive_nan = num_nans > num_negative_nans;
    zone->nan_count = static_cast<uint32_t>(num_nans);
    if (has_ordinary ? has_negative_nan : num_nans == 0) return SetUnknown(type, zone);
    const Value low = has_ordinary ? FromKey(min) : Nan(has_negative_nan);
    const Value high = has_positive_nan ? Nan(false) : has_ordinary ? FromKey(max) : Nan(true);
    return SetBounds(type, low, high, zone);
  }

 private:
  // Keys of ordinary values lie strictly between these two, which are keys of NaNs.
  static constexpr Signed kNoMin = std::numeric_limits<Signed>::max();
  static constexpr Signed kNoMax = std::numeric_limits<Signed>::min();

  /// Map bits to an integer that orders like the value; its own inverse.
  static Signed ToKey(Signed bits) {
    return static_cast<Signed>(bits ^ ((bits >> kSignShift) & kMagnitude));
  }
  static Value FromKey(Signed key) { return std::bit_cast<Value>(ToKey(key)); }
  static Value Nan(bool negative) {
    const Signed sign = negative ? std::numeric_limits<Signed>::min() : Signed{0};
    return std::bit_cast<Value>(static_cast<Signed>(Layout::kQuietNan | sign));
  }

  Signed min_ = kNoMin;
  Signed max_ = kNoMax;
  int64_t num_nans_ = 0;
  int64_t num_negative_nans_ = 0;
};

/// Strings and binaries, bytewise and whole.
template <typename Offset>
class BytesBounds final : public Bounds {
 public:
  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    const Offset* offsets = data.GetValues<Offset>(1) + begin;
    // An array of empty strings may have no data buffer.
    const char* bytes =
        data.buffers[2] ? reinterpret_cast<const char*>(data.buffers[2]->data()) : "";
    const auto value = [&](int64_t i) {
      return std::string_view(bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
    };
    std::string_view min = has_values_ ? std::string_view(min_) : value(0);
    std::string_view max = has_values_ ? std::string_view(max_) : min;
    for (int64_t i = 0; i < count; ++i) {
      const std::string_view candidate = value(i);
      if (candidate < min) min = candidate;
      if (candidate > max) max = candidate;
    }
    Keep(min, &min_);
    Keep(max, &max_);
    has_values_ = true;
  }

  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    if (!std::exchange(has_values_, false)) return SetUnknown(type, zone);
    return SetBounds(type, arrow::Buffer::FromString(std::move(min_)),
                     arrow::Buffer::FromString(std::move(max_)), zone);
  }

 private:
  /// Copy a bound, unless it is the kept one itself.
  static void Keep(std::string_view value, std::string* kept) {
    if (value.data() != kept->data()) kept->assign(value);
  }

  bool has_values_ = false;
  std::string min_;
  std::string max_;
};

/// Binaries of one width.
class FixedBytesBounds final : public Bounds {
 public:
  explicit FixedBytesBounds(int32_t width) : width_(static_cast<size_t>(width)) {}

  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    const auto* bytes = reinterpret_cast<const char*>(data.buffers[1]->data());
    for (int64_t i = 0; i < count; ++i) {
      const auto place = static_cast<size_t>(data.offset + begin + i) * width_;
      const std::string_view value(bytes + place, width_);
      if (!has_values_ || value < min_) min_.assign(value);
      if (!has_values_ || value > max_) max_.assign(value);
      has_values_ = true;
    }
  }

  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    if (!std::exchange(has_values_, false)) return SetUnknown(type, zone);
    return SetBounds(type, arrow::Buffer::FromString(std::move(min_)),
                     arrow::Buffer::FromString(std::move(max_)), zone);
  }

 private:
  const size_t width_;
  bool has_values_ = false;
  std::string min_;
  std::string max_;
};

template <typename Decimal>
class DecimalBounds final : public Bounds {
 public:
  void Add(const arrow::ArrayData& data, int64_t begin, int64_t count) override {
    constexpr int64_t kWidth = Decimal::kByteWidth;
    const uint8_t* values = data.buffers[1]->data() + (data.offset + begin) * kWidth;
    if (!has_values_) min_ = max_ = Decimal(values);
    for (int64_t i = 0; i < count; ++i) {
      const Decimal value(values + i * kWidth);
      if (value < min_) min_ = value;
      if (value > max_) max_ = value;
    }
    has_values_ = true;
  }

  arrow::Status Close(const std::shared_ptr<arrow::DataType>& type, Zone* zone) override {
    if (!std::exchange(has_values_, false)) return SetUnknown(type, zone);
    return SetBounds(type, min_, max_, zone);
  }

 private:
  bool has_values_ = false;
  Decimal min_;
  Decimal max_;
};

/// \return null for a type without an order
std::unique_ptr<Bounds> MakeBounds(const arrow::DataType& type) {
  using arrow::Type;
  switch (type.id()) {
    case Type::BOOL:
      return std::make_unique<BoolBounds>();
    case Type::INT8:
      return std::make_unique<IntegerBounds<int8_t>>();
    case Type::INT16:
      return std::make_unique<IntegerBounds<int16_t>>();
    case Type::INT32:
    case Type::DATE32:
    case Type::TIME32:
      return std::make_unique<IntegerBounds<int32_t>>();
    case Type::INT64:
    case Type::DATE64:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
      return std::make_unique<IntegerBounds<int64_t>>();
    case Type::UINT8:
      return std::make_unique<IntegerBounds<uint8_t>>();
    case Type::UINT16:
      return std::make_unique<IntegerBounds<uint16_t>>();
    case Type::UINT32:
      return std::make_unique<IntegerBounds<uint32_t>>();
    case Type::UINT64:
      return std::make_unique<IntegerBounds<uint64_t>>();
    case Type::HALF_FLOAT:
      return std::make_unique<FloatBounds<HalfLayout>>();
    case Type::FLOAT:
      return std::make_unique<FloatBounds<SingleLayout>>();
    case Type::DOUBLE:
      return std::make_unique<FloatBounds<DoubleLayout>>();
    case Type::STRING:
    case Type::BINARY:
      return std::make_unique<BytesBounds<int32_t>>();
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return std::make_unique<BytesBounds<int64_t>>();
    case Type::DECIMAL128:
      return std::make_unique<DecimalBounds<arrow::Decimal128>>();
    case Type::DECIMAL256:
      return std::make_unique<DecimalBounds<arrow::Decimal256>>();
    case Type::FIXED_SIZE_BINARY:
      return std::make_unique<FixedBytesBounds>(
          static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    default:
      return nullptr;
  }
}

}  // namespace

class ZoneBuilder::Impl {
 public:
  Impl(std::shared_ptr<arrow::DataType> type, uint64_t rows_per_zone,
       std::unique_ptr<Bounds> bounds, ZoneListBuilder closed)
      : type_(std::move(type)),
        rows_per_zone_(rows_per_zone),
        bounds_(std::move(bounds)),
        closed_(std::move(closed)) {
    Reset();
  }

  arrow::Status Add(const arrow::Array& values) {
    if (!values.type()->Equals(*type_)) {
      return arrow::Status::Invalid("zones of a ", type_->ToString(), " column got values of type ",
                                    values.type()->ToString());
    }
    const auto length = static_cast<uint64_t>(values.length());
    if (length > kMaxFragmentRows - num_rows_) {
      return arrow::Status::Invalid("a fragment would have ", num_rows_ + length,
                                    " rows, allowed up to ", kMaxFragmentRows);
    }
    for (uint64_t done = 0; done < length;) {
      const uint64_t count = std::min(length - done, rows_per_zone_ - open_.zone_length);
      AddToOpenZone(*values.data(), static_cast<int64_t>(done), static_cast<int64_t>(count));
      if (open_.zone_length == rows_per_zone_) ARROW_RETURN_NOT_OK(CloseZone());
      done += count;
    }
    return arrow::Status::OK();
  }

  arrow::Result<FragmentZones> Finish() {
    if (open_.zone_length > 0) ARROW_RETURN_NOT_OK(CloseZone());
    ARROW_ASSIGN_OR_RAISE(result_.zones, closed_.Finish());
    FragmentZones finished = std::move(result_);
    Reset();
    return finished;
  }

 private:
  void Reset() {
    result_ = {};
    result_.rows_per_zone = rows_per_zone_;
    result_.null_offsets.emplace();
    open_ = {};
    num_rows_ = 0;
  }

  void AddToOpenZone(const arrow::ArrayData& data, int64_t begin, int64_t count) {
    const uint8_t* validity = data.GetNullCount() == 0 ? nullptr : data.buffers[0]->data();
    int64_t seen = 0;
    arrow::internal::VisitSetBitRunsVoid(validity, data.offset + begin, count,
                                         [&](int64_t position, int64_t length) {
                                           AddNulls(seen, position);
                                           bounds_->Add(data, begin + position, length);
                                           seen = position + length;
                                         });
    AddNulls(seen, count);
    open_.zone_length += static_cast<uint64_t>(count);
    num_rows_ += static_cast<uint64_t>(count);
  }

  /// Note null rows, counted from the first row that has not been counted yet.
  void AddNulls(int64_t begin, int64_t end) {
    if (begin == end) return;
    result_.null_offsets->AddRange(num_rows_ + static_cast<uint64_t>(begin),
                                   num_rows_ + static_cast<uint64_t>(end));
    open_.null_count += static_cast<uint32_t>(end - begin);
  }

  arrow::Status CloseZone() {
    ARROW_RETURN_NOT_OK(bounds_->Close(type_, &open_));
    ARROW_RETURN_NOT_OK(closed_.Append(open_));
    open_ = {};
    open_.zone_start = num_rows_;
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::DataType> type_;
  uint64_t rows_per_zone_;
  std::unique_ptr<Bounds> bounds_;
  ZoneListBuilder closed_;
  FragmentZones result_;
  Zone open_;
  uint64_t num_rows_ = 0;
};

arrow::Result<ZoneBuilder> ZoneBuilder::Make(std::shared_ptr<arrow::DataType> type,
                                             uint64_t rows_per_zone) {
  if (rows_per_zone == 0) return arrow::Status::Invalid("rows_per_zone is 0, allowed from 1");
  auto bounds = MakeBounds(*type);
  if (!bounds) {
    return UnsupportedError("zonemap of type " + type->ToString(),
                            "no zonemap can cover a column of type " + type->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(auto closed, ZoneListBuilder::Make(type));
  return ZoneBuilder(
      std::make_unique<Impl>(std::move(type), rows_per_zone, std::move(bounds), std::move(closed)));
}

ZoneBuilder::ZoneBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZoneBuilder::ZoneBuilder(ZoneBuilder&&) noexcept = default;
ZoneBuilder& ZoneBuilder::operator=(ZoneBuilder&&) noexcept = default;
ZoneBuilder::~ZoneBuilder() = default;

arrow::Status ZoneBuilder::Add(const arrow::Array& values) { return impl_->Add(values); }

arrow::Result<FragmentZones> ZoneBuilder::Finish() { return impl_->Finish(); }

}  // namespace lance::index
