"""Every expression of dialect_cases.py has the values that it has for the reference.

Asked as computed columns, so that values and not only rows are compared, and conditions as filters,
too. Types may differ in width where values do not.
"""

import math

import lance
import lance_cpp
import pyarrow as pa
import pytest
from dialect_cases import ALIKE, DIFFERENCES, FAILING, MISSING, OURS_ALONE, REFUSED, make_table


@pytest.fixture(scope="module", name="uri")
def dialect_table(tmp_path_factory):
    uri = str(tmp_path_factory.mktemp("dialect") / "t.lance")
    lance.write_dataset(make_table(), uri, data_storage_version="2.1")
    return uri


def values_of(module, uri, expression):
    """A column is beside it: the reference gives no column that is constant alone."""
    options = {"columns": {"v": expression, "row": "i"}}
    return module.dataset(uri).to_table(**options)["v"].to_pylist()


def plain(value):
    """In a form that compares: NaN equals NaN, and the last bits of a float do not count."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else float(f"{value:.9g}")
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


@pytest.mark.parametrize("expression", ALIKE)
def test_an_expression_has_the_values_of_the_reference(uri, expression):
    expected = values_of(lance, uri, expression)
    assert plain(values_of(lance_cpp, uri, expression)) == plain(expected)
    is_condition = all(value is None or isinstance(value, bool) for value in expected)
    if not is_condition or expected == [None] * len(expected):
        return
    ours, theirs = [
        module.dataset(uri).to_table(filter=expression, with_row_id=True)["_rowid"].to_pylist()
        for module in (lance_cpp, lance)
    ]
    assert ours == theirs


@pytest.mark.parametrize("expression, expected, theirs", DIFFERENCES)
def test_differences_are_what_the_documentation_says(uri, expression, expected, theirs):
    assert plain(values_of(lance_cpp, uri, expression)) == plain(expected)
    assert plain(values_of(lance, uri, expression)) == plain(theirs)


def test_casts_that_fail_and_cases_of_several_letters_differ(tmp_path):
    """As docs/differences.md says."""
    uri = str(tmp_path / "t.lance")
    table = pa.table({"i64": [1, 2**40], "s": ["\u00df", "a"]})
    theirs = lance.write_dataset(table, uri)
    ours = lance_cpp.dataset(uri)

    assert theirs.count_rows("CAST(i64 AS INT) = 1") == 1
    with pytest.raises(lance_cpp.InvalidError, match="1099511627776"):
        ours.count_rows("CAST(i64 AS INT) = 1")
    for ds in (theirs, ours):
        assert ds.count_rows("TRY_CAST(i64 AS INT) = 1") == 1
    assert (theirs.count_rows("upper(s) = 'SS'"), ours.count_rows("upper(s) = 'SS'")) == (1, 0)
    assert ours.count_rows("upper(s) = '\u1e9e'") == 1


DAYS = [0, -719_162, -719_528, -719_529, 2_932_896, 2_932_897, 2**31 - 1, -(2**31), None]
DATES = [
    "10000-01-01", "+10000-01-01", "+1970-01-01", "+001970-01-01", "-0001-12-31", "-1-01-01",
    "0000-01-01", "-0000-01-01", "+0000-1-1", "0001-1-1", "+10000-1-1", "+262142-12-31",
    "+262143-01-01", "-262143-01-01", "-262144-12-31", "+999999999999-01-01", "19700-01-01",
    "+197-01-01", "+10000-02-30", "-0004-02-29", "+ 10000-01-01", "--0001-01-01", "+-0001-01-01",
]  # fmt: skip


@pytest.mark.parametrize("form", ["d = DATE '{}'", "d < DATE '{}'", "CAST('{}' AS DATE) <= d"])
def test_dates_of_all_years_are_written_as_for_the_reference(form, tmp_path):
    uri = str(tmp_path / "t.lance")
    table = pa.table({"d": pa.array(DAYS, pa.date32())})
    both = [lance.write_dataset(table, uri), lance_cpp.dataset(uri)]
    for date in DATES:
        answers = []
        for ds in both:
            try:
                found = ds.to_table(filter=form.format(date), with_row_id=True)
                answers.append(found["_rowid"].to_pylist())
            except ValueError:
                answers.append("refused")
        assert answers[0] == answers[1], form.format(date)


def test_times_of_other_than_four_digit_years_are_refused_as_by_the_reference(tmp_path):
    uri = str(tmp_path / "t.lance")
    table = pa.table({"t": pa.array([0, 2**63 - 1, -(2**63)], pa.timestamp("us"))})
    for ds in (lance.write_dataset(table, uri), lance_cpp.dataset(uri)):
        for time in ("+10000-01-01 00:00:00", "-0001-01-01", "10000-01-01T00:00:00Z"):
            with pytest.raises((ValueError, OSError)):
                ds.count_rows(f"t < TIMESTAMP '{time}'")
        last = "arrow_cast(9223372036854775807, 'Timestamp(Microsecond, None)')"
        assert ds.count_rows(f"t = {last}") == 1


@pytest.mark.parametrize("expression", FAILING)
def test_an_expression_that_fails_on_a_row_fails_for_both(uri, expression):
    for module in (lance_cpp, lance):
        with pytest.raises(ValueError):
            values_of(module, uri, expression)


def refusal_of(uri, expression):
    with pytest.raises(lance_cpp.LanceError) as refused:
        values_of(lance_cpp, uri, expression)
    return refused.value


@pytest.mark.parametrize("expression", REFUSED)
def test_what_the_reference_refuses_is_refused_with_its_place(uri, expression):
    with pytest.raises(BaseException):  # noqa: B017 -- a panic is no Exception
        values_of(lance, uri, expression)
    assert refusal_of(uri, expression).offset is not None


@pytest.mark.parametrize("expression, reason", MISSING)
def test_what_is_missing_is_refused_by_name_with_its_place(uri, expression, reason):
    values_of(lance, uri, expression)  # which has it
    refused = refusal_of(uri, expression)
    assert reason in str(refused)
    assert refused.offset is not None


@pytest.mark.parametrize("expression, expected", OURS_ALONE)
def test_what_the_reference_has_not_gives_what_it_says(uri, expression, expected):
    with pytest.raises(BaseException):  # noqa: B017 -- a panic is no Exception
        values_of(lance, uri, expression)
    assert plain(values_of(lance_cpp, uri, expression)) == plain(expected)


def test_conditions_of_lists_choose_rows_to_delete(tmp_path):
    ds = lance_cpp.write_dataset(make_table(), str(tmp_path / "t.lance"))
    assert ds.count_rows("array_has_any(li, [2, 9])") == 2
    assert ds.delete("array_has_all(li, [2]) AND NOT array_empty(ll)")["num_deleted_rows"] == 2
    assert ds.update({"li": "array_append(li, i)"}, where="i = 5")["num_rows_updated"] == 1
    assert ds.to_table(columns=["li"], filter="i = 5")["li"].to_pylist() == [[7, 5]]


def test_literals_are_rounded_to_halves(tmp_path):
    uri = str(tmp_path / "halves")
    values = pa.array([0.1, 1.5, float("inf"), None, -0.0], pa.float16())
    lance_cpp.write_dataset(pa.table({"h": values}), uri)
    for condition in [
        "h = 0.1", "h IS NOT DISTINCT FROM 0.1", "h IS DISTINCT FROM 0.1", "h IN (0.1, 7.0)",
        "0.1 IS NOT DISTINCT FROM h", "h IS NOT DISTINCT FROM 0.0", "h BETWEEN 0.1 AND 1.5",
        "h <> 0.1", "h > 0.1",
    ]:  # fmt: skip
        rows = [m.dataset(uri).count_rows(condition) for m in (lance_cpp, lance)]
        assert rows[0] == rows[1], (condition, rows)
