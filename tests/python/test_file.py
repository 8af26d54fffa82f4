"""Single files through the Python module, beside the reference."""

import pathlib

import lance.file
import lance_cpp
import pyarrow as pa
import pytest
from lance_cpp.file import LanceFileReader, LanceFileWriter, ReaderResults, stable_version

VERSIONS = ("2.0", "2.1", "2.2")

SCHEMA = pa.schema(
    [
        ("n", pa.int64()),
        ("word", pa.string()),
        ("point", pa.struct([("x", pa.float32()), ("y", pa.float32())])),
        ("tags", pa.list_(pa.string())),
    ]
)


def rows(start, count, version="2.1"):
    """Rows with nulls on every level; in 2.0 structs cannot be null."""
    numbers = range(start, start + count)
    null_struct = {"x": None, "y": None} if version == "2.0" else None
    return pa.record_batch(
        [
            pa.array(numbers, pa.int64()),
            pa.array([None if i % 3 == 0 else f"w{i}" for i in numbers]),
            pa.array(
                [
                    null_struct if i % 11 == 0 else {"x": i, "y": None if i % 5 == 0 else -i}
                    for i in numbers
                ],
                SCHEMA.field("point").type,
            ),
            pa.array(
                [None if i % 7 == 0 else [str(i)] * (i % 3) for i in numbers], pa.list_(pa.string())
            ),
        ],
        schema=SCHEMA,
    )


def table_of(*batches):
    return pa.Table.from_batches(batches, SCHEMA)


@pytest.fixture(name="path")
def _path(tmp_path):
    return str(tmp_path / "data.lance")


@pytest.fixture(name="written")
def _written(path):
    """A file of 160 rows with metadata and a buffer, written in three ways."""
    with LanceFileWriter(path, SCHEMA) as writer:
        writer.write_batch(rows(0, 100))
        writer.write_batch(table_of(rows(100, 20), rows(120, 20)))
        writer.write_batch(rows(0, 160).slice(140))
        writer.add_schema_metadata("made by", "a test")
        assert writer.add_global_buffer(b"first") == 1
        assert writer.add_global_buffer(b"") == 2
    assert writer.closed
    return path


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reference_reads_what_we_write(path, version):
    with LanceFileWriter(path, version=version) as writer:
        writer.write_batch(rows(0, 1000, version))

    reference = lance.file.LanceFileReader(path)
    assert reference.read_all().to_table().equals(table_of(rows(0, 1000, version)))


@pytest.mark.parametrize("version", VERSIONS)
def test_we_read_what_the_reference_writes(path, version):
    with lance.file.LanceFileWriter(path, SCHEMA, version=version) as writer:
        writer.write_batch(rows(0, 1000, version))
        writer.add_schema_metadata("made by", "them")
        writer.add_global_buffer(b"bytes")

    ours, theirs = LanceFileReader(path), lance.file.LanceFileReader(path)
    assert ours.read_all().to_table().equals(table_of(rows(0, 1000, version)))
    assert ours.read_global_buffer(1) == b"bytes"
    assert ours.metadata().schema.equals(theirs.metadata().schema, check_metadata=True)
    assert ours.num_rows() == ours.metadata().num_rows == 1000


def test_metadata_and_statistics_are_those_of_the_reference(written):
    ours = LanceFileReader(written).metadata()
    theirs = lance.file.LanceFileReader(written).metadata()

    for name in (
        "num_rows",
        "major_version",
        "minor_version",
        "num_data_bytes",
        "num_column_metadata_bytes",
        "num_global_buffer_bytes",
    ):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.schema.metadata == theirs.schema.metadata == {b"made by": b"a test"}
    assert [b.size for b in ours.global_buffers] == [b.size for b in theirs.global_buffers]
    places = [
        [[(b.position, b.size) for b in p.buffers] for c in of.columns for p in c.pages]
        for of in (ours, theirs)
    ]
    assert places[0] == places[1]
    found = LanceFileReader(written).file_statistics().columns
    expected = lance.file.LanceFileReader(written).file_statistics().columns
    assert [(c.num_pages, c.size_bytes) for c in found] == [
        (c.num_pages, c.size_bytes) for c in expected
    ]
    assert ours.size_bytes == pathlib.Path(written).stat().st_size


