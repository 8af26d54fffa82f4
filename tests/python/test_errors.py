"""What calls raise: the classes that users of the reference catch, and what they can ask them."""

import importlib
import inspect
import pathlib
import pickle
import re

import lance
import lance_cpp
import lance_cpp.errors
import lance_cpp.file
import pyarrow as pa
import pytest

# Arguments of the reference that this version has; every other one is refused when it is given.
HAS = {
    "dataset": {"uri", "version", "asof", "storage_options", "default_scan_options", "session"}
    | {"metadata_cache_size_bytes", "index_cache_size_bytes", "block_size", "index_cache_size"},
    "write_dataset": {"data_obj", "uri", "schema", "mode", "max_rows_per_file"}
    | {"auto_cleanup_options", "max_rows_per_group", "enable_stable_row_ids"}
    | {
        "max_page_bytes",
        "max_bytes_per_file",
        "storage_options",
        "data_storage_version",
        "session",
        "declare",
    }
    | {"enable_v2_manifest_paths", "commit_message", "transaction_properties", "cluster_by"}
    | {"observer", "initial_bases", "target_bases", "target_all_bases"},
    "scanner": {"self", "columns", "filter", "limit", "offset", "batch_size", "scan_in_order"}
    | {"with_row_id", "with_row_address", "blob_handling", "batch_size_bytes", "batch_readahead"}
    | {"fragment_readahead", "io_buffer_size", "late_materialization", "prefilter"}
    | {"strict_batch_size", "disable_scoring_autoprojection"}
    | {"fragments", "include_deleted_rows", "order_by"}
    | {"use_stats", "use_scalar_index", "scan_stats_callback"},
    "compact_files": {"self", "target_rows_per_fragment", "max_bytes_per_file", "num_threads"}
    | {"compaction_mode", "max_source_fragments", "max_source_rows", "max_source_bytes", "full"}
    | {"target_rows_per_group", "min_merge_ratio", "take_over", "rows_per_zone", "observer"}
    | {"index_policy"}
    | {"materialize_deletions", "materialize_deletions_threshold", "batch_size"}
    | {"binary_copy_read_batch_bytes", "excluded_fragment_ids", "data_storage_version"}
    # Refused where it fits; the table of this test is clustered.
    | {"defer_index_remap"},
    "create_scalar_index": {"self", "column", "index_type", "name", "replace", "rows_per_zone"}
    | {"train", "use_seeds", "index_uuid", "progress_callback", "observer"}
    # Refused with a ValueError, as in the reference.
    | {"fragment_ids"},
}


@pytest.fixture
def ours(flights, place):
    return lance_cpp.write_dataset(flights, place)


def raised_by(action):
    with pytest.raises(Exception) as info:
        action()
    return info.value


BOTH = {
    "missing table": lambda module, ds: module.dataset(ds.uri + ".nowhere"),
    "missing version": lambda module, ds: module.dataset(ds.uri, version=42),
    "missing version to check out": lambda module, ds: ds.checkout_version(42),
    "table that is there": lambda module, ds: module.write_dataset({"id": [1]}, ds.uri),
    "unknown mode": lambda module, ds: module.write_dataset({"id": [1]}, ds.uri, mode="upsert"),
    "no uri": lambda module, ds: module.dataset(),
    "unknown column": lambda module, ds: ds.to_table(columns=["nope"]),
    "columns of another type": lambda module, ds: ds.to_table(columns="id"),
    "unknown column in a filter": lambda module, ds: ds.to_table(filter="nope = 1"),
    "bad filter": lambda module, ds: ds.to_table(filter="id = = 1"),
    "filter of another type": lambda module, ds: ds.to_table(filter="id = 'abc'"),
    "text against a date": lambda module, ds: ds.to_table(filter="day > 'yesterday'"),
    "negative limit": lambda module, ds: ds.to_table(limit=-1),
    "negative offset": lambda module, ds: ds.to_table(offset=-1),
    "limit of another type": lambda module, ds: ds.to_table(limit="3"),
    "no batch": lambda module, ds: ds.to_table(batch_size=0),
    "row that is not there": lambda module, ds: ds.take([999]),
    "two ways to choose blobs": lambda module, ds: ds.take_blobs("id", ids=[1], indices=[1]),
    "unknown blob handling": lambda module, ds: ds.to_table(blob_handling="some"),
    "slice backwards": lambda module, ds: ds.slice(3, 1),
    "unknown index type": lambda module, ds: ds.create_scalar_index("id", "MAGIC"),
    "append of another type": lambda module, ds: module.write_dataset(
        {"id": ["x"]}, ds.uri, mode="append"
    ),
    "input of another type": lambda module, ds: module.write_dataset(5, ds.uri + "5"),
    "iterable without a schema": lambda module, ds: module.write_dataset(iter([]), ds.uri + "i"),
    "unknown argument": lambda module, ds: ds.optimize.compact_files(colour="red"),
}


