"""Members of structs as columns: names, types, values and order as the reference gives them."""

import itertools

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance.dataset import ColumnOrdering
from lancectl import IS_LONG, rng_of, scan_ipc

VERSIONS = ["2.0", "2.1", "2.2"]
ROWS = 4000 if IS_LONG else 600
INNER = pa.struct([("p", pa.float64()), ("q", pa.bool_()), ("r", pa.list_(pa.int16()))])
STRUCT = pa.struct([("x", pa.int32()), ("y", pa.utf8()), ("in", INNER)])
ITEM = pa.struct([("a", pa.int64()), ("b", pa.utf8())])
ODD = pa.struct([("X", pa.int32()), ("x", pa.int32()), ("a.b", pa.int32()), ("Up", pa.int8())])


def make_table(rows, rng, nullable):
    """Structs in structs and in lists. Data files of 2.0 have no null structs."""

    def pick(*values):
        values = list(values) + ([None] if nullable else [])
        return rng.choice(values)

    def inner():
        return pick({"p": rng.random(), "q": rng.choice([True, None]), "r": [rng.randrange(9)]})

    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "st": pa.array(
                [
                    pick({"x": rng.choice([None, i % 50]), "y": f"y{i}", "in": inner()})
                    for i in range(rows)
                ],
                STRUCT,
            ),
            "ls": pa.array(
                [[{"a": i, "b": "u"}, {"a": None, "b": f"v{i}"}][: i % 3] for i in range(rows)],
                pa.list_(ITEM),
            ),
            "Odd": pa.array(
                [{"X": i, "x": -i, "a.b": 2 * i, "Up": i % 9} for i in range(rows)], ODD
            ),
            "we ird": pa.array([{"s p": i % 7} for i in range(rows)]),
            "l": pa.array([list(range(i % 4)) for i in range(rows)], pa.list_(pa.int32())),
        }
    )