def test_rows_come_in_the_forms_that_are_asked_for(written):
    reader = LanceFileReader(pathlib.Path(written))
    everything = table_of(rows(0, 160))

    assert reader.read_all().to_table().equals(everything)
    assert isinstance(reader.read_all(), ReaderResults)
    sizes = [batch.num_rows for batch in reader.read_all(batch_size=64).to_batches()]
    assert (sum(sizes), max(sizes)) == (160, 64)
    assert reader.read_range(98, 4).to_table().equals(everything.slice(98, 4))
    assert reader.read_range(160, 0).to_table().num_rows == 0
    taken = reader.take_rows([3, 100, 159]).to_table()
    assert taken.equals(everything.take([3, 100, 159]))
    assert reader.take_rows([]).to_table().schema.equals(SCHEMA)
    batches = reader.take_rows(range(100), batch_size=30).to_batches()
    sizes = [batch.num_rows for batch in batches]
    assert (sum(sizes), max(sizes) <= 30) == (100, True)
    assert (reader.read_global_buffer(1), reader.read_global_buffer(2)) == (b"first", b"")


def test_rows_may_be_taken_in_any_order_and_twice(written):
    taken = LanceFileReader(written).take_rows([5, 1, 5]).to_table()

    assert taken["n"].to_pylist() == [5, 1, 5]


@pytest.mark.parametrize(
    "columns, expected",
    [
        (["word"], {"word": ["w1", "w2"]}),
        (["word", "n"], {"word": ["w1", "w2"], "n": [1, 2]}),
        (["point.y"], {"point": [{"y": -1.0}, {"y": -2.0}]}),
    ],
)
def test_columns_are_chosen_when_the_file_is_opened(written, columns, expected):
    reader = LanceFileReader(written, columns=columns)

    assert reader.read_range(1, 2).to_table().to_pydict() == expected
    assert reader.take_rows([1, 2]).to_table().to_pydict() == expected


def test_a_script_that_keeps_rows_in_a_file(tmp_path):
    """What people do with single files, in one go."""
    path = tmp_path / "events.lance"
    writer = LanceFileWriter(path)
    index = writer.add_global_buffer(b"index of words")
    writer.add_schema_metadata("source", "sensor 7")
    for start in range(0, 5000, 500):
        writer.write_batch(rows(start, 500))
    assert writer.size_bytes is None
    assert writer.close() == 5000
    assert writer.close() is None
    assert writer.size_bytes == path.stat().st_size

    reader = LanceFileReader(path)
    assert reader.metadata().schema.metadata == {b"source": b"sensor 7"}
    assert reader.read_global_buffer(index) == b"index of words"
    total = sum(batch["n"].to_numpy().sum() for batch in reader.read_all().to_batches())
    assert total == sum(range(5000))


@pytest.mark.parametrize("version", (*VERSIONS, "stable", None))
def test_a_file_without_rows_has_a_schema(path, version):
    with LanceFileWriter(path, SCHEMA, version=version):
        pass

    reader = LanceFileReader(path)
    assert (reader.num_rows(), reader.metadata().schema) == (0, SCHEMA)
    assert reader.read_all().to_table().equals(SCHEMA.empty_table())


def test_the_default_version_is_the_stable_one(path):
    with LanceFileWriter(path, SCHEMA) as writer:
        writer.write_batch(rows(0, 1))
    metadata = LanceFileReader(path).metadata()

    assert f"{metadata.major_version}.{metadata.minor_version}" == stable_version()