@pytest.mark.parametrize("title", BOTH)
def test_what_the_reference_raises_is_raised(flights, tmp_path, title):
    both = []
    for module in (lance_cpp, lance):
        place = str(tmp_path / f"{module.__name__}.lance")
        both.append((module, module.write_dataset(flights, place, data_storage_version="2.1")))
    found, expected = (raised_by(lambda: BOTH[title](*one)) for one in both)

    families = [kind for kind in type(expected).__mro__ if kind.__module__ == "builtins"]
    assert isinstance(found, families[0]), (found, expected)
    assert isinstance(found, (lance_cpp.LanceError, TypeError))


def test_a_filter_error_says_where(ours):
    error = raised_by(lambda: ours.count_rows("id = = 1"))

    assert isinstance(error, lance_cpp.InvalidError)
    assert (error.offset, error.length) == (5, 1)
    assert "found =" in str(error)


def test_what_is_missing_has_a_kind_and_a_name(ours, place):
    column = raised_by(lambda: ours.to_table(columns=["nope"]))
    version = raised_by(lambda: lance_cpp.dataset(place, version=42))
    table = raised_by(lambda: lance_cpp.dataset(place + ".nowhere"))

    assert (column.kind, column.name) == ("column", "nope")
    assert (version.kind, version.name) == ("version", "42")
    assert table.kind == "table"
    assert isinstance(table, lance_cpp.NotFoundError)


def test_a_table_that_is_there(ours):
    assert isinstance(
        raised_by(lambda: lance_cpp.write_dataset({"id": [1]}, ours.uri)), FileExistsError
    )


def test_a_conflict_says_whom_it_met_and_whether_to_try_again(ours, flights):
    ours.set_clustering(["id"])
    plan = ours.optimize.plan_clustering(full=True)
    results = [task.execute(ours) for task in plan.tasks]
    lance_cpp.write_dataset(flights, ours.uri, mode="overwrite")

    error = raised_by(lambda: ours.optimize.commit_clustering(plan, results))
    assert isinstance(error, lance_cpp.CommitConflictError)
    assert (error.version, error.retryable) == (3, True)
    assert error.operation


def test_a_budget_that_does_not_suffice(place):
    session = lance_cpp.Session(max_memory_bytes=1 << 20)
    table = pa.table({"n": pa.array(range(500_000), pa.int64())})

    error = raised_by(
        lambda: lance_cpp.write_dataset(table, place, session=session, cluster_by=["n"])
    )
    assert isinstance(error, lance_cpp.OverBudgetError)
    assert (error.budget, error.allowed) == ("max_memory_bytes", 1 << 20)
    assert error.needed > error.allowed


@pytest.mark.parametrize(
    "read",
    [
        lambda ds: ds.to_table(),
        lambda ds: list(ds.to_batches()),
        lambda ds: ds.scanner().to_reader().read_all(),
    ],
    ids=["table", "batches", "reader"],
)
def test_damage_is_named_in_every_form_of_reading(flights, place, read):
    ours = lance_cpp.write_dataset(flights, place, max_rows_per_file=100)
    damaged = sorted(pathlib.Path(place, "data").iterdir())[0]
    bytes_there = damaged.read_bytes()
    damaged.write_bytes(bytes_there[:-4] + b"oops")

    error = raised_by(lambda: read(ours))
    assert isinstance(error, lance_cpp.CorruptError)
    assert error.path == f"data/{damaged.name}"


def test_what_an_iterator_raises_comes_back_as_it_was(flights, place):
    class Mine(Exception):
        pass

    def batches():
        yield from flights.to_batches()
        raise Mine("three")

    error = raised_by(lambda: lance_cpp.write_dataset(batches(), place, schema=flights.schema))
    assert isinstance(error, Mine)
    assert not pathlib.Path(place, "_versions").exists()


def test_exceptions_pickle(ours):
    error = raised_by(lambda: ours.to_table(columns=["nope"]))

    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.kind) == (type(error), str(error), "column")


def test_a_failure_without_a_row_of_its_own_is_internal():
    document = '{"error": {"message": "internal: x", "exit": 1, "detail": null}}'

    assert isinstance(lance_cpp.errors.exception_of(document), lance_cpp.InternalError)


