"""Options that say how to run: taken as the reference takes them, and no answer depends on them."""

import lance
import lance.file
import lance_cpp
import lance_cpp.file
import pyarrow as pa
import pytest

# For scans: good values, a value out of range, and one of a wrong type.
HINTS = {
    "batch_readahead": ([1, 64], 0, "4"),
    "fragment_readahead": ([0, 1, 16], -1, "4"),
    "io_buffer_size": ([1, 1 << 30], 0, "4"),
    "batch_size_bytes": ([1, 1000], 0, "4"),
    "scan_in_order": ([True, False], None, 1),
    "prefilter": ([True, False], None, 1),
    "late_materialization": ([True, False, ["id"]], None, "id"),
    "disable_scoring_autoprojection": ([True, False], None, 1),
    "strict_batch_size": ([True, False], None, 1),
}


@pytest.fixture
def ours(flights, place):
    """Four fragments, one of them with a row deleted."""
    ds = lance_cpp.write_dataset(flights, place, max_rows_per_file=55)
    ds.delete("id = 3")
    return ds


@pytest.mark.parametrize(
    "name, value", [(name, value) for name, (good, _, _) in HINTS.items() for value in good]
)
@pytest.mark.parametrize("module", [lance_cpp, lance])
def test_a_hint_changes_no_row(ours, module, name, value):
    ds = module.dataset(ours.uri)
    expected = ours.to_table(filter="id < 150")

    assert ds.scanner(filter="id < 150", **{name: value}).to_table().equals(expected)
    batches = list(ds.to_batches(filter="id < 150", **{name: value}))
    assert pa.Table.from_batches(batches).equals(expected)


@pytest.mark.parametrize("name", HINTS)
def test_a_hint_is_checked(ours, name):
    _, outside, wrong = HINTS[name]

    with pytest.raises(TypeError, match=f"{name} is a {type(wrong).__name__}; allowed: "):
        ours.scanner(**{name: wrong})
    if outside is not None:
        with pytest.raises(lance_cpp.InvalidError, match=f"{name} is {outside}; allowed: "):
            ours.scanner(**{name: outside})


@pytest.mark.parametrize("batch_size", [7, 55, 60, 1000, None])
def test_strict_batches_have_the_rows_of_the_references(ours, batch_size):
    sizes = [
        [
            batch.num_rows
            for batch in module.dataset(ours.uri).to_batches(
                batch_size=batch_size, strict_batch_size=True
            )
        ]
        for module in (lance_cpp, lance)
    ]

    assert sizes[0] == sizes[1]
    assert set(sizes[0][:-1]) <= {batch_size}


@pytest.mark.parametrize("size", [1, 500, 5000])
def test_batches_have_about_the_bytes_asked_for(ours, size):
    scanner = ours.scanner(columns=["id"], batch_size_bytes=size)

    for batches in (list(scanner.to_batches()), list(scanner.to_reader())):
        assert max(batch.nbytes for batch in batches) <= max(size, 8)
        assert sum(batch.num_rows for batch in batches) == 199
    assert pa.table(scanner).equals(ours.to_table(columns=["id"]))


def test_a_shape_is_given_once(ours):
    with pytest.raises(ValueError, match="strict_batch_size and batch_size_bytes"):
        ours.scanner(strict_batch_size=True, batch_size_bytes=100)
    with pytest.raises(ValueError):
        lance.dataset(ours.uri).scanner(strict_batch_size=True, batch_size_bytes=100).to_table()


def test_hints_may_be_defaults_and_count_rows_takes_them(ours):
    ds = lance_cpp.dataset(ours.uri, default_scan_options={"batch_readahead": 2, "prefilter": True})

    assert ds.to_table(fragment_readahead=2).num_rows == 199
    assert ds.count_rows("id < 10", io_buffer_size=1 << 20) == 9


def test_statistics_are_reported_for_shaped_batches_too(ours):
    found = []
    batches = ours.scanner(strict_batch_size=True, batch_size=50, scan_stats_callback=found.append)

    assert [batch.num_rows for batch in batches.to_reader()] == [50, 50, 50, 49]
    assert [statistics.rows_returned for statistics in found] == [199]


@pytest.mark.parametrize("module", [lance_cpp, lance])
def test_hints_of_other_calls(flights, tmp_path, module):
    place = str(tmp_path / "t.lance")
    module.write_dataset(
        flights, place, max_rows_per_group=77, use_legacy_format=False, data_storage_version="2.1"
    )
    assert module.dataset(place, block_size=4096).count_rows() == 200

    path = str(tmp_path / "f.lance")
    with module.file.LanceFileWriter(path, flights.schema) as writer:
        writer.write_batch(flights)
    reader = module.file.LanceFileReader(path)
    assert reader.read_all(batch_readahead=2).to_table().equals(flights)


@pytest.mark.parametrize(
    "action",
    [
        lambda ds: lance_cpp.dataset(ds.uri, block_size="4096"),
        lambda ds: lance_cpp.dataset(ds.uri, index_cache_size=1.5),
        lambda ds: lance_cpp.write_dataset({"id": [1]}, ds.uri, max_rows_per_group="many"),
        lambda ds: lance_cpp.write_dataset({"id": [1]}, ds.uri, max_rows_per_group=0),
    ],
)
def test_hints_of_other_calls_are_checked(ours, action):
    with pytest.raises((TypeError, lance_cpp.InvalidError), match="allowed: "):
        action(ours)
    assert ours.latest_version == ours.version