def test_columns_may_come_in_another_order(path):
    with LanceFileWriter(path, SCHEMA) as writer:
        writer.write_batch(table_of(rows(0, 5)).select(["tags", "n", "point", "word"]))

    assert lance.file.LanceFileReader(path).read_all().to_table().equals(table_of(rows(0, 5)))


def test_a_block_that_raises_leaves_no_file(path):
    with pytest.raises(RuntimeError, match="stop"):
        with LanceFileWriter(path, SCHEMA) as writer:
            writer.write_batch(rows(0, 5))
            raise RuntimeError("stop")

    assert not pathlib.Path(path).exists()


def test_a_closed_writer_takes_nothing_more(path):
    writer = LanceFileWriter(path, SCHEMA)
    writer.close()

    for action in (
        lambda: writer.write_batch(rows(0, 1)),
        lambda: writer.add_global_buffer(b"x"),
        lambda: writer.add_schema_metadata("k", "v"),
    ):
        with pytest.raises(lance_cpp.InvalidError, match="is closed"):
            action()


@pytest.mark.parametrize(
    "action, expected",
    [
        (lambda p: LanceFileReader(p + ".nowhere"), lance_cpp.NotFoundError),
        (lambda p: LanceFileReader(__file__), OSError),
        (lambda p: LanceFileReader(p).read_range(150, 100).to_table(), ValueError),
        (lambda p: LanceFileReader(p).read_range(-1, 1), (ValueError, OverflowError)),
        (lambda p: LanceFileReader(p).take_rows([160]).to_table(), ValueError),
        (lambda p: LanceFileReader(p).read_global_buffer(9), ValueError),
        (
            lambda p: LanceFileReader(p, columns=["no"]).read_all().to_table(),
            lance_cpp.NotFoundError,
        ),
        (lambda p: LanceFileReader(p, columns=[]), lance_cpp.InvalidError),
        (lambda p: LanceFileReader(p, table_id=["t"]), lance_cpp.UnsupportedError),
        (lambda p: LanceFileReader(p).read_all(batch_readahead=0), lance_cpp.InvalidError),
        (lambda p: LanceFileReader(p).read_all(batch_readahead="2"), TypeError),
        (lambda p: LanceFileWriter(p, version="9.9").write_batch(rows(0, 1)), ValueError),
        (lambda p: LanceFileWriter(p + "2", table_id=["t"]), lance_cpp.UnsupportedError),
        (lambda p: LanceFileWriter(p + "2", keep_original_array=True), lance_cpp.UnsupportedError),
        (lambda p: LanceFileWriter(p + "2", colour="red"), TypeError),
        (lambda p: LanceFileWriter(p + "2").close(), lance_cpp.InvalidError),
        (lambda p: LanceFileWriter(p + "2", SCHEMA).write_batch([1]), TypeError),
        (
            lambda p: LanceFileWriter(p + "2", SCHEMA).write_batch(pa.record_batch({"n": ["x"]})),
            ValueError,
        ),
    ],
)
def test_what_cannot_be_done_is_refused(written, action, expected):
    with pytest.raises(expected):
        action(written)
    assert LanceFileReader(written).num_rows() == 160


@pytest.mark.parametrize("version", VERSIONS)
def test_bytes_that_are_no_text_are_corrupt_or_escaped(path, version):
    """Wherever the metadata is damaged."""
    with LanceFileWriter(path, SCHEMA, version=version) as writer:
        writer.write_batch(rows(0, 20, version))
        writer.add_schema_metadata("made by", "me")
    whole = pathlib.Path(path).read_bytes()
    escaped = set()
    for place in range(whole.index(b"lance.encodings"), len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] = 0xFF
        pathlib.Path(path).write_bytes(damaged)
        try:
            reader = LanceFileReader(path)
            reader.file_statistics()
            pages = [page for column in reader.metadata().columns for page in column.pages]
            escaped.update(page.encoding for page in pages if "\\xff" in page.encoding)
            reader.read_all().to_table()
        except lance_cpp.LanceError:
            pass
    assert escaped  # the names of encodings were among what was damaged
