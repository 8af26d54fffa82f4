#include "checked_table.h"

#include <map>

#include "lance/index.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_store.h"
#include "lance/testing/store_access.h"

namespace lance::testing {
namespace {

arrow::Result<Dataset> Insert(const OpenOptions& options, WriteMode mode, int64_t num_rows,
                              uint64_t first_id, WriteOptions write = {}) {
  SeededRandom random(first_id + 1);
  InsertBuilder builder(FaultySession::kUri);
  builder.WithMode(mode).WithOpenOptions(options).WithOptions(write);
  ARROW_ASSIGN_OR_RAISE(auto written, builder.Execute(RandomRows(num_rows, first_id, &random)));
  return written.dataset;
}

/// Two segments of one zonemap, as other writers make them: ours extend the one that is there.
arrow::Status SplitIndex(const std::shared_ptr<ObjectStore>& store, uint64_t version) {
  const table::ManifestStore manifests(store);
  ARROW_ASSIGN_OR_RAISE(auto loaded, manifests.Load(version, RunContext{}));
  table::IndexMetadata second = loaded.manifest.indices.front();
  SeededRandom random(7);
  const std::string old_folder = "_indices/" + second.uuid.ToString() + "/";
  second.uuid = Uuid::Random(random);
  ARROW_ASSIGN_OR_RAISE(auto bytes, ReadText(*store, old_folder + "zonemap.lance"));
  ARROW_RETURN_NOT_OK(
      PutText(*store, "_indices/" + second.uuid.ToString() + "/zonemap.lance", std::move(bytes))
          .status());
  RoaringBitmap last{static_cast<uint32_t>(loaded.manifest.fragments.back().id)};
  RoaringBitmap others = **loaded.manifest.indices.front().Coverage();
  others -= last;
  loaded.manifest.indices.front().fragment_bitmap = others.Serialize();
  second.fragment_bitmap = last.Serialize();
  loaded.manifest.indices.push_back(second);
  ARROW_ASSIGN_OR_RAISE(const auto file,
                        table::EncodeManifestFile(loaded.manifest, *loaded.inline_transaction));
  return store
      ->Put(table::ManifestPath(version, table::NamingScheme::kV2), file, PutMode::kOverwrite)
      .status();
}

arrow::Status MakePlain(const std::shared_ptr<ObjectStore>& store, const OpenOptions& options) {
  ARROW_RETURN_NOT_OK(
      Insert(options, WriteMode::kCreate, 250, 0, {.max_rows_per_file = 100}).status());
  ARROW_ASSIGN_OR_RAISE(auto dataset, Insert(options, WriteMode::kAppend, 12000, 1000));
  ARROW_RETURN_NOT_OK(CreateTag(dataset, "first").status());
  ARROW_ASSIGN_OR_RAISE(auto deleted, Delete(dataset, "id < 20 or (id >= 1000 and id < 7000)"));
  ARROW_ASSIGN_OR_RAISE(dataset, CreateIndex(deleted.dataset, {.column = "a"}));
  ARROW_RETURN_NOT_OK(SplitIndex(store, dataset.version()));
  ARROW_ASSIGN_OR_RAISE(dataset, dataset.Checkout());
  ARROW_ASSIGN_OR_RAISE(dataset, UpdateMetadata(dataset, {.values = {{"owner", "me"}}}));
  return CreateTag(dataset, "last").status();
}

arrow::Status MakeStable(const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto dataset,
                        Insert(options, WriteMode::kCreate, 250, 0,
                               {.max_rows_per_file = 100, .enable_stable_row_ids = true}));
  ARROW_ASSIGN_OR_RAISE(auto deleted, Delete(dataset, "id < 20"));
  return Update(deleted.dataset, {.updates = {{"a", "7"}}, .where = "id > 90 and id < 120"})
      .status();
}

arrow::Status MakeDeclared(const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Insert(options, WriteMode::kCreate, 500, 0));
  ARROW_ASSIGN_OR_RAISE(dataset, dataset.SetClustering({.columns = {"id", "s"}}));
  ARROW_ASSIGN_OR_RAISE(dataset, Insert(options, WriteMode::kAppend, 300, 1000));
  return CompactFilesWithClustering(dataset).status();
}

arrow::Result<std::shared_ptr<ObjectStore>> MakeSample(Sample sample) {
  auto store = MakeMemoryStore();
  const OpenOptions options = FaultySession(store).Options(/*with_faults=*/false);
  switch (sample) {
    case Sample::kPlain:
      ARROW_RETURN_NOT_OK(MakePlain(store, options));
      break;
    case Sample::kStable:
      ARROW_RETURN_NOT_OK(MakeStable(options));
      break;
    case Sample::kDeclared:
      ARROW_RETURN_NOT_OK(MakeDeclared(options));
      break;
    case Sample::kOldFormat:
      ARROW_RETURN_NOT_OK(Insert(options, WriteMode::kCreate, 250, 0,
                                 {.max_rows_per_file = 100, .data_storage_version = "2.0"})
                              .status());
      break;
  }
  return store;
}

}  // namespace

CheckedTable CheckedTable::Make(Sample sample) {
  static auto* const samples = new std::map<Sample, std::shared_ptr<ObjectStore>>();
  auto& original = (*samples)[sample];
  if (original == nullptr) original = MakeSample(sample).ValueOrDie();
  CheckedTable copy(MakeMemoryStore());
  for (const std::string& path : ListPaths(*original).ValueOrDie()) {
    copy.Write(path, ReadText(*original, path).ValueOrDie());
  }
  return copy;
}

arrow::Result<std::vector<Finding>> CheckedTable::Check(bool deep) const {
  return CheckTableAt(FaultySession::kUri, options(), {.deep = deep});
}

uint64_t CheckedTable::Newest() const {
  return table::ManifestStore(store_).ListVersions().ValueOrDie().back().version;
}

table::Manifest CheckedTable::Manifest(uint64_t version) const {
  const table::ManifestStore manifests(store_);
  return manifests.Load(version == 0 ? Newest() : version, RunContext{}).ValueOrDie().manifest;
}

std::string CheckedTable::ManifestPath(uint64_t version) const {
  return table::ManifestPath(version == 0 ? Newest() : version, table::NamingScheme::kV2);
}

void CheckedTable::Rewrite(const std::function<void(table::Manifest*)>& change,
                           uint64_t version) const {
  const table::ManifestStore manifests(store_);
  if (version == 0) version = Newest();
  auto loaded = manifests.Load(version, RunContext{}).ValueOrDie();
  change(&loaded.manifest);
  const auto file =
      table::EncodeManifestFile(loaded.manifest, loaded.inline_transaction.value_or(""))
          .ValueOrDie();
  Write(ManifestPath(version), file->ToString());
}

std::string CheckedTable::Read(const std::string& path) const {
  return ReadText(*store_, path).ValueOrDie();
}

void CheckedTable::Write(const std::string& path, std::string bytes) const {
  ARROW_UNUSED(PutText(*store_, path, std::move(bytes)).ValueOrDie());
}

void CheckedTable::Remove(const std::string& path) const {
  const arrow::Status removed = store_->Delete(path);
  if (!removed.ok()) removed.Abort();
}

bool CheckedTable::Has(const std::string& path) const { return store_->Head(path).ok(); }

std::vector<std::string> ProblemsOf(const std::vector<Finding>& findings) {
  std::vector<std::string> problems;
  for (const Finding& finding : findings) {
    if (finding.severity == "info") continue;
    problems.push_back(finding.severity + " " + finding.code + " " + finding.path + ": " +
                       finding.message);
  }
  return problems;
}

}  // namespace lance::testing
