"""Compaction that keeps the order of rows, by us and by the reference, in one process.

Both group the same fragments and cut files at the same rows; after a compaction by either both read
the same rows, ids and versions, queries through the reference's indices are right, and validate
finds nothing.
"""

import os

import lance
import lance_cpp
import lance.optimize
import lance_cpp.optimize
import pyarrow as pa
import pytest
from lance.file import LanceFileReader
from lance_cpp.errors import CommitConflictError, InvalidError, UnsupportedError

from lancectl import IS_LONG, rng_of

WRITERS = [lance_cpp, lance]
NAMES = ["ours", "reference"]
PLANS = range(400 if IS_LONG else 10)
TABLES = range(60 if IS_LONG else 2)
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


@pytest.fixture(name="writer", params=WRITERS, ids=NAMES)
def _writer(request):
    return request.param


@pytest.fixture(name="uri")
def _uri(tmp_path):
    return str(tmp_path / "t.lance")


def rows(first, count):
    """Rows of an int, a text and a list column."""
    keys = range(first, first + count)
    return pa.table(
        {
            "id": pa.array(keys, pa.int64()),
            "s": pa.array(
                [None if key % 5 == 0 else f"text {key}" * (key % 4) for key in keys], pa.string()
            ),
            "l": pa.array(
                [None if key % 7 == 0 else [key] * (key % 3) for key in keys], pa.list_(pa.int32())
            ),
        }
    )


def make(uri, sizes, **options):
    """One fragment for each size."""
    first = 0
    for size in sizes:
        lance.write_dataset(rows(first, size), uri, mode="append", **options)
        first += size
    return lance.dataset(uri)


def fragment_ids(module, dataset, **options):
    plan = module.optimize.Compaction.plan(dataset, options=options)
    return [[fragment.id for fragment in task.fragments] for task in plan.tasks]


def sizes_of(uri):
    return [fragment.physical_rows for fragment in lance.dataset(uri).get_fragments()]


def check(uri, expected):
    """Both read the expected rows, and the reference finds nothing wrong."""
    theirs = lance.dataset(uri)
    theirs.validate()
    assert theirs.to_table().equals(expected)
    ours = lance_cpp.dataset(uri)
    assert ours.to_table().equals(expected)
    assert ours.count_rows() == expected.num_rows
    assert [finding for finding in ours.check() if finding["severity"] == "error"] == []


def files_of(uri):
    return set(os.listdir(os.path.join(uri, "data")))


# The plan.


def random_plan_options(rng, num_fragments):
    options = {"target_rows_per_fragment": rng.choice([1, 5, 8, 13, 30, 1000])}
    if rng.random() < 0.3:
        options["materialize_deletions"] = rng.random() < 0.5
    if rng.random() < 0.5:
        options["materialize_deletions_threshold"] = rng.choice([0.0, 0.2, 0.5, 1.0, 3.0])
    if rng.random() < 0.3:
        budget = rng.choice(["max_source_fragments", "max_source_rows", "max_source_bytes"])
        options[budget] = rng.choice([1, 3, 10, 40, 2000, 5000])
    if rng.random() < 0.3:
        options["excluded_fragment_ids"] = rng.choices(range(num_fragments + 3), k=2)
    return options


@pytest.mark.parametrize("seed", PLANS)
def test_both_group_the_same_fragments(seed, uri):
    rng = rng_of("plan", seed)
    sizes = [rng.choice([1, 2, 3, 5, 8, 13, 20]) for _ in range(rng.randrange(1, 14))]
    stable = rng.random() < 0.4
    indexed_at = {rng.randrange(len(sizes)) for _ in range(rng.randrange(3))}
    dataset, first = None, 0
    for number, size in enumerate(sizes):
        dataset = lance.write_dataset(
            rows(first, size), uri, mode="append", enable_stable_row_ids=stable
        )
        first += size
        if number in indexed_at:
            kind = rng.choice(["BTREE", "BITMAP", "ZONEMAP"])
            dataset.create_scalar_index("id", kind, name=f"{kind}{number}")
        if rng.random() < 0.2:
            dataset.optimize.optimize_indices(num_indices_to_merge=0)
    for _ in range(rng.randrange(3)):
        dataset.delete(f"id % {rng.choice([2, 3, 4, 9])} = 1")
    ours = lance_cpp.dataset(uri)

    for _ in range(8):
        options = random_plan_options(rng, len(sizes))
        theirs = fragment_ids(lance, dataset, **options)
        assert fragment_ids(lance_cpp, ours, **options) == theirs, options


