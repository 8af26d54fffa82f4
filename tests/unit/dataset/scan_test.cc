// How scans read: what, how much, in which order, within which memory.

#include "lance/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/index.h"
#include "lance/table/base_path.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

/// A store that notes how many bytes were read of each file. Thread-safe.
class NotingStore : public ObjectStore {
 public:
  explicit NotingStore(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  /// Bytes read by path since the last call.
  std::map<std::string, uint64_t> TakeBytes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(bytes_, {});
  }

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    const std::lock_guard lock(mutex_);
    for (const ByteRange& range : ranges) bytes_[path] += range.length;
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override { return store_->Head(path); }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    return store_->List(prefix, visit);
  }
  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    return store_->ListPaths(prefix, visit);
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    return store_->Put(path, std::move(bytes), mode);
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override { return store_->Delete(path); }
  bool HasCheapListing() const override { return store_->HasCheapListing(); }

 private:
  const std::shared_ptr<ObjectStore> store_;
  std::mutex mutex_;
  std::map<std::string, uint64_t> bytes_;
};

constexpr const char* kUri = "noting://t";

/// `num_rows` rows: k counts from 0, v is random, s a text of about 40 bytes.
std::shared_ptr<arrow::Table> CountedRows(int64_t num_rows, SeededRandom& random) {
  arrow::Int64Builder k;
  arrow::DoubleBuilder v;
  arrow::StringBuilder s;
  for (int64_t i = 0; i < num_rows; ++i) {
    (void)k.Append(i);
    (void)v.Append(static_cast<double>(random.Next() >> 11));
    (void)s.Append(std::to_string(random.Next()) + std::to_string(random.Next()));
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::float64()),
                     arrow::field("s", arrow::utf8())}),
      {k.Finish().ValueOrDie(), v.Finish().ValueOrDie(), s.Finish().ValueOrDie()});
}

/// Bytes read below a folder.
uint64_t BytesBelow(const std::map<std::string, uint64_t>& bytes, const std::string& folder) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0},
                         [&](uint64_t sum, const auto& one) {
                           return one.first.starts_with(folder) ? sum + one.second : sum;
                         });
}

class ScanTest : public ::testing::Test {
 protected:
  /// A new session that sees the store.
  OpenOptions Options(SessionOptions options = {}) {
    options.object_stores["noting"] = [store = store_](const std::string&, const StorageOptions&)
        -> arrow::Result<std::shared_ptr<ObjectStore>> { return store; };
    return {.session = Session::Make(std::move(options)).ValueOrDie()};
  }

  Dataset Write(const std::shared_ptr<arrow::Table>& rows, uint64_t rows_per_file) {
    InsertBuilder builder(kUri);
    builder.WithOpenOptions(Options()).WithOptions({.max_rows_per_file = rows_per_file});
    return builder.Execute(rows).ValueOrDie().dataset;
  }

  Dataset Open(SessionOptions options = {}) {
    return Dataset::Open(kUri, Options(std::move(options))).ValueOrDie();
  }

  std::shared_ptr<NotingStore> store_ = std::make_shared<NotingStore>(MakeMemoryStore());
  SeededRandom random_{11};
};

std::shared_ptr<arrow::Table> ReadAll(const Dataset& dataset, ScanOptions options = {},
                                      const CallOptions& call = {}) {
  return dataset.Scan(std::move(options)).ValueOrDie().ToTable(call).ValueOrDie();
}

ScanOptions Where(const std::string& filter, std::vector<std::string> columns = {}) {
  ScanOptions options;
  options.filter = Filter(filter);
  options.columns = std::move(columns);
  return options;
}

// --- Bytes --------------------------------------------------------------------------------------

/// Bytes of the pages of some columns of a file that hold any of the rows.
uint64_t BytesOfPages(const format::DataFileReader& file, const std::vector<int>& columns,
                      const RowRange& rows) {
  uint64_t bytes = 0;
  for (const int column : columns) {
    for (const auto& page : file.metadata().columns[static_cast<size_t>(column)].pages) {
      if (page.first_row >= rows.end || page.first_row + page.num_rows <= rows.begin) continue;
      for (const ByteRange& buffer : page.buffers) bytes += buffer.length;
    }
  }
  return bytes;
}

