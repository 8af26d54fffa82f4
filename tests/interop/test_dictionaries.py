"""Dictionary columns whose batches have dictionaries of their own."""

import lance_cpp
import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader, LanceFileWriter
from lance_cpp import file

VERSIONS = ["2.0", "2.1", "2.2"]


def batches_of(sizes, index_type=pa.int8(), rows=None):
    """A batch for each size, whose dictionary has so many values that no other has."""
    for number, size in enumerate(sizes):
        values = pa.array([f"s{number}_{i}" for i in range(size)])
        indices = pa.array(np.arange(size if rows is None else rows), index_type)
        column = pa.DictionaryArray.from_arrays(indices, values)
        yield pa.record_batch({"c": column})


def write(writer_class, path, batches, version):
    batches = list(batches)
    with writer_class(str(path), batches[0].schema, version=version) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return [value for batch in batches for value in batch["c"].to_pylist()]


def read(reader_class, path, batch_size):
    batches = reader_class(str(path)).read_all(batch_size=batch_size).to_batches()
    return [value for batch in batches for value in batch["c"].to_pylist()]


@pytest.mark.parametrize("version", VERSIONS)
def test_values_that_indices_cannot_number_are_refused(version, tmp_path):
    """The reference writes such files of 2.1 and 2.2, which nobody reads whole."""
    message = 'field .?"?c.*more than 128 values together.*int8.*use a wider index type'
    with pytest.raises(ValueError, match=message):
        write(file.LanceFileWriter, tmp_path / "f.lance", batches_of([100, 29]), version)
    with pytest.raises(ValueError, match=message):
        table = pa.Table.from_batches(batches_of([100, 29]))
        lance_cpp.write_dataset(table, tmp_path / "t", data_storage_version=version)
    assert [path.name for path in tmp_path.iterdir() if path.name == "f.lance"] == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "batches",
    [
        pytest.param(([100, 28],), id="all_numbers"),
        pytest.param(([100, 100, 100], pa.int16()), id="wide_indices"),
        pytest.param(([100, 100, 100], pa.int8(), 10), id="values_that_no_row_names"),
    ],
)
def test_values_that_indices_can_number_are_read_by_both(batches, version, tmp_path):
    path = tmp_path / "f.lance"
    written = write(file.LanceFileWriter, path, batches_of(*batches), version)

    assert read(file.LanceFileReader, path, 1024) == written
    assert read(LanceFileReader, path, 1024) == written


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_pages_of_the_reference_that_no_dictionary_can_hold_are_read(version, tmp_path):
    """The batch across them is cut."""
    rows = 9_000_000  # more than a page holds
    indices = pa.array(np.arange(rows) % 100, pa.int8())
    path = tmp_path / "f.lance"
    dictionaries = [pa.array([f"s{number}_{i}" for i in range(100)]) for number in range(2)]
    columns = [pa.DictionaryArray.from_arrays(indices, values) for values in dictionaries]
    with LanceFileWriter(str(path), pa.schema({"c": columns[0].type}), version=version) as writer:
        for column in columns:
            writer.write_batch(pa.record_batch({"c": column}))
    metadata = LanceFileReader(str(path)).metadata()
    assert len(metadata.columns[0].pages) > 1

    read_rows = 0
    for batch in file.LanceFileReader(path).read_all(batch_size=1_000_000).to_batches():
        number, first = divmod(read_rows, rows)
        expected = columns[number].slice(first, len(batch)).cast(pa.string())
        assert batch["c"].cast(pa.string()).equals(expected)
        read_rows += len(batch)
    assert read_rows == 2 * rows
    taken = file.LanceFileReader(path).take_rows([5, rows + 6]).to_table()
    assert taken["c"].to_pylist() == ["s0_5", "s1_6"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("view", [pa.string_view(), pa.binary_view()], ids=str)
def test_dictionaries_of_views_are_written_as_texts(view, version, tmp_path):
    values = pa.array(["a", "bc"]).cast(pa.binary()).cast(view)
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), values)
    path = tmp_path / "f.lance"

    written = write(file.LanceFileWriter, path, [pa.record_batch({"c": column})], version)

    assert read(file.LanceFileReader, path, 10) == written
    assert read(LanceFileReader, path, 10) == written