@pytest.mark.parametrize("seed", TABLES)
def test_both_cut_new_files_at_the_same_rows(seed, tmp_path):
    rng = rng_of("cut", seed)
    sizes = [rng.randrange(1, 60) for _ in range(rng.randrange(2, 6))]
    options = {
        "target_rows_per_fragment": rng.randrange(2, 80),
        "materialize_deletions_threshold": 0.0,
    }
    cuts = []
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        make(uri, sizes).delete("id % 3 = 0")
        expected = lance.dataset(uri).to_table()
        module.dataset(uri).optimize.compact_files(**options)
        check(uri, expected)
        cuts.append(sizes_of(uri))
    assert cuts[0] == cuts[1], (sizes, options)


# Rows, ids and versions.


def random_table(rng, uri, stable, version):
    """Fragments with deletions, updates, and columns in files of their own; also all null."""
    modules = [lance_cpp, lance]
    first = 0
    for _ in range(rng.randrange(2, 7)):
        count = rng.randrange(1, 40)
        rng.choice(modules).write_dataset(
            rows(first, count),
            uri,
            mode="append" if first else "create",
            data_storage_version=version,
            enable_stable_row_ids=stable,
        )
        first += count
        dataset = rng.choice(modules).dataset(uri)
        change = rng.randrange(5)
        names = set(dataset.schema.names)
        if change == 0:
            dataset.delete(f"id % {rng.randrange(2, 7)} = 1")
        elif change == 1:
            dataset.update({"s": "'new'"}, where=f"id % {rng.randrange(2, 7)} = 0")
        elif change == 2 and "x" not in names and names >= {"id"}:
            dataset.add_columns({"x": "id * 2"})
            break  # rows of the shape that `rows` makes do not fit any more
        elif change == 3:
            dataset.add_columns(pa.field("n", pa.string()))
            break
        elif change == 4:
            dataset.drop_columns(["l"])
            break


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable_ids"])
@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@pytest.mark.parametrize("seed", TABLES)
def test_rows_ids_and_versions_stay(seed, version, stable, writer, uri):
    rng = rng_of("rows", seed, version, stable)
    random_table(rng, uri, stable, version)
    before = lance.dataset(uri)
    lineage = LINEAGE if stable else []
    names = [*before.schema.names, *lineage]
    expected, with_lineage = before.to_table(), before.to_table(columns=names)
    mode = rng.choice(["reencode", "try_binary_copy"])

    metrics = writer.dataset(uri).optimize.compact_files(
        target_rows_per_fragment=rng.choice([10, 50, 1000]),
        materialize_deletions_threshold=rng.choice([0.0, 0.3]),
        compaction_mode=mode,
    )

    after = lance.dataset(uri)
    check(uri, after.to_table())
    assert after.to_table().sort_by("id").equals(expected.sort_by("id"))
    if metrics.fragments_removed in (0, len(before.get_fragments())):
        assert after.to_table().equals(expected)  # what is rewritten in part moves to the end
    for module in WRITERS:
        same = module.dataset(uri).to_table(columns=names).sort_by("id")
        assert same.equals(with_lineage.sort_by("id"))
    if metrics.fragments_removed == 0:
        assert after.version == before.version
    fragments = len(before.get_fragments()) - metrics.fragments_removed + metrics.fragments_added
    assert len(after.get_fragments()) == fragments


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable_ids"])
def test_the_table_can_be_changed_by_either_afterwards(stable, writer, uri):
    make(uri, [10, 10, 10], enable_stable_row_ids=stable).delete("id = 4")
    lance_cpp.dataset(uri).optimize.compact_files()

    writer.dataset(uri).delete("id = 7")
    writer.dataset(uri).update({"s": "'u'"}, where="id = 8")
    writer.write_dataset(rows(30, 5), uri, mode="append")
    writer.dataset(uri).optimize.compact_files(materialize_deletions_threshold=0.0)

    ids = lance.dataset(uri).to_table()["id"].to_pylist()
    assert sorted(ids) == sorted({*range(35)} - {4, 7})
    check(uri, lance.dataset(uri).to_table())


