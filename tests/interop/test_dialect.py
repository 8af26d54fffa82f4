"""Every expression of dialect_cases.py has the values that it has for the reference.

Asked as computed columns, so that values and not only rows are compared, and conditions as filters,
too. Types may differ in width where values do not.
"""

import math

import lance
import lance_cpp
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
