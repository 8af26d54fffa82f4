"""What people met in systems like ours: versions found, made durable, and opened again.

Each test is one handed case; its number stands in the docstring.
"""

import json
import pathlib
import platform
import subprocess
import sys

import lance
import lance_cpp
import pyarrow as pa
import pytest

HINT = "_versions/latest_version_hint.json"
V2_OF_4 = "_versions/18446744073709551611.manifest"


def rows(ids):
    return pa.table({"id": pa.array(list(ids), pa.int64())})


def ids_of(dataset):
    return sorted(dataset.to_table()["id"].to_pylist())


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "table.lance")


@pytest.mark.parametrize("cut", [0, 2])
def test_the_newest_manifest_has_no_bytes_or_half_of_them(cut, place):
    """B116."""
    for first in (0, 10, 20):
        lance_cpp.write_dataset(rows(range(first, first + 10)), place, mode="append")
    newest = pathlib.Path(place, V2_OF_4)
    lance_cpp.write_dataset(rows([99]), place, mode="append")
    whole = newest.read_bytes()
    newest.write_bytes(whole[: len(whole) // cut] if cut else b"")

    for call in (
        lambda: lance_cpp.dataset(place),
        lambda: lance_cpp.write_dataset(rows([1000]), place, mode="append"),
    ):
        with pytest.raises(lance_cpp.errors.CorruptError, match=V2_OF_4):
            call()
    old = lance_cpp.dataset(place, version=3)
    assert old.count_rows() == 30
    with pytest.raises(OSError, match=V2_OF_4):
        old.insert(rows([1000]))
    # The way out that the guide names: the file that is no manifest goes.
    newest.unlink()
    lance_cpp.write_dataset(rows([1000]), place, mode="append")
    assert ids_of(lance_cpp.dataset(place)) == ids_of(lance.dataset(place)) == [*range(30), 1000]


@pytest.mark.parametrize("hint", ['{"version": 5}', None, "", "{", '{"version": 90}'])
def test_a_version_hint_that_was_left_behind(hint, place):
    """B118."""
    for i in range(9):
        lance_cpp.write_dataset(rows([i]), place, mode="append")
    file = pathlib.Path(place, HINT)
    if hint is None:
        file.unlink()
    else:
        file.write_text(hint)

    assert lance_cpp.dataset(place).version == 9
    written = lance_cpp.write_dataset(rows([9]), place, mode="append")
    assert written.version == 10
    assert json.loads(file.read_text())["version"] == 10
    assert ids_of(lance.dataset(place)) == list(range(10))


def test_ten_comes_after_nine(place):
    """B120."""
    for i in range(11):
        lance_cpp.write_dataset(rows([i]), place, mode="append", enable_v2_manifest_paths=False)
    names = sorted(path.name for path in pathlib.Path(place, "_versions").glob("*.manifest"))
    assert names == sorted(f"{i}.manifest" for i in range(1, 12))

    dataset = lance_cpp.dataset(place)
    assert dataset.version == 11
    assert ids_of(lance_cpp.dataset(place, version=10)) == list(range(10))
    assert [found["version"] for found in dataset.versions()] == list(range(1, 12))
    dataset.insert(rows([11]))
    assert pathlib.Path(place, "_versions/12.manifest").is_file()
    assert lance.dataset(place).version == 12


# A process whose files may have so many bytes: what is longer fails in the middle of the write.
LIMITED = """
import resource, signal, sys
import lance_cpp, pyarrow as pa
place, step, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
dataset = lance_cpp.dataset(place)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    if step == "delete":
        dataset.delete("id % 2 = 0")
    else:
        many = 300_000 if step == "append" else 1
        dataset.insert(pa.table({"id": pa.array(range(many), pa.int64())}))
except OSError as error:
    print(type(error).__name__, error)
    sys.exit(7)
"""


@pytest.mark.parametrize(
    ("step", "limit", "file"),
    [
        ("append", 200_000, "data/"),
        ("delete", 600, "_deletions/"),
        ("commit", 20_000, "_versions/"),
    ],
)
def test_the_disk_is_full_during_a_commit(step, limit, file, place):
    """B122."""
    lance_cpp.write_dataset(rows(range(1000)), place)
    if step == "commit":  # a manifest that is larger than a data file of one row
        lance_cpp.dataset(place).update_config({"long": "x" * 30_000})
    version = lance_cpp.dataset(place).version

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, place, step, str(limit)], capture_output=True, text=True
    )

    assert done.returncode == 7, done
    assert file in done.stdout or "_transactions/" in done.stdout
    for module in (lance_cpp, lance):
        assert module.dataset(place).version == version
        assert ids_of(module.dataset(place)) == list(range(1000))
    lance_cpp.write_dataset(rows([1000]), place, mode="append")
    assert ids_of(lance.dataset(place)) == list(range(1001))
    left = [p for p in pathlib.Path(place).rglob("*") if p.is_file() and ".tmp" in p.name]
    assert left == []


# A process for which link and renameat2 answer "operation not supported", by a seccomp filter.
WITHOUT_LINKS = """
import ctypes, struct, sys
import lance_cpp, pyarrow as pa
LINK, LINKAT, RENAMEAT2, EOPNOTSUPP = 86, 265, 316, 95
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000 | EOPNOTSUPP
code = [(LOAD, 0, 0, 0)]
for number in (LINK, LINKAT, RENAMEAT2):
    code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL)]
code.append((RETURN, 0, 0, ALLOW))
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, header, 0, 0):
    sys.exit(77)
place, step = sys.argv[1:]
try:
    lance_cpp.write_dataset(pa.table({"id": [1]}), place, mode=step)
except OSError as error:
    print(error)
    sys.exit(7)
"""


@pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux",
    reason="the filter has the system calls of Linux on x86-64",
)
def test_a_file_system_without_hard_links(place):
    """B125."""

    def write(mode):
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_LINKS, place, mode], capture_output=True, text=True
        )

    created = write("create")
    if created.returncode == 77:
        pytest.skip("this system lets no process have a seccomp filter")
    if created.returncode == 0:  # by a safe way of its own
        assert write("append").returncode == 0
        assert ids_of(lance.dataset(place)) == [1, 1]
        return
    assert created.returncode == 7, created
    assert "link" in created.stdout
    # An existing table stays as it is.
    lance_cpp.write_dataset(rows([5]), place)
    before = sorted(path.read_bytes() for path in pathlib.Path(place).rglob("*.manifest"))
    assert write("append").returncode == 7
    assert before == sorted(p.read_bytes() for p in pathlib.Path(place).rglob("*.manifest"))
    assert ids_of(lance.dataset(place)) == [5]


def test_a_tag_on_an_older_version_of_a_branch(place):
    """B131."""
    main = lance_cpp.write_dataset(rows([11, 12]), place)
    branch = main.create_branch("b")
    branch.insert(rows([13]))
    main.tags.create("t", ("b", 1))
    main.tags.create("m", 1)
    main.insert(rows([14]))

    for module in (lance_cpp, lance):
        for where in (place, f"{place}/tree/b"):
            assert ids_of(module.dataset(where, version="t")) == [11, 12]
            assert ids_of(module.dataset(where, version="m")) == [11, 12]
            assert ids_of(module.dataset(where).checkout_version("t")) == [11, 12]
