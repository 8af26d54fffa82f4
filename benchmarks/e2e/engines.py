"""The engines: what each is asked to do, in its own words.

An engine lives in a process of its own (engine_process.py). Every method is one request; its
arguments and results are JSON. Where rows come from, `source` is a Parquet file (.parquet) or an
Arrow file that is mapped into memory (.arrow).
"""

import importlib
import importlib.metadata
import os
import pathlib

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pyarrow.ipc
import pyarrow.parquet as pq

BATCH_ROWS = 65_536
# Rows of a zone of Lance's zonemaps; Parquet row groups get the same grain.
ZONE_ROWS = 8_192


def _mapped(source: str) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(source)).read_all()


def _rows(source: str) -> pa.Table | pa.RecordBatchReader:
    """A table in memory, or a stream from a Parquet file."""
    if source.endswith(".arrow"):
        return _mapped(source)
    return pads.dataset(source).scanner(batch_size=BATCH_ROWS).to_reader()


def _sync(target: str) -> None:
    """Bring everything below a path to the disk: some engines do it by themselves."""
    root = pathlib.Path(target)
    for path in [root] if root.is_file() else [p for p in root.rglob("*") if p.is_file()]:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def _numbers(rows: int) -> pa.Table:
    """Two columns of numbers."""
    return pa.table(
        {"id": pa.array(range(rows), pa.int64()), "value": pa.array([0.5] * rows, pa.float64())}
    )


