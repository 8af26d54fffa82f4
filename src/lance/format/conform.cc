#include "lance/format/conform.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/cast.h"
#include "lance/base/executor.h"

namespace lance::format {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

/// One pass over an array's tree; knows where it is for messages.
class Conformer {
 public:
  explicit Conformer(arrow::MemoryPool* pool) : pool_(pool) {}

  arrow::Result<ArrayDataPtr> Conform(const ArrayDataPtr& data, const arrow::DataType& from,
                                      const std::shared_ptr<arrow::DataType>& to) {
    if (from.id() == arrow::Type::EXTENSION) {
      const auto& storage = static_cast<const arrow::ExtensionType&>(from).storage_type();
      return Conform(data, *storage, to);
    }
    if (from.Equals(*to, /*check_metadata=*/true)) return Relabel(data, to);
    if (IsView(from.id())) return CastView(data, from, to);
    if (from.id() != to->id()) return Differs(from, *to);
    switch (to->id()) {
      case arrow::Type::STRUCT:
        return ConformStruct(data, from, to);
      case arrow::Type::FIXED_SIZE_LIST:
        if (static_cast<const arrow::FixedSizeListType&>(from).list_size() !=
            static_cast<const arrow::FixedSizeListType&>(*to).list_size()) {
          return Differs(from, *to);
        }
        return ConformItems(data, from, to);
      case arrow::Type::MAP:
      case arrow::Type::LIST:
      case arrow::Type::LARGE_LIST:
        return ConformItems(data, from, to);
      case arrow::Type::DICTIONARY:
        return ConformDictionary(data, from, to);
      default:
        return from.Equals(*to) ? arrow::Result<ArrayDataPtr>(Relabel(data, to))
                                : Differs(from, *to);
    }
  }

 private:
  static bool IsView(arrow::Type::type id) {
    return id == arrow::Type::STRING_VIEW || id == arrow::Type::BINARY_VIEW;
  }

  static ArrayDataPtr Relabel(const ArrayDataPtr& data, std::shared_ptr<arrow::DataType> type) {
    auto copy = data->Copy();
    copy->type = std::move(type);
    return copy;
  }

  /// Files do not say whether a dictionary's order means something (as in the reference).
  arrow::Result<ArrayDataPtr> ConformDictionary(const ArrayDataPtr& data,
                                                const arrow::DataType& from,
                                                const std::shared_ptr<arrow::DataType>& to) {
    const auto& given = static_cast<const arrow::DictionaryType&>(from);
    const auto& wanted = static_cast<const arrow::DictionaryType&>(*to);
    const bool has_equal_indices = given.index_type()->Equals(*wanted.index_type());
    if (has_equal_indices && IsView(given.value_type()->id())) {
      ArrayDataPtr made = Relabel(data, to);
      ARROW_ASSIGN_OR_RAISE(made->dictionary,
                            CastView(data->dictionary, *given.value_type(), wanted.value_type()));
      return made;
    }
    const bool is_alike = has_equal_indices && given.value_type()->Equals(*wanted.value_type());
    return is_alike ? arrow::Result<ArrayDataPtr>(Relabel(data, to)) : Differs(from, *to);
  }

  arrow::Status Differs(const arrow::DataType& from, const arrow::DataType& to) const {
    const std::string place = path_.empty() ? "" : "part \"" + path_.substr(1) + "\" of it ";
    return arrow::Status::Invalid(place, "has type ", from.ToString(), ", the schema says ",
                                  to.ToString());
  }

  arrow::Result<ArrayDataPtr> CastView(const ArrayDataPtr& data, const arrow::DataType& from,
                                       const std::shared_ptr<arrow::DataType>& to) {
    const bool is_text = from.id() == arrow::Type::STRING_VIEW;
    const bool fits =
        is_text ? to->id() == arrow::Type::STRING || to->id() == arrow::Type::LARGE_STRING
                : to->id() == arrow::Type::BINARY || to->id() == arrow::Type::LARGE_BINARY;
    if (!fits) return Differs(from, *to);
    ARROW_RETURN_NOT_OK(InitializeLibrary());
    arrow::compute::ExecContext context(pool_ != nullptr ? pool_ : arrow::default_memory_pool());
    ARROW_ASSIGN_OR_RAISE(const auto cast,
                          arrow::compute::Cast(arrow::Datum(data), to,
                                               arrow::compute::CastOptions::Safe(), &context));
    return cast.array();
  }

  arrow::Result<ArrayDataPtr> ConformChild(const ArrayDataPtr& child, const arrow::Field& from,
                                           const arrow::Field& to) {
    const size_t size = path_.size();
    path_ += "." + to.name();
    ARROW_ASSIGN_OR_RAISE(auto made, Conform(child, *from.type(), to.type()));
    path_.resize(size);
    return made;
  }

  arrow::Result<ArrayDataPtr> ConformItems(const ArrayDataPtr& data, const arrow::DataType& from,
                                           const std::shared_ptr<arrow::DataType>& to) {
    auto made = Relabel(data, to);
    ARROW_ASSIGN_OR_RAISE(made->child_data[0],
                          ConformChild(data->child_data[0], *from.field(0), *to->field(0)));
    return made;
  }

  /// A map's entries are a struct whose members go by position.
  static bool IsMapEntries(const arrow::DataType& from, const arrow::DataType& to) {
    return from.num_fields() == 2 && to.num_fields() == 2 && from.field(0)->name() == "key" &&
           to.field(0)->name() == "key";
  }

  arrow::Result<ArrayDataPtr> ConformStruct(const ArrayDataPtr& data, const arrow::DataType& from,
                                            const std::shared_ptr<arrow::DataType>& to) {
    const auto& members = static_cast<const arrow::StructType&>(from);
    auto made = Relabel(data, to);
    made->child_data.clear();
    int found = 0;
    for (const auto& field : to->fields()) {
      const int index = IsMapEntries(from, *to) ? static_cast<int>(made->child_data.size())
                                                : members.GetFieldIndex(field->name());
      if (index < 0) {
        ARROW_ASSIGN_OR_RAISE(
            const auto nulls,
            arrow::MakeArrayOfNull(field->type(), data->offset + data->length,
                                   pool_ != nullptr ? pool_ : arrow::default_memory_pool()));
        made->child_data.push_back(nulls->data());
        continue;
      }
      ++found;
      ARROW_ASSIGN_OR_RAISE(auto child, ConformChild(data->child_data[static_cast<size_t>(index)],
                                                     *from.field(index), *field));
      made->child_data.push_back(std::move(child));
    }
    if (found < from.num_fields()) return Differs(from, *to);
    return made;
  }

  arrow::MemoryPool* pool_;
  std::string path_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> ConformArray(
    const std::shared_ptr<arrow::Array>& array, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool) {
  if (array->type()->Equals(*type, /*check_metadata=*/true)) return array;
  ARROW_ASSIGN_OR_RAISE(auto data, Conformer(pool).Conform(array->data(), *array->type(), type));
  return arrow::MakeArray(std::move(data));
}

}  // namespace lance::format
