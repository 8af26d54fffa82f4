"""What people met in systems like ours: names of columns, paths, permissions.

Each test is one handed case; its number stands in the docstring.
"""

import os
import stat

import lance
import lance_cpp
import pyarrow as pa
import pytest

NAMES = [
    "order", "select", "null", "true", "my col", "\u4ef7\u683c", "\u00e9t\u00e9",
    "\U0001f600", "1st", "a-b", "_x", "%",
]
SYMBOLS = [*"#?&+$=@:;,'()[]{}~^|!", "a#b?c=d"]


def quoted(name):
    return f"`{name}`"


@pytest.fixture(name="place")
def _place(tmp_path):
    return str(tmp_path / "t.lance")


def test_names_in_mixed_case(place):
    """B133."""
    rows = pa.table({"RegionCode": ["N", "S", "S", "N"], "itemNo": [1, 2, 3, 4]})
    ds = lance_cpp.write_dataset(rows, place)

    assert ds.count_rows("`RegionCode` = 'N'") == 2
    for condition in ("\"RegionCode\" = 'N'", "RegionCode = 'N'"):
        try:
            assert ds.count_rows(condition) == 2
        except ValueError as error:
            assert "RegionCode" in str(error)
    ds.create_scalar_index("itemNo", "ZONEMAP")
    ds.set_clustering(["itemNo"])
    assert ds.clustering_spec()["columns"] == ["itemNo"]
    assert lance.dataset(place).count_rows() == 4


def test_a_dot_in_a_name_is_refused_by_name(place):
    """B135: the reference refuses it, so do we, on every road to a name."""
    nested = pa.array([{"b": 10}, {"b": 20}])
    with pytest.raises(ValueError, match=r"a\.b"):
        lance_cpp.write_dataset(pa.table({"a.b": [1, 2], "a": nested}), place)
    assert not os.path.exists(place)

    ds = lance_cpp.write_dataset(pa.table({"a": nested}), place)
    for call in (
        lambda: ds.add_columns({"a.b": "1"}),
        lambda: ds.add_columns(pa.field("a.b", pa.int64())),
        lambda: ds.alter_columns({"path": "a", "name": "a.b"}),
    ):
        with pytest.raises(ValueError, match=r"a\.b"):
            call()
    assert ds.count_rows("a.b = 10") == 1


@pytest.mark.parametrize("name", NAMES)
def test_keywords_spaces_and_symbols_as_names(place, name):
    """B137."""
    ds = lance_cpp.write_dataset(pa.table({name: [1, 2]}), place)

    ds.create_scalar_index(name, "ZONEMAP")
    assert ds.to_table(columns=[name]).to_pydict() == {name: [1, 2]}
    assert ds.to_table(filter=f"{quoted(name)} = 2").to_pydict() == {name: [2]}
    ds.add_columns({f"{name} twice": f"{quoted(name)} * 2"})
    assert ds.to_table()[f"{name} twice"].to_pylist() == [2, 4]
    assert ds.delete(f"{quoted(name)} = 1")["num_deleted_rows"] == 1
    ds.set_clustering([name])
    ds.optimize.compact_files()
    assert ds.to_table().to_pydict() == {name: [2], f"{name} twice": [4]}
    assert lance.dataset(place).to_table().to_pydict() == {name: [2], f"{name} twice": [4]}


def test_a_name_can_be_given_and_taken_whatever_it_is(place):
    """B137: renames."""
    ds = lance_cpp.write_dataset(pa.table({"x": [1, 2]}), place)
    last = "x"
    for name in NAMES:
        ds.alter_columns({"path": last, "name": name})
        last = name
        assert lance.dataset(place).to_table().to_pydict() == {name: [1, 2]}


def test_folder_names_outside_ascii(tmp_path):
    """B139."""
    parent = tmp_path / "\u0434\u0430\u043d\u043d\u044b\u0435"
    place = parent / "\u4e2d\u6587 \u8868.lance"
    lance_cpp.write_dataset(pa.table({"x": [1]}), str(place))

    lance_cpp.write_dataset(pa.table({"x": [2]}), place.as_uri(), mode="append")

    assert "%" in place.as_uri()
    assert lance_cpp.dataset(str(place)).to_table()["x"].to_pylist() == [1, 2]
    assert os.listdir(parent) == ["\u4e2d\u6587 \u8868.lance"]
    names = [name for _, folders, files in os.walk(place) for name in folders + files]
    assert not any("%" in name for name in names)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_reserved_characters_in_folder_names(tmp_path, symbol):
    """B141, without the clean-up that this version does not have."""
    place = str(tmp_path / f"t{symbol}.lance")
    ds = lance_cpp.write_dataset(pa.table({"x": [1]}), place)
    lance_cpp.write_dataset(pa.table({"x": [2]}), place, mode="append")

    ds = lance_cpp.dataset(place)
    assert ds.to_table()["x"].to_pylist() == [1, 2]
    assert ds.checkout_version(1).to_table()["x"].to_pylist() == [1]
    ds.set_clustering(["x"])
    ds.optimize.compact_files()
    assert ds.to_table()["x"].to_pylist() == [1, 2]
    assert os.listdir(tmp_path) == [f"t{symbol}.lance"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write whatever the permissions say")
def test_an_append_without_permission_is_a_permission_error(place):
    """B144, the append."""
    lance_cpp.write_dataset(pa.table({"x": [1]}), place)
    os.chmod(os.path.join(place, "data"), stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(OSError, match="[Pp]ermission"):
        lance_cpp.write_dataset(pa.table({"x": [2]}), place, mode="append")


@pytest.mark.parametrize("with_hint", [True, False])
def test_reading_needs_no_write_access(place, with_hint):
    """B144: no file is made, changed or touched by reading."""
    ds = lance_cpp.write_dataset(pa.table({"x": list(range(10))}), place)
    ds.create_scalar_index("x", "ZONEMAP")
    ds.delete("x = 3")
    if not with_hint:
        os.remove(os.path.join(place, "_versions", "latest_version_hint.json"))
    paths = [
        os.path.join(folder, name)
        for folder, folders, files in os.walk(place)
        for name in [*folders, *files, "."]
    ]
    for path in sorted(paths, reverse=True):
        os.chmod(path, 0o555 if os.path.isdir(path) else 0o444)
    before = {path: os.stat(path).st_mtime_ns for path in paths}
    try:
        ds = lance_cpp.dataset(place)
        assert ds.to_table(filter="x < 5")["x"].to_pylist() == [0, 1, 2, 4]
        assert ds.count_rows() == 9
        assert len(ds.versions()) == 3
        assert lance_cpp.dataset(place, version=1).count_rows() == 10
    finally:
        after = {
            os.path.join(folder, name)
            for folder, folders, files in os.walk(place)
            for name in [*folders, *files, "."]
        }
        times = {path: os.stat(path).st_mtime_ns for path in after}
        for path in paths:
            os.chmod(path, 0o755)
    assert times == before
