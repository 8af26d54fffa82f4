"""Every filter of filter_cases.py gives the same rows in lancectl and in the reference.

Asked of four tables with the same rows: one without statistics, one clustered by all columns with
zones of a few rows, one clustered by two columns, and one of the reference with zonemaps of its
own. The last three end in rows that no index covers; of our two these have seeds.
"""

import collections
import concurrent.futures
import re

import lance
import pyarrow as pa
import pytest
from filter_cases import DIFFERENCES, FILTERS, REFUSED, filter_table
from lance.indices import IndexConfig
from lancectl import INVALID, IS_LONG, UNSUPPORTED, attempt, explain, from_ipc, rng_of, run, write

Tables = collections.namedtuple("Tables", ["plain", "all_keys", "two_keys", "theirs"])

# The most that a declaration takes: 16.
ALL_KEYS = "s,n,f,d,b,t,g,small,u,z,ts,tn,tiny,nothing,my col,MixedCase"


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filters")
    rows = 40000 if IS_LONG else 4000
    table = filter_table(rows, rng_of("filters"))
    tail = filter_table(rows // 8, rng_of("tail"), rows)
    write("create", folder / "plain.lance", pa.concat_tables([table, tail]))
    for name, keys, zone in [("all_keys", ALL_KEYS, 8), ("two_keys", "f,s", 50)]:
        uri = folder / f"{name}.lance"
        write("create", uri, table, "--max-rows-per-file", rows // 3)
        run("cluster", "set", uri, "--columns", keys)
        run("optimize", uri, "--rows-per-zone", zone, "--target-rows-per-fragment", rows // 2)
        write("append", uri, tail)
    theirs = [part.drop_columns("back`tick") for part in [table, tail]]  # it cannot append to such
    uri = str(folder / "theirs.lance")
    dataset = lance.write_dataset(theirs[0], uri, data_storage_version="2.1")
    for name in ALL_KEYS.split(","):
        if name.isidentifier():  # it takes no others
            dataset.create_scalar_index(name, IndexConfig("zonemap", {"rows_per_zone": 8}))
    lance.write_dataset(theirs[1], uri, mode="append")
    return Tables(*(folder / f"{name}.lance" for name in Tables._fields))


@pytest.fixture(scope="module")
def references(tables):
    return Tables(*(lance.dataset(str(uri)) for uri in tables))


def ask_us(uri, filter_, *arguments):
    """Row numbers, or the exit code of a refusal."""
    outcome = attempt("scan", uri, "--columns", "id", "--format", "ipc", "--filter", filter_,
                      *arguments)
    if outcome.code != 0:
        assert outcome.code in (INVALID, UNSUPPORTED), outcome
        return outcome.code
    return sorted(from_ipc(outcome.raw)["id"].to_pylist())


def ask_reference(dataset, filter_, **options):
    """Row numbers, or None for a refusal."""
    try:
        found = dataset.to_table(columns=["id"], filter=filter_, **options)
    except (OSError, ValueError, NotImplementedError):
        return None
    return sorted(found["id"].to_pylist())


def check(tables, references, filter_):
    expected = ask_reference(references.plain, filter_)
    questions = {
        "no statistics": [tables.plain],
        "all keys": [tables.all_keys],
        "all keys, read in full": [tables.all_keys, "--no-pruning"],
        "zonemaps of the reference": [tables.theirs],
    }
    if IS_LONG or re.search(r"\b[fs]\b", filter_):  # others meet no statistics there
        questions["two keys"] = [tables.two_keys]
    if IS_LONG:
        questions["two keys, read in full"] = [tables.two_keys, "--no-pruning"]
        questions["all keys, seeds only"] = [tables.all_keys, "--no-index"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = pool.map(lambda q: ask_us(q[0], filter_, *q[1:]), questions.values())
        answers = dict(zip(questions, answers, strict=True))
    assert expected is not None
    for place, answer in answers.items():
        assert answer == expected, place
    # The reference uses our zonemaps.
    assert ask_reference(references.all_keys, filter_) == expected
    assert ask_reference(references.two_keys, filter_) == expected


@pytest.mark.parametrize("filter_", [text for text in FILTERS if text not in DIFFERENCES])
def test_gives_the_rows_of_the_reference(filter_, tables, references):
    check(tables, references, filter_)


@pytest.mark.parametrize("filter_", REFUSED)
def test_refuses_what_the_reference_refuses(filter_, tables, references):
    assert ask_reference(references.plain, filter_) is None
    assert ask_us(tables.plain, filter_) == INVALID
    assert ask_us(tables.all_keys, filter_) == INVALID


@pytest.mark.parametrize("filter_", DIFFERENCES)
def test_differs_as_recorded(filter_, tables, references):
    ours, theirs, _ = DIFFERENCES[filter_]

    found = [ask_us(tables.plain, filter_), ask_us(tables.all_keys, filter_)]
    expected = ask_reference(references.plain, filter_)

    if ours == "answers":
        assert all(isinstance(answer, list) for answer in found)
        assert found[0] == found[1]
        assert len(found[0]) > 0
    else:
        assert found == [int(ours.split()[-1])] * 2
    assert (expected is None) == (theirs == "refuses")
    assert found[0] != expected


def combinations():
    """Filters put together from those that give rows."""
    rng = rng_of("combinations")
    # Without those that end the text, and the one that differs under NOT.
    bare = [
        text for text in FILTERS
        if text not in DIFFERENCES and not re.search(r";|--|\bg\b.*0\.1", text)
    ]
    for _ in range(300 if IS_LONG else 12):
        parts = [f"({text})" for text in rng.choices(bare, k=rng.randint(2, 4))]
        joined = parts[0]
        for part in parts[1:]:
            if rng.random() < 0.3:
                part = f"NOT {part}"
            joined = f"({joined} {rng.choice(['AND', 'OR'])} {part})"
        yield joined


@pytest.mark.parametrize("filter_", list(combinations()))
def test_gives_the_rows_of_the_reference_for_combinations(filter_, tables, references):
    check(tables, references, filter_)


@pytest.mark.parametrize(
    ("table", "filter_"),
    [
        ("all_keys", "n = 7"),
        ("all_keys", "s = 'w5'"),
        ("all_keys", "d < DATE '1970-01-01'"),
        ("all_keys", "b"),
        ("all_keys", "b IS NULL"),
        ("all_keys", "u = 18446744073709551615"),
        ("all_keys", "z < TIMESTAMP '1970-01-01 00:00:00Z'"),
        ("all_keys", "nothing = 1"),
        ("all_keys", "`my col` IN (1, 2)"),
        ("theirs", "f = 0.1"),
        ("theirs", "nothing = 1"),
        ("two_keys", "f > 100"),
        ("two_keys", "f < 0"),
        ("two_keys", "f IN (0, 1, 2, 3)"),
        ("two_keys", "s BETWEEN 'w1' AND 'w3'"),
    ],
)
def test_reads_fewer_zones_than_there_are(table, filter_, tables):
    zones = explain(getattr(tables, table), filter_)["zones"]

    assert zones["kept"] < zones["total"]
    assert zones["total"] > 80
