#include "lance/testing/random_arrays.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/key_value_metadata.h"

namespace lance::testing {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;
using TypePtr = std::shared_ptr<arrow::DataType>;
using BufferPtr = std::shared_ptr<arrow::Buffer>;

template <typename T>
BufferPtr ToBuffer(const std::vector<T>& values) {
  return arrow::Buffer::FromString(
      std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

BufferPtr ToBitmap(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << i % 8);
  }
  return arrow::Buffer::FromString(std::move(bytes));
}

/// Gives the number of the value that stands at each position: equal numbers are equal values.
class Sequence {
 public:
  Sequence(ValueDistribution distribution, SeededRandom* random)
      : distribution_(distribution), random_(random), current_(random->Next()) {
    if (distribution == ValueDistribution::kSorted) current_ >>= 40;
    for (uint64_t& value : few_) value = random->Next();
  }

  uint64_t Next() {
    switch (distribution_) {
      case ValueDistribution::kConstant:
        break;
      case ValueDistribution::kSorted:
        current_ += random_->Below(4);
        break;
      case ValueDistribution::kRuns:
        if (random_->OneIn(20)) current_ = random_->Next();
        break;
      case ValueDistribution::kLowCardinality:
        current_ = few_[random_->Below(few_.size())];
        break;
      case ValueDistribution::kSmall:
        current_ = random_->Below(13);
        break;
      case ValueDistribution::kRandom:
      case ValueDistribution::kHuge:
        current_ = random_->Next();
        break;
    }
    return current_;
  }