# --- Text that is none -------------------------------------------------------------------------

# Half of a surrogate pair, as Python makes one of a file name that is not UTF-8.
HALF = "x\udcff"
TEXTS = {
    "uri": lambda ds: lance_cpp.dataset(ds.uri + HALF),
    "uri to write": lambda ds: lance_cpp.write_dataset({"id": [1]}, ds.uri + HALF),
    "path": lambda ds: lance_cpp.file.LanceFileReader(ds.uri + HALF),
    "path to write": lambda ds: lance_cpp.file.LanceFileWriter(ds.uri + HALF, ds.schema),
    "columns": lambda ds: ds.to_table(columns=[HALF]),
    "columns to drop": lambda ds: ds.drop_columns([HALF]),
    "filter": lambda ds: ds.to_table(filter=HALF),
    "filter to count": lambda ds: ds.count_rows(HALF),
    "predicate": lambda ds: ds.delete(HALF),
    "updates": lambda ds: ds.update({"id": HALF}),
    "where": lambda ds: ds.update({"id": "1"}, where=HALF),
    "on": lambda ds: ds.merge_insert(HALF).when_matched_update_all().execute({"id": [1]}),
    "transforms": lambda ds: ds.add_columns({HALF: "1"}),
    "name": lambda ds: ds.alter_columns({"path": "id", "name": HALF}),
    "left_on": lambda ds: ds.merge(pa.table({"id": [1]}), HALF),
    "values": lambda ds: ds.update_config({"a": HALF}),
    "values of metadata": lambda ds: ds.update_metadata({HALF: "a"}),
    "values of the schema": lambda ds: ds.update_schema_metadata({"a": HALF}),
    "field_updates": lambda ds: ds.update_field_metadata({"id": {"a": HALF}}),
    "commit_message": lambda ds: ds.insert({"id": [1]}, commit_message=HALF),
    "transaction_properties": lambda ds: ds.insert(
        {"id": [1]}, transaction_properties={"a": HALF}
    ),
    "storage_options": lambda ds: lance_cpp.dataset(ds.uri, storage_options={"a": HALF}),
}


@pytest.mark.parametrize("title", TEXTS)
def test_text_that_is_no_unicode_is_refused_by_the_name_of_its_argument(ours, title):
    error = raised_by(lambda: TEXTS[title](ours))

    assert isinstance(error, lance_cpp.InvalidError), error
    assert str(error).startswith(f"{title.split()[0]} is ")
    assert "\\udcff" in str(error)
    assert ours.latest_version == 1


@pytest.mark.parametrize(
    "action, message",
    [
        (lambda ds: lance_cpp.dataset(b"/t.lance"), "uri is a bytes; allowed: text"),
        (lambda ds: ds.update_config({"a": 5}), "values is a int; allowed: text"),
        (lambda ds: ds.update_config(["a"]), "values is a list; allowed: a dict"),
        (
            lambda ds: ds.count_rows(5),
            "filter is a int; allowed: SQL text, a pyarrow Expression, or Substrait as bytes",
        ),
        (
            lambda ds: ds.delete(True),
            "predicate is a bool; allowed: SQL text, a pyarrow Expression, or Substrait as bytes",
        ),
        (
            lambda ds: ds.to_table(columns=[("x", "id * 2")]),
            "columns has ('x', 'id * 2'); allowed: a list of names, or a dict of SQL by name, "
            '{"twice": "price * 2"}',
        ),
        (
            lambda ds: ds.take([0], columns="id"),
            "columns is 'id'; allowed: a list of names, or a dict of SQL by name, "
            '{"twice": "price * 2"}',
        ),
        (
            lambda ds: ds.to_table(order_by=[("id", "descending")]),
            "order_by has ('id', 'descending'); allowed: a list of names and of "
            'ColumnOrdering("price", ascending=False)',
        ),
        (
            lambda ds: ds.to_table(order_by=5),
            "order_by is 5; allowed: a list of names and of "
            'ColumnOrdering("price", ascending=False)',
        ),
        (lambda ds: ds.drop_columns("id"), "columns is a str; allowed: a list of text"),
        (lambda ds: ds.update({"id": 5}), "updates is a int; allowed: text"),
    ],
)
def test_an_argument_of_another_type_is_named(ours, action, message):
    error = raised_by(lambda: action(ours))

    assert isinstance(error, TypeError)
    assert str(error) == message


