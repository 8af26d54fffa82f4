// Writes and reads a single .lance file, and a table with a column of blobs, in the folder that is
// given as argument (else the working folder).

#include <iostream>
#include <string>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/lance.h"

namespace {

arrow::Status Check(bool holds, const std::string& what) {
  return holds ? arrow::Status::OK() : arrow::Status::UnknownError("not as expected: ", what);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeWords() {
  arrow::StringBuilder words;
  for (int i = 0; i < 1000; ++i) ARROW_RETURN_NOT_OK(words.Append("w" + std::to_string(i)));
  ARROW_ASSIGN_OR_RAISE(auto array, words.Finish());
  auto schema = arrow::schema({arrow::field("word", arrow::utf8())});
  return arrow::RecordBatch::Make(schema, array->length(), {array});
}

arrow::Status UseFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto batch, MakeWords());
  // [snippet write-file]
  ARROW_ASSIGN_OR_RAISE(auto writer,
                        lance::FileWriter::Open(path, batch->schema(), {.version = "2.1"}));
  ARROW_RETURN_NOT_OK(writer->WriteBatch(*batch));
  ARROW_ASSIGN_OR_RAISE(int number,
                        writer->AddGlobalBuffer(arrow::Buffer::FromString("bytes of your own")));
  writer->AddSchemaMetadata("made by", "me");
  ARROW_RETURN_NOT_OK(writer->Close().status());
  // [/snippet]

  // [snippet read-file]
  ARROW_ASSIGN_OR_RAISE(auto file, lance::FileReader::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto range, file.ReadRange(10, 2));  // a RecordBatchReader
  ARROW_ASSIGN_OR_RAISE(auto taken, file.TakeRows({700, 3}, {.columns = {"word"}}));
  ARROW_ASSIGN_OR_RAISE(auto bytes, file.ReadGlobalBuffer(number));
  std::cout << file.num_rows() << " rows, " << file.metadata().size_bytes << " bytes, "
            << file.metadata().columns[0].pages[0].encoding << '\n';
  // [/snippet]
  ARROW_ASSIGN_OR_RAISE(auto rows, range->ToTable());
  ARROW_RETURN_NOT_OK(Check(rows->num_rows() == 2, "two rows are read"));
  ARROW_RETURN_NOT_OK(Check(taken->num_rows() == 2, "two rows are taken"));
  return Check(bytes->ToString() == "bytes of your own", "the buffer is as it was");
}

arrow::Status UseBlobs(const std::string& uri) {
  arrow::LargeBinaryBuilder values;
  ARROW_RETURN_NOT_OK(values.AppendValues({std::string(5000, 'a'), std::string(6000, 'b')}));
  ARROW_ASSIGN_OR_RAISE(auto array, values.Finish());
  // [snippet write-blobs]
  auto image = arrow::field("image", arrow::large_binary(),
                            arrow::key_value_metadata({"lance-encoding:blob"}, {"true"}));
  auto images = arrow::Table::Make(arrow::schema({image}), {array});
  ARROW_ASSIGN_OR_RAISE(
      auto written,
      lance::InsertBuilder(uri).WithMode(lance::WriteMode::kOverwrite).Execute(images));
  // [/snippet]

  // [snippet read-blobs]
  ARROW_ASSIGN_OR_RAISE(auto blobs,
                        lance::OpenBlobs(written.dataset, {.rows = {1}, .columns = {"image"}}));
  ARROW_ASSIGN_OR_RAISE(int64_t size, blobs[0]->GetSize());
  ARROW_ASSIGN_OR_RAISE(auto start, blobs[0]->ReadAt(0, 3));  // reads no more than this

  ARROW_ASSIGN_OR_RAISE(auto scanner,
                        written.dataset.Scan({.blob_handling = lance::BlobHandling::kBinary}));
  ARROW_ASSIGN_OR_RAISE(auto whole, scanner.ToTable());
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(size == 6000 && start->ToString() == "bbb", "the second image"));
  return Check(whole->column(0)->type()->id() == arrow::Type::LARGE_BINARY, "blobs as bytes");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  arrow::Status status = UseFile(folder + "/words.lance");
  if (status.ok()) status = UseBlobs(folder + "/images.lance");
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return lance::ExitCode(status);
}
