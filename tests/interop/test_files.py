"""Single data files exchanged with the reference implementation, format 2.1, both ways.

Needs the reference package and the program file_tool (LANCE_FILE_TOOL). Neither is optional:
without them these tests fail.
"""

import io
import os
import random
import string
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader, LanceFileWriter

FILE_TOOL = os.environ["LANCE_FILE_TOOL"]
SEED = int(os.environ.get("LANCE_TEST_SEED") or 20240607)

INTEGERS = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(),
    pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEMPORALS = [
    pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    pa.duration("s"), pa.duration("ns"), pa.timestamp("s"), pa.timestamp("ms", "UTC"),
    pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns"),
]
WIDE = [pa.decimal128(38, 5), pa.decimal256(60, 2), pa.binary(3), pa.binary(16), pa.binary(17)]
TEXTS = [pa.utf8(), pa.large_utf8(), pa.binary(), pa.large_binary()]


def words(rng, n):
    return ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(3, 19))) for _ in range(n)]


def of_bytes(values, type_):
    """Values of any fixed-width type from the bytes of a numpy array."""
    width = 1 if pa.types.is_boolean(type_) else type_.bit_width // 8
    data = np.ascontiguousarray(values).tobytes()
    return pa.Array.from_buffers(type_, len(data) // width, [None, pa.py_buffer(data)])


def from_integers(values, type_):
    """Integers as a type of 8 to 64 bits, wrapped to its width."""
    width = type_.bit_width // 8
    return of_bytes(np.asarray(values, dtype=np.int64).astype(f"<i{width}"), type_)


def random_values(type_, n, rng):
    generator = np.random.default_rng(rng.randrange(2**32))
    if pa.types.is_boolean(type_):
        return pa.array(generator.integers(0, 2, n).astype(bool))
    if pa.types.is_floating(type_):
        return pa.array(generator.normal(size=n).astype(type_.to_pandas_dtype()), type_)
    if pa.types.is_date64(type_):
        return from_integers(generator.integers(-20000, 20000, n) * 86400000, type_)
    if pa.types.is_time(type_):
        per_day = 86400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
        return from_integers(generator.integers(0, per_day, n), type_)
    if pa.types.is_decimal(type_):
        narrow = generator.integers(-(2**62), 2**62, n)
        wide = np.zeros((n, type_.bit_width // 64), dtype="<i8")
        wide[:] = np.where(narrow < 0, -1, 0)[:, None]  # sign extension
        wide[:, 0] = narrow
        return of_bytes(wide, type_)
    if type_ in TEXTS:
        texts = words(rng, n)
        return pa.array(texts if "string" in str(type_) else [t.encode() for t in texts], type_)
    raw = generator.bytes(n * (type_.bit_width // 8))
    return of_bytes(np.frombuffer(raw, dtype=np.uint8), type_)


def with_nulls(array, rng, share=0.2):
    mask = pa.array([rng.random() < share for _ in range(len(array))], pa.bool_())
    return pa.compute.if_else(mask, pa.scalar(None, array.type), array)


def take(array, indices):
    return array.take(pa.array(indices, pa.int64()))


def shapes_of(type_, rng):
    """(name, array) of every data shape that applies to a type."""
    n = 3000
    random_ = random_values(type_, n, rng)
    yield "rand", random_
    yield "nulls", with_nulls(random_, rng)
    yield "mostly_null", with_nulls(random_, rng, 0.999)
    yield "few_nulls", with_nulls(random_, rng, 0.002)
    yield "all_null", pa.nulls(n, type_)
    yield "constant", take(random_, [7] * n)
    yield "constant_and_nulls", with_nulls(take(random_, [7] * n), rng)
    yield "runs", take(random_, [i // 100 for i in range(n)])
    yield "runs_and_nulls", with_nulls(take(random_, [i // 100 for i in range(n)]), rng)
    few = take(random_, [rng.randrange(30) for _ in range(n)])
    yield "few_distinct", few
    yield "few_distinct_and_nulls", with_nulls(few, rng)
    yield "exactly_2048", random_values(type_, 2048, rng)
    yield "five_rows", random_[:5]
    yield "five_rows_nulls", take(random_, [0, None, 2, None, 4])
    yield "one_row", random_[:1]
    yield "one_null", pa.nulls(1, type_)
    yield "no_rows", random_[:0]
    if type_ in INTEGERS:
        small = from_integers([rng.randrange(50) for _ in range(n)], type_)
        yield "small", small
        yield "small_and_nulls", with_nulls(small, rng)
        yield "zeros", from_integers([0] * n, type_)
        yield "ascending", from_integers(list(range(n)), type_)
    if type_ in TEXTS:
        yield "many_words", random_values(type_, 20000, rng)
        yield "many_words_and_nulls", with_nulls(random_values(type_, 20000, rng), rng)
        yield "many_few_distinct", take(random_, [rng.randrange(30) for _ in range(20000)])
        empties = take(random_, [i % 3 for i in range(n)])
        blank = pa.scalar(b"" if "binary" in str(type_) else "", type_)
        is_even = pa.array([i % 2 == 0 for i in range(n)])
        yield "empties", pa.compute.if_else(is_even, empties, blank)
        yield "all_empty", pa.array([blank.as_py()] * n, type_)
    if pa.types.is_boolean(type_):
        yield "many", random_values(type_, 20001, rng)


ALL_TYPES = [pa.bool_(), *INTEGERS, *FLOATS, *TEMPORALS, *WIDE, *TEXTS]


def run_tool(arguments, stdin=None):
    command = [FILE_TOOL, *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def read_ours(path, row_texts):
    """One table for each of `row_texts`."""
    code, out, error = run_tool(["read", path, *row_texts])
    assert code == 0, error
    with pa.ipc.open_stream(io.BytesIO(out)) as stream:
        return [pa.Table.from_batches([batch]) for batch in stream]


def write_ours(path, table, max_page_bytes=8 << 20, batch_rows=997):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=batch_rows)
    code, _, error = run_tool(["write", path, "2.1", max_page_bytes], stdin=sink.getvalue())
    assert code == 0, error


def write_reference(path, table, batches=1, **options):
    writer = LanceFileWriter(str(path), table.schema, version="2.1", **options)
    with writer:
        step = max(1, -(-table.num_rows // batches))
        for begin in range(0, table.num_rows, step):
            writer.write_batch(table.slice(begin, step))


def row_selections(n, rng):
    """(text for file_tool, indices) of ranges and random rows."""
    cuts = sorted({0, n, n // 2, min(n, 1023), min(n, 1024), min(n, 1025), max(0, n - 1)})
    selections = [(f"{a}:{b}", range(a, b)) for a, b in zip(cuts, cuts[1:])]
    if n > 0:
        rows = sorted(rng.sample(range(n), min(n, 40)))
        selections.append((",".join(f"{r}:{r + 1}" for r in rows), rows))
        several = [(b, min(n, b + 3)) for b in range(0, n, max(1, n // 7))]
        indices = sorted({r for a, b in several for r in range(a, b)})
        selections.append((",".join(f"{a}:{b}" for a, b in several), indices))
    return selections


def assert_same(found, expected):
    found, expected = found.combine_chunks(), expected.combine_chunks()
    assert found.schema.equals(expected.schema, check_metadata=False)
    assert found.num_rows == expected.num_rows
    for name in expected.column_names:
        assert found[name].equals(expected[name]), name


def rng_of(*parts):
    return random.Random(f"{SEED} {parts}")


@pytest.mark.parametrize("type_", ALL_TYPES, ids=str)
def test_reads_what_the_reference_wrote(type_, tmp_path):
    rng = rng_of("read", type_)
    for name, array in shapes_of(type_, rng):
        table = pa.table({"x": array})
        path = tmp_path / f"{name}.lance"
        write_reference(path, table)

        selections = row_selections(len(array), rng)
        whole, *parts = read_ours(path, ["all", *(text for text, _ in selections)])

        try:
            assert_same(whole, table)
            for part, (_, indices) in zip(parts, selections, strict=True):
                assert_same(part, table.take(pa.array(indices, pa.int64())))
        except AssertionError as error:
            raise AssertionError(f"shape {name}: {error}") from error


@pytest.mark.parametrize("type_", ALL_TYPES, ids=str)
def test_the_reference_reads_what_we_wrote(type_, tmp_path):
    rng = rng_of("write", type_)
    for name, array in shapes_of(type_, rng):
        table = pa.table({"x": array})
        path = tmp_path / f"{name}.lance"
        write_ours(path, table)

        reader = LanceFileReader(str(path))

        try:
            assert reader.metadata().num_rows == len(array)
            assert_same(reader.read_all().to_table(), table)
            for _, indices in row_selections(len(array), rng):
                if len(indices) == 0:
                    continue
                found = reader.take_rows(list(indices)).to_table()
                assert_same(found, table.take(pa.array(indices, pa.int64())))
        except AssertionError as error:
            raise AssertionError(f"shape {name}: {error}") from error


# What the reference's metadata must show, so that the tests above meet every encoding that we read.
CODECS = [
    ("Fsst(", pa.utf8(), "many_words"),
    ("dictionary: Some(", pa.utf8(), "many_few_distinct"),
    ("dictionary: Some(", pa.binary(16), "few_distinct"),
    ("Rle(", pa.int32(), "runs"),
    ("InlineBitpacking(", pa.int64(), "small"),
    ("OutOfLineBitpacking(", pa.int64(), "nulls"),
    ("Variable(", pa.utf8(), "five_rows"),
    ("ConstantLayout(", pa.utf8(), "all_null"),
]


@pytest.mark.parametrize(("codec", "type_", "shape"), CODECS)
def test_the_reference_writes_the_encodings_that_we_want_to_read(codec, type_, shape, tmp_path):
    array = dict(shapes_of(type_, rng_of("read", type_)))[shape]
    write_reference(tmp_path / "f.lance", pa.table({"x": array}))

    page = LanceFileReader(str(tmp_path / "f.lance")).metadata().columns[0].pages[0]

    assert codec in page.encoding


@pytest.mark.parametrize(
    ("codec", "type_", "shape"),
    [
        ("InlineBitpacking(", pa.int32(), "small"),
        ("Flat(", pa.int64(), "rand"),
        ("Variable(", pa.utf8(), "rand"),
        ("OutOfLineBitpacking(", pa.int64(), "nulls"),
        ("ConstantLayout(", pa.utf8(), "all_null"),
    ],
)
def test_we_write_the_encodings_that_we_have(codec, type_, shape, tmp_path):
    array = dict(shapes_of(type_, rng_of("write", type_)))[shape]
    write_ours(tmp_path / "f.lance", pa.table({"x": array}))

    page = LanceFileReader(str(tmp_path / "f.lance")).metadata().columns[0].pages[0]

    assert codec in page.encoding


def many_columns(n, rng):
    words_ = pa.array(words(rng, n))
    half = n // 2
    numbers = pa.array(range(n - half), pa.int32())
    return pa.table(
        {
            "id": pa.array(range(n), pa.int64()),
            "word": with_nulls(words_, rng),
            "flag": with_nulls(random_values(pa.bool_(), n, rng), rng),
            "price": random_values(pa.float64(), n, rng),
            "sparse": pa.concat_arrays([pa.nulls(half, pa.int32()), numbers]),
        }
    )


def test_reads_many_pages_of_the_reference(tmp_path):
    rng = rng_of("many pages")
    table = many_columns(60000, rng)
    path = tmp_path / "f.lance"
    write_reference(path, table, batches=40, data_cache_bytes=80000)
    assert len(LanceFileReader(str(path)).metadata().columns[0].pages) > 5

    selections = row_selections(table.num_rows, rng)
    whole, *parts = read_ours(path, ["all", *(text for text, _ in selections)])

    assert_same(whole, table)
    for part, (_, indices) in zip(parts, selections, strict=True):
        assert_same(part, table.take(pa.array(indices, pa.int64())))


@pytest.mark.parametrize("max_page_bytes", [1, 5000, 100000])
def test_the_reference_reads_our_many_pages(max_page_bytes, tmp_path):
    rng = rng_of("our many pages", max_page_bytes)
    n = 300 if max_page_bytes == 1 else 60000
    table = many_columns(n, rng)
    path = tmp_path / "f.lance"
    write_ours(path, table, max_page_bytes)
    assert len(LanceFileReader(str(path)).metadata().columns[0].pages) > 2

    reader = LanceFileReader(str(path))

    assert_same(reader.read_all().to_table(), table)
    indices = sorted(rng.sample(range(n), 50))
    assert_same(reader.take_rows(indices).to_table(), table.take(pa.array(indices, pa.int64())))
    assert_same(reader.read_range(n // 3, n // 2).to_table(), table.slice(n // 3, n // 2))


SENTENCES = [f"some words {i * 7919 % 10007}" for i in range(5000)]
OPTIONS = [
    ("minichunk-size", "64", pa.array(SENTENCES)),
    ("minichunk-size", "16384", pa.array(SENTENCES)),
    ("compression", "fsst", pa.array([s.encode() for s in SENTENCES], pa.binary())),
    ("compression", "none", pa.array(range(3000), pa.int32())),
    ("rle-threshold", "0", pa.array([i // 100 for i in range(3000)], pa.int32())),
    ("structural-encoding", "miniblock", pa.array(["w" * (200 + i % 700) for i in range(500)])),
]


OPTION_NAMES = [f"{key}={value}" for key, value, _ in OPTIONS]


@pytest.mark.parametrize(("key", "value", "array"), OPTIONS, ids=OPTION_NAMES)
def test_reads_what_the_reference_wrote_with_other_options(key, value, array, tmp_path):
    schema = pa.schema([pa.field("x", array.type, metadata={f"lance-encoding:{key}": value})])
    table = pa.table([array], schema=schema)
    write_reference(tmp_path / "f.lance", table)

    selections = row_selections(len(array), rng_of(key, value))
    whole, *parts = read_ours(tmp_path / "f.lance", ["all", *(text for text, _ in selections)])

    assert_same(whole, table)
    for part, (_, indices) in zip(parts, selections, strict=True):
        assert_same(part, table.take(pa.array(indices, pa.int64())))


def test_field_and_schema_metadata_survive_both_ways(tmp_path):
    field = pa.field("x", pa.int32(), nullable=False, metadata={"who": "me", "p": "q"})
    schema = pa.schema([field], metadata={"table": "yes"})
    table = pa.table([pa.array([1, 2, 3], pa.int32())], schema=schema)

    write_reference(tmp_path / "theirs.lance", table)
    write_ours(tmp_path / "ours.lance", table)

    theirs = read_ours(tmp_path / "theirs.lance", ["all"])[0].schema
    ours = LanceFileReader(str(tmp_path / "ours.lance")).metadata().schema
    assert theirs.equals(schema, check_metadata=True)
    assert ours.equals(schema, check_metadata=True)


@pytest.mark.parametrize("size", [16352, 40_000, 3_000_000])
def test_long_values_are_written_among_short_ones(size, tmp_path):
    table = pa.table({"x": pa.array(["a" * size, "b", None, "c" * size, ""] * 2)})
    write_ours(tmp_path / "f.lance", table)
    assert_same(LanceFileReader(str(tmp_path / "f.lance")).read_all().to_table(), table)
    assert_same(read_ours(tmp_path / "f.lance", ["all"])[0], table)


@pytest.mark.parametrize(("version", "advice"), [("2.3", "2.3"), ("legacy", "legacy")])
def test_versions_that_are_not_read_are_named(version, advice, tmp_path):
    path = tmp_path / "f.lance"
    with LanceFileWriter(str(path), pa.schema([("x", pa.int64())]), version="2.1") as writer:
        writer.write_batch(pa.table({"x": [1, 2]}))
    major_minor = {"2.3": b"\x02\x00\x03\x00", "legacy": b"\x00\x00\x02\x00"}[version]
    path.write_bytes(path.read_bytes()[:-8] + major_minor + b"LANC")

    code, _, error = run_tool(["read", path])

    assert code == 1
    assert error.startswith("NotImplemented")
    assert "f.lance" in error
    assert advice in error
