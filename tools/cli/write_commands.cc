#include <CLI/CLI.hpp>
#include <iostream>

#include "arrow/type.h"
#include "command_line.h"
#include "input_files.h"
#include "lance/status_detail.h"
#include "output.h"
#include "type_names.h"

namespace lancectl {

namespace {

/// Flags of create, append and overwrite.
struct WriteFlags {
  std::vector<std::string> files;
  std::string input_format;
  std::string types;
  std::string cluster_by;
  bool no_cluster = false;
  bool declare = false;
  lance::WriteOptions options;
  std::string max_bytes_per_file;
};

/// The schema that CSV columns are cast to: that of a table which keeps its schema, else the
/// columns of --types; null for neither.
arrow::Result<std::shared_ptr<arrow::Schema>> SchemaForCsv(const Invocation& invocation,
                                                           const WriteFlags& flags,
                                                           lance::WriteMode mode) {
  if (mode == lance::WriteMode::kAppend) {
    ARROW_ASSIGN_OR_RAISE(const auto table, invocation.Open());
    return table.schema();
  }
  if (flags.types.empty()) return nullptr;
  const auto types = ParseColumnTypes(flags.types);
  if (!types.ok()) return types.status().WithMessage("--types: ", types.status().message());
  arrow::FieldVector fields;
  for (const auto& [name, type] : *types) fields.push_back(arrow::field(name, type));
  return arrow::schema(std::move(fields));
}

/// Check that the columns of --types came as asked for.
arrow::Status CheckTypes(const arrow::Schema& asked, const arrow::Schema& input) {
  for (const auto& field : asked.fields()) {
    const auto found = input.GetFieldByName(field->name());
    if (found == nullptr) {
      std::string names;
      for (const std::string& name : input.field_names()) {
        names += (names.empty() ? "" : ", ") + name;
      }
      return arrow::Status::KeyError("--types: there is no column ", field->name(),
                                     " in the input; it has ", names)
          .WithDetail(std::make_shared<lance::NotFound>("column", field->name()));
    }
    if (found->type()->Equals(field->type())) continue;
    return arrow::Status::Invalid("--types: column ", field->name(), " of the input is ",
                                  found->type()->ToString(),
                                  "; only columns of CSV files can be given a type");
  }
  return arrow::Status::OK();
}

arrow::Status PrintWritten(const Invocation& invocation, const lance::WriteResult& result) {
  if (invocation.flags.quiet) return arrow::Status::OK();
  if (invocation.flags.json) {
    std::cout << lance::ToJson(result) << '\n';
    return arrow::Status::OK();
  }
  std::cout << "version " << result.dataset.version() << ": " << Counted(result.num_rows, "row")
            << " in " << Counted(result.num_fragments, "fragment") << ", "
            << Counted(result.bytes_written, "byte");
  if (result.clustered_by) {
    std::cout << (result.stamped ? ", clustered and stamped" : ", sorted once");
  }
  std::cout << '\n';
  return arrow::Status::OK();
}

arrow::Status RunWrite(const Invocation& invocation, const WriteFlags& flags,
                       lance::WriteMode mode) {
  ARROW_ASSIGN_OR_RAISE(const auto schema, SchemaForCsv(invocation, flags, mode));
  ARROW_ASSIGN_OR_RAISE(auto source, OpenInput(flags.files, flags.input_format, schema));
  if (!flags.types.empty()) ARROW_RETURN_NOT_OK(CheckTypes(*schema, *source.schema()));
  lance::InsertBuilder builder(invocation.flags.table);
  ARROW_ASSIGN_OR_RAISE(const lance::OpenOptions place, invocation.open_options());
  builder.WithMode(mode).WithOpenOptions(place);
  lance::WriteOptions options = flags.options;
  if (!flags.max_bytes_per_file.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.max_bytes_per_file, ParseSize(flags.max_bytes_per_file));
  }
  ARROW_ASSIGN_OR_RAISE(options.commit, invocation.commit_options());
  builder.WithOptions(options);
  if (flags.no_cluster) builder.WithoutClustering();
  if (flags.declare && flags.cluster_by.empty()) {
    return arrow::Status::Invalid("--declare wants the columns: give --cluster-by A,B");
  }
  if (!flags.cluster_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto columns, SplitList(flags.cluster_by));
    if (flags.declare) {
      builder.WithClustering({.columns = std::move(columns)});
    } else {
      builder.WithClusterByColumns(std::move(columns));
    }
  }
  auto executed = builder.Execute(std::move(source), invocation.call);
  // A signal also ends the read of standard input that waits for more; what failed then is not the
  // storage.
  if (!executed.ok() && lance::CommitUnknown::From(executed.status()) == nullptr) {
    ARROW_RETURN_NOT_OK(invocation.call.stop_token.Poll());
  }
  ARROW_ASSIGN_OR_RAISE(const auto result, std::move(executed));
  if (result.clustered_by && !result.stamped && !invocation.flags.quiet) {
    std::cerr << "warning: the rows were sorted once and nothing was declared; later writes keep "
                 "their order. To declare, use --declare or cluster set (one_shot_sort)\n";
  }
  return PrintWritten(invocation, result);
}

void AddWriteCommand(CLI::App* parent, const std::string& name, const std::string& description,
                     lance::WriteMode mode, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, name, description, common, /*commits=*/true);
  auto flags = std::make_shared<WriteFlags>();
  app->add_option("FILE", flags->files, "input files, or - for an Arrow IPC stream")->required();
  app->add_option("--input-format", flags->input_format, "parquet, csv or ipc; else by name");
  if (mode != lance::WriteMode::kAppend) {
    app->add_option("--types", flags->types, "COLUMN=TYPE,... of CSV columns; others are inferred");
  }
  app->add_option("--cluster-by", flags->cluster_by,
                  "sort by these columns; on a declared table exactly the declared ones");
  app->add_flag("--no-cluster", flags->no_cluster, "keep the input's order on a declared table");
  if (mode == lance::WriteMode::kCreate) {
    app->add_flag("--declare", flags->declare,
                  "with --cluster-by: declare the table clustered, for good (see cluster set)");
  }
  app->add_option("--max-rows-per-file", flags->options.max_rows_per_file, "rows of one file")
      ->check(IsWholeNumber());
  app->add_option("--max-bytes-per-file", flags->max_bytes_per_file, "soft size of one file");
  app->add_option("--data-storage-version", flags->options.data_storage_version,
                  "2.0, 2.1 or 2.2; default: the table's, 2.1 for a new one");
  if (mode == lance::WriteMode::kCreate) {
    app->add_flag("--enable-stable-row-ids", flags->options.enable_stable_row_ids,
                  "call rows by ids that stay when they move");
  }
  commands->push_back({app, [flags, mode](const Invocation& invocation) {
                         return RunWrite(invocation, *flags, mode);
                       }});
}

}  // namespace

void AddWriteCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  AddWriteCommand(app, "create", "make a new table from files", lance::WriteMode::kCreate, flags,
                  commands);
  AddWriteCommand(app, "append", "add the rows of files", lance::WriteMode::kAppend, flags,
                  commands);
  AddWriteCommand(app, "overwrite", "replace all rows and the schema", lance::WriteMode::kOverwrite,
                  flags, commands);
}

}  // namespace lancectl
