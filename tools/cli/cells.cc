#include "cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/extension_type.h"
#include "arrow/util/float16.h"

namespace lancectl {

namespace {

using arrow::Status;
using arrow::Type;

template <typename Number>
void AppendNumber(Number number, std::string* out) {
  std::array<char, 24> buffer;
  out->append(buffer.data(),
              std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
}

/// A finite number, with as few digits as tell it apart from all others of its type.
template <typename Float>
void AppendDigits(Float number, std::string* out) {
  std::array<char, 64> buffer;
  const Float size = std::abs(number);
  // Numbers of everyday size have no exponent.
  const bool is_plain = number == 0 || (size >= Float(1e-5) && size < Float(1e15));
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  out->append(buffer.data(),
              std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr);
}

void AppendFloatJson(double number, std::string* out) {
  if (std::isnan(number)) {
    *out += "\"NaN\"";
  } else if (std::isinf(number)) {
    *out += number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    const size_t begin = out->size();
    AppendDigits(number, out);
    if (out->find_first_of(".e", begin) == std::string::npos) *out += ".0";  // stays a float
  }
}

template <typename Float>
void AppendFloatText(Float number, std::string* out) {
  if (std::isnan(number)) {
    *out += "nan";
  } else if (std::isinf(number)) {
    *out += number > 0 ? "inf" : "-inf";
  } else {
    AppendDigits(number, out);
  }
}

double FloatAt(const arrow::Array& values, int64_t row) {
  switch (values.type_id()) {
    case Type::HALF_FLOAT: {
      const uint16_t bits = static_cast<const arrow::HalfFloatArray&>(values).Value(row);
      return arrow::util::Float16::FromBits(bits).ToDouble();
    }
    case Type::FLOAT:
      return static_cast<const arrow::FloatArray&>(values).Value(row);
    default:
      return static_cast<const arrow::DoubleArray&>(values).Value(row);
  }
}

template <typename ArrayType>
void AppendAt(const arrow::Array& values, int64_t row, std::string* out) {
  AppendNumber(static_cast<const ArrayType&>(values).Value(row), out);
}

/// \pre an integer, or a duration
void AppendInteger(const arrow::Array& values, int64_t row, std::string* out) {
  switch (values.type_id()) {
    case Type::INT8:
      return AppendAt<arrow::Int8Array>(values, row, out);
    case Type::UINT8:
      return AppendAt<arrow::UInt8Array>(values, row, out);
    case Type::INT16:
      return AppendAt<arrow::Int16Array>(values, row, out);
    case Type::UINT16:
      return AppendAt<arrow::UInt16Array>(values, row, out);
    case Type::INT32:
      return AppendAt<arrow::Int32Array>(values, row, out);
    case Type::UINT32:
      return AppendAt<arrow::UInt32Array>(values, row, out);
    case Type::UINT64:
      return AppendAt<arrow::UInt64Array>(values, row, out);
    case Type::DURATION:
      return AppendAt<arrow::DurationArray>(values, row, out);
    default:
      return AppendAt<arrow::Int64Array>(values, row, out);
  }
}

std::string_view TextAt(const arrow::Array& values, int64_t row) {
  switch (values.type_id()) {
    case Type::STRING:
      return static_cast<const arrow::StringArray&>(values).GetView(row);
    case Type::STRING_VIEW:
      return static_cast<const arrow::StringViewArray&>(values).GetView(row);
    default:
      return static_cast<const arrow::LargeStringArray&>(values).GetView(row);
  }
}

const char* UnitName(const arrow::DataType& type) {
  switch (static_cast<const arrow::DurationType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return " s";
    case arrow::TimeUnit::MILLI:
      return " ms";
    case arrow::TimeUnit::MICRO:
      return " us";
    case arrow::TimeUnit::NANO:
      return " ns";
  }
  return "";
}

/// Whether a type becomes text by Arrow's cast.
bool IsConverted(Type::type id) { return arrow::is_decimal(id) || arrow::is_temporal(id); }

/// The range of a list's items, in the array of all items.
std::pair<int64_t, int64_t> ItemsOf(const arrow::Array& lists, int64_t row) {
  const auto range = [row](const auto& typed) {
    const int64_t begin = typed.value_offset(row);
    return std::pair(begin, begin + typed.value_length(row));
  };
  switch (lists.type_id()) {
    case Type::LARGE_LIST:
      return range(static_cast<const arrow::LargeListArray&>(lists));
    case Type::FIXED_SIZE_LIST:
      return range(static_cast<const arrow::FixedSizeListArray&>(lists));
    default:  // of maps, too
      return range(static_cast<const arrow::ListArray&>(lists));
  }
}

const std::shared_ptr<arrow::Array>& AllItemsOf(const arrow::Array& lists) {
  switch (lists.type_id()) {
    case Type::LARGE_LIST:
      return static_cast<const arrow::LargeListArray&>(lists).values();
    case Type::FIXED_SIZE_LIST:
      return static_cast<const arrow::FixedSizeListArray&>(lists).values();
    default:
      return static_cast<const arrow::ListArray&>(lists).values();
  }
}

}  // namespace

void AppendJsonText(std::string_view text, std::string* out) {
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';  // bytes above 0x7f may be negative
  });
  if (is_plain) {
    out->append(1, '"').append(text).append(1, '"');
  } else {
    *out += nlohmann::json(std::string(text))
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

arrow::Result<Cells> Cells::Make(std::shared_ptr<arrow::Array> values) {
  Cells cells;
  cells.values_ = std::move(values);
  if (cells.values_->type_id() == Type::EXTENSION) {
    cells.values_ = static_cast<const arrow::ExtensionArray&>(*cells.values_).storage();
  }
  ARROW_RETURN_NOT_OK(cells.Prepare());
  return cells;
}

arrow::Status Cells::Prepare() {
  const Type::type id = values_->type_id();
  if (id == Type::DICTIONARY) {
    const auto& encoded = static_cast<const arrow::DictionaryArray&>(*values_);
    ARROW_ASSIGN_OR_RAISE(auto dictionary, Make(encoded.dictionary()));
    children_.push_back(std::move(dictionary));
    kind_ = Kind::kDictionary;
  } else if (id == Type::NA) {
    kind_ = Kind::kNull;
  } else if (id == Type::BOOL) {
    kind_ = Kind::kBool;
  } else if (arrow::is_integer(id) || id == Type::DURATION) {
    kind_ = Kind::kInteger;
  } else if (arrow::is_floating(id)) {
    kind_ = Kind::kFloat;
  } else if (arrow::is_string(id) || id == Type::STRING_VIEW) {
    kind_ = Kind::kText;
  } else if (IsConverted(id)) {
    return PrepareText();
  } else if (arrow::is_list(id) || id == Type::MAP || id == Type::FIXED_SIZE_LIST) {
    return PrepareList();
  } else if (id == Type::STRUCT) {
    return PrepareStruct();
  }
  return Status::OK();
}

arrow::Status Cells::PrepareText() {
  std::shared_ptr<arrow::Array> values = values_;
  if (values->type_id() == Type::TIMESTAMP) {
    const auto& type = static_cast<const arrow::TimestampType&>(*values->type());
    if (!type.timezone().empty()) {  // shown in UTC, whatever the zone
      ARROW_ASSIGN_OR_RAISE(values, values->View(arrow::timestamp(type.unit())));
      suffix_ = "Z";
    }
  }
  const auto texts = arrow::compute::Cast(*values, arrow::utf8());
  if (!texts.ok()) return Status::OK();  // scalars know how
  texts_ = *texts;
  kind_ = Kind::kConverted;
  return Status::OK();
}

arrow::Status Cells::PrepareList() {
  kind_ = Kind::kList;
  int64_t end = 0;
  if (values_->length() > 0) {
    first_item_ = ItemsOf(*values_, 0).first;
    end = ItemsOf(*values_, values_->length() - 1).second;
  }
  // A batch may be a small part of a long array.
  ARROW_ASSIGN_OR_RAISE(auto items,
                        Make(AllItemsOf(*values_)->Slice(first_item_, end - first_item_)));
  children_.push_back(std::move(items));
  return Status::OK();
}

arrow::Status Cells::PrepareStruct() {
  kind_ = Kind::kStruct;
  const auto& structs = static_cast<const arrow::StructArray&>(*values_);
  for (int i = 0; i < structs.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto member, Make(structs.field(i)));
    children_.push_back(std::move(member));
    AppendJsonText(structs.type()->field(i)->name(), &names_.emplace_back());
  }
  return Status::OK();
}

arrow::Status Cells::AppendJson(int64_t row, std::string* out) const {
  if (kind_ == Kind::kNull || values_->IsNull(row)) {
    *out += "null";
    return Status::OK();
  }
  switch (kind_) {
    case Kind::kFloat:
      AppendFloatJson(FloatAt(*values_, row), out);
      return Status::OK();
    case Kind::kText:
      AppendJsonText(TextAt(*values_, row), out);
      return Status::OK();
    case Kind::kDictionary: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(*values_);
      return children_.front().AppendJson(encoded.GetValueIndex(row), out);
    }
    case Kind::kList:
      return AppendListJson(row, out);
    case Kind::kStruct:
      return AppendStructJson(row, out);
    case Kind::kConverted:
    case Kind::kOther: {
      std::string text;
      ARROW_RETURN_NOT_OK(AppendPlain(row, &text));
      AppendJsonText(text, out);
      return Status::OK();
    }
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInteger:
      break;
  }
  return AppendPlain(row, out);
}