def test_files_of_another_version_are_refused(uri):
    make(uri, [5, 5], data_storage_version="2.0")

    with pytest.raises(UnsupportedError, match="data_storage_version is 2.2, the table's is 2.0"):
        lance_cpp.dataset(uri).optimize.compact_files(data_storage_version="2.2")
    lance_cpp.dataset(uri).optimize.compact_files(data_storage_version="2.0")

    assert sizes_of(uri) == [10]


def test_files_end_at_the_bytes_asked_for(uri):
    table = pa.table({"id": range(300_000), "x": [float(i * 7919 % 10007) for i in range(300_000)]})
    lance.write_dataset(table, uri, max_rows_per_file=50_000)

    lance_cpp.dataset(uri).optimize.compact_files(max_bytes_per_file=700_000)

    check(uri, table)
    sizes = [os.path.getsize(os.path.join(uri, "data", name)) for name in files_of(uri)]
    assert len(sizes_of(uri)) > 1
    assert len(sizes) > 6 + 1


def index_names(uri):
    return [index["name"] for index in lance.dataset(uri).list_indices()]


def test_configuration_gives_the_defaults(uri):
    make(uri, [10] * 6)
    dataset = lance.dataset(uri)
    dataset.update_config({"lance.compaction.target_rows_per_fragment": "20"})
    ours = lance_cpp.dataset(uri)
    assert fragment_ids(lance_cpp, ours) == fragment_ids(lance, dataset) == [[0, 1], [2, 3], [4, 5]]

    dataset.create_scalar_index("id", "BTREE")
    dataset.update_config({"lance.compaction.defer_index_remap": "true"})
    lance_cpp.dataset(uri).optimize.compact_files(max_source_fragments=2)
    assert sorted(index_names(uri)) == ["__lance_frag_reuse", "id_idx"]
    lance_cpp.dataset(uri).optimize.compact_files(defer_index_remap=False)
    assert sizes_of(uri) == [20, 20, 20]

    dataset.checkout_latest()
    dataset.update_config({"lance.compaction.materialize_deletions": "perhaps"})
    with pytest.raises(InvalidError, match="lance.compaction.materialize_deletions"):
        lance_cpp.dataset(uri).optimize.compact_files(defer_index_remap=False)


# Pages that are copied as they are.


def pages_of(uri):
    """Rows of the pages of each column of the only data file."""
    (fragment,) = lance.dataset(uri).get_fragments()
    (file,) = fragment.data_files()
    metadata = LanceFileReader(os.path.join(uri, "data", file.path)).metadata()
    return [[page.num_rows if hasattr(page, "num_rows") else None for page in column.pages]
            for column in metadata.columns]


STRUCT = pa.struct([("x", pa.int32()), ("y", pa.string())])
COLUMNS = {
    "int": lambda key: key,
    "text": lambda key: None if key % 5 == 0 else f"text {key}" * (key % 4),
    "constant": lambda key: 7,
    "list": lambda key: None if key % 7 == 0 else [key] * (key % 3),
    "struct": lambda key: {"x": key, "y": None},
    "struct_or_null": lambda key: None if key % 6 == 0 else {"x": key, "y": None},
    "list_of_struct": lambda key: [{"x": key + i, "y": "y" * i} for i in range(key % 3)],
    "wide": lambda key: bytes([key % 251]) * 5000,
    "fixed": lambda key: [key, None, key + 2],
    "dictionary": lambda key: f"word {key % 3}",
    "null": lambda key: None,
}
TYPES = {
    "int": pa.int64(),
    "text": pa.string(),
    "constant": pa.int16(),
    "list": pa.list_(pa.int32()),
    "struct": STRUCT,
    "struct_or_null": STRUCT,
    "list_of_struct": pa.list_(STRUCT),
    "wide": pa.binary(),
    "fixed": pa.list_(pa.int32(), 3),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "null": pa.null(),
}


