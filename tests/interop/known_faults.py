"""Filters for which the reference gives wrong rows, each in docs/differences.md."""

import re

# Where the reference gives wrong rows: docs/differences.md. Its zonemaps lose NaNs and texts in
# dictionaries; its btrees and bitmaps of a bool column lose nulls for NOT (b IS TRUE); its filter
# takes the lowest int64 for something else under NOT, and joins two lists of one column without
# regard to nulls; a float that equals zero is a list of two. A null list has all items of [],
# and none of them.
KNOWN_OF_INDICES = re.compile(r"\bf(16|32|64)\b|\bdic\b|NOT .*\bb IS (TRUE|FALSE)")
KNOWN_OF_FILTERS = re.compile(
    r"(NOT|<>).*-9223372036854775808|-9223372036854775808.*(NOT|<>)"
    r"|\b([\w.]+) (NOT )?IN .* (?:AND|OR) .*\b\3 (?:(?:NOT )?IN|=) "
    r"|\b([\w.]+) = .* (?:AND|OR) .*\b\5 (?:NOT )?IN "
    r"|_(any|all)\(\w+, \[\]\)"
)
