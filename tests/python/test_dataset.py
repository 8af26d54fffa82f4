"""Tables through the Python module, beside the reference."""

import copy
import datetime
import os
import pickle
import signal
import sys
import threading

import lance
import lance_cpp
import numpy
import pandas
import pyarrow as pa
import pyarrow.dataset as pads
import pytest


class OnlyCapsules:
    """Nothing but the Arrow C stream interface."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


# --- Exchange with the reference ----------------------------------------------------------------


VERSIONS = ("2.0", "2.1", "2.2")


@pytest.mark.parametrize("version", VERSIONS)
def test_nested_rows_go_both_ways(nested, tmp_path, version):
    if version == "2.0":  # knows no null structs
        nested = nested.select(["tags"])
    ours, theirs = str(tmp_path / "ours.lance"), str(tmp_path / "theirs.lance")
    lance_cpp.write_dataset(nested, ours, data_storage_version=version)
    lance.write_dataset(nested, theirs, data_storage_version=version)

    for place in (ours, theirs):
        assert lance.dataset(place).data_storage_version == version
        assert lance.dataset(place).to_table().equals(nested)
        assert lance_cpp.dataset(place).to_table().equals(nested)


def test_the_reference_reads_what_we_write(flights, place):
    written = lance_cpp.write_dataset(flights, place, max_rows_per_file=64, max_page_bytes=256)

    assert (written.version, len(written), written.uri) == (1, 200, place)
    reference = lance.dataset(place)
    assert reference.to_table().equals(flights)
    assert [len(fragment.to_table()) for fragment in reference.get_fragments()] == [64, 64, 64, 8]


def test_we_read_what_the_reference_writes(flights, place):
    lance.write_dataset(flights, place, max_rows_per_file=64, data_storage_version="2.1")
    ours = lance_cpp.dataset(place)

    assert ours.schema.equals(flights.schema)
    assert ours.to_table().equals(flights)
    assert ours.data_storage_version == "2.1"
    assert not ours.has_stable_row_ids


@pytest.mark.parametrize(
    "scan",
    [
        {},
        {"columns": ["delay", "id"]},
        {"filter": "delay > 20 AND dest = 'LAX'"},
        {"filter": "late IS NULL", "columns": ["id"], "limit": 5, "offset": 3},
        {"limit": 0},
        {"with_row_id": True, "with_row_address": True, "columns": ["id"]},
        {"columns": [], "with_row_address": True},
        {"filter": "id >= 130", "use_stats": False, "use_scalar_index": False},
        {"scan_in_order": True, "prefilter": False, "include_deleted_rows": False},
    ],
)
def test_a_scan_gives_what_the_reference_gives(flights, place, scan):
    lance.write_dataset(flights, place, max_rows_per_file=64, data_storage_version="2.1")

    found = lance_cpp.dataset(place).to_table(**scan)
    expected = lance.dataset(place).to_table(**scan)
    assert found.equals(expected)
    assert found.schema.equals(expected.schema)


def test_versions_are_those_that_the_reference_sees(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    ours.insert(flights.slice(0, 10))

    found, expected = ours.versions(), lance.dataset(place).versions()
    assert [v["version"] for v in found] == [1, 2]
    # The reference loses a microsecond to floating point now and then.
    for ours_at, theirs_at in zip(found, expected):
        assert abs(ours_at["timestamp"] - theirs_at["timestamp"]) <= datetime.timedelta(
            microseconds=1
        )
    assert [v["metadata"]["total_rows"] for v in found] == ["200", "210"]
    assert ours.get_version() == found[1]
    assert ours.version_refs() == [{"version": 1}, {"version": 2}]


# --- What writes take ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(50)),
        lambda table: table.to_pydict(),
        lambda table: table.to_pylist(),
        lambda table: table.to_batches(max_chunksize=50),
        lambda table: (batch for batch in table.to_batches(max_chunksize=50)),
        lambda table: pads.dataset(table),
        lambda table: pads.dataset(table).scanner(),
        OnlyCapsules,
    ],
    ids=[
        "table",
        "batch",
        "reader",
        "dict",
        "rows",
        "list",
        "generator",
        "dataset",
        "scanner",
        "any",
    ],
)
def test_a_write_takes(flights, place, make):
    written = lance_cpp.write_dataset(make(flights), place, schema=flights.schema)

    assert lance.dataset(place).to_table().equals(flights)
    assert written.to_table().equals(flights)


def test_a_write_takes_frames(place):
    frame = pandas.DataFrame({"n": [1, 2, 3], "text": ["x", None, "z"]})
    lance_cpp.write_dataset(frame, place)

    assert lance.dataset(place).to_table().to_pydict() == {"n": [1, 2, 3], "text": ["x", None, "z"]}
    assert lance_cpp.dataset(place).to_pandas()["n"].tolist() == [1, 2, 3]


def test_a_write_takes_datasets_and_scanners_of_both(flights, tmp_path):
    ours = lance_cpp.write_dataset(flights, tmp_path / "ours.lance")
    theirs = lance.dataset(str(tmp_path / "ours.lance"))

    for number, source in enumerate((ours, theirs, ours.scanner(), theirs.scanner())):
        copied = lance_cpp.write_dataset(source, tmp_path / f"{number}.lance")
        assert copied.to_table().equals(flights)
    copied = lance.write_dataset(
        ours.scanner(filter="id < 3").to_reader(), str(tmp_path / "r.lance")
    )
    assert copied.to_table()["id"].to_pylist() == [0, 1, 2]


def test_rows_are_cast_to_the_schema_that_is_given(place):
    schema = pa.schema([pa.field("n", pa.int32(), nullable=False), ("text", pa.string())])
    written = lance_cpp.write_dataset({"n": [1, 2], "text": ["a", None]}, place, schema=schema)
    written.insert(pa.table({"n": [3], "text": ["b"]}), schema=schema)

    assert written.schema.equals(schema)
    assert lance.dataset(place).to_table().to_pydict() == {"n": [1, 2, 3], "text": ["a", None, "b"]}


def test_sliced_input_arrives_from_its_offset(flights, place):
    sliced = flights.slice(13, 50)
    lance_cpp.write_dataset(sliced, place)

    assert lance.dataset(place).to_table().equals(sliced)


@pytest.mark.parametrize("mode", ["create", "append", "overwrite"])
def test_each_mode_makes_a_table_that_is_not_there(flights, place, mode):
    assert lance_cpp.write_dataset(flights, place, mode=mode).version == 1
    assert lance.dataset(place).count_rows() == 200


def test_append_adds_and_overwrite_replaces(flights, place):
    lance_cpp.write_dataset(flights, place)
    appended = lance_cpp.write_dataset(flights, place, mode="append", commit_message="more")
    replaced = lance_cpp.write_dataset(pa.table({"k": [1]}), place, mode="overwrite")

    assert (appended.version, len(appended)) == (2, 400)
    assert (replaced.version, replaced.schema.names) == (3, ["k"])
    properties = lance.dataset(place).read_transaction(2).transaction_properties
    assert properties["__lance_commit_message"] == "more"


def test_a_write_through_a_dataset_moves_it_forward(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    other = lance_cpp.dataset(place)
    ours.insert(flights)

    assert (ours.version, len(ours)) == (2, 400)
    assert (other.version, len(other), other.latest_version) == (1, 200, 2)
    other.checkout_latest()
    assert (other.version, len(other)) == (2, 400)
    assert len(other.checkout_version(1)) == 200
    assert lance_cpp.dataset(place, version=1).version == 1


# --- Reading ------------------------------------------------------------------------------------


def test_batches_have_at_most_the_rows_asked_for(flights, place):
    ours = lance_cpp.write_dataset(flights, place, max_rows_per_file=64)

    sizes = [batch.num_rows for batch in ours.to_batches(batch_size=50)]
    assert (sum(sizes), max(sizes)) == (200, 50)
    assert ours.scanner(batch_size=50).to_reader().read_all().equals(flights)


def test_a_scanner_can_be_used_again_and_in_every_form(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    scanner = ours.scanner(columns=["id"], filter="id < 10")

    assert scanner.count_rows() == 10
    assert scanner.projected_schema == pa.schema([("id", pa.int64())])
    assert scanner.dataset_schema == flights.schema
    assert scanner.to_table() == scanner.to_reader().read_all() == pa.table(scanner)
    assert sum(batch.num_rows for batch in scanner.to_batches()) == 10
    assert scanner.head(3)["id"].to_pylist() == [0, 1, 2]
    assert scanner.to_pandas()["id"].tolist() == list(range(10))
    assert "id < 10" in scanner.explain_plan()
    assert "rows_returned=10" in scanner.analyze_plan()
    assert pa.table(ours).equals(flights)


def test_the_short_forms_of_reading(flights, place):
    ours = lance_cpp.write_dataset(flights, place)

    assert ours.head(3, columns=["id"]).to_pydict() == {"id": [0, 1, 2]}
    assert ours.slice(5, 8, columns=["id"]).to_pydict() == {"id": [5, 6, 7]}
    assert (ours.count_rows(), ours.count_rows("id >= 190"), len(ours)) == (200, 10, 200)


@pytest.mark.parametrize(
    "rows",
    [
        [5],
        [199, 0, 64, 0],
        range(60, 70),
        pa.array([3, 150]),
        numpy.array([3, 150]),
        pa.chunked_array([[1], [2]]),
    ],
    ids=["one", "any", "range", "array", "numpy", "chunked"],
)
def test_rows_taken_by_position_are_those_of_the_reference(flights, place, rows):
    ours = lance_cpp.write_dataset(flights, place, max_rows_per_file=64)

    expected = flights.take(pa.array([int(str(row)) for row in rows]))
    assert ours.take(rows).equals(expected)
    assert ours.take(rows, columns=["day", "id"]).equals(expected.select(["day", "id"]))
    assert lance.dataset(place).take(list(map(int, map(str, rows)))).equals(expected)


@pytest.fixture(name="images")
def _images(place):
    """Blobs of 1000 to 5000 bytes, a null and an empty one; and the table."""
    images = [bytes([i, i + 1]) * (500 * (i + 1)) for i in range(5)] + [None, b""]
    schema = pa.schema(
        [
            pa.field("id", pa.int64()),
            pa.field("image", pa.large_binary(), metadata={"lance-encoding:blob": "true"}),
        ]
    )
    table = pa.table({"id": range(7), "image": images}, schema=schema)
    return images, lance_cpp.write_dataset(table, place, max_rows_per_file=4)


def test_blobs_are_read_when_they_are_asked_for(images):
    expected, ours = images
    addresses = ours.to_table(columns=["id"], with_row_address=True)["_rowaddr"]

    for chosen in ({"indices": range(7)}, {"addresses": addresses}, {"ids": addresses}):
        blobs = ours.take_blobs("image", **chosen)
        assert [blob if blob is None else blob.read() for blob in blobs] == expected
    theirs = lance.dataset(ours.uri).take_blobs("image", indices=list(range(7)))
    assert [blob if blob is None else blob.read() for blob in theirs] == expected
    assert ours.take_blobs("image", indices=[4, 0])[1].read() == expected[0]


@pytest.mark.parametrize("buffer_size", [0, 7, 1 << 19])
def test_a_blob_is_a_file(images, buffer_size):
    expected, ours = images
    [blob] = ours.take_blobs("image", indices=[1], buffer_size=buffer_size)

    with blob:
        assert (blob.size(), blob.readable(), blob.seekable()) == (2000, True, True)
        assert (blob.read(3), blob.tell()) == (expected[1][:3], 3)
        assert (blob.seek(-2, 2), blob.read(), blob.read(1)) == (1998, expected[1][-2:], b"")
        assert blob.seek(10) == 10
        assert blob.read_range(5, 4) == expected[1][5:9]
        assert blob.read_ranges([(0, 1), (1999, 1)]) == [expected[1][:1], expected[1][1999:]]
        assert (blob.tell(), len(blob.readall())) == (10, 1990)
        for offset, length in ((1999, 2), (-1, 1), (0, -1)):
            with pytest.raises(lance_cpp.InvalidError, match="the blob has 2000"):
                blob.read_range(offset, length)
        with pytest.raises(ValueError):
            blob.seek(-1)
    assert blob.closed
    with pytest.raises(ValueError):
        blob.read_range(0, 1)


def test_blobs_come_as_bytes_on_request(images):
    expected, ours = images

    assert ours.to_table(blob_handling="all_binary")["image"].to_pylist() == expected
    described = ours.to_table(blob_handling="blobs_descriptions")["image"]
    assert described.equals(ours.to_table()["image"])
    assert [found and found["size"] for found in described.to_pylist()][:2] == [1000, 2000]


def test_scan_statistics_are_reported_behind_the_last_row(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    reports = []
    scanner = ours.scanner(filter="id = 7", scan_stats_callback=reports.append)

    assert len(scanner.to_table()) == 1
    assert (reports[0].rows_scanned, reports[0].rows_returned) == (200, 1)
    assert reports[0].to_dict()["fragments_total"] == 1
    with pytest.raises(AttributeError, match="no stars"):
        reports[0].stars


def test_an_explanation_says_what_would_be_read(flights, place):
    ours = lance_cpp.write_dataset(flights, place)

    plan = ours.explain("id = 7", columns=["dest"])
    assert (plan["filter"], plan["rows"], plan["actual"]) == (
        "id = 7",
        {"kept": 200, "total": 200},
        None,
    )
    assert ours.explain("id = 7", analyze=True)["actual"]["rows_returned"] == 1


def test_default_scan_options_fill_what_a_scan_leaves_open(flights, place):
    lance_cpp.write_dataset(flights, place)
    options = {"columns": ["id"], "with_row_id": True, "batch_size": 10}
    ours = lance_cpp.dataset(place, default_scan_options=options)

    assert ours.schema.names == ["id", "_rowid"]
    assert ours.to_table(columns=["dest"], limit=1).schema.names == ["dest", "_rowid"]
    assert next(iter(ours.to_batches())).num_rows == 10


def test_handles_pickle_and_copy(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    ours.insert(flights)
    older = ours.checkout_version(1)

    again = pickle.loads(pickle.dumps(older))
    assert (again.version, again.uri, len(again)) == (1, place, 200)
    other = copy.copy(ours)
    ours.insert(flights)
    assert (other.version, ours.version) == (2, 3)


def test_a_session_is_shared(flights, place):
    session = lance_cpp.Session(index_cache_size_bytes=1 << 20, num_threads=1)
    lance_cpp.write_dataset(flights, place, session=session)
    one, two = (lance_cpp.dataset(place, session=session) for _ in range(2))

    assert one.session().is_same_as(two.session())
    assert not one.session().is_same_as(lance_cpp.dataset(place).session())
    assert one.session().index_cache_size_bytes() == 1 << 20
    assert one.session().size_bytes() >= 0
    sized = lance_cpp.dataset(place, index_cache_size_bytes=4096)
    assert sized.session().index_cache_size_bytes() == 4096
    assert sized.session().metadata_cache_size_bytes() == 256 << 20


def test_a_session_keeps_as_many_bytes_of_files_as_it_may(flights, place):
    lance_cpp.write_dataset(flights, place, max_rows_per_file=20)

    def kept(size):
        dataset = lance_cpp.dataset(place, metadata_cache_size_bytes=size)
        assert dataset.to_table().num_rows == flights.num_rows
        return dataset.session().size_bytes()

    everything = kept(None)
    assert kept(1 << 20) == everything > 0
    assert 0 < kept(everything // 2) <= everything // 2
    assert kept(0) == 0
    session = lance_cpp.Session(metadata_cache_size_bytes=77)
    assert session.metadata_cache_size_bytes() == 77
    with pytest.raises((TypeError, OverflowError, lance_cpp.InvalidError)):
        lance_cpp.Session(metadata_cache_size_bytes=-1)


def test_configuration_and_metadata(flights, place):
    ours = lance_cpp.write_dataset(flights, place)

    assert ours.update_config({"owner": "me", "team": "us"})["owner"] == "me"
    ours.delete_config_keys(["team"])
    assert ours.update_metadata({"about": "flights"}) == {"about": "flights"}
    assert ours.update_metadata({"new": "1"}, replace=True) == {"new": "1"}
    reference = lance.dataset(place)
    assert (reference.config()["owner"], "team" in reference.config()) == ("me", False)
    assert reference.metadata == ours.metadata == {"new": "1"}


# --- Clustering and indices ---------------------------------------------------------------------


def test_a_declared_table_is_clustered(flights, place):
    ours = lance_cpp.write_dataset(flights, place)
    assert ours.clustering_spec() is None

    ours.set_clustering(["dest", "day"], curve="zorder", bits_per_dim=8)
    assert ours.clustering_spec() == {
        "columns": ["dest", "day"],
        "curve": "zorder",
        "version": 1,
        "bits_per_dim": 8,
        "algorithm": "typed-quantile-rank-v2",
    }
    ours.insert(flights)
    metrics = ours.optimize.compact_files(max_source_rows=1_000)
    assert (metrics.fragments_removed, metrics.fragments_added, metrics.rows_rewritten) == (
        2,
        1,
        400,
    )
    assert metrics.to_dict()["mode"] == "cluster"
    assert "fragments_removed=2" in repr(metrics)
    reference = lance.dataset(place)
    assert reference.version == ours.version
    assert (
        reference.to_table()
        .sort_by("id")
        .equals(pa.concat_tables([flights, flights]).sort_by("id").combine_chunks())
    )
    ours.clear_clustering()
    assert ours.clustering_spec() is None


def test_clustering_in_stages(flights, place):
    ours = lance_cpp.write_dataset(flights, place, cluster_by=["dest"], declare=True)
    ours.insert(flights)

    plan = ours.optimize.plan_clustering(full=True)
    assert (plan.read_version, plan.spec["columns"]) == (ours.version, ["dest"])
    assert plan.to_dict()["plan_id"] == plan.plan_id
    [task] = plan.tasks
    assert (task.task_id, task.source_rows, task.source_fragment_ids) == (0, 400, [0, 1])
    result = task.execute(ours)
    assert (result.rows_in, result.rows_out, result.plan_id) == (400, 400, plan.plan_id)
    before = ours.version
    metrics = ours.optimize.commit_clustering(plan, [result])
    assert (metrics.tasks_committed, ours.version > before) == (1, True)
    assert lance.dataset(place).count_rows() == 400


@pytest.mark.parametrize(
    "cluster_by, declare, dests, declared",
    [
        (["dest"], True, ["JFK", "LAX", "SFO"], True),
        (["dest"], False, ["JFK", "LAX", "SFO"], False),
        (False, False, ["LAX", "SFO", "JFK"], False),
        (None, False, ["LAX", "SFO", "JFK"], False),
    ],
)
def test_the_order_that_a_write_asks_for(flights, place, cluster_by, declare, dests, declared):
    written = lance_cpp.write_dataset(flights, place, cluster_by=cluster_by, declare=declare)

    found = [dest for dest in written.to_table()["dest"].unique().to_pylist() if dest]
    assert (found, written.clustering_spec() is not None) == (dests, declared)


def test_a_zonemap_of_ours_serves_the_reference_and_the_other_way(flights, tmp_path):
    ours = lance_cpp.write_dataset(flights, tmp_path / "ours.lance")
    ours.create_scalar_index("id", "ZONEMAP", rows_per_zone=50)
    theirs = lance.write_dataset(
        flights, str(tmp_path / "theirs.lance"), data_storage_version="2.1"
    )
    theirs.create_scalar_index("id", "ZONEMAP")

    expected = {"name": "id_idx", "type": "ZoneMap", "fields": ["id"], "fragment_ids": {0}}
    [listed] = ours.list_indices()
    assert ours.has_index and {name: listed[name] for name in expected} == expected
    [described] = lance.dataset(ours.uri).describe_indices()
    assert (described.name, described.index_type) == ("id_idx", "ZoneMap")
    for place, num_zones in (("ours.lance", 4), ("theirs.lance", 1)):
        table = lance_cpp.dataset(tmp_path / place)
        [index] = table.describe_indices()
        assert (index.num_rows_indexed, index.usable) == (200, True)
        assert table.explain("id = 7")["zones"] == {"kept": 1, "total": num_zones}
        assert lance.dataset(table.uri).count_rows("id = 7") == 1


# --- Progress, threads, Ctrl-C ------------------------------------------------------------------


def test_an_observer_sees_start_and_end_and_cannot_disturb(flights, place, monkeypatch):
    reports, unraisable = [], []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)

    def watch(report):
        reports.append(report)
        raise RuntimeError("not now")

    ours = lance_cpp.write_dataset(flights, place, observer=watch)

    assert [report["event"] for report in reports][0] == "start"
    assert reports[-1]["event"] == "complete"
    assert {report["operation"] for report in reports} == {"insert"}
    assert len(ours) == 200
    assert {str(ignored.exc_value) for ignored in unraisable} == {"not now"}


@pytest.fixture(name="large")
def _large(place):
    """A table that takes a while to optimize."""
    keys = pa.array([i * 2_654_435_761 % 1_000_003 for i in range(400_000)], pa.int64())
    ours = lance_cpp.write_dataset(pa.table({"a": keys}), place)
    ours.set_clustering(["a"])
    return ours


def test_other_threads_run_during_a_call(large):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    large.optimize.compact_files()
    done.set()
    thread.join()

    assert len(ticks) > 3


def test_ctrl_c_ends_a_call_and_changes_nothing(large):
    before = large.version

    def interrupt(report):
        if report["event"] == "start":
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        large.optimize.compact_files(observer=interrupt)
    assert (large.version, large.latest_version, len(large)) == (before, before, 400_000)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert large.optimize.compact_files().fragments_added == 1


def test_ctrl_c_ends_a_call_that_runs_no_python(large):
    before = large.version
    timer = threading.Timer(0.05, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    timer.start()

    with pytest.raises(KeyboardInterrupt):
        large.optimize.compact_files()
    timer.join()
    assert large.latest_version == before


def test_a_handler_of_the_programs_waits_for_the_call(large):
    calls = []
    previous = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        metrics = large.optimize.compact_files()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, previous)

    assert (metrics.fragments_added, calls) == (1, [1])


def test_ctrl_c_in_a_generator_that_a_write_reads(flights, place):
    def batches():
        yield from flights.to_batches()
        os.kill(os.getpid(), signal.SIGINT)
        yield from flights.to_batches()

    with pytest.raises(KeyboardInterrupt):
        lance_cpp.write_dataset(batches(), place, schema=flights.schema)
    assert not os.path.exists(os.path.join(place, "_versions"))


def test_ctrl_c_wakes_a_generator_that_waits_for_its_rows(flights, place):
    waiting, writer = os.pipe()

    def batches():
        yield from flights.to_batches()
        os.read(waiting, 1)  # nobody writes

    timer = threading.Timer(0.1, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lance_cpp.write_dataset(batches(), place, schema=flights.schema)
    timer.join()
    os.close(waiting)
    os.close(writer)


def test_a_call_of_another_thread_ends_by_itself(large):
    results = []
    thread = threading.Thread(target=lambda: results.append(large.count_rows("a < 10")))
    thread.start()
    thread.join()

    assert results == [large.to_table(filter="a < 10").num_rows]


def test_a_fragment_gives_rows_by_their_position_among_those_left(tmp_path):
    rows = pa.table({"x": range(9)})
    ds = lance_cpp.write_dataset(rows, str(tmp_path / "t"), max_rows_per_file=3)
    ds.delete("x = 4")
    one = ds.get_fragment(1)
    assert one.take([1, 0, 1])["x"].to_pylist() == [5, 3, 5]
    assert one.take(pa.array([0]), columns=["x"])["x"].to_pylist() == [3]
    for beyond in (2, -1):
        with pytest.raises(lance_cpp.errors.InvalidError, match=f"no row {beyond}; it has 2 rows"):
            one.take([0, beyond])
    assert ds.fragment_ids() == [0, 1, 2]