def make_column(uri, name, version):
    # As many items as rows: in 2.0 the reference copies structs below lists right only then.
    sizes = (300, 3, 450)
    first = 0
    for size in sizes:
        values = pa.array(map(COLUMNS[name], range(first, first + size)), TYPES[name])
        table = pa.table({"id": range(first, first + size), "c": values})
        lance.write_dataset(table, uri, mode="append", data_storage_version=version)
        first += size


def copied_columns():
    """Each column in each version that can hold it; in the short size in one of them."""
    for name in COLUMNS:
        # 2.0 has no nulls of structs.
        versions = ["2.1", "2.2"] if name == "struct_or_null" else ["2.0", "2.1", "2.2"]
        chosen = versions if IS_LONG else [rng_of("copied", name).choice(versions)]
        yield from ((name, version) for version in chosen)


@pytest.mark.parametrize("name, version", list(copied_columns()))
def test_both_copy_pages(name, version, tmp_path):
    pages = []
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        make_column(uri, name, version)
        # Not as Arrow: both keep the dictionaries of pages apart.
        expected = lance.dataset(uri).to_table().to_pylist()
        before = lance_cpp.dataset(uri).to_table()
        assert before.to_pylist() == expected

        metrics = module.dataset(uri).optimize.compact_files(compaction_mode="force_binary_copy")

        assert metrics.fragments_added == 1
        assert lance.dataset(uri).to_table().to_pylist() == expected
        assert lance_cpp.dataset(uri).to_table().to_pylist() == expected
        lance.dataset(uri).validate()
        rows = [700, 2, 299, 300, 301]
        taken = lance_cpp.dataset(uri).take(rows).to_pylist()
        assert taken == lance.dataset(uri).take(rows).to_pylist()
        # What was copied is copied once more.
        lance.write_dataset(before.slice(0, 5), uri, mode="append", data_storage_version=version)
        lance_cpp.dataset(uri).optimize.compact_files(compaction_mode="force_binary_copy")
        for reader in WRITERS:
            assert reader.dataset(uri).to_table().to_pylist() == expected + expected[:5]
        pages.append([len(column) for column in pages_of(uri)])
    assert pages[0] == pages[1]


def drop(dataset):
    dataset.drop_columns(["l"])


NOT_COPIED = {
    "deleted rows": lambda dataset: dataset.delete("id = 3"),
    "several files": lambda dataset: dataset.add_columns({"x": "id * 2"}),
    "a dropped column": drop,
    "a column of nulls": lambda dataset: dataset.add_columns(pa.field("n", pa.string())),
}


@pytest.mark.parametrize("title", list(NOT_COPIED))
def test_neither_copies_pages(title, tmp_path):
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        NOT_COPIED[title](make(uri, [10, 10]))
        expected = lance.dataset(uri).to_table()
        before = files_of(uri)

        with pytest.raises(OSError if module is lance else UnsupportedError):
            module.dataset(uri).optimize.compact_files(compaction_mode="force_binary_copy")
        if module is lance_cpp:
            assert files_of(uri) == before
        module.dataset(uri).optimize.compact_files(compaction_mode="try_binary_copy")

        check(uri, expected)
        assert len(sizes_of(uri)) == 1


def test_renamed_columns_are_copied_under_their_new_names(uri):
    make(uri, [10, 10]).alter_columns({"path": "s", "name": "t"})
    expected = lance.dataset(uri).to_table()

    lance_cpp.dataset(uri).optimize.compact_files(compaction_mode="force_binary_copy")

    check(uri, expected)
    (file,) = files_of(uri) - files_of_version(uri, 3)
    assert LanceFileReader(os.path.join(uri, "data", file)).metadata().schema.names[1] == "t"


