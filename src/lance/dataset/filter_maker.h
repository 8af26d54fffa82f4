#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/format/field_tree.h"

namespace lance {

/// Makes filters of values that a table has, the same for the same seed, about columns and members
/// of structs with statistics.
class FilterMaker {
 public:
  static arrow::Result<FilterMaker> Make(const Dataset& dataset, uint64_t seed,
                                         const CallOptions& call);

  bool has_columns() const { return !columns_.empty(); }

  /// \pre there are columns
  std::string Next();

 private:
  /// A column or a member of structs, and how filters name it.
  struct Field {
    const format::FieldNode* node;
    std::string sql;
  };

  /// A field that filters ask about.
  struct Column {
    std::string sql;
    bool is_list;
    std::vector<std::string> literals;  // of lists those of their items
  };

  /// Fields with statistics, and all that may have some.
  struct Fields {
    std::vector<Field> with_statistics;
    std::vector<Field> all;
  };

  explicit FilterMaker(uint64_t seed) : engine_(seed) {}

  uint64_t Below(uint64_t limit) { return engine_() % limit; }

  /// Those with indices and those of the declaration; when there are none, all that have an order.
  static std::vector<Field> ChooseFields(const Dataset::Impl& dataset);
  /// Add a field, or of a struct what is below it.
  static void AddFields(const Dataset::Impl& dataset, const Field& field, Fields* fields);
  /// Whether filters can name items of the lists: some have no literal.
  static bool CanAskForItems(const Dataset& dataset, const Column& column);
  /// Values of random rows, or items of their lists.
  arrow::Result<std::vector<std::string>> LiteralsOf(const Dataset& dataset, const std::string& sql,
                                                     const CallOptions& call);
  std::string Leaf();

  std::mt19937_64 engine_;
  std::vector<Column> columns_;
};

}  // namespace lance
