// Operations whose files callers write themselves, and writes to base paths.

#include <utility>

#include "faulty_operation.h"
#include "lance/file_operations.h"
#include "lance/write_fragments.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;
using Makes = std::function<arrow::Result<Transaction>(const TableHandle&)>;

/// Commit what was made, after it was bytes.
Acts Committing(Makes make) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    ARROW_ASSIGN_OR_RAISE(const Transaction made, make(handle));
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, made.Serialize());
    ARROW_ASSIGN_OR_RAISE(const Transaction parsed, Transaction::Parse(bytes));
    return CommitTransaction(*handle.dataset, parsed);
  };
}

/// k in a file of its own in every fragment, so that it can be replaced.
arrow::Status SplitKeys(const Dataset& dataset) {
  return AlterColumns(dataset, {{.path = "k", .data_type = arrow::int64()}}).status();
}

arrow::Status DeleteLast(const Dataset& dataset) { return Delete(dataset, "id = 6").status(); }

arrow::Status IndexKeys(const Dataset& dataset) {
  return CreateIndex(dataset, {.column = "k"}).status();
}

/// Other values of k for the first fragment.
arrow::Result<Transaction> ReplaceKeys(const TableHandle& handle) {
  const auto keys = TableFromJson({{"k", arrow::int64()}}, "[[1], [2], [3]]");
  FragmentCreateBuilder builder(FaultySession::kUri, keys->schema());
  builder.WithOpenOptions(handle.options);
  ARROW_ASSIGN_OR_RAISE(const auto written, builder.WriteFragments(keys));
  const std::string path = written[0].fragment.files()[0].path;
  ARROW_ASSIGN_OR_RAISE(auto file, DescribeDataFile(*handle.dataset, path));
  return MakeDataReplacementTransaction(
      *handle.dataset, {.replacements = {{.fragment_id = 0, .new_file = std::move(file)}}});
}

arrow::Result<Transaction> DropIndex(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto segments, IndexSegments(*handle.dataset));
  return MakeCreateIndexTransaction(*handle.dataset, {.removed_indices = std::move(segments)});
}

/// A column that is computed fragment by fragment.
arrow::Result<Transaction> AddTwice(const TableHandle& handle) {
  MergeOperation merge;
  for (const FragmentMetadata& fragment : handle.dataset->fragments()) {
    ARROW_ASSIGN_OR_RAISE(
        auto merged,
        AddColumnsToFragment(*handle.dataset, fragment.id(),
                             {.values = std::vector<ComputedColumn>{{"twice", "id * 2"}}}));
    merge.fragments.push_back(std::move(merged));
  }
  ARROW_ASSIGN_OR_RAISE(
      merge.schema, handle.dataset->schema()->AddField(3, arrow::field("twice", arrow::int64())));
  merge.field_ids = FieldIds(*handle.dataset);
  merge.field_ids.push_back(MaxFieldId(*handle.dataset) + 1);
  return MakeMergeTransaction(*handle.dataset, std::move(merge));
}

/// Every column under another name.
arrow::Result<Transaction> RenameAll(const TableHandle& handle) {
  arrow::FieldVector fields = handle.dataset->schema()->fields();
  for (auto& field : fields) field = field->WithName("the_" + field->name());
  return MakeProjectTransaction(*handle.dataset, {.schema = arrow::schema(std::move(fields)),
                                                  .field_ids = FieldIds(*handle.dataset)});
}

arrow::Result<Dataset> AppendFragments(const TableHandle& handle) {
  CommitFragmentsRequest request;
  ARROW_ASSIGN_OR_RAISE(
      request.fragments,
      FragmentCreateBuilder(*handle.dataset).WriteFragments(BaseRows(R"([[7, 70, "g"]])")));
  return CommitFragments(*handle.dataset, request);
}

arrow::Result<Dataset> CreateOfFragments(const TableHandle& handle) {
  const auto rows = BaseRows(R"([[7, 70, "g"]])");
  FragmentCreateBuilder builder(FaultySession::kUri, rows->schema());
  CommitFragmentsRequest request;
  ARROW_ASSIGN_OR_RAISE(request.fragments,
                        builder.WithOpenOptions(handle.options).WriteFragments(rows));
  return CreateFromFragments(FaultySession::kUri, rows->schema(), request, handle.options);
}

arrow::Status AddBase(const Dataset& dataset) {
  const UpdateBasesOperation bases{
      .new_bases = {{.path = "fault://elsewhere", .name = "elsewhere", .is_dataset_root = true}}};
  ARROW_ASSIGN_OR_RAISE(const Transaction made, MakeUpdateBasesTransaction(dataset, bases));
  return CommitTransaction(dataset, made).status();
}

arrow::Result<Dataset> AppendToBase(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto written,
                        InsertBuilder(*handle.dataset)
                            .WithOptions({.max_rows_per_file = 1, .target_all_bases = true})
                            .Execute(BaseRows(R"([[7, 70, "g"], [8, 80, "h"]])")));
  return written.dataset;
}

arrow::Result<Dataset> CreateInBase(const TableHandle& handle) {
  InsertBuilder builder(FaultySession::kUri);
  builder.WithOpenOptions(handle.options)
      .WithOptions({.initial_bases = {{.path = "fault://b", .name = "b", .is_dataset_root = true}},
                    .target_bases = {"b"}});
  ARROW_ASSIGN_OR_RAISE(auto written, builder.Execute(BaseRows(R"([[7, 70, "g"]])")));
  return written.dataset;
}

}  // namespace

std::vector<FaultyOperation> HandMadeOperations() {
  return {
      {.name = "DataReplacementByHand",
       .rows = "1:1:a 2:2:b 3:3:c 4:40:a 5:50:null 6:60:f",
       .act = Committing(ReplaceKeys),
       .prepare = SplitKeys,
       .leaves_files = true},
      {.name = "DataReplacementPastDelete",
       .rows = "1:1:a 2:2:b 3:3:c 4:40:a 5:50:null",
       .act = Committing(ReplaceKeys),
       .prepare = SplitKeys,
       .rival = DeleteLast,
       .leaves_files = true},
      {.name = "DropIndexByHand",
       .rows = kBaseRows,
       .act = Committing(DropIndex),
       .prepare = IndexKeys},
      {.name = "MergeByHand",
       .rows = "1:10:a:2 2:20:b:4 3:null:c:6 4:40:a:8 5:50:null:10 6:60:f:12",
       .act = Committing(AddTwice),
       .leaves_files = true},
      {.name = "ProjectByHand", .rows = kBaseRows, .act = Committing(RenameAll)},
      {.name = "CommitFragments",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:70:g",
       .act = AppendFragments,
       .leaves_files = true},
      {.name = "CreateFromFragments",
       .rows = "7:70:g",
       .act = CreateOfFragments,
       .creates_table = true,
       .leaves_files = true},
      {.name = "AppendToBase",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:70:g 8:80:h",
       .act = AppendToBase,
       .prepare = AddBase},
      {.name = "CreateInBase", .rows = "7:70:g", .act = CreateInBase, .creates_table = true},
  };
}

}  // namespace lance::testing
