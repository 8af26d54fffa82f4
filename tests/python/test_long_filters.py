"""Long and deep filters answer or fail cleanly, on a stack of 8 MiB: the process never dies."""

import threading

import lance_cpp
import pyarrow as pa
import pytest

STACK_BYTES = 8 << 20
MANY = ", ".join(str(i) for i in range(10, 10_000))
TEXTS = ", ".join(f"'t{i}'" for i in range(10_000))
TEXT = "x" * 100_000
COLUMNS = {
    "id": [1, 2, 3], "s": [TEXT, "y", "t77"], "l": [[1, 99], [2], None], "b": [True, False, None],
}

# Rows that pass.
ANSWERED = {
    "IN list": (f"id IN (1, 2, {MANY})", 2),
    "list of expressions": (f"id IN (id, {MANY})", 3),
    "NOT IN list": (f"id NOT IN ({MANY})", 3),
    "array": (f"array_has([1, {MANY}], id)", 1),
    "array of negatives": (f"array_has([-1, -2, -3, {MANY.replace(', ', ', -')}], -id)", 3),
    "array of texts": (f"array_has([{TEXTS}], s)", 1),
    "any of an array": (f"array_has_any(l, array[{MANY}])", 1),
    "all of an array": (f"array_has_all([1, {MANY}], l)", 1),
    "equal arrays": (f"l <> [{MANY}]", 2),
    "arguments": (f"coalesce(id, {MANY}) = 1", 1),
    "list of arrays": ("l IN (" + ", ".join(f"[{i}]" for i in range(2, 3000)) + ")", 1),
    "OR chain": ("id = 1" + " OR id = 2" * 10_000, 2),
    "AND chain": ("id < 3" + " AND id > 0" * 10_000, 2),
    "long text": (f"s = '{TEXT}'", 1),
    "long name in backticks": (f"id = 1 OR `{'i' * 10_000}` = 1", None),
    "long pattern": (f"s LIKE '{TEXT}%'", 1),
    "long prefix": (f"starts_with(s, '{TEXT}')", 1),
    "long bytes": (f"CAST(s AS binary) = X'{'78' * 100_000}'", 1),
    "long number": ("id < " + "9" * 100_000, None),
    "many blanks": (" " * 1_000_000 + "id = 1", 1),
    "long comment": ("id = 1 /*" + "x" * 1_000_000 + "*/", 1),
    "500 ANDs deep": ("(" * 249 + "id = 1" + " AND b)" * 249, 1),
    "deep NOT": ("NOT " * 498 + "b", 1),
    "deep sum": ("id" + " + 1" * 400 + " = 401", 1),
    "deep shifts": ("id" + " << 0" * 400 + " = 1", 1),
    "deep calls": ("abs(" * 400 + "id" + ")" * 400 + " = 1", 1),
    "deep arrays": ("array_reverse(" * 300 + "l" + ")" * 300 + " = [2]", 1),
}
TOO_DEEP = {
    "parentheses": "(" * 20_000 + "id = 1" + ")" * 20_000,
    "NOT": "NOT " * 20_000 + "b",
    "minus": "id = " + "- " * 20_000 + "1",
    "calls": "abs(" * 20_000 + "id" + ")" * 20_000,
    "open calls": "abs(" * 20_000,
    "arrays": "[" * 20_000 + "]" * 20_000,
    "subscripts": "l" + "[1]" * 20_000,
    "nested subscripts": "l[" * 20_000 + "1" + "]" * 20_000,
    "fields": "l" + ".a" * 20_000,
    "sum": "id" + " + 1" * 20_000 + " = 1",
    "shifts": "id" + " << 1" * 20_000,
    "casts": "id" + "::bigint" * 20_000,
    "AND and OR": "b AND (b OR (" * 10_000 + "b" + "))" * 10_000,
    "IS DISTINCT FROM": "id" + " IS DISTINCT FROM id" * 20_000,
}


@pytest.fixture(scope="module", name="ds")
def small_table(tmp_path_factory):
    place = str(tmp_path_factory.mktemp("long") / "t.lance")
    ds = lance_cpp.write_dataset(pa.table(COLUMNS), place)
    ds.create_scalar_index("id", "ZONEMAP")
    return ds


def on_small_stack(call):
    """The result of a call on a thread of its own, or what it raised."""
    results = []

    def run():
        try:
            results.append(call())
        except lance_cpp.LanceError as error:
            results.append(error)

    before = threading.stack_size(STACK_BYTES)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return results[0]


@pytest.mark.parametrize("name", ANSWERED)
def test_long_filters_answer_or_say_why_not(ds, name):
    sql, rows = ANSWERED[name]
    result = on_small_stack(lambda: ds.count_rows(sql))
    if rows is None:
        assert isinstance(result, lance_cpp.InvalidError) and len(str(result)) < 2_000
    else:
        assert result == rows
        assert on_small_stack(lambda: ds.scanner(filter=sql, use_stats=False).count_rows()) == rows
        assert ds.explain(sql)["filter"]


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_is_too_deep_is_refused_at_its_place(ds, name):
    result = on_small_stack(lambda: ds.count_rows(TOO_DEEP[name]))
    assert isinstance(result, lance_cpp.InvalidError)
    assert "deep" in str(result) or "more than 500" in str(result), str(result)[:300]
    assert result.offset is not None
    assert len(str(result)) < 2_000


def test_so_do_values_of_updates_and_computed_columns(ds):
    for sql in TOO_DEEP.values():
        result = on_small_stack(lambda: ds.scanner(columns={"v": sql}))
        assert isinstance(result, lance_cpp.InvalidError)