def test_metadata_that_is_no_text_is_shown_as_the_reference_shows_it(place):
    schema = pa.schema([("id", pa.int64())], metadata={"key": "value"})
    lance_cpp.write_dataset(pa.table({"id": [1]}, schema=schema), place)
    [manifest] = pathlib.Path(place, "_versions").glob("*.manifest")
    manifest.write_bytes(manifest.read_bytes().replace(b"value", b"va\xffue"))

    found = lance_cpp.dataset(place)
    assert found.schema_metadata == lance.dataset(place).schema_metadata
    assert found.schema.metadata == {b"key": b"va\xffue"}


# --- Arguments that this version does not have --------------------------------------------------


def calls(ds):
    module = importlib.import_module("lance_cpp")
    return {
        "dataset": lambda **given: module.dataset(ds.uri, **given),
        "write_dataset": lambda **given: module.write_dataset({"id": [1]}, ds.uri + "w", **given),
        "scanner": ds.scanner,
        "compact_files": ds.optimize.compact_files,
        "create_scalar_index": lambda **given: ds.create_scalar_index("id", "ZONEMAP", **given),
    }


def refused():
    for function in (
        lance_cpp.dataset,
        lance_cpp.write_dataset,
        lance_cpp.LanceDataset.scanner,
        importlib.import_module("lance_cpp.dataset").DatasetOptimizer.compact_files,
        lance_cpp.LanceDataset.create_scalar_index,
    ):
        for name, parameter in inspect.signature(function).parameters.items():
            if name in HAS[function.__name__] or parameter.kind == parameter.VAR_KEYWORD:
                continue
            default = parameter.default
            given = not default if isinstance(default, bool) else 7
            yield pytest.param(function.__name__, name, given, id=f"{function.__name__}-{name}")


@pytest.mark.parametrize("function, name, given", list(refused()))
def test_no_argument_is_ignored(ours, function, name, given):
    ours.set_clustering(["id"])
    before = ours.version
    error = raised_by(lambda: calls(ours)[function](**{name: given}))

    assert isinstance(error, lance_cpp.UnsupportedError), error
    assert isinstance(error, NotImplementedError)
    assert name in str(error)
    assert error.feature == name
    assert ours.latest_version == before
    assert not pathlib.Path(ours.uri + "w").exists()


@pytest.mark.parametrize(
    "action",
    [
        lambda ds: ds.take([1], columns=[]),
        lambda ds: ds.to_table(blob_handling="all_descriptions"),
        lambda ds: ds.create_scalar_index("id", "BLOOMFILTER"),
        lambda ds: ds.optimize.compact_files(data_storage_version="2.2"),
        lambda ds: ds.to_pandas(blob_mode="bytes"),
        lambda ds: ds.scanner().analyze_plan(count_rows=True),
        lambda ds: ds.filter(pa.compute.field("id") > 3),
        lambda ds: ds.get_fragments(filter="id > 3"),
        lambda ds: ds.get_fragments()[0].physical_schema,
        lambda ds: ds.join(ds, "id"),
        lambda ds: ds.join_asof(ds, "id", [], 1),
        lambda ds: ds.sort_by("id"),
        lambda ds: ds.replace_schema(ds.schema),
        lambda ds: ds.partition_expression,
        lambda ds: ds.scanner().take([1]),
        lambda ds: ds.scanner().scan_batches(),
        lambda ds: lance_cpp.LanceScanner.from_dataset(ds),
    ],
)
def test_what_this_version_does_not_have_says_so(ours, action):
    error = raised_by(lambda: action(ours))

    assert isinstance(error, lance_cpp.UnsupportedError), error


@pytest.mark.parametrize(
    "mode, option, value",
    [
        ("cluster", "materialize_deletions", True),
        ("cluster", "batch_size", 10),
        ("cluster", "data_storage_version", "2.1"),
        ("reencode", "rows_per_zone", 10),
        ("reencode", "full", True),
        (None, "min_merge_ratio", 0.5),
    ],
)
def test_an_option_that_does_not_fit_the_mode_is_named(ours, mode, option, value):
    error = raised_by(
        lambda: ours.optimize.compact_files(compaction_mode=mode, **{option: value})
    )

    assert isinstance(error, lance_cpp.InvalidError)
    assert option in str(error)