class Duck:
    """DuckDB on one snappy Parquet file."""

    # Bits of each key in the curve.
    _CURVE_BITS = 16
    # Two zero bits behind each of 16 bits, by halving: how far the upper half moves, what stays.
    _SPREAD_STEPS = (
        (32, 0x001F00000000FFFF),
        (16, 0x001F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    )

    def __init__(self, threads: int):
        # Here, so that it takes no memory of the other engines.
        duckdb = importlib.import_module("duckdb")
        self._version = duckdb.__version__
        self._session = duckdb.connect()
        self._session.execute(f"SET threads = {threads}; SET TimeZone = 'UTC'")
        self._session.execute("SET enable_progress_bar = false")
        nested = "x"
        for shift, mask in self._SPREAD_STEPS:
            self._session.execute(
                f"CREATE MACRO spread_{shift}(x) AS (x | (x << {shift})) & {mask}::UBIGINT"
            )
            nested = f"spread_{shift}({nested})"
        self._session.execute(f"CREATE MACRO spread(x) AS {nested}")

    def version(self) -> str:
        """For people."""
        return f"DuckDB {self._version}"

    def write(self, source: str, target: str, version: str = "", row_group: int = 122_880) -> None:
        """Write rows in the order in which they come. There is only one version."""
        del version
        self._copy(f"SELECT * FROM {self._relation(source)}", target, row_group)

    def cluster_write(self, source: str, target: str, keys: list[str], version: str = "") -> None:
        """Write rows in the order of a Morton curve, with row groups as small as zones."""
        del version
        self._copy(self.in_curve_order(source, keys), target, ZONE_ROWS)

    def scan(self, target: str, columns: list[str] | None = None) -> int:
        """Read rows as Arrow batches and drop them. Gives their number."""
        wanted = ", ".join(columns) if columns else "*"
        rows = self._session.sql(f"SELECT {wanted} FROM '{self._file(target)}'")
        return sum(batch.num_rows for batch in rows.to_arrow_reader(BATCH_ROWS))

    def take(self, target: str, positions: list[int]) -> int:
        """Read the rows at these positions. Gives their number."""
        self._session.register("wanted", pa.table({"position": positions}))
        taken = self._session.sql(
            f"SELECT rows.* FROM read_parquet('{self._file(target)}', file_row_number = true) rows"
            " SEMI JOIN wanted ON file_row_number = position"
        )
        return taken.to_arrow_table().num_rows

    def query(self, target: str, condition: str, value: str) -> list:
        """Count the rows of a condition and sum a column of them."""
        return list(
            self._session.execute(
                f"SELECT count(*), sum({value}) FROM '{self._file(target)}' WHERE {condition}"
            ).fetchall()[0]
        )

    def count(self, target: str, condition: str) -> int:
        """Count the rows of a condition."""
        return self._session.execute(
            f"SELECT count(*) FROM '{self._file(target)}' WHERE {condition}"
        ).fetchall()[0][0]

    def write_file(self, source: str, target: str, version: str) -> dict:
        """Write rows as they come. Gives bytes: of the file, and of each column."""
        self.write(source, target, version, row_group=ZONE_ROWS)
        file = self._file(target)
        metadata = pq.read_metadata(file)
        columns: dict[str, int] = {}
        for group in range(metadata.num_row_groups):
            for index in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(index)
                columns.setdefault(chunk.path_in_schema, 0)
                columns[chunk.path_in_schema] += chunk.total_compressed_size
        return {"bytes": os.path.getsize(file), "columns": columns}

    def in_curve_order(self, source: str, keys: list[str]) -> str:
        """A statement that gives rows in the order of a Morton curve over three keys.

        Numbers are scaled between their minimum and maximum, strings replaced by the number of rows
        below them; nulls come last.
        """
        joins, coordinates = self._coordinates(source, keys)
        relation = f"{self._relation(source)} rows {joins}"
        bounds = ", ".join(f"min({c}), max({c})" for c in coordinates)
        found = self._session.execute(f"SELECT {bounds} FROM {relation}").fetchall()[0]
        highest = (1 << self._CURVE_BITS) - 1
        terms = []
        for index, coordinate in enumerate(coordinates):
            low, high = found[2 * index], found[2 * index + 1]
            scaled = f"({coordinate} - {low!r}) * {highest / ((high - low) or 1)!r}"
            bits = f"spread(coalesce({scaled}, {highest})::UBIGINT)"
            terms.append(f"({bits} << {len(coordinates) - 1 - index})")
        return f"SELECT rows.* FROM {relation} ORDER BY {' | '.join(terms)}"

    def _coordinates(self, source: str, keys: list[str]) -> tuple[str, list[str]]:
        """Joins that the coordinates need, and an expression of doubles for each key."""
        relation = self._relation(source)
        types = self._types(relation)
        joins, coordinates = "", []
        for index, key in enumerate(keys):
            if types[key] == "VARCHAR":
                below = f"(sum(count(*)) OVER (ORDER BY {key}) - count(*))::DOUBLE"
                joins += (
                    f" LEFT JOIN (SELECT {key} AS v, {below} AS below FROM {relation}"
                    f" WHERE {key} IS NOT NULL GROUP BY {key}) j{index} ON rows.{key} = j{index}.v"
                )
                coordinates.append(f"j{index}.below")
            elif types[key] == "TIMESTAMP":
                coordinates.append(f"epoch_us({key})::DOUBLE")
            elif types[key] == "DATE":
                coordinates.append(f"({key} - DATE '1970-01-01')::DOUBLE")
            else:
                coordinates.append(f"{key}::DOUBLE")
        return joins, coordinates

    def _types(self, relation: str) -> dict[str, str]:
        rows = self._session.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        return {row[0]: row[1] for row in rows}

    def prepare_sort(self) -> None:
        """Load what cluster_write needs."""

    def stream(self, statement: str) -> pa.RecordBatchReader:
        """The rows of a statement."""
        return self._session.sql(statement).to_arrow_reader(BATCH_ROWS)

    def _relation(self, source: str) -> str:
        if source.endswith(".parquet"):
            return f"'{source}'"
        self._session.register("mapped", _mapped(source))
        return "mapped"

    def _copy(self, statement: str, target: str, row_group: int) -> None:
        os.makedirs(target, exist_ok=True)
        self._session.execute(
            f"COPY ({statement}) TO '{self._file(target)}'"
            f" (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {row_group})"
        )
        _sync(target)

    @staticmethod
    def _file(target: str) -> str:
        return os.path.join(target, "rows.parquet")


class _Lance:
    """What ours and the reference have alike."""

    def __init__(self, module: str):
        self._lance = importlib.import_module(module)
        self._files = importlib.import_module(module + ".file")
        self._opened: dict[str, object] = {}

    def write(self, source: str, target: str, version: str) -> None:
        """Write rows in the order in which they come."""
        self._write(_rows(source), target, data_storage_version=version)
        _sync(target)

    def scan(self, target: str, columns: list[str] | None = None) -> int:
        """Read rows as Arrow batches and drop them. Gives their number."""
        return sum(batch.num_rows for batch in self._table(target).to_batches(columns=columns))

    def take(self, target: str, positions: list[int]) -> int:
        """Read the rows at these positions. Gives their number."""
        return self._table(target).take(positions).num_rows

    def take_from_file(self, target: str, positions: list[int]) -> int:
        """Read the rows at these positions of a single file. Gives their number."""
        reader = self._files.LanceFileReader(target)
        return reader.take_rows(positions).to_table().num_rows

    def query(self, target: str, condition: str, value: str) -> list:
        """Count the rows of a condition and sum a column of them."""
        rows = self._table(target).to_table(columns=[value], filter=condition)
        return [rows.num_rows, pc.sum(rows[value]).as_py()]

    def count(self, target: str, condition: str) -> int:
        """Count the rows of a condition."""
        return self._table(target).count_rows(condition)

    def write_file(self, source: str, target: str, version: str) -> dict:
        """Write a single file of rows as they come. Gives bytes: of the file, of each column."""
        rows = _mapped(source)
        with self._files.LanceFileWriter(target, rows.schema, version=version) as writer:
            for batch in rows.to_batches():
                writer.write_batch(batch)
        statistics = self._files.LanceFileReader(target).file_statistics()
        # The columns of the data sets are flat: one stored column each. In 2.0 and later the same.
        sizes = [column.size_bytes for column in statistics.columns]
        columns = dict(zip(rows.schema.names, sizes, strict=True))
        return {"bytes": os.path.getsize(target), "columns": columns}

    def open(self, target: str) -> int:
        """Open the newest version of a table. Gives its number of rows, which metadata tell."""
        self._opened.pop(target, None)
        return self._table(target).count_rows()

    def append_rows(self, target: str, rows: int) -> None:
        """Append rows to a table of write_fragments, and commit."""
        self._write(_numbers(rows), target, mode="append")
        _sync(target)

    def prepare_sort(self) -> None:
        """Load what cluster_write needs."""

    def export(self, target: str, file: str) -> None:
        """Write a table's rows in their order as an Arrow file."""
        rows = self._table(target).scanner().to_reader()
        with pa.OSFile(file, "wb") as sink:
            with pa.ipc.new_file(sink, rows.schema) as writer:
                for batch in rows:
                    writer.write_batch(batch)

    def _write(self, rows: object, target: str, **options: object) -> object:
        self._opened.pop(target, None)
        return self._lance.write_dataset(rows, target, **options)

    def _table(self, target: str) -> object:
        if target not in self._opened:
            self._opened[target] = self._lance.dataset(target)
        return self._opened[target]


class Pylance(_Lance):
    """The reference, and DuckDB to sort for it."""

    def __init__(self, threads: int):
        super().__init__("lance")
        self._threads = threads
        self._duck: Duck | None = None

    def version(self) -> str:
        """For people."""
        return f"pylance {importlib.metadata.version('pylance')}"

    def write_fragments(self, target: str, fragments: int, rows: int, version: str) -> None:
        """Write a table of many fragments of so many rows each, which all have one data file."""
        self._write(_numbers(rows), target, data_storage_version=version)
        written = self._table(target).get_fragments()[0].metadata
        # No id yet: the commit gives it.
        more = self._lance.FragmentMetadata(0, written.files, written.physical_rows)
        self._lance.LanceDataset.commit(
            target,
            self._lance.LanceOperation.Append([more] * (fragments - 1)),
            read_version=1,
        )
        _sync(target)

    def write_small_files(self, target: str, files: int, rows: int, version: str) -> None:
        """Write a table of so many data files of so many rows each."""
        self._write(
            _numbers(files * rows), target, max_rows_per_file=rows, data_storage_version=version
        )

    def add_zones(self, target: str, column: str, rows_per_zone: int) -> None:
        """Summarise a column in zones of so many rows."""
        table = self._table(target)
        config = importlib.import_module("lance.indices").IndexConfig(
            "zonemap", {"rows_per_zone": rows_per_zone}
        )
        table.create_scalar_index(column, config)
        self._opened.pop(target)
        _sync(target)

    def prepare_sort(self) -> None:
        """Start DuckDB, once."""
        if self._duck is None:
            self._duck = Duck(self._threads)

    def cluster_write(self, source: str, target: str, keys: list[str], version: str) -> None:
        """Let DuckDB bring rows into the order of a Morton curve, write them, add zonemaps."""
        self.prepare_sort()
        rows = self._duck.stream(self._duck.in_curve_order(source, keys))
        table = self._write(rows, target, data_storage_version=version)
        for key in keys:
            table.create_scalar_index(key, "ZONEMAP")
        _sync(target)


class LanceCpp(_Lance):
    """Ours."""

    def __init__(self, threads: int):
        super().__init__("lance_cpp")
        self._session = self._lance.Session(num_threads=threads)

    def version(self) -> str:
        """For people."""
        return f"lance_cpp {self._lance.__version__}"

    def cluster_write(self, source: str, target: str, keys: list[str], version: str) -> None:
        """Write rows in the order of a Hilbert curve; zone summaries are part of it."""
        self._write(
            _rows(source), target, data_storage_version=version, cluster_by=keys, declare=True
        )
        _sync(target)

    def _write(self, rows: object, target: str, **options: object) -> object:
        return super()._write(rows, target, session=self._session, **options)

    def _table(self, target: str) -> object:
        if target not in self._opened:
            self._opened[target] = self._lance.dataset(target, session=self._session)
        return self._opened[target]


ENGINES = {"lance_cpp": LanceCpp, "pylance": Pylance, "duckdb": Duck}
