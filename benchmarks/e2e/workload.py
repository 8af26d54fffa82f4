"""The queries that every engine answers, and what the right answers are.

A query asks for closed intervals of one or two key columns:

    point   one value of a key, as often as rows have it
    range   about 1 % of the rows along one key
    pair    about 10 % along each of two keys, so 1 % of the rows when the keys are independent

Each is put around a row of the table, so none has an empty answer by construction.
"""

import dataclasses
import datetime
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SEED = 7
SHAPES = ("point", "range", "pair")
RANGE_SHARE = 0.01
PAIR_SHARE = 0.1


@dataclasses.dataclass(frozen=True)
class Query:
    """Intervals of key columns; the bounds are values that SQL can name."""

    shape: str
    intervals: tuple[tuple[str, object, object], ...]  # column, lowest, highest
    num_rows: int  # the right answer

    def columns(self) -> tuple[str, ...]:
        """The columns that it asks for."""
        return tuple(column for column, _, _ in self.intervals)

    def condition(self, date_word: str, timestamp_word: str) -> str:
        """As SQL. The words stand in front of literals: DATE '2026-01-01'."""
        words = {datetime.date: date_word, datetime.datetime: timestamp_word}
        terms = []
        for column, lowest, highest in self.intervals:
            if lowest == highest:
                terms.append(f"{column} = {_literal(lowest, words)}")
            else:
                terms.append(f"{column} >= {_literal(lowest, words)}")
                terms.append(f"{column} <= {_literal(highest, words)}")
        return " AND ".join(terms)


def _literal(value: object, words: dict[type, str]) -> str:
    if type(value) in words:
        return f"{words[type(value)]} '{value}'"
    return f"'{value}'" if isinstance(value, str) else repr(value)


class _Key:
    """A key column as numbers in the order of its values; nulls are no numbers."""

    def __init__(self, name: str, column: pa.ChunkedArray):
        self.name = name
        values = column.combine_chunks()
        self._type = values.type
        self._distinct = None
        if pa.types.is_string(values.type):
            distinct = pc.unique(values).drop_null()
            self._distinct = distinct.take(pc.array_sort_indices(distinct))
            numbers = pc.index_in(values, self._distinct)
        elif pa.types.is_date32(values.type):
            numbers = values.cast(pa.int32())
        elif pa.types.is_timestamp(values.type):
            numbers = values.cast(pa.int64())
        else:
            numbers = values
        self.is_valid = np.asarray(pc.is_valid(numbers))
        self.numbers = np.asarray(pc.fill_null(numbers, 0))
        self.sorted = np.sort(self.numbers[self.is_valid])

    def value(self, number: object) -> object:
        """The value of a number, as Python has it."""
        if self._distinct is not None:
            return self._distinct[int(number)].as_py()
        if pa.types.is_floating(self._type):
            return float(number)
        if pa.types.is_date32(self._type):
            return pa.scalar(int(number), pa.int32()).cast(self._type).as_py()
        return pa.scalar(int(number), pa.int64()).cast(self._type).as_py()

    def around(self, number: object, share: float, random: np.random.Generator) -> tuple:
        """An interval of about this share of the rows that holds a number."""
        last = len(self.sorted) - 1
        width = round(share * len(self.sorted))
        position = int(np.searchsorted(self.sorted, number))
        first = int(np.clip(position - round(width * random.random()), 0, max(last - width, 0)))
        lowest, highest = self.sorted[first], self.sorted[min(first + width, last)]
        return min(lowest, number), max(highest, number)


def make_queries(table: pa.Table, keys: tuple[str, ...], num_of_each: int) -> list[Query]:
    """num_of_each queries of every shape on every key, and on every two keys."""
    random = np.random.default_rng(SEED)
    columns = [_Key(name, table[name]) for name in keys]
    rows = np.flatnonzero(np.logical_and.reduce([column.is_valid for column in columns]))
    asked = []
    for column in columns:
        for row in random.choice(rows, num_of_each):
            asked.append(("point", [(column, column.numbers[row], column.numbers[row])]))
        for row in random.choice(rows, num_of_each):
            bounds = column.around(column.numbers[row], RANGE_SHARE, random)
            asked.append(("range", [(column, *bounds)]))
    for two in itertools.combinations(columns, 2):
        for row in random.choice(rows, num_of_each):
            around = [(key, *key.around(key.numbers[row], PAIR_SHARE, random)) for key in two]
            asked.append(("pair", around))
    return [_answered(shape, intervals) for shape, intervals in asked]


def _answered(shape: str, intervals: list) -> Query:
    hits = np.logical_and.reduce(
        [
            key.is_valid & (key.numbers >= lowest) & (key.numbers <= highest)
            for key, lowest, highest in intervals
        ]
    )
    named = tuple((key.name, key.value(low), key.value(high)) for key, low, high in intervals)
    return Query(shape, named, int(hits.sum()))


def random_positions(num_rows: int, wanted: int) -> list[int]:
    """Positions to take, ascending, without repeats."""
    random = np.random.default_rng(SEED)
    return np.sort(random.choice(num_rows, min(wanted, num_rows), replace=False)).tolist()
