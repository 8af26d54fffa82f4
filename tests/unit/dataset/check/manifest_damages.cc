#include <algorithm>

#include "damages.h"
#include "lance/table/clustering_metadata.h"

namespace lance::testing {
namespace {

using Change = std::function<void(table::Manifest*)>;

/// Change the newest manifest; the finding has a fixed path.
std::function<std::string(const CheckedTable&)> Rewrites(Change change, std::string path) {
  return [change = std::move(change), path = std::move(path)](const CheckedTable& table) {
    table.Rewrite(change);
    return path;
  };
}

std::vector<Damage> WrongFlags() {
  return {
      {"FlagOfDeletionsMissing", "flag_missing",
       Rewrites([](auto* manifest) { manifest->reader_feature_flags &= ~uint64_t{1}; },
                "manifest")},
      {"FlagOfConfigMissing", "flag_missing",
       Rewrites([](auto* manifest) { manifest->writer_feature_flags &= ~uint64_t{8}; },
                "manifest")},
      {"FlagOfRowIdsOnlyForReaders", "flag_missing",
       Rewrites([](auto* manifest) { manifest->writer_feature_flags &= ~uint64_t{2}; }, "manifest"),
       Sample::kStable},
      {"FlagOfRowIdsMissing", "row_ids_without_flag",
       Rewrites(
           [](auto* manifest) {
             manifest->reader_feature_flags &= ~uint64_t{2};
             manifest->writer_feature_flags &= ~uint64_t{2};
           },
           "manifest"),
       Sample::kStable},
      {"FlagOfClusteringMissing", "clustering_flag_missing",
       Rewrites([](auto* manifest) { manifest->writer_feature_flags &= ~uint64_t{131072}; },
                "manifest"),
       Sample::kDeclared},
  };
}

std::vector<Damage> WrongProperties() {
  const auto base = [](uint32_t id, const char* path) {
    return table::BasePath{.id = id, .is_dataset_root = true, .path = path};
  };
  return {
      {"AutoCleanupIsNoNumber", "config_broken",
       Rewrites([](auto* manifest) { manifest->config["lance.auto_cleanup.interval"] = "often"; },
                "config lance.auto_cleanup.interval")},
      {"AutoCleanupAgeIsNoDuration", "config_broken",
       Rewrites([](auto* manifest) { manifest->config["lance.auto_cleanup.older_than"] = "soon"; },
                "config lance.auto_cleanup.older_than")},
      {"FieldIdIsAboveTheHighest", "field_id_beyond_max",
       Rewrites([](auto* manifest) { manifest->max_allocated_field_id = 2; }, "column id")},
      {"BasePathTwice", "base_path_twice",
       Rewrites(
           [base](auto* manifest) {
             manifest->base_paths = {base(1, "/a"), base(1, "/b")};
           },
           "base path 1")},
      {"BasePathIsRelative", "base_path_broken",
       Rewrites([base](auto* manifest) { manifest->base_paths = {base(1, "a/b")}; },
                "base path 1")},
      {"BasePathIsEmpty", "base_path_broken",
       Rewrites([base](auto* manifest) { manifest->base_paths = {base(1, "")}; }, "base path 1")},
      {"BasePathIsNotThere", "base_path_unknown",
       Rewrites([](auto* manifest) { manifest->fragments[1].files[0].base_id = 5; }, "fragment 1")},
      {"FileOfABasePathIsGone", "data_file_missing",
       [base](const CheckedTable& table) {
         const std::string root = "/nowhere-at-all";
         table.Rewrite([&](auto* manifest) {
           manifest->base_paths = {base(1, root.c_str())};
           manifest->fragments[1].files[0].base_id = 1;
         });
         return root + "/data/" + table.Manifest().fragments[1].files[0].path;
       }},
  };
}

std::vector<Damage> WrongFragments() {
  return {
      {"FragmentTwice", "fragment_twice",
       Rewrites([](auto* manifest) { manifest->fragments[1].id = 0; }, "fragment 0")},
      {"FragmentsUnsorted", "fragments_unsorted",
       Rewrites([](auto* manifest) { std::swap(manifest->fragments[0], manifest->fragments[1]); },
                "fragment 0")},
      {"FragmentIsAboveTheHighest", "fragment_beyond_max",
       Rewrites([](auto* manifest) { manifest->max_fragment_id = 2; }, "fragment 3")},
      {"HighestFragmentNotKnown", "fragment_beyond_max",
       Rewrites([](auto* manifest) { manifest->max_fragment_id.reset(); }, "fragment 2")},
      {"FragmentWithoutRows", "fragment_empty",
       Rewrites(
           [](auto* manifest) {
             manifest->fragments[1].deletion_file =
                 table::DeletionFile{.read_version = 1, .id = 3, .num_deleted_rows = 100};
           },
           "fragment 1")},
      {"RequiredColumnMissing", "column_missing",
       Rewrites(
           [](auto* manifest) {
             auto& file = manifest->fragments[1].files[0];
             const auto id = manifest->schema.FindTopLevel("id")->id;
             std::ranges::replace(file.field_ids, id, -2);
           },
           "fragment 1")},
      {"FieldInTwoFiles", "field_held_twice",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) {
           auto& files = manifest->fragments[1].files;
           files.push_back(files[0]);
         });
         return DataPath(table.Manifest().fragments[1]);
       }},
      {"DataFileInTwoFragments", "data_file_twice",
       [](const CheckedTable& table) {
         table.Rewrite(
             [](auto* manifest) { manifest->fragments[1].files = manifest->fragments[0].files; });
         return DataPath(table.Manifest().fragments[0]);
       }},
  };
}

std::vector<Damage> WrongClustering() {
  return {
      {"DefinitionBroken", "clustering_definition_broken",
       Rewrites([](auto* manifest) { manifest->clustering[0].version = 0; },
                "clustering definition 1"),
       Sample::kDeclared},
      {"DefinitionTwice", "clustering_definition_broken",
       Rewrites([](auto* manifest) { manifest->clustering.push_back(manifest->clustering[0]); },
                "clustering definition 1"),
       Sample::kDeclared},
      {"StampDangling", "clustering_reference_dangling",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->fragments[0].clustering_id = 77; });
         return "fragment " + std::to_string(table.Manifest().fragments[0].id);
       },
       Sample::kDeclared},
      {"StampStale", "clustering_stamp_stale",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) {
           manifest->fragments[0].metadata["lance.liquid-clustering.version"] = "x";
         });
         return "fragment " + std::to_string(table.Manifest().fragments[0].id);
       },
       Sample::kDeclared},
      {"LayoutMissing", "clustering_layout_missing",
       Rewrites(
           [](auto* manifest) {
             manifest->table_metadata.erase("lance.liquid-clustering.1.curve");
           },
           "clustering definition 1"),
       Sample::kDeclared},
      {"DeclarationBroken", "clustering_declaration_broken",
       Rewrites([](auto* manifest) { manifest->config["lance.clustering.curve"] = "spiral"; },
                "config lance.clustering"),
       Sample::kDeclared},
  };
}

}  // namespace

std::vector<Damage> DamagesOfManifests() {
  std::vector<Damage> damages;
  for (auto* part : {WrongFlags, WrongProperties, WrongFragments, WrongClustering}) {
    const auto more = part();
    damages.insert(damages.end(), more.begin(), more.end());
  }
  return damages;
}

}  // namespace lance::testing
