#include <algorithm>

#include "damages.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_store.h"

namespace lance::testing {
namespace {

constexpr uint64_t kOld = 2;  // a version that is not opened
constexpr const char* kHint = "_versions/latest_version_hint.json";

/// Replace a file by what a function makes of its bytes.
std::string Change(const CheckedTable& table, const std::string& path,
                   const std::function<std::string(std::string)>& change) {
  table.Write(path, change(table.Read(path)));
  return path;
}

std::string TransactionPath(const CheckedTable& table) {
  return "_transactions/" + table.Manifest().transaction_file;
}

/// Write the newest manifest with another inline transaction; "": without.
void ReplaceInline(const CheckedTable& table, const std::string& transaction) {
  const auto file = table::EncodeManifestFile(table.Manifest(), transaction).ValueOrDie();
  table.Write(table.ManifestPath(), file->ToString());
}

std::string Cut(std::string bytes) { return bytes.substr(0, bytes.size() / 2); }

std::vector<Damage> BrokenManifests() {
  return {
      {"OldManifestCut", "manifest_broken",
       [](const CheckedTable& table) { return Change(table, table.ManifestPath(kOld), Cut); }},
      {"OldManifestEmpty", "manifest_broken",
       [](const CheckedTable& table) {
         return Change(table, table.ManifestPath(kOld), [](auto) { return std::string(); });
       }},
      {"OldManifestMagic", "manifest_broken",
       [](const CheckedTable& table) {
         return Change(table, table.ManifestPath(kOld), [](std::string bytes) {
           bytes.back() = 'X';
           return bytes;
         });
       }},
      {"OldManifestIsNoMessage", "manifest_broken",
       [](const CheckedTable& table) {
         return Change(table, table.ManifestPath(kOld), [](std::string bytes) {
           std::fill(bytes.begin() + 4, bytes.end() - 16, '\xff');
           return bytes;
         });
       }},
      {"OldManifestHasAnUnknownType", "manifest_broken",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->schema.fields[0].logical_type = "odd"; },
                       kOld);
         return table.ManifestPath(kOld);
       }},
      {"NewestManifestCut", "manifest_broken",
       [](const CheckedTable& table) { return Change(table, table.ManifestPath(), Cut); }},
      {"ManifestSaysAnotherVersion", "manifest_version_wrong",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->version = 9; }, kOld);
         return table.ManifestPath(kOld);
       }},
      {"ManifestNameIsPadded", "manifest_name_unknown",
       [](const CheckedTable& table) {
         const std::string path = "_versions/0002.manifest";
         table.Write(path, table.Read(table.ManifestPath(kOld)));
         return path;
       }},
      {"NamesAreMixed", "names_mixed",
       [](const CheckedTable& table) {
         table.Write("_versions/2.manifest", table.Read(table.ManifestPath(kOld)));
         return std::string("_versions");
       }},
  };
}

std::vector<Damage> BrokenHints() {
  const auto hint = [](const char* text) {
    return [text](const CheckedTable& table) {
      table.Write(kHint, text);
      return std::string(kHint);
    };
  };
  return {
      {"HintIsGarbage", "hint_broken", hint("xyz")},
      {"HintIsTorn", "hint_broken", hint("{\"versi")},
      {"HintIsEmpty", "hint_broken", hint("")},
      {"HintIsNegative", "hint_broken", hint("{\"version\":-3}")},
      {"HintIsFromTheFuture", "hint_ahead", hint("{\"version\":99}")},
  };
}

std::vector<Damage> BrokenTransactions() {
  return {
      {"TransactionFileGone", "transaction_file_missing",
       [](const CheckedTable& table) {
         table.Remove(TransactionPath(table));
         return TransactionPath(table);
       }},
      {"TransactionFileOfAnOldVersionGone", "transaction_file_missing",
       [](const CheckedTable& table) {
         const std::string path = "_transactions/" + table.Manifest(kOld).transaction_file;
         table.Remove(path);
         return path;
       }},
      {"TransactionFileNotNamed", "transaction_file_missing",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->transaction_file.clear(); });
         return table.ManifestPath();
       }},
      {"NoTransaction", "transaction_missing",
       [](const CheckedTable& table) {
         ReplaceInline(table, "");
         table.Remove(TransactionPath(table));
         return table.ManifestPath();
       }},
      {"TransactionFileIsGarbage", "transaction_broken",
       [](const CheckedTable& table) {
         table.Write(TransactionPath(table), "\xff\xff\xff");
         return TransactionPath(table);
       }},
      {"TransactionFileIsEmpty", "transaction_differs",
       [](const CheckedTable& table) {
         table.Write(TransactionPath(table), "");
         return TransactionPath(table);
       }},
      {"InlineTransactionIsGarbage", "transaction_broken",
       [](const CheckedTable& table) {
         ReplaceInline(table, "\xff\xff\xff");
         return table.ManifestPath();
       }},
      {"TransactionFileOfAnotherVersion", "transaction_differs",
       [](const CheckedTable& table) {
         const std::string other = "_transactions/" + table.Manifest(kOld).transaction_file;
         table.Write(TransactionPath(table), table.Read(other));
         return TransactionPath(table);
       }},
      {"TransactionOfAnOldVersionIsGarbage", "transaction_broken",
       [](const CheckedTable& table) {
         const std::string path = "_transactions/" + table.Manifest(kOld).transaction_file;
         table.Write(path, "\xff\xff\xff");
         return path;
       },
       Sample::kPlain, /*is_deep=*/true},
  };
}

}  // namespace

std::vector<Damage> DamagesOfVersions() {
  std::vector<Damage> damages = BrokenManifests();
  for (auto* part : {BrokenHints, BrokenTransactions}) {
    const auto more = part();
    damages.insert(damages.end(), more.begin(), more.end());
  }
  return damages;
}

}  // namespace lance::testing
