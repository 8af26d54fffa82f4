"""Columns of lists for the random tables, and conditions on their items with their evaluator."""

import dataclasses

import pyarrow as pa
from random_filters import Column, IsNull, key, neighbour, sql_of

LISTS = {
    "li": pa.list_(pa.int32()), "ls": pa.list_(pa.string()), "ll": pa.large_list(pa.int64()),
    "lf": pa.list_(pa.float64()), "ld": pa.list_(pa.date32()),
}
ITEM_NAMES = ["array_has", "array_has", "array_contains", "list_has"]
LIST_NAMES = ["array_has_any", "array_has_any", "array_has_all", "array_has_all", "list_has_any"]


def is_list(type_):
    return pa.types.is_list(type_) or pa.types.is_large_list(type_)


def ordinary_list(rng, item_at, place):
    """Items near each other, some of them null, some of them twice; perhaps none."""
    count = rng.choice([0, 1, 1, 2, 2, 3, 6])
    items = [item_at(place + rng.choice([0, 0, 1, 5])) for _ in range(count)]
    return [None if rng.random() < 0.1 else item for item in items]


def special_list(rng, special_item):
    return rng.choice([[], [None], [None, None], [special_item()], [special_item(), None]])


@dataclasses.dataclass
class HasItems:
    """Whether a list has one item, some, or all.

    In the last two a null is an item like others; whether a list has one null nobody knows. Of a
    null list nothing is known.
    """

    column: Column
    function: str
    items: list

    def sql(self):
        type_ = self.column.type.value_type
        texts = ["NULL" if item is None else sql_of(item, type_) for item in self.items]
        wanted = ", ".join(texts)
        if not self.is_of_one():  # only literals stand in brackets
            wanted = f"make_array({wanted})" if "CAST" in wanted else f"[{wanted}]"
        return f"{self.function}({self.column.sql()}, {wanted})"

    def is_of_one(self):
        return self.function in ITEM_NAMES

    def of(self, row):
        found = self.column.of(row)
        if found is None or (self.is_of_one() and self.items == [None]):
            return None
        there = {key(item) for item in found}
        wanted = {key(item) for item in self.items}
        return wanted <= there if self.function.endswith("_all") else bool(wanted & there)


def list_condition(rng, column, lists):
    """A condition on a column of lists.

    \\param lists some that the column holds
    """
    items = [item for found in lists for item in found if item is not None]
    if not items or rng.random() < 0.1:
        return IsNull(column, rng.random() < 0.4)

    def item():
        if rng.random() < 0.06:
            return None
        return neighbour(rng, rng.choice(items), column.type.value_type)

    if rng.random() < 0.4:
        return HasItems(column, rng.choice(ITEM_NAMES), [item()])
    wanted = [item() for _ in range(rng.choice([0, 1, 2, 2, 3, 5]))]
    if rng.random() < 0.4:  # what one list has
        wanted = [one for one in rng.choice(lists) if rng.random() < 0.7]
    return HasItems(column, rng.choice(LIST_NAMES), wanted)
