#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "lance/testing/seeded_random.h"

namespace lance::testing {

/// How the values of a generated array follow each other.
enum class ValueDistribution : uint8_t {
  kConstant,
  kSorted,
  kRuns,
  kLowCardinality,
  kSmall,   // few significant bits, short strings
  kRandom,  // any bits, strings of up to 20 characters
  kHuge,    // as kRandom, but some strings have thousands of bytes
};

/// One of the distributions.
ValueDistribution AnyDistribution(SeededRandom* random);

/// What types are generated. A plain value.
struct RandomTypeOptions {
  /// Layers of lists, structs and maps above a leaf at most; 0: leaves only.
  int depth = 2;
  bool with_maps = true;
  bool with_fixed_size_lists_of_struct = true;
  bool with_packed_structs = true;
  bool with_dictionaries = true;
  bool with_null_type = true;
  bool with_not_nullable = true;
};

/// A type without children: a primitive, text or binary.
std::shared_ptr<arrow::DataType> RandomPrimitiveType(SeededRandom* random);

/// A field that data files of version 2.2 can hold. Lists and fixed-size lists of struct are never
/// inside each other; structs have members.
std::shared_ptr<arrow::Field> RandomField(const std::string& name, const RandomTypeOptions& options,
                                          SeededRandom* random);

/// How arrays are generated. A plain value.
struct RandomArrayOptions {
  int64_t length = 0;
  /// One value in so many is null, in every field that may have nulls; 0: none, 1: all.
  uint64_t null_every = 4;
  /// Lists have up to so many items.
  uint64_t max_items = 4;
  /// Arrays are slices at every depth, with things around them and below null lists.
  bool is_sliced = false;
  /// Items of fixed-size lists may be null.
  bool has_null_items = true;
  ValueDistribution distribution = ValueDistribution::kRandom;
};

/// An array for a field: valid as Arrow sees it, without nulls where the field must not have any,
/// unless they are below a null. Members of packed structs have no nulls.
std::shared_ptr<arrow::Array> RandomArray(const arrow::Field& field,
                                          const RandomArrayOptions& options, SeededRandom* random);

/// An array for a nullable field of a type.
std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                          const RandomArrayOptions& options, SeededRandom* random);

}  // namespace lance::testing
