#include "damages.h"

namespace lance::testing {
namespace {

constexpr const char* kTag = "_refs/tags/first.json";
constexpr const char* kBranch = "_refs/branches/side.json";
constexpr const char* kBranchText =
    R"({"parentBranch": null, "identifier": {"version_mapping": []}, "parentVersion": 2,
        "createAt": 1795978912, "manifestSize": 600, "metadata": {}})";

std::function<std::string(const CheckedTable&)> Writes(std::string path, std::string text) {
  return [=](const CheckedTable& table) {
    table.Write(path, text);
    return path;
  };
}

/// A branch as its creation leaves it, but that its files are looked for in its own folder.
std::string MakeBranch(const CheckedTable& table) {
  const std::string manifest = "tree/side/" + table.ManifestPath(2);
  table.Write(kBranch, kBranchText);
  table.Write(manifest, table.Read(table.ManifestPath(2)));
  return manifest;
}

}  // namespace

std::vector<Damage> DamagesOfRefs() {
  return {
      {"TagIsGarbage", "tag_broken", Writes(kTag, "xyz")},
      {"PinIsGarbage", "note_broken", Writes("_refs/pins/a.json", "xyz")},
      {"RemovalOfABranchHasNoVersions", "note_broken",
       Writes("tree/side/_refs/removals/a.json", R"({"createdAt": "2024-01-01T00:00:00Z"})")},
      {"TagIsEmpty", "tag_broken", Writes(kTag, "")},
      {"TagHasNoSize", "tag_broken", Writes(kTag, R"({"branch": null, "version": 1})")},
      {"TagHasATextForAVersion", "tag_broken",
       Writes(kTag, R"({"branch": null, "version": "1", "manifestSize": 5})")},
      {"TagNameIsNotAllowed", "tag_broken",
       Writes("_refs/tags/.hidden.json", R"({"branch": null, "version": 1, "manifestSize": 5})")},
      {"TagOfAVersionThatIsGone", "tag_dangling",
       Writes(kTag, R"({"branch": null, "version": 77, "manifestSize": 5})")},
      {"TagOfABranchThatIsGone", "tag_dangling",
       Writes(kTag, R"({"branch": "side", "version": 1, "manifestSize": 5})")},
      {"BranchIsGarbage", "branch_broken", Writes(kBranch, "[1, 2]")},
      {"BranchHasNoParentVersion", "branch_broken",
       Writes(kBranch, R"({"parentBranch": null, "createAt": 1, "manifestSize": 5})")},
      {"BranchHasNoVersion", "branch_dangling", Writes(kBranch, kBranchText)},
      {"BranchManifestIsCut", "manifest_broken",
       [](const CheckedTable& table) {
         const std::string path = MakeBranch(table);
         table.Write(path, table.Read(path).substr(0, 50));
         return path;
       }},
      {"BranchFileIsGone", "data_file_missing",
       [](const CheckedTable& table) {
         MakeBranch(table);
         return "tree/side/" + DataPath(table.Manifest(2).fragments[0]);
       }},
      {"BranchHintIsGarbage", "hint_broken",
       [](const CheckedTable& table) {
         MakeBranch(table);
         const std::string path = "tree/side/_versions/latest_version_hint.json";
         table.Write(path, "-1");
         return path;
       }},
  };
}

std::vector<Damage> WorthKnowing() {
  const auto changes = [](std::function<void(table::Manifest*)> change, std::string path) {
    return [=](const CheckedTable& table) {
      table.Rewrite(change);
      return path;
    };
  };
  return {
      {"DataFileThatNoVersionNames", "orphans",
       [](const CheckedTable& table) {
         table.Write("data/unnamed.lance", "12345");
         return std::string("data");
       }},
      {"IndexFolderThatNoVersionNames", "orphans",
       [](const CheckedTable& table) {
         table.Write("_indices/00000000-0000-4000-8000-000000000001/zonemap.lance", "12345");
         return std::string("_indices");
       }},
      {"DeletionFileThatNoVersionNames", "orphans",
       [](const CheckedTable& table) {
         table.Write("_deletions/0-1-2.arrow", "12345");
         return std::string("_deletions");
       }},
      {"TransactionThatNoVersionNames", "orphans",
       [](const CheckedTable& table) {
         table.Write("_transactions/3-x.txn", "12345");
         return std::string("_transactions");
       }},
      {"HintIsOld", "hint_stale",
       [](const CheckedTable& table) {
         const std::string path = "_versions/latest_version_hint.json";
         table.Write(path, "{\"version\": 1}");
         return path;
       }},
      {"FlagWithoutUse", "flag_unneeded",
       changes(
           [](auto* manifest) {
             manifest->reader_feature_flags |= 16;
             manifest->writer_feature_flags |= 16;
           },
           "manifest")},
      {"TagWithAnotherSize", "tag_size_wrong",
       [](const CheckedTable& table) {
         table.Write(kTag, R"({"branch": null, "version": 1, "manifestSize": 5})");
         return std::string(kTag);
       }},
      {"FolderOfNoBranch", "branch_unlisted",
       [](const CheckedTable& table) {
         MakeBranch(table);
         table.Remove(kBranch);
         return std::string("tree/side/");
       }},
      {"OldVersionOfALaterRelease", "version_unsupported",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->reader_feature_flags |= 1ull << 40; }, 2);
         return table.ManifestPath(2);
       }},
  };
}

}  // namespace lance::testing
