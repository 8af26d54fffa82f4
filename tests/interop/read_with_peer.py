"""Read a table with another package and write what it says: read_with_peer.py PACKAGE TABLE OUT.

Runs in an environment of its own, so it imports nothing of ours. The filters come one a line from
standard input. The rows go to OUT/rows.arrow, those that pass filter number n to OUT/n.arrow.
"""

import importlib.metadata
import pathlib
import sys

import pyarrow as pa


def open_with_lancedb(uri):
    """Functions that give the rows that pass a filter (all without one) and their number."""
    import lancedb

    path = pathlib.Path(uri)
    table = lancedb.connect(str(path.parent)).open_table(path.stem)

    def rows(filter_=None):
        query = table.search()
        if filter_ is not None:
            query = query.where(filter_)
        return query.limit(10**9).to_arrow()

    return rows, table.count_rows


def open_with_pylance(uri):
    import lance

    dataset = lance.dataset(uri)

    def rows(filter_=None):
        return dataset.to_table(filter=filter_)

    return rows, dataset.count_rows


def main(package, uri, out):
    rows, count = {"lancedb": open_with_lancedb, "pylance": open_with_pylance}[package](uri)
    filters = sys.stdin.read().splitlines()
    for name, filter_ in [("rows", None), *enumerate(filters)]:
        table = rows(filter_)
        assert count(filter_) == table.num_rows, filter_
        with pa.OSFile(f"{out}/{name}.arrow", "wb") as sink, pa.ipc.new_file(
            sink, table.schema
        ) as writer:
            writer.write_table(table)
    print(importlib.metadata.version(package))


if __name__ == "__main__":
    main(*sys.argv[1:])