TEST_F(ScanTest, ReadsNoMoreThanThePagesOfTheZonesThatItTouches) {
  constexpr uint64_t kRowsPerFile = 100'000, kTail = 64 << 10;
  Dataset dataset = Write(CountedRows(400'000, random_), kRowsPerFile);
  dataset = CreateIndex(dataset, {.column = "k"}).ValueOrDie();
  const std::pair<int64_t, int64_t> asked[] = {{5, 5}, {99'990, 100'010}, {150'000, 260'000}};
  for (const auto& [lowest, highest] : asked) {
    SCOPED_TRACE(lowest);
    const Dataset fresh = Open();
    store_->TakeBytes();

    const auto rows = ReadAll(
        fresh,
        Where("k >= " + std::to_string(lowest) + " AND k <= " + std::to_string(highest), {"v"}));

    EXPECT_EQ(rows->num_rows(), highest - lowest + 1);
    const auto bytes = store_->TakeBytes();
    for (const table::Fragment& fragment : fresh.impl().manifest().fragments) {
      const std::string path = table::DataFilePath(fragment.files.front());
      const uint64_t first = fragment.id * kRowsPerFile;
      const RowRange wanted{std::max<uint64_t>(lowest, first),
                            std::min<uint64_t>(highest + 1, first + kRowsPerFile)};
      if (wanted.begin >= wanted.end) {
        EXPECT_FALSE(bytes.contains(path)) << "no zone of it is touched";
        continue;
      }
      // Zones have 8,192 rows, counted from the fragment's first.
      const uint64_t begin = (wanted.begin - first) / 8192 * 8192;
      const uint64_t end = ((wanted.end - first - 1) / 8192 + 1) * 8192;
      const auto file =
          format::DataFileReader::Open(store_, path, std::nullopt, arrow::StopToken::Unstoppable())
              .ValueOrDie();
      EXPECT_THAT(bytes.at(path), Le(BytesOfPages(*file, {0, 1}, {begin, end}) + kTail));
    }
  }
}

TEST_F(ScanTest, OpensADataFileOncePerSession) {
  Write(CountedRows(1000, random_), 1000);
  const Dataset dataset = Open();
  const std::string path = table::DataFilePath(dataset.impl().manifest().fragments[0].files[0]);
  store_->TakeBytes();
  ReadAll(dataset, Where("k = 5", {"v"}));
  const uint64_t first = store_->TakeBytes()[path];

  ReadAll(dataset, Where("k = 5", {"v"}));

  const uint64_t second = store_->TakeBytes()[path];
  EXPECT_LT(second, first);
  EXPECT_GT(second, 0u) << "values are not kept";
  dataset.session()->DropCaches();
  ReadAll(dataset, Where("k = 5", {"v"}));
  EXPECT_EQ(store_->TakeBytes()[path], first);
}

/// Bytes that a scan of some fragments reads of the data files.
uint64_t BytesOfScan(const Dataset& dataset, NotingStore* store, std::vector<uint64_t> fragments) {
  ScanOptions options = Where("k % 100 = 5", {"v"});
  options.fragment_ids = std::move(fragments);
  store->TakeBytes();
  ReadAll(dataset, options, {.num_threads = 1});
  return BytesBelow(store->TakeBytes(), "data/");
}

TEST_F(ScanTest, KeepsAsMuchOfDataFilesAsTheSessionAllows) {
  Write(CountedRows(1000, random_), 100);
  const std::vector<uint64_t> few{0, 1, 2};
  const std::vector<uint64_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Dataset large = Open();
  const uint64_t opened = BytesOfScan(large, store_.get(), few);
  BytesOfScan(large, store_.get(), all);
  const uint64_t reopened = BytesOfScan(large, store_.get(), few);
  ASSERT_LT(reopened, opened);
  const uint64_t bytes_of_all = large.session()->memory_in_use_bytes();

  const Dataset small = Open({.metadata_cache_bytes = bytes_of_all * 4 / 10});
  EXPECT_EQ(BytesOfScan(small, store_.get(), few), opened);
  EXPECT_EQ(BytesOfScan(small, store_.get(), few), reopened) << "there is room for four files";
  BytesOfScan(small, store_.get(), all);
  EXPECT_EQ(BytesOfScan(small, store_.get(), few), opened) << "others took their room";
  EXPECT_THAT(small.session()->memory_in_use_bytes(), AllOf(Gt(0u), Le(bytes_of_all * 4 / 10)));

  const Dataset none = Open({.metadata_cache_bytes = 0});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(BytesOfScan(none, store_.get(), few), opened);
  EXPECT_EQ(none.session()->memory_in_use_bytes(), 0u);
}

TEST_F(ScanTest, KeepsOfDataFilesAtMostAQuarterOfTheMemory) {
  Write(CountedRows(1000, random_), 100);
  const Dataset dataset = Open({.max_memory_bytes = 4000});
  ReadAll(dataset, Where("k % 100 = 5", {"v"}));
  EXPECT_LE(dataset.session()->memory_in_use_bytes(), 1000u);
  EXPECT_EQ(dataset.session()->options().metadata_cache_bytes, 256ull << 20);
}

TEST_F(ScanTest, SaysThatAFileIsGoneThoughItWasOpenBefore) {
  Write(CountedRows(1000, random_), 1000);
  const Dataset dataset = Open();
  ReadAll(dataset);
  ASSERT_THAT(store_->Delete(table::DataFilePath(dataset.impl().manifest().fragments[0].files[0])),
              IsOk());

  EXPECT_THAT(dataset.Scan().ValueOrDie().ToTable(),
              IsSerializationError(::testing::HasSubstr("which is not there")));
}

// --- Zonemaps -----------------------------------------------------------------------------------

TEST_F(ScanTest, ReadsAZonemapOncePerOpenDatasetAndHoldsItInLittleMemory) {
  const uint64_t num_zones = IsLongSize() ? 1'000'000 : 20'000;
  constexpr uint64_t kRowsPerZone = 8;
  arrow::Int64Builder k;
  for (uint64_t i = 0; i < num_zones * kRowsPerZone; ++i) {
    ASSERT_THAT(k.Append(static_cast<int64_t>(i)), IsOk());
  }
  const auto rows = arrow::Table::Make(arrow::schema({arrow::field("k", arrow::int64())}),
                                       {k.Finish().ValueOrDie()});
  Dataset written = Write(rows, 1 << 20);
  CreateIndex(written, {.column = "k", .rows_per_zone = kRowsPerZone}).ValueOrDie();
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const Dataset dataset = Open({.memory_pool = &pool});
  store_->TakeBytes();
  const auto query = [&](uint64_t value) {
    const Scanner scanner = dataset.Scan(Where("k = " + std::to_string(value))).ValueOrDie();
    const auto reader = scanner.ToReader().ValueOrDie();
    EXPECT_THAT(reader->ToTable().ValueOrDie()->num_rows(), 1);
    return *scan_statistics(*reader);
  };

  const ScanStatistics first = query(77'777);

  EXPECT_EQ(first.zones_total, num_zones);
  EXPECT_EQ(first.zones_kept, 1u);
  EXPECT_EQ(first.index_cache_misses, 1u);
  EXPECT_GT(BytesBelow(store_->TakeBytes(), "_indices/"), 0u);
  EXPECT_LT(dataset.session()->memory_in_use_bytes(), num_zones * 64 + (1 << 20));
  const auto most = static_cast<uint64_t>(pool.max_memory());
  EXPECT_LT(most, num_zones * 128 + (8 << 20));  // of a million: 130 MB
  const ScanStatistics second = query(5);
  EXPECT_EQ(second.index_cache_hits, 1u);
  EXPECT_EQ(BytesBelow(store_->TakeBytes(), "_indices/"), 0u);
}

// --- Reading ahead ------------------------------------------------------------------------------

/// The values of k, in the order in which they come.
std::vector<int64_t> Keys(const arrow::Table& table) {
  std::vector<int64_t> keys;
  for (const auto& chunk : table.GetColumnByName("k")->chunks()) {
    const auto& values = static_cast<const arrow::Int64Array&>(*chunk);
    for (int64_t i = 0; i < values.length(); ++i) keys.push_back(values.Value(i));
  }
  return keys;
}

TEST_F(ScanTest, GivesTheSameRowsInTheSameOrderWhateverIsReadAhead) {
  const Dataset dataset = Write(CountedRows(60'000, random_), 700);
  for (const char* filter : {"true", "v > 1e15", "k % 3 = 0 AND v < 5e15", "k = 59999"}) {
    for (const std::optional<uint64_t> limit : {std::optional<uint64_t>(), {1}, {5000}}) {
      SCOPED_TRACE(std::string(filter) + ", limit " + std::to_string(limit.value_or(0)));
      ScanOptions options = Where(filter);
      options.limit = limit;
      options.offset = limit ? 13 : 0;
      CallOptions alone, together;
      alone.num_threads = 1;
      together.num_threads = 5;

      const auto expected = ReadAll(dataset, options, alone);
      const auto actual = ReadAll(dataset, options, together);

      EXPECT_EQ(Keys(*actual), Keys(*expected));
      EXPECT_TRUE(actual->Equals(*expected));
      EXPECT_EQ(dataset.Scan(options).ValueOrDie().CountRows(together).ValueOrDie(),
                static_cast<uint64_t>(expected->num_rows()));
    }
  }
}

TEST_F(ScanTest, GivesTheSameSystemColumnsWhateverIsReadAhead) {
  InsertBuilder builder(kUri);
  builder.WithOpenOptions(Options()).WithOptions(
      {.max_rows_per_file = 50'000, .enable_stable_row_ids = true});
  const Dataset written = builder.Execute(CountedRows(100'000, random_)).ValueOrDie().dataset;
  const Dataset dataset = Delete(written, Filter("k % 7 = 0")).ValueOrDie().dataset;
  for (const bool with_deleted : {false, true}) {
    SCOPED_TRACE(with_deleted);
    // Several units of each fragment are read at once.
    ScanOptions options =
        Where("k % 3 = 0", {"k", "_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version",
                            "_row_last_updated_at_version"});
    options.include_deleted_rows = with_deleted;
    CallOptions alone, together;
    alone.num_threads = 1;
    together.num_threads = 5;

    const auto expected = ReadAll(dataset, options, alone);

    EXPECT_EQ(expected->num_rows(), with_deleted ? 33'334 : 28'572);
    EXPECT_TRUE(ReadAll(dataset, options, together)->Equals(*expected));
  }
}

TEST_F(ScanTest, SkipsFragmentsByWhatTheirZonesHaveInCommon) {
  Dataset dataset = Write(CountedRows(30'000, random_), 300);  // more fragments than are few
  dataset = CreateIndex(dataset, {.column = "k", .rows_per_zone = 50}).ValueOrDie();
  dataset = CreateIndex(dataset, {.column = "v", .rows_per_zone = 100}).ValueOrDie();
  for (const char* filter : {"k = 1234", "k < 0", "k >= 299 AND k < 301 AND v > 0", "k IS NULL",
                             "NOT k < 29999", "k = 5 OR v < 0", "v < 1e12", "k IN (7, 20000)"}) {
    SCOPED_TRACE(filter);
    ScanOptions unpruned = Where(filter);
    unpruned.use_stats = false;
    const auto expected = Keys(*ReadAll(dataset, unpruned));
    for (const bool is_loaded : {false, true}) {
      if (!is_loaded) dataset.session()->DropCaches();
      const Scanner scanner = dataset.Scan(Where(filter)).ValueOrDie();
      const auto reader = scanner.ToReader().ValueOrDie();

      EXPECT_EQ(Keys(*reader->ToTable().ValueOrDie()), expected);

      const ScanStatistics* statistics = scan_statistics(*reader);
      const ScanExplanation plan = scanner.Explain().ValueOrDie();
      EXPECT_EQ(statistics->zones_total, plan.zones.total);
      EXPECT_EQ(statistics->zones_kept, plan.zones.kept);
      EXPECT_EQ(statistics->fragments_kept, plan.fragments.kept);
    }
  }
}

TEST_F(ScanTest, ReadsLittleAheadOfALimit) {
  const Dataset dataset = Write(CountedRows(50'000, random_), 500);
  CallOptions call;
  call.num_threads = 8;
  ScanOptions options = Where("k >= 0");
  options.limit = 1;
  const auto reader = dataset.Scan(options).ValueOrDie().ToReader(call).ValueOrDie();

  ASSERT_EQ(reader->ToTable().ValueOrDie()->num_rows(), 1);

  EXPECT_EQ(scan_statistics(*reader)->fragments_scanned, 1u);
}

TEST_F(ScanTest, GivesAllRowsBeforeAFragmentThatFailsAndNoneBehindIt) {
  const Dataset dataset = Write(CountedRows(5'000, random_), 500);
  const auto& damaged = dataset.impl().manifest().fragments[4].files[0];
  ASSERT_THAT(store_->Delete(table::DataFilePath(damaged)), IsOk());
  for (const char* filter : {"true", "k >= 0", "v >= 0"}) {
    for (const int num_threads : {1, 2, 8}) {
      SCOPED_TRACE(std::string(filter) + ", threads " + std::to_string(num_threads));
      CallOptions call;
      call.num_threads = num_threads;
      ScanOptions options = Where(filter);
      options.batch_size = 100;
      const auto reader = dataset.Scan(options).ValueOrDie().ToReader(call).ValueOrDie();
      std::shared_ptr<arrow::RecordBatch> batch;
      int64_t num_rows = 0;
      arrow::Status status = reader->ReadNext(&batch);
      for (; status.ok() && batch != nullptr; status = reader->ReadNext(&batch)) {
        num_rows += batch->num_rows();
      }
      EXPECT_EQ(num_rows, 2'000);
      for (int again = 0; again < 3; ++again) {
        EXPECT_THAT(status, IsSerializationError(::testing::HasSubstr(damaged.path)));
        status = reader->ReadNext(&batch);
      }

      options.limit = 2'000;  // which the fragments before meet
      const auto met = dataset.Scan(options).ValueOrDie().ToTable(call);
      ASSERT_THAT(met, IsOk());
      EXPECT_EQ((*met)->num_rows(), 2'000);
    }
  }
}

TEST_F(ScanTest, CanBeClosedWhileUnitsAreReadAhead) {
  const Dataset dataset = Write(CountedRows(50'000, random_), 500);
  CallOptions call;
  call.num_threads = 4;
  for (const bool closes : {false, true}) {
    const auto reader = dataset.Scan({.batch_size = 100}).ValueOrDie().ToReader(call).ValueOrDie();
    std::shared_ptr<arrow::RecordBatch> batch;
    for (int i = 0; i < 12; ++i) ASSERT_THAT(reader->ReadNext(&batch), IsOk());
    if (!closes) continue;  // it goes as it is

    ASSERT_THAT(reader->Close(), IsOk());

    ASSERT_THAT(reader->ReadNext(&batch), IsOk());
    EXPECT_EQ(batch, nullptr);
  }
}

TEST_F(ScanTest, StopsWhenItIsAskedTo) {
  const Dataset dataset = Write(CountedRows(50'000, random_), 500);
  arrow::StopSource source;
  CallOptions call;
  call.num_threads = 4;
  call.stop_token = source.token();
  const auto reader = dataset.Scan({.batch_size = 100}).ValueOrDie().ToReader(call).ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_THAT(reader->ReadNext(&batch), IsOk());

  source.RequestStop();

  arrow::Status status = arrow::Status::OK();
  do {
    status = reader->ReadNext(&batch);  // batches that were ready may still come
  } while (status.ok() && batch != nullptr);
  EXPECT_THAT(status, IsCancelled());
}

TEST_F(ScanTest, HoldsOnlyTheFirstRowsOfAnOrder) {
  constexpr int64_t kNumRows = 3'000'000;  // 48 MB of keys and addresses
  const auto nulls = arrow::MakeArrayOfNull(arrow::int64(), kNumRows).ValueOrDie();
  Write(arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}), {nulls}), kNumRows);
  for (const bool nulls_first : {false, true}) {
    SCOPED_TRACE(nulls_first);
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    const Dataset dataset = Open({.memory_pool = &pool});
    CallOptions call;
    call.num_threads = 1;
    ScanOptions options{.columns = {"n"}, .limit = 10};
    options.order_by = {{.column_name = "n", .nulls_first = nulls_first}};

    const auto first = dataset.Scan(options).ValueOrDie().ToTable(call);

    ASSERT_THAT(first, IsOk());
    EXPECT_EQ((*first)->num_rows(), 10);
    EXPECT_LT(pool.max_memory(), 24 << 20);
  }
}

TEST_F(ScanTest, KeepsWithinItsMemoryBudget) {
  constexpr uint64_t kBudget = 6 << 20;
  Write(CountedRows(400'000, random_), 50'000);  // 24 MB
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const Dataset dataset = Open({.max_memory_bytes = kBudget, .memory_pool = &pool});
  CallOptions call;
  call.num_threads = 4;
  const auto reader = dataset.Scan().ValueOrDie().ToReader(call).ValueOrDie();
  uint64_t num_rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ASSERT_THAT(reader->ReadNext(&batch), IsOk());
    if (batch == nullptr) break;
    num_rows += static_cast<uint64_t>(batch->num_rows());
  }

  EXPECT_EQ(num_rows, 400'000u);
  EXPECT_LT(static_cast<uint64_t>(pool.max_memory()), kBudget);
}

}  // namespace
}  // namespace lance::testing