@pytest.fixture(scope="module", params=VERSIONS, name="uri")
def nested_table(request, tmp_path_factory):
    """Several fragments and deleted rows; files of ours and of the reference."""
    rng = rng_of("nested", request.param)
    uri = str(tmp_path_factory.mktemp("nested") / "t.lance")
    table = make_table(ROWS, rng, nullable=request.param != "2.0")
    lance_cpp.write_dataset(
        table.slice(0, ROWS // 2), uri, max_rows_per_file=ROWS // 5,
        data_storage_version=request.param,
    )
    for begin in range(ROWS // 2, ROWS, ROWS // 4):
        # A copy, in one file: the reference fails on slices of nested arrays.
        part = table.take(list(range(begin, begin + ROWS // 4)))
        lance.write_dataset(part, uri, mode="append")
    lance_cpp.dataset(uri).delete("id % 7 = 3")
    return uri


def both(uri, **options):
    tables = [module.dataset(uri).scanner(**options).to_table() for module in (lance_cpp, lance)]
    return tables


SCANNED = [
    ["st.x"], ["st.in.p"], ["st.x", "st.y"], ["st.y", "st.x"], ["st", "st.x"], ["st.x", "st"],
    ["st.x", "id", "st.y"], ["`st`.`x`"], ["st.`x`"], ["Odd.x"], ["Odd.X", "Odd.x"], ["odd.X"],
    ["Odd.`a.b`"], ["we ird.s p"], ["`we ird`.`s p`"], ["`we ird`"], ["`id`"], ["st.in"],
    ["st.in", "st.in.p"], ["_rowid", "st.x"], ["st.in.p", "st.in.q"], ["st.in.r", "st.x", "id"],
    ["ls"],
    {"a": "st.x"}, {"a": "st['x']"}, {"a": "st.in.p + 1", "b": "st.x"}, {"st.x": "st.x"},
    {"a": "ls[1].a"}, {"a": "st.in"}, {"a": "Odd.`a.b`"}, {"a": "Odd['a.b']"}, {"id": "st.x"},
    {"a": "`we ird`.`s p`"}, {"a": "Odd.X", "b": "Odd.x"}, {"a": "get_field(st, 'x')"},
    {"a": "st.in.r[1]"}, {"a": "st.x", "b": "st.in.q", "c": "id"},
]  # fmt: skip
TAKEN = [
    ["st.x"], ["st.in.p", "st.y"], ["st", "st.x"], ["st.x", "st"], ["`st`.`x`"], ["Odd.`a.b`"],
    ["id", "st.y"], ["st.y", "id"], ["l", "st.y", "id", "st.x"], ["_rowid", "st.x"], ["ls.item.a"],
    ["st.in.r", "st.in.q"], ["st.x", "st.x"], ["id", "id"], ["ls.item.b", "st.x", "ls.item.a"],
    {"q": "st.x + 1"}, {"q": "st.in.p", "r": "id"},
]  # fmt: skip
REFUSED = [
    ["st.nope"], ["nope.x"], ["id.x"], ["ls.a"], ["ls.item.a"], ["l.item"], ["ls[1].a"],
    ["st['x']"], ["Odd.a.b"], ["st."], [".x"], ["`st.x`"], ["st.x", "st.x"], ["st.x + 1"],
    {"a": "st.nope"}, {"a": "`st.x`"}, {"a": "ls.a"},
]  # fmt: skip


@pytest.mark.parametrize("columns", SCANNED, ids=str)
def test_a_scan_gives_members_as_columns(uri, columns):
    ours, theirs = both(uri, columns=columns)

    assert ours.schema == theirs.schema
    assert ours.equals(theirs)


@pytest.mark.parametrize("columns", SCANNED, ids=str)
def test_so_does_a_filtered_scan(uri, columns):
    for where in ["st.x > 25", "st.in.p < 0.5 AND Odd.`a.b` > 20", "st IS NULL", "st.in.q"]:
        ours, theirs = both(uri, columns=columns, filter=where, limit=100, offset=3)
        assert ours.equals(theirs), where


@pytest.mark.parametrize("columns", TAKEN, ids=str)
def test_takes_and_samples_keep_members_in_their_structs(uri, columns):
    rows = [5, 300, 5, 0, 401]
    ours = lance_cpp.dataset(uri)
    theirs = lance.dataset(uri)

    taken = ours.take(rows, columns=columns)
    assert taken.schema == theirs.take(rows, columns=columns).schema
    assert taken.equals(theirs.take(rows, columns=columns))
    count = ours.count_rows()
    assert ours.sample(count, columns, randomize_order=False).equals(
        theirs.sample(count, columns, randomize_order=False)
    )


@pytest.mark.parametrize("columns", REFUSED, ids=str)
def test_what_the_reference_refuses_is_refused(uri, columns):
    with pytest.raises(Exception):  # noqa: B017 -- of the reference
        lance.dataset(uri).to_table(columns=columns)
    with pytest.raises((lance_cpp.InvalidError, lance_cpp.NotFoundError)):
        lance_cpp.dataset(uri).to_table(columns=columns)


@pytest.mark.parametrize("path", ["st.nope", "nope.x", "id.x", "ls.a"])
def test_an_unknown_member_is_named(uri, path):
    with pytest.raises(lance_cpp.NotFoundError, match="there is no column|no member"):
        lance_cpp.dataset(uri).to_table(columns=[path])


def test_a_path_through_a_list_is_refused_by_a_scan_and_says_so(uri):
    with pytest.raises(lance_cpp.InvalidError, match="ls.item.a leads through ls of type list"):
        lance_cpp.dataset(uri).to_table(columns=["ls.item.a"])


@pytest.mark.parametrize(
    "path, ascending, nulls_first, limit",
    list(itertools.product(["st.x", "st.in.p", "Odd.X"], [True, False], [True, False], [None, 17])),
)
def test_members_order_rows(uri, path, ascending, nulls_first, limit):
    order = [ColumnOrdering(path, ascending, nulls_first), ColumnOrdering("id", True, False)]
    ours = [lance_cpp.ColumnOrdering(o.column_name, o.ascending, o.nulls_first) for o in order]
    found = lance_cpp.dataset(uri).to_table(
        columns=["id", "st.y", path], order_by=ours, limit=limit
    )

    # The reference cannot order by a member that it does not give.
    expected = lance.dataset(uri).to_table(columns=["id", "st.y", path])
    values = expected[path].to_pylist()
    ids = expected["id"].to_pylist()
    is_last = [(value is None) != nulls_first for value in values]
    keys = [
        (last, 0 if value is None else (value if ascending else -value), row)
        for value, last, row in zip(values, is_last, ids)
    ]
    places = [place for _, place in sorted(zip(keys, range(len(keys))))]
    assert found.equals(expected.take(places[:limit]).combine_chunks())


def test_only_the_leaves_that_are_asked_for_are_read(tmp_path):
    uri = str(tmp_path / "t.lance")
    wide = pa.array(
        [{"x": i, "text": f"{i * 7919 % 100003:06d}" * 20, "in": {"k": i}} for i in range(20000)]
    )
    lance_cpp.write_dataset(pa.table({"id": range(20000), "st": wide}), uri)
    ds = lance_cpp.dataset(uri)

    def bytes_read(**options):
        seen = []
        ds.scanner(**options, scan_stats_callback=seen.append).to_table()
        return seen[0].bytes_read

    text = bytes_read(columns=["st.text"])
    for options in [
        {"columns": ["st.x"]}, {"columns": ["st.in.k"]}, {"columns": {"v": "st.x + st.in.k"}},
        {"columns": ["id"], "filter": "st.x < 100"}, {"columns": ["st.x"], "filter": "st.in.k = 1"},
        {"columns": ["id"], "order_by": ["st.x"]},
        {"columns": ["st.x"], "filter": "st.x > 10", "order_by": ["st.in.k"], "limit": 5},
    ]:  # fmt: skip
        assert bytes_read(**options) < text / 5, options
    assert bytes_read(columns=["st"], filter="st.x = 77") < text


def test_lancectl_takes_paths(uri):
    ours = scan_ipc(uri, "--columns", "st.x,id,`we ird`.`s p`", "--order-by", "st.x desc,id")
    expected = lance_cpp.dataset(uri).to_table(
        columns=["st.x", "id", "`we ird`.`s p`"],
        order_by=[lance_cpp.ColumnOrdering("st.x", False), "id"],
    )
    assert ours.equals(expected)


def test_members_that_were_added_later_are_null_in_older_fragments(tmp_path):
    uri = str(tmp_path / "t.lance")
    first = pa.table({"s": pa.array([{"a": 1}, None])})
    lance.write_dataset(first, uri, data_storage_version="2.1")
    lance.dataset(uri).add_columns({"n": "s.a + 1"})
    for columns in (["s.a"], ["s.a", "n"], {"v": "s.a + n"}):
        ours, theirs = both(uri, columns=columns)
        assert ours.equals(theirs)