arrow::Status Cells::AppendText(int64_t row, std::string* out) const {
  if (kind_ == Kind::kNull || values_->IsNull(row)) return Status::OK();
  switch (kind_) {
    case Kind::kText:
      *out += TextAt(*values_, row);
      return Status::OK();
    case Kind::kFloat:
      if (values_->type_id() == Type::DOUBLE) {
        AppendFloatText(FloatAt(*values_, row), out);
      } else {
        AppendFloatText(static_cast<float>(FloatAt(*values_, row)), out);
      }
      return Status::OK();
    case Kind::kDictionary: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(*values_);
      return children_.front().AppendText(encoded.GetValueIndex(row), out);
    }
    case Kind::kList:
      return AppendListJson(row, out);
    case Kind::kStruct:
      return AppendStructJson(row, out);
    default:
      break;
  }
  ARROW_RETURN_NOT_OK(AppendPlain(row, out));
  if (values_->type_id() == Type::DURATION) *out += UnitName(*values_->type());
  return Status::OK();
}

arrow::Status Cells::AppendPlain(int64_t row, std::string* out) const {
  if (kind_ == Kind::kBool) {
    *out += static_cast<const arrow::BooleanArray&>(*values_).Value(row) ? "true" : "false";
  } else if (kind_ == Kind::kInteger) {
    AppendInteger(*values_, row, out);
  } else if (kind_ == Kind::kConverted) {
    *out += TextAt(*texts_, row);
    *out += suffix_;
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto scalar, values_->GetScalar(row));
    *out += scalar->ToString();
  }
  return Status::OK();
}

arrow::Status Cells::AppendListJson(int64_t row, std::string* out) const {
  const auto [begin, end] = ItemsOf(*values_, row);
  *out += '[';
  for (int64_t item = begin; item < end; ++item) {
    if (item > begin) *out += ',';
    ARROW_RETURN_NOT_OK(children_.front().AppendJson(item - first_item_, out));
  }
  *out += ']';
  return Status::OK();
}

arrow::Status Cells::AppendStructJson(int64_t row, std::string* out) const {
  *out += '{';
  for (size_t i = 0; i < children_.size(); ++i) {
    if (i > 0) *out += ',';
    *out += names_[i];
    *out += ':';
    ARROW_RETURN_NOT_OK(children_[i].AppendJson(row, out));
  }
  *out += '}';
  return Status::OK();
}

}  // namespace lancectl
