"""Data files that are written to other places than the table, by either writer."""

import importlib
import json
import os
import pathlib

import lance
import lance_cpp
import pyarrow as pa
import pytest

BOTH = pytest.mark.parametrize("library", [lance, lance_cpp], ids=["theirs", "ours"])


def rows(first, count):
    ids = range(first, first + count)
    return pa.table({"id": pa.array(ids, pa.int64()), "s": [f"row {i}" for i in ids]})


def places_of(uri):
    """The base id of every fragment's file, in order."""
    return [f.metadata.files[0].base_id for f in lance.dataset(uri).get_fragments()]


def assert_alike(uri):
    theirs = lance.dataset(uri)
    theirs.validate()
    ours = lance_cpp.dataset(uri)
    assert ours.version == theirs.version
    assert ours.to_table().equals(theirs.to_table())

    def described(dataset):
        bases = dataset.base_paths()
        return {
            number: (base.id, base.name, base.path, base.is_dataset_root)
            for number, base in bases.items()
        }

    assert described(ours) == described(theirs)
    return theirs.to_table()["id"].to_pylist()


def bases(library, folder):
    base = library.DatasetBasePath
    return [
        base(str(folder / "flat"), name="flat", is_dataset_root=False),
        base(str(folder / "root"), name="root", is_dataset_root=True),
    ]


def files_below(folder):
    return len([path for path in pathlib.Path(folder).rglob("*") if path.is_file()])


@pytest.fixture
def uri(tmp_path):
    return str(tmp_path / "t.lance")


@pytest.fixture
def spread(uri, tmp_path):
    """A table with two bases and all its files in itself."""
    lance.write_dataset(
        rows(0, 4), uri, initial_bases=bases(lance, tmp_path), data_storage_version="2.1"
    )
    return uri


@BOTH
def test_a_table_is_created_in_its_bases(uri, tmp_path, library):
    made = library.write_dataset(
        rows(0, 10),
        uri,
        initial_bases=bases(library, tmp_path),
        target_bases=["root", str(tmp_path / "flat")],
        max_rows_per_file=2,
    )

    assert made.version == 1
    assert assert_alike(uri) == list(range(10))
    assert places_of(uri) == [2, 1, 2, 1, 2]
    assert files_below(tmp_path / "flat") == 2
    assert files_below(tmp_path / "root" / "data") == 3
    assert not os.path.exists(f"{uri}/data") or files_below(f"{uri}/data") == 0


@BOTH
@pytest.mark.parametrize("target, place", [("flat", 1), ("root", 2)])
def test_rows_are_appended_to_a_base(spread, library, target, place):
    library.write_dataset(rows(4, 4), spread, mode="append", target_bases=[target])
    library.dataset(spread).insert(rows(8, 2))

    assert assert_alike(spread) == list(range(10))
    assert places_of(spread) == [None, place, None]


@BOTH
@pytest.mark.parametrize(
    "with_primary, expected", [(True, [None, 1, 2, None]), (False, [1, 2, 1, 2])]
)
def test_rows_go_to_all_bases_in_turn(spread, library, with_primary, expected):
    library.write_dataset(
        rows(4, 8), spread, mode="append", target_all_bases=with_primary, max_rows_per_file=2
    )

    assert assert_alike(spread) == list(range(12))
    assert places_of(spread)[1:] == expected


@BOTH
def test_an_overwrite_keeps_the_bases(spread, library):
    library.write_dataset(rows(50, 3), spread, mode="overwrite", target_bases=["root"])

    assert assert_alike(spread) == [50, 51, 52]
    assert places_of(spread) == [2]


@BOTH
def test_an_append_that_creates_the_table_takes_initial_bases(uri, tmp_path, library):
    library.write_dataset(
        rows(0, 2),
        uri,
        mode="append",
        initial_bases=bases(library, tmp_path),
        target_bases=["flat"],
    )

    assert assert_alike(uri) == [0, 1]
    assert places_of(uri) == [1]


@BOTH
def test_ids_of_bases_are_kept_or_given(uri, tmp_path, library):
    base = library.DatasetBasePath
    given = [base(str(tmp_path / "a"), name="a", id=7)]
    given += [base(str(tmp_path / name)) for name in ("b", "c")]
    library.write_dataset(rows(0, 2), uri, initial_bases=given)

    assert_alike(uri)
    assert sorted(lance_cpp.dataset(uri).base_paths()) == [1, 2, 7]


