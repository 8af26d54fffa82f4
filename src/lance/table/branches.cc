#include "lance/table/branches.h"

#include <algorithm>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/table/ref_json.h"

namespace lance::table {
namespace {

constexpr const char* kMapping = "version_mapping";
constexpr size_t kUuidDigits = 32;

bool IsSimpleUuid(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kUuidDigits && std::ranges::all_of(text, is_digit);
}

/// `[parent version, uuid]`.
arrow::Result<BranchStep> ParseStep(const RefJson& json) {
  constexpr const char* kWanted = "list of pairs of a version and 32 hexadecimal digits";
  if (!json.is_array() || json.size() != 2 || !json[0].is_number_unsigned() ||
      !json[1].is_string() || !IsSimpleUuid(json[1].get_ref<const std::string&>())) {
    return BadRefMember(kMapping, kWanted);
  }
  return BranchStep{json[0].get<uint64_t>(), json[1].get<std::string>()};
}

arrow::Result<std::vector<BranchStep>> ParseIdentifier(const RefJson& json) {
  std::vector<BranchStep> steps;
  const auto identifier = json.find("identifier");
  if (identifier == json.end() || identifier->is_null()) return steps;
  if (!identifier->is_object()) return BadRefMember("identifier", "object");
  const auto mapping = identifier->find(kMapping);
  if (mapping == identifier->end() || !mapping->is_array()) return BadRefMember(kMapping, "list");
  for (const RefJson& step : *mapping) {
    ARROW_ASSIGN_OR_RAISE(steps.emplace_back(), ParseStep(step));
  }
  return steps;
}

}  // namespace

arrow::Result<Branch> ParseBranch(std::string name, std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const RefJson json, ParseRefJson(text));
  Branch branch{.name = std::move(name)};
  ARROW_ASSIGN_OR_RAISE(branch.parent_branch, TextIn(json, "parentBranch"));
  ARROW_ASSIGN_OR_RAISE(branch.identifier, ParseIdentifier(json));
  ARROW_ASSIGN_OR_RAISE(branch.parent_version, NumberIn(json, "parentVersion"));
  ARROW_ASSIGN_OR_RAISE(branch.created_at_seconds, NumberIn(json, "createAt"));
  ARROW_ASSIGN_OR_RAISE(branch.manifest_size, NumberIn(json, "manifestSize"));
  ARROW_ASSIGN_OR_RAISE(branch.metadata, TextsIn(json, "metadata"));
  return branch;
}

std::string SerializeBranch(const Branch& branch) {
  RefJson mapping = RefJson::array();
  for (const BranchStep& step : IdentifierOf(branch)) {
    mapping.push_back(RefJson::array({step.parent_version, step.uuid}));
  }
  RefJson json = {
      {"parentBranch", branch.parent_branch ? RefJson(*branch.parent_branch) : RefJson(nullptr)},
      {"identifier", RefJson::object()},
      {"parentVersion", branch.parent_version},
      {"createAt", branch.created_at_seconds},
      {"manifestSize", branch.manifest_size},
      {"metadata", RefJson::object()}};
  json["identifier"][kMapping] = std::move(mapping);
  for (const auto& [key, value] : branch.metadata) json["metadata"][key] = value;
  return WriteRefJson(json);
}

std::vector<BranchStep> IdentifierOf(const Branch& branch) {
  if (!branch.identifier.empty()) return branch.identifier;
  // Any step will do that no other branch can have: version 0 is nobody's parent, and the digits
  // tell the names apart.
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : branch.name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string digits;
  for (size_t i = 0; i < kUuidDigits; ++i) digits += "0123456789abcdef"[(hash >> (i * 2)) & 15];
  return {{.parent_version = 0, .uuid = std::move(digits)}};
}

bool IsBelow(const Branch& branch, const Branch& ancestor) {
  if (branch.name == ancestor.name) return false;
  if (branch.parent_branch == ancestor.name) return true;  // also of old writers
  const std::vector<BranchStep> way = IdentifierOf(branch);
  const std::vector<BranchStep> prefix = IdentifierOf(ancestor);
  return way.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), way.begin());
}

arrow::Result<std::vector<Branch>> BranchStore::List(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, folder_.ListNames());
  std::vector<Branch> branches;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(auto branch, Find(name, run));
    if (branch) branches.push_back(*std::move(branch));  // else it was deleted meanwhile
  }
  return branches;
}

arrow::Result<Branch> BranchStore::Load(const std::string& name, const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const std::string text, folder_.Load(name, run));
  auto branch = ParseBranch(name, text);
  return branch.ok() ? branch : WithContext(branch.status(), folder_.PathOf(name));
}

arrow::Result<std::optional<Branch>> BranchStore::Find(const std::string& name,
                                                       const RunContext& run) const {
  auto branch = Load(name, run);
  if (!branch.ok() && NotFound::From(branch.status()) != nullptr) return std::nullopt;
  ARROW_RETURN_NOT_OK(branch.status());
  return *std::move(branch);
}

arrow::Result<PutOutcome> BranchStore::Create(const Branch& branch) const {
  return folder_.Put(branch.name, SerializeBranch(branch), PutMode::kIfAbsent);
}

arrow::Status BranchStore::Update(const Branch& branch) const {
  ARROW_ASSIGN_OR_RAISE(const PutOutcome outcome,
                        folder_.Put(branch.name, SerializeBranch(branch), PutMode::kOverwrite));
  if (outcome != PutOutcome::kUnknown) return arrow::Status::OK();
  return arrow::Status::IOError("the reply about branch ", branch.name,
                                " was lost: the change may be there, or come");
}

}  // namespace lance::table