def files_of_version(uri, version):
    dataset = lance.dataset(uri, version=version)
    return {file.path for part in dataset.get_fragments() for file in part.data_files()}


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable_ids"])
def test_copied_rows_keep_ids_and_versions(stable, uri):
    make(uri, [10, 20, 30], enable_stable_row_ids=stable)
    names = ["id", "s", "l", *(LINEAGE if stable else [])]
    expected = lance.dataset(uri).to_table(columns=names)

    lance_cpp.dataset(uri).optimize.compact_files(
        compaction_mode="force_binary_copy", binary_copy_read_batch_bytes=1
    )

    check(uri, expected.select(["id", "s", "l"]))
    assert lance.dataset(uri).to_table(columns=names).equals(expected)


# Indices of the reference.


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable_ids"])
def test_queries_through_indices_are_right_afterwards(stable, uri):
    dataset = make(uri, [30, 30, 30], enable_stable_row_ids=stable)
    dataset.create_scalar_index("id", "BTREE", name="tree")
    dataset.create_scalar_index("s", "BITMAP", name="bits")
    dataset.create_scalar_index("id", "ZONEMAP", name="zones")
    dataset.create_scalar_index("s", "INVERTED", name="words")
    dataset.create_scalar_index("s", "NGRAM", name="grams")
    for first in (90, 100, 110):
        dataset = lance.write_dataset(rows(first, 10), uri, mode="append")
    dataset.delete("id % 10 = 2")
    filters = [
        "id < 40", "id = 64", "id > 70 AND s = 'text 73text 73'", "s = 'new'",
        "contains(s, 'text 11')", "id >= 95 AND id < 105",
    ]

    metrics = lance_cpp.dataset(uri).optimize.compact_files()

    assert metrics.fragments_removed == 6 and metrics.fragments_added == 2
    for _ in range(2):
        after = lance.dataset(uri)
        after.validate()
        ours = lance_cpp.dataset(uri)
        for text in filters:
            expected = after.to_table(filter=text, use_scalar_index=False)
            assert after.to_table(filter=text).equals(expected), text
            if "contains" not in text:
                assert ours.to_table(filter=text).equals(expected), text
        assert after.to_table(full_text_query="text").num_rows >= 0
        # Once more after a change, and after the indices were brought up to date.
        after.update({"s": "'new'"}, where="id % 20 = 5")
        after.optimize.optimize_indices()


def test_indices_with_stable_ids_go_on_answering(uri):
    dataset = make(uri, [30, 30], enable_stable_row_ids=True)
    dataset.create_scalar_index("s", "BITMAP", name="bits")
    dataset.create_scalar_index("id", "BTREE", name="tree")

    metrics = lance_cpp.dataset(uri).optimize.compact_files()

    coverage = {
        index.name: set(index.segments[0].fragment_ids)
        for index in lance.dataset(uri).describe_indices()
    }
    assert coverage == {"bits": {2}, "tree": set()}
    assert [index["name"] for index in metrics.uncovered_indices] == ["tree"]


# Other commits.


def rival_delete(module, dataset):
    del module
    dataset.delete("id = 3")


def rival_update(module, dataset):
    del module
    dataset.update({"s": "'u'"}, where="id = 3")


def rival_append(module, dataset):
    module.write_dataset(rows(100, 5), dataset.uri, mode="append")


def rival_nulls(module, dataset):
    del module
    dataset.add_columns(pa.field("n", pa.string()))


RIVALS = {"delete": rival_delete, "update": rival_update, "append": rival_append}


