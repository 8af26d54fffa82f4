#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/layers.h"
#include "lance/format/schema.h"

namespace lance::format {

/// Levels, as tests write them.
using Levels = std::vector<uint16_t>;

using FieldPtr = std::shared_ptr<arrow::Field>;
using TypePtr = std::shared_ptr<arrow::DataType>;
using ArrayPtr = std::shared_ptr<arrow::Array>;

/// The tree of a field.
inline FieldNode NodeOf(const FieldPtr& field) {
  const auto schema = MakeLanceSchema(arrow::Schema({field})).ValueOrDie();
  return MakeFieldTree(schema).ValueOrDie()[0];
}

/// The tree of a nullable field "c" of a type.
inline FieldNode NodeOf(const TypePtr& type) { return NodeOf(arrow::field("c", type)); }

/// The path of the first leaf of a type.
inline LeafPath PathOf(const TypePtr& type) { return PathsOf(NodeOf(type)).ValueOrDie()[0]; }

/// An array from JSON.
inline ArrayPtr FromJson(const TypePtr& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

/// A field that must not be null.
inline FieldPtr NotNull(std::string name, TypePtr type) {
  return arrow::field(std::move(name), std::move(type), /*nullable=*/false);
}

/// A field that is stored as a packed struct.
inline FieldPtr Packed(std::string name, TypePtr type) {
  return arrow::field(std::move(name), std::move(type),
                      arrow::key_value_metadata({{"packed", "true"}}));
}

/// A field that is stored as a legacy blob.
inline FieldPtr Blob(std::string name) {
  return arrow::field(std::move(name), arrow::large_binary(),
                      arrow::key_value_metadata({{"lance-encoding:blob", "true"}}));
}

/// struct<x: int32>.
inline TypePtr StructOfX() { return arrow::struct_({arrow::field("x", arrow::int32())}); }

}  // namespace lance::format