@pytest.mark.parametrize(
    "option, value",
    [
        ("target_rows_per_fragment", 0),
        ("target_rows_per_fragment", -1),
        ("target_rows_per_fragment", "many"),
        ("target_rows_per_fragment", 1.5),
        ("max_bytes_per_file", 0),
        ("max_source_rows", 0),
        ("batch_size", 0),
        ("materialize_deletions", "yes"),
        ("materialize_deletions_threshold", -0.5),
        ("materialize_deletions_threshold", float("nan")),
        ("excluded_fragment_ids", [-1]),
        ("excluded_fragment_ids", "1"),
        ("data_storage_version", "7"),
    ],
)
def test_a_wrong_value_of_a_compaction_option_is_named(ours, option, value):
    error = raised_by(lambda: ours.optimize.compact_files(**{option: value}))

    assert isinstance(error, lance_cpp.InvalidError)
    assert option in str(error) or option == "data_storage_version"


def test_a_wrong_compaction_mode_lists_the_right_ones(ours):
    error = raised_by(lambda: ours.optimize.compact_files(compaction_mode="fast"))

    assert isinstance(error, lance_cpp.InvalidError)
    assert "allowed: cluster" in str(error)


@pytest.mark.parametrize(
    "action, message",
    [
        (lambda ds: ds.take([-1]), "indices has -1; allowed: 0 or more"),
        (lambda ds: ds.take(pa.array([3, -2])), "indices has -2; allowed: 0 or more"),
        (lambda ds: ds._take_rows([-1]), "row_ids has -1; allowed: 0 or more"),
        (lambda ds: ds.take_blobs("b", addresses=[-1]), "addresses has -1; allowed: 0 or more"),
        (lambda ds: ds.head(-1), "num_rows is -1; allowed: 0 or more"),
        (lambda ds: ds.to_table(limit=-1), "limit is -1; allowed: 0 to"),
        (lambda ds: ds.to_table(order_by="id desc"), 'ColumnOrdering("price", ascending=False)'),
        (lambda ds: ds.to_table(filter="_rowoffset < 5"), "can be scanned, not filtered by"),
        (lambda ds: ds.load_zones("id"), "has no zonemap; create one to see its zones"),
        (
            lambda ds: lance_cpp.write_dataset("january.parquet", ds.uri),
            "data_obj is 'january.parquet'; allowed: rows. Open what lies there first",
        ),
        (
            lambda ds: lance_cpp.write_dataset(pathlib.Path("a.csv"), ds.uri),
            "allowed: rows. Open what lies there first",
        ),
        (
            lambda ds: lance_cpp.write_dataset([], ds.uri),
            "data_obj is an empty list and schema is None; allowed: an iterable of batches, or no "
            "rows at all, together with schema=",
        ),
        (
            lambda ds: lance_cpp.write_dataset(iter([]), ds.uri),
            "data_obj is a list_iterator and schema is None",
        ),
        (
            lambda ds: ds.to_table(columns={"x": "repeat(CAST(id AS STRING), 80000000)"}),
            "a text of 80000000 times 1 bytes would be made; allowed: 67108864 bytes",
        ),
        (
            lambda ds: ds.to_table(columns={"x": "lpad('a', 40000000, '\u00e9')"}),
            "a text of 39999999 times 2 bytes would be made; allowed: 67108864 bytes",
        ),
        (
            lambda ds: ds.to_table(columns={"x": "CAST(-1 - id AS BIGINT UNSIGNED)"}),
            "not in range: 0 to 18446744073709551615",
        ),
    ],
)
def test_a_message_names_the_parameter_and_what_is_allowed(ours, action, message):
    with pytest.raises((lance_cpp.InvalidError, lance_cpp.NotFoundError)) as raised:
        action(ours)
    assert message in str(raised.value)


def test_an_order_is_a_name_an_ordering_or_a_list_of_both(place):
    ds = lance_cpp.write_dataset({"id": [2, 3, 1], "id desc": [1, 2, 3]}, place)
    descending = lance_cpp.ColumnOrdering("id", ascending=False)

    for order, expected in [
        ("id", [1, 2, 3]), (["id"], [1, 2, 3]), (("id",), [1, 2, 3]), (descending, [3, 2, 1]),
        ([descending, "id desc"], [3, 2, 1]), ("id desc", [2, 3, 1]), ([], [2, 3, 1]),
    ]:  # fmt: skip
        assert ds.to_table(order_by=order)["id"].to_pylist() == expected
    with pytest.raises(lance_cpp.UnsupportedError, match="order_by of the computed column x"):
        ds.to_table(columns={"x": "id * 2"}, order_by=["x"])


def test_an_analyzed_plan_says_what_was_read(ours):
    text = ours.explain("id = 1", analyze=True)["text"]
    actual = r"^actual: \d+ rows? returned of \d+ read, [\d,]+ bytes in \d+ requests$"
    assert re.search(actual, text, re.M)
    assert "actual:" not in ours.explain("id = 1")["text"]
