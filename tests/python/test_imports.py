"""Whether the module lives in one process with pyarrow and the reference, in any order."""

import itertools
import subprocess
import sys

import pytest

ROUND_TRIP = """
import sys
table = pyarrow.table({"a": [1, 2, 3]})
place = sys.argv[1] + "/t.lance"
lance_cpp.write_dataset(table, place)
assert lance.dataset(place).to_table().equals(table)
lance.write_dataset(table, place, mode="overwrite", data_storage_version="2.1")
assert lance_cpp.dataset(place).to_table().equals(table)
maps = [line.split()[-1] for line in open("/proc/self/maps") if "/libarrow.so" in line]
print(len(set(maps)))
"""


@pytest.mark.parametrize("order", list(itertools.permutations(("lance_cpp", "pyarrow", "lance"))))
def test_any_order_of_imports_maps_one_arrow(order, tmp_path):
    program = "\n".join(f"import {name}" for name in order) + ROUND_TRIP
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert (run.returncode, run.stdout.strip()) == (0, "1"), run.stderr


def test_the_library_loads_no_reference():
    program = "import sys, lance_cpp; print([m for m in sys.modules if m.split('.')[0] == 'lance'])"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert run.stdout.strip() == "[]"