@pytest.mark.parametrize("rival", list(RIVALS))
@pytest.mark.parametrize("compactor", WRITERS, ids=NAMES)
def test_a_rival_commits_between_plan_and_commit(rival, compactor, writer, uri):
    make(uri, [10, 10, 10, 10])
    dataset = compactor.dataset(uri)
    compaction = compactor.optimize.Compaction
    plan = compaction.plan(dataset, options={"target_rows_per_fragment": 20})
    results = [task.execute(dataset) for task in plan.tasks]

    RIVALS[rival](writer, writer.dataset(uri))

    expected = lance.dataset(uri).to_table()
    if rival == "append":
        compaction.commit(dataset, results)
        assert sizes_of(uri)[-2:] == [20, 20]
    elif compactor is lance_cpp:
        # The task of other fragments lands.
        metrics = compaction.commit(dataset, results)
        assert (metrics.tasks_committed, metrics.tasks_conflicted) == (1, 1)
    else:
        with pytest.raises(OSError):
            compaction.commit(dataset, results)
    after = lance.dataset(uri).to_table()
    assert after.sort_by("id").equals(expected.sort_by("id"))
    lance.dataset(uri).validate()


@pytest.mark.parametrize("rival", list(RIVALS))
@pytest.mark.parametrize("compactor", WRITERS, ids=NAMES)
def test_a_change_on_the_version_before_a_compaction(rival, compactor, writer, uri):
    make(uri, [10, 10, 10, 10])
    before = writer.dataset(uri)
    compactor.dataset(uri).optimize.compact_files(target_rows_per_fragment=20)

    RIVALS[rival](writer, before)  # meets the compaction and runs again

    expected = {"delete": 39, "update": 40, "append": 45}[rival]
    after = lance.dataset(uri)
    after.validate()
    assert after.count_rows() == expected == lance_cpp.dataset(uri).count_rows()
    assert after.count_rows("s = 'u'") == (rival == "update")


def test_a_column_that_came_meanwhile_makes_the_commit_fail(uri):
    make(uri, [10, 10])
    dataset = lance_cpp.dataset(uri)
    plan = lance_cpp.optimize.Compaction.plan(dataset)
    results = [task.execute(dataset) for task in plan.tasks]
    rival_nulls(lance, lance.dataset(uri))

    with pytest.raises(CommitConflictError):
        lance_cpp.optimize.Compaction.commit(dataset, results)

    assert lance_cpp.dataset(uri).count_rows() == 20
    lance_cpp.dataset(uri).optimize.compact_files()
    check(uri, lance.dataset(uri).to_table())
    assert sizes_of(uri) == [20]


def test_tasks_are_committed_in_any_number_of_commits(uri):
    make(uri, [10] * 6)
    expected = lance.dataset(uri).to_table()
    compaction = lance_cpp.optimize.Compaction
    dataset = lance_cpp.dataset(uri)
    plan = compaction.plan(dataset, options={"target_rows_per_fragment": 20})
    first, second, third = [task.execute(dataset) for task in plan.tasks]

    compaction.commit(dataset, [second])
    compaction.commit(lance_cpp.dataset(uri), [first, third])

    assert lance.dataset(uri).to_table().sort_by("id").equals(expected)
    assert sizes_of(uri) == [20, 20, 20]
    with pytest.raises(CommitConflictError):
        compaction.commit(dataset, [second])
    assert lance.dataset(uri).count_rows() == 60
    lance.dataset(uri).validate()


def test_stages_print_the_same(tmp_path):
    """What the reference prints for the steps of a distributed compaction."""
    printed = []
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        make(uri, [10] * 8)
        dataset = module.dataset(uri)
        dataset.delete("id = 11")
        plan = module.optimize.Compaction.plan(dataset, {"target_rows_per_fragment": 20})
        results = [task.execute(dataset) for task in plan.tasks]
        one = [
            (r.metrics.fragments_removed, r.metrics.fragments_added, r.metrics.files_removed,
             r.metrics.files_added) for r in results
        ]
        untouched = dataset.latest_version == plan.read_version
        whole = module.optimize.Compaction.commit(dataset, results)
        printed.append(
            [
                repr(plan), plan.num_tasks(), one, untouched,
                (whole.fragments_removed, whole.fragments_added, whole.files_removed,
                 whole.files_added),
                dataset.count_rows(), dataset.version == module.dataset(uri).version,
            ]
        )
    assert printed[0] == printed[1]