@BOTH
def test_bases_are_added_later(uri, tmp_path, library):
    library.write_dataset(rows(0, 2), uri)
    dataset = library.dataset(uri)

    assert dataset.add_bases(bases(library, tmp_path)) is dataset
    library.write_dataset(rows(2, 2), uri, mode="append", target_bases=["flat"])

    assert assert_alike(uri) == [0, 1, 2, 3]
    assert places_of(uri) == [None, 1]


@BOTH
@pytest.mark.parametrize(
    "mode, given, problem",
    [
        ("append", {"target_bases": ["nowhere"]}, "nowhere"),
        ("append", {"target_bases": ["1"]}, "1"),
        ("append", {"initial_bases": True}, "APPEND|Append|there already"),
        ("overwrite", {"initial_bases": True}, "OVERWRITE|Overwrite|there already"),
        ("append", {"target_bases": ["flat"], "target_all_bases": True}, "target_all_bases"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(
    spread, tmp_path, library, mode, given, problem
):
    given = dict(given)
    if "initial_bases" in given:
        given["initial_bases"] = [library.DatasetBasePath(str(tmp_path / "more"), name="more")]
    before = files_below(tmp_path)

    with pytest.raises((OSError, ValueError), match=problem):
        library.write_dataset(rows(4, 2), spread, mode=mode, **given)

    assert files_below(tmp_path) == before


@BOTH
def test_two_bases_of_one_id_are_refused(uri, tmp_path, library):
    base = library.DatasetBasePath
    twice = [base(str(tmp_path / "a"), name="a", id=3), base(str(tmp_path / "b"), name="b", id=3)]

    with pytest.raises((OSError, ValueError), match="3"):
        library.write_dataset(rows(0, 2), uri, initial_bases=twice)
    assert not os.path.exists(f"{uri}/_versions") or files_below(f"{uri}/_versions") == 0


@BOTH
def test_fragments_are_written_to_a_base(spread, library):
    fragments = importlib.import_module(f"{library.__name__}.fragment")
    written = fragments.write_fragments(rows(4, 2), spread, target_bases=["flat"])
    assert [fragment.files[0].base_id for fragment in written] == [1]
    other = lance_cpp if library is lance else lance
    metadata = importlib.import_module(f"{other.__name__}.fragment").FragmentMetadata
    handed = [metadata.from_json(json.dumps(fragment.to_json())) for fragment in written]

    other.LanceDataset.commit(spread, other.LanceOperation.Append(handed), read_version=1)

    assert assert_alike(spread) == list(range(6))


@BOTH
def test_a_transaction_brings_the_bases_of_a_new_table(uri, tmp_path, library):
    fragments = importlib.import_module(f"{library.__name__}.fragment")
    transaction = fragments.write_fragments(
        rows(0, 2),
        uri,
        mode="create",
        initial_bases=bases(library, tmp_path),
        target_bases=["flat"],
        return_transaction=True,
    )

    library.LanceDataset.commit(uri, transaction)

    assert assert_alike(uri) == [0, 1]
    assert places_of(uri) == [1]


def test_a_write_that_fails_leaves_nothing_in_the_base(spread, tmp_path):
    def batches():
        yield rows(4, 2).to_batches()[0]
        raise RuntimeError("no more")

    schema = rows(0, 1).schema
    with pytest.raises(RuntimeError, match="no more"):
        lance_cpp.write_dataset(
            batches(), spread, schema, mode="append", target_bases=["flat"], max_rows_per_file=1
        )

    assert files_below(tmp_path / "flat") == 0


def test_rows_in_bases_are_changed_like_others(spread, tmp_path):
    lance_cpp.write_dataset(rows(4, 4), spread, mode="append", target_bases=["root"])
    ours = lance_cpp.dataset(spread)
    ours.delete("id = 5")
    ours.update({"s": "'new'"}, where="id = 6")
    ours.add_columns({"twice": "id * 2"})
    lance.dataset(spread).delete("id = 0")

    assert sorted(assert_alike(spread)) == [1, 2, 3, 4, 6, 7]