 private:
  ValueDistribution distribution_;
  SeededRandom* random_;
  uint64_t current_;
  std::array<uint64_t, 6> few_;
};

/// What a time of day is below, in its unit; 0: not a time of day.
uint64_t TicksPerDay(const arrow::DataType& type) {
  if (type.id() != arrow::Type::TIME32 && type.id() != arrow::Type::TIME64) return 0;
  switch (static_cast<const arrow::TimeType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 86'400;
    case arrow::TimeUnit::MILLI:
      return 86'400'000;
    case arrow::TimeUnit::MICRO:
      return 86'400'000'000;
    case arrow::TimeUnit::NANO:
      return 86'400'000'000'000;
  }
  return 0;
}

/// Write the value with a number, as wide as the type. The types' own limits hold.
void WriteFixed(const arrow::DataType& type, uint64_t number, size_t width, char* out) {
  if (const uint64_t ticks = TicksPerDay(type); ticks > 0) number %= ticks;
  if (type.id() == arrow::Type::DATE64) number = number % 100'000 * 86'400'000;
  uint64_t fill = number * 0x9E3779B97F4A7C15u;
  if (arrow::is_decimal(type.id())) {
    number %= 100;  // every precision holds that
    fill = 0;
  } else if (number < uint64_t{1} << 32) {
    fill = 0;
  }
  for (size_t i = 0; i < width; i += sizeof(number)) {
    std::memcpy(out + i, i == 0 ? &number : &fill, std::min(sizeof(number), width - i));
  }
}

/// Characters of one, two, three and four bytes; mostly of one.
void AppendCharacter(uint64_t random, std::string* text) {
  constexpr const char* kOthers[] = {"\xC3\xA9", "\xD0\x96", "\xE6\xBC\xA2", "\xF0\x9F\x98\x80"};
  if (random % 16 == 0) {
    text->append(kOthers[random / 16 % 4]);
  } else {
    text->push_back(static_cast<char>('a' + random / 16 % 26));
  }
}

std::string MakeBytes(bool is_text, uint64_t number, ValueDistribution distribution) {
  if (distribution == ValueDistribution::kSorted) {
    std::string digits = std::to_string(number);
    return "key-" + std::string(20 - std::min<size_t>(20, digits.size()), '0') + digits;
  }
  SeededRandom random(number);
  uint64_t length = random.Below(distribution == ValueDistribution::kSmall ? 3 : 21);
  if (distribution == ValueDistribution::kHuge && random.OneIn(8)) length = random.Below(40'000);
  std::string bytes;
  for (uint64_t i = 0; i < length; ++i) {
    if (is_text) {
      AppendCharacter(random.Next(), &bytes);
    } else {
      bytes.push_back(static_cast<char>(random.Next()));
    }
  }
  return bytes;
}

/// Builds arrays; what is null above a position may be null below it, whatever its field says.
class ArrayMaker {
 public:
  ArrayMaker(const RandomArrayOptions& options, SeededRandom* random)
      : options_(options), random_(random) {}

  /// \param hidden positions below a null; empty: none
  DataPtr Make(const arrow::Field& field, int64_t length, const std::vector<bool>& hidden) {
    const int64_t before = options_.is_sliced ? static_cast<int64_t>(random_->Below(11)) : 0;
    const int64_t after = options_.is_sliced ? static_cast<int64_t>(random_->Below(5)) : 0;
    const auto whole = static_cast<size_t>(before + length + after);
    std::vector<bool> is_valid(whole, true);
    for (size_t i = 0; i < whole; ++i) {
      const size_t row = i - static_cast<size_t>(before);  // wraps before the first row
      const bool is_hidden = row < hidden.size() && hidden[row];
      is_valid[i] = !(field.nullable() || is_hidden) || !IsNextNull();
    }
    DataPtr data = MakeWhole(field, is_valid);
    return before + after == 0 ? data : data->Slice(before, length);
  }

 private:
  bool IsNextNull() { return options_.null_every != 0 && random_->OneIn(options_.null_every); }

  DataPtr MakeWhole(const arrow::Field& field, const std::vector<bool>& is_valid) {
    const TypePtr& type = field.type();
    const auto length = static_cast<int64_t>(is_valid.size());
    BufferPtr validity;
    if (std::ranges::find(is_valid, false) != is_valid.end()) validity = ToBitmap(is_valid);
    switch (type->id()) {
      case arrow::Type::NA:
        return arrow::ArrayData::Make(type, length, {nullptr}, length);
      case arrow::Type::STRUCT:
        return MakeStruct(field, is_valid, std::move(validity));
      case arrow::Type::LIST:
      case arrow::Type::MAP:
        return MakeList<int32_t>(type, is_valid, std::move(validity));
      case arrow::Type::LARGE_LIST:
        return MakeList<int64_t>(type, is_valid, std::move(validity));
      case arrow::Type::FIXED_SIZE_LIST:
        return MakeFixedSizeList(type, is_valid, std::move(validity));
      case arrow::Type::DICTIONARY:
        return MakeDictionary(field, is_valid, std::move(validity));
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return MakeVariable<int32_t>(type, length, std::move(validity));
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return MakeVariable<int64_t>(type, length, std::move(validity));
      default:
        return MakeFixed(type, length, std::move(validity));
    }
  }

  DataPtr MakeFixed(const TypePtr& type, int64_t length, BufferPtr validity) {
    Sequence sequence(options_.distribution, random_);
    BufferPtr values;
    if (type->id() == arrow::Type::BOOL) {
      std::vector<bool> bits(static_cast<size_t>(length));
      for (size_t i = 0; i < bits.size(); ++i) bits[i] = sequence.Next() % 2 == 1;
      values = ToBitmap(bits);
    } else {
      const auto width = static_cast<size_t>(type->bit_width()) / 8;
      std::string bytes(static_cast<size_t>(length) * width, '\0');
      for (size_t i = 0; i < bytes.size(); i += width) {
        WriteFixed(*type, sequence.Next(), width, bytes.data() + i);
      }
      values = arrow::Buffer::FromString(std::move(bytes));
    }
    return arrow::ArrayData::Make(type, length, {std::move(validity), std::move(values)});
  }

  template <typename Offset>
  DataPtr MakeVariable(const TypePtr& type, int64_t length, BufferPtr validity) {
    const bool is_text = arrow::is_string(type->id());
    Sequence sequence(options_.distribution, random_);
    std::string bytes;
    std::vector<Offset> offsets = {0};
    for (int64_t i = 0; i < length; ++i) {
      bytes += MakeBytes(is_text, sequence.Next(), options_.distribution);
      offsets.push_back(static_cast<Offset>(bytes.size()));
    }
    return arrow::ArrayData::Make(
        type, length,
        {std::move(validity), ToBuffer(offsets), arrow::Buffer::FromString(std::move(bytes))});
  }

  DataPtr MakeStruct(const arrow::Field& field, const std::vector<bool>& is_valid,
                     BufferPtr validity) {
    const bool is_packed = field.metadata() != nullptr && field.metadata()->Contains("packed");
    std::vector<bool> hidden(is_valid);
    hidden.flip();
    std::vector<DataPtr> members;
    for (const auto& member : field.type()->fields()) {
      const auto allowed = is_packed ? member->WithNullable(false) : member;
      members.push_back(Make(*allowed, static_cast<int64_t>(is_valid.size()), hidden));
    }
    return arrow::ArrayData::Make(field.type(), static_cast<int64_t>(is_valid.size()),
                                  {std::move(validity)}, std::move(members));
  }

  template <typename Offset>
  DataPtr MakeList(const TypePtr& type, const std::vector<bool>& is_valid, BufferPtr validity) {
    const bool has_garbage = options_.is_sliced;
    std::vector<Offset> offsets = {has_garbage ? static_cast<Offset>(random_->Below(3))
                                               : Offset{0}};
    for (const bool valid : is_valid) {
      const bool has_items = valid || (has_garbage && random_->OneIn(2));
      const uint64_t count =
          !has_items || random_->OneIn(5) ? 0 : random_->Below(options_.max_items + 1);
      offsets.push_back(static_cast<Offset>(offsets.back() + static_cast<Offset>(count)));
    }
    auto items = Make(*type->field(0), offsets.back(), {});
    return arrow::ArrayData::Make(type, static_cast<int64_t>(is_valid.size()),
                                  {std::move(validity), ToBuffer(offsets)}, {std::move(items)});
  }

  DataPtr MakeFixedSizeList(const TypePtr& type, const std::vector<bool>& is_valid,
                            BufferPtr validity) {
    const auto dimension =
        static_cast<size_t>(static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    std::vector<bool> hidden;
    for (const bool valid : is_valid) hidden.insert(hidden.end(), dimension, !valid);
    const bool may_be_null =
        options_.has_null_items || type->field(0)->type()->id() == arrow::Type::STRUCT;
    const auto items = may_be_null ? type->field(0) : type->field(0)->WithNullable(false);
    auto child = Make(*items, static_cast<int64_t>(hidden.size()), hidden);
    return arrow::ArrayData::Make(type, static_cast<int64_t>(is_valid.size()),
                                  {std::move(validity)}, {std::move(child)});
  }

  DataPtr MakeDictionary(const arrow::Field& field, const std::vector<bool>& is_valid,
                         BufferPtr validity) {
    const TypePtr& type = field.type();
    const auto& dictionary_type = static_cast<const arrow::DictionaryType&>(*type);
    const auto num_values = static_cast<int64_t>(1 + random_->Below(12));
    const bool has_null_values = field.nullable() && validity != nullptr && random_->OneIn(2);
    auto dictionary =
        Make(*arrow::field("", dictionary_type.value_type(), has_null_values), num_values, {});
    const auto width = static_cast<size_t>(dictionary_type.index_type()->bit_width()) / 8;
    std::string indices(is_valid.size() * width, '\0');
    for (size_t i = 0; i < is_valid.size(); ++i) {
      indices[i * width] = static_cast<char>(random_->Below(static_cast<uint64_t>(num_values)));
    }
    auto data = arrow::ArrayData::Make(
        type, static_cast<int64_t>(is_valid.size()),
        {std::move(validity), arrow::Buffer::FromString(std::move(indices))});
    data->dictionary = std::move(dictionary);
    return data;
  }

  RandomArrayOptions options_;
  SeededRandom* random_;
};

/// Builds fields; knows what is above, since not everything may be inside everything.
class FieldMaker {
 public:
  FieldMaker(const RandomTypeOptions& options, SeededRandom* random)
      : options_(options), random_(random) {}

  std::shared_ptr<arrow::Field> Make(const std::string& name, int depth) {
    const bool nullable = !options_.with_not_nullable || !random_->OneIn(4);
    if (depth > 0 && options_.with_packed_structs && random_->OneIn(12)) {
      return arrow::field(name, PackedType(), nullable,
                          arrow::key_value_metadata({{"packed", "true"}}));
    }
    TypePtr type = depth > 0 && !random_->OneIn(8) ? NestedType(depth) : LeafType();
    return arrow::field(name, type, nullable || type->id() == arrow::Type::NA);
  }

 private:
  TypePtr NestedType(int depth) {
    switch (random_->Below(5)) {
      case 0:
        return ListType(depth);
      case 1:
        return ListType(depth);
      case 2:
        return MapType(depth);
      case 3:
        return FixedSizeListType(depth);
      default:
        return StructType(depth);
    }
  }

  TypePtr ListType(int depth) {
    if (is_in_fixed_size_list_) return StructType(depth);
    const bool was_in_list = std::exchange(is_in_list_, true);
    auto item = Make("item", depth - 1);
    is_in_list_ = was_in_list;
    return random_->OneIn(3) ? arrow::large_list(std::move(item)) : arrow::list(std::move(item));
  }

  TypePtr MapType(int depth) {
    if (!options_.with_maps || is_in_fixed_size_list_) return ListType(depth);
    const bool was_in_list = std::exchange(is_in_list_, true);
    auto item = Make("value", depth - 1);
    is_in_list_ = was_in_list;
    auto key = random_->OneIn(2) ? arrow::utf8() : arrow::int32();
    return std::make_shared<arrow::MapType>(arrow::field("key", key, /*nullable=*/false),
                                            std::move(item));
  }

  TypePtr FixedSizeListType(int depth) {
    if (!options_.with_fixed_size_lists_of_struct || is_in_list_) return StructType(depth);
    const bool was_inside = std::exchange(is_in_fixed_size_list_, true);
    auto item = arrow::field("item", StructType(depth), /*nullable=*/!random_->OneIn(4));
    is_in_fixed_size_list_ = was_inside;
    return arrow::fixed_size_list(std::move(item), static_cast<int32_t>(1 + random_->Below(3)));
  }

  TypePtr StructType(int depth) {
    arrow::FieldVector members;
    const uint64_t count = 1 + random_->Below(3);
    for (uint64_t i = 0; i < count; ++i)
      members.push_back(Make("f" + std::to_string(i), depth - 1));
    return arrow::struct_(std::move(members));
  }

  TypePtr PackedType() {
    const TypePtr types[] = {arrow::int8(), arrow::int32(), arrow::float64(), arrow::uint16(),
                             arrow::decimal128(20, 3)};
    arrow::FieldVector members;
    const uint64_t count = 1 + random_->Below(3);
    for (uint64_t i = 0; i < count; ++i) {
      members.push_back(arrow::field("p" + std::to_string(i), types[random_->Below(5)]));
    }
    return arrow::struct_(std::move(members));
  }

  TypePtr LeafType() {
    switch (random_->Below(8)) {
      case 0:
        return options_.with_null_type ? arrow::null() : arrow::int16();
      case 1:
        if (!options_.with_dictionaries) return arrow::utf8();
        return arrow::dictionary(random_->OneIn(2) ? arrow::int8() : arrow::uint32(),
                                 random_->OneIn(2) ? arrow::utf8() : arrow::int64());
      case 2:
        return VectorType();
      default:
        return RandomPrimitiveType(random_);
    }
  }

  TypePtr VectorType() {
    const TypePtr items[] = {arrow::float32(), arrow::int8(), arrow::boolean(),
                             arrow::fixed_size_binary(3)};
    TypePtr type = items[random_->Below(4)];
    const uint64_t levels = random_->OneIn(3) ? 2 : 1;
    for (uint64_t i = 0; i < levels; ++i) {
      type = arrow::fixed_size_list(std::move(type), static_cast<int32_t>(1 + random_->Below(4)));
    }
    return type;
  }

  RandomTypeOptions options_;
  SeededRandom* random_;
  bool is_in_list_ = false;
  bool is_in_fixed_size_list_ = false;
};

}  // namespace

ValueDistribution AnyDistribution(SeededRandom* random) {
  return static_cast<ValueDistribution>(random->Below(7));
}

TypePtr RandomPrimitiveType(SeededRandom* random) {
  static const TypePtr kTypes[] = {arrow::boolean(),
                                   arrow::int8(),
                                   arrow::int16(),
                                   arrow::int32(),
                                   arrow::int64(),
                                   arrow::uint8(),
                                   arrow::uint16(),
                                   arrow::uint32(),
                                   arrow::uint64(),
                                   arrow::float16(),
                                   arrow::float32(),
                                   arrow::float64(),
                                   arrow::utf8(),
                                   arrow::large_utf8(),
                                   arrow::binary(),
                                   arrow::large_binary(),
                                   arrow::decimal128(10, 2),
                                   arrow::decimal256(40, 5),
                                   arrow::date32(),
                                   arrow::date64(),
                                   arrow::time32(arrow::TimeUnit::MILLI),
                                   arrow::time64(arrow::TimeUnit::NANO),
                                   arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                   arrow::duration(arrow::TimeUnit::SECOND),
                                   arrow::fixed_size_binary(5)};
  return kTypes[random->Below(std::size(kTypes))];
}

std::shared_ptr<arrow::Field> RandomField(const std::string& name, const RandomTypeOptions& options,
                                          SeededRandom* random) {
  return FieldMaker(options, random).Make(name, options.depth);
}

std::shared_ptr<arrow::Array> RandomArray(const arrow::Field& field,
                                          const RandomArrayOptions& options, SeededRandom* random) {
  return arrow::MakeArray(ArrayMaker(options, random).Make(field, options.length, {}));
}

std::shared_ptr<arrow::Array> RandomArray(const TypePtr& type, const RandomArrayOptions& options,
                                          SeededRandom* random) {
  return RandomArray(*arrow::field("", type), options, random);
}

}  // namespace lance::testing
