"""Tables of many fragments: what an append writes, how large that is; nothing is quadratic."""

import pathlib
import shutil
import time

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import IS_LONG

FRAGMENTS = 100_000 if IS_LONG else 2_000
ROWS = 4
MAY_BE_LARGER = 1.1


def rows(first, count):
    ids = range(first, first + count)
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array([i / 2 for i in ids])})


def make_table(uri, fragments):
    """A table of many fragments which all have the same data file."""
    dataset = lance.write_dataset(rows(0, ROWS), uri, data_storage_version="2.1")
    written = dataset.get_fragments()[0].metadata
    # Without an id: the commit gives it.
    more = lance.FragmentMetadata(0, written.files, written.physical_rows)
    append = lance.LanceOperation.Append([more] * (fragments - 1))
    lance.LanceDataset.commit(uri, append, read_version=1)
    return uri


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return make_table(str(tmp_path_factory.mktemp("many") / "t.lance"), FRAGMENTS)


@pytest.fixture
def twins(many, tmp_path):
    """The same table twice: for ours, for the reference."""
    return [shutil.copytree(many, tmp_path / name) for name in ("ours", "theirs")]


def files_of(table):
    paths = (path for path in pathlib.Path(table).rglob("*") if path.is_file())
    return {str(path.relative_to(table)): path.read_bytes() for path in paths}


def change(table, do):
    """The files that a change makes, by folder; it touches no other but the hint."""
    before = files_of(table)
    do(str(table))
    after = files_of(table)
    hint = "_versions/latest_version_hint.json"
    assert {path for path in before if after.get(path) != before[path]} <= {hint}
    new = sorted(path for path in after if path not in before)
    return {path.split("/")[0]: len(after[path]) for path in new}, len(new)


def test_an_append_writes_data_manifest_and_transaction_and_nothing_else(twins):
    ours, theirs = twins

    def append_with(library):
        return lambda uri: library.write_dataset(rows(10**6, 3), uri, mode="append")

    new, count = change(ours, append_with(lance_cpp))
    reference, _ = change(theirs, append_with(lance))

    assert count == 3
    assert new.keys() == {"data", "_versions", "_transactions"}
    assert new["_versions"] <= MAY_BE_LARGER * reference["_versions"], (new, reference)
    assert new["_transactions"] <= MAY_BE_LARGER * reference["_transactions"] + 20, (new, reference)
    assert lance.dataset(str(ours)).count_rows() == FRAGMENTS * ROWS + 3
    assert lance_cpp.dataset(str(theirs)).count_rows() == FRAGMENTS * ROWS + 3


def test_the_manifest_stays_small_when_all_fragments_have_deletions(twins):
    few = 300  # each deletion file is one
    ours, theirs = twins
    make = {"ours": lance_cpp, "theirs": lance}
    new = {}
    for table in (ours, theirs):
        shutil.rmtree(table)
        make_table(str(table), few)
        library = make[table.name]
        new[table.name], count = change(table, lambda uri: library.dataset(uri).delete("id = 1"))
        assert count == few + 2

    assert new["ours"]["_versions"] <= MAY_BE_LARGER * new["theirs"]["_versions"], new
    assert lance.dataset(str(ours)).count_rows() == few * (ROWS - 1)
    assert lance_cpp.dataset(str(theirs)).to_table().num_rows == few * (ROWS - 1)


def test_metadata_operations_write_a_manifest_and_a_transaction(twins):
    ours, _ = twins
    for do in (
        lambda uri: lance_cpp.dataset(uri).update_config({"a": "b"}),
        lambda uri: lance_cpp.dataset(uri).alter_columns({"path": "v", "name": "w"}),
        lambda uri: lance_cpp.dataset(uri).drop_columns(["w"]),
        lambda uri: lance_cpp.dataset(uri).truncate_table(),
    ):
        new, count = change(ours, do)
        assert count == 2 and new.keys() == {"_versions", "_transactions"}
    lance.dataset(str(ours)).validate()


def seconds_of(uri, do):
    start = time.process_time()
    do(uri)
    return time.process_time() - start


if IS_LONG:

    @pytest.mark.parametrize(
        "do",
        [
            pytest.param(lambda uri: lance_cpp.dataset(uri).to_table(), id="scan"),
            pytest.param(lambda uri: lance_cpp.dataset(uri).count_rows("id = 2"), id="count"),
            pytest.param(lambda uri: lance_cpp.dataset(uri).delete("id = 1"), id="delete"),
            pytest.param(
                lambda uri: lance_cpp.dataset(uri).update({"v": "0"}, "id = 2"), id="update"
            ),
            pytest.param(lambda uri: lance_cpp.dataset(uri).add_columns({"w": "id + 1"}), id="add"),
        ],
    )
    def test_ten_times_the_fragments_take_about_ten_times_as_long(tmp_path, do):
        few, many = 2_000, 20_000
        seconds = {}
        for count in (few, many):
            make_table(str(tmp_path / str(count)), count)
            seconds[count] = seconds_of(str(tmp_path / str(count)), do)

        # What is quadratic takes a hundred times as long.
        assert seconds[many] < 25 * seconds[few], seconds
