"""Two writers at the same version, one of them ours: what happens to who commits second.

Expected results come from the conflict table of the format's description, the same text that the
unit tests of our own rules are generated from; the notes in its cells are decided here for what
the calls of Python really commit. The reference against itself is held to the same expectations, so
that they are known to be its own. Whatever happens, both read the serial order of what succeeded.
"""

import dataclasses
import pathlib
import shutil

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance.file import LanceFileWriter
from lance.fragment import DataFile
from lancectl import IS_LONG, rng_of

TABLE_FILE = pathlib.Path(__file__).parents[1] / "unit" / "table" / "conflict_table.h"
MODULES = {"ours": lance_cpp, "reference": lance}
ROWS, ROWS_PER_FILE = 50, 10
SHORT_SAMPLE = 40


def conflict_table():
    """Cell by (ours, theirs): a list of notes."""
    text = TABLE_FILE.read_text().split('R"(')[1].split(')"')[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {
        (line[0], theirs): cell.split(",")
        for line in lines[2:]
        if line[0]
        for theirs, cell in zip(lines[0][1:], line[1:], strict=True)
    }


CELLS = conflict_table()


@dataclasses.dataclass(frozen=True)
class Target:
    """What an operation changes: rows, a column, a new column, a key of metadata."""

    ids: tuple
    column: str
    new: str
    key: str
    only_last_fragments: bool = False


OURS = Target(ids=(0, 1), column="a", new="new", key="k")
# Theirs: nothing in common; the same but other rows of the fragment; the same.
THEIRS = {
    "apart": Target((10, 11), "b", "other", "l", only_last_fragments=True),
    "neighbours": Target((2, 3), "a", "new", "k"),
    "same": Target((1, 2), "a", "new", "k"),
}


class State:
    """A version: columns keep their identity whatever they are called."""

    def __init__(self):
        self.names = {name: name for name in ("id", "a", "b")}
        self.rows = {i: {"id": i, "a": i, "b": -i} for i in range(ROWS)}
        self.config = {}
        self.schema_metadata = {}
        self.field_metadata = {}
        self.num_columns_made = 0

    def table(self):
        return sorted(
            ({name: row.get(column) for column, name in self.names.items()}
             for row in self.rows.values()),
            key=lambda row: row["id"],
        )

    def add_column(self, name, value_of):
        self.num_columns_made += 1
        column = f"{name} {self.num_columns_made}"
        self.names[column] = name
        for row in self.rows.values():
            row[column] = value_of(row)

    def new_rows(self, ids, value):
        for id_ in ids:
            self.rows[id_] = {"id": id_, "a": value, "b": value}


def condition(target):
    return f"id IN ({', '.join(map(str, target.ids))})"


def table_of(ids, value):
    values = pa.array([value] * len(ids), pa.int32())
    return pa.table({"id": pa.array(ids, pa.int64()), "a": values, "b": values})


# ---- The operations: what to call, and what it does --------------------------------------------


def inserted_ids(target):
    return [1000 + target.ids[0], 2000 + target.ids[0]]


def run_append(module, dataset, target):
    module.write_dataset(table_of(inserted_ids(target), 7), dataset, mode="append")


def apply_append(state, target):
    state.new_rows(inserted_ids(target), 7)


def run_delete(module, dataset, target):
    del module
    dataset.delete(condition(target), conflict_retries=0)


def apply_delete(state, target):
    for id_ in target.ids:
        state.rows.pop(id_, None)


def run_truncate(module, dataset, target):
    del module, target
    dataset.truncate_table()


def apply_truncate(state, target):
    """Rows that were appended meanwhile stay."""
    del target
    state.rows = {id_: row for id_, row in state.rows.items() if id_ >= ROWS}


def run_update(module, dataset, target):
    del module
    dataset.update({target.column: "100"}, condition(target), conflict_retries=0)


def apply_update(state, target):
    for id_ in target.ids:
        if id_ in state.rows:
            state.rows[id_][target.column] = 100


def run_merge(module, dataset, target):
    del module
    merge = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.conflict_retries(0).execute(table_of([*target.ids, 500 + target.ids[0]], 8))


def apply_merge(state, target):
    state.new_rows([*target.ids, 500 + target.ids[0]], 8)


def run_overwrite(module, dataset, target):
    module.write_dataset(table_of(target.ids, 9), dataset, mode="overwrite")


def apply_overwrite(state, target):
    config = state.config
    state.__init__()
    state.config = config
    state.rows.clear()
    state.new_rows(target.ids, 9)


def run_index(module, dataset, target):
    del module
    dataset.create_scalar_index(target.column, "ZONEMAP")


def apply_nothing(state, target):
    del state, target


def run_compact(module, dataset, target):
    del module
    kept = [0, 1] if target.only_last_fragments else []
    dataset.optimize.compact_files(target_rows_per_fragment=1000, excluded_fragment_ids=kept)


def run_add(module, dataset, target):
    del module
    dataset.add_columns({target.new: "id * 2"})


def apply_add(state, target):
    state.add_column(target.new, lambda row: row["id"] * 2)


def run_add_nulls(module, dataset, target):
    del module
    dataset.add_columns(pa.field(target.new, pa.int32()))


def apply_add_nulls(state, target):
    state.add_column(target.new, lambda row: None)


def run_cast(module, dataset, target):
    del module
    dataset.alter_columns({"path": target.column, "data_type": pa.int64()})


def apply_cast(state, target):
    old = {id_: row.get(target.column) for id_, row in state.rows.items()}
    name = state.names.pop(target.column)
    state.add_column(name, lambda row: old[row["id"]])
    order = list(state.names)
    # Where the old one was.
    order.insert(1 if target.column == "a" else len(order) - 1, order.pop())
    state.names = {column: state.names[column] for column in order}


def run_drop(module, dataset, target):
    del module
    dataset.drop_columns([target.column])


def apply_drop(state, target):
    state.names.pop(target.column)


def run_rename(module, dataset, target):
    del module
    dataset.alter_columns({"path": target.column, "name": f"{target.column}_new"})


def apply_rename(state, target):
    state.names[target.column] = f"{target.column}_new"


def run_restore(module, dataset, target):
    del target
    module.dataset(dataset.uri, version=1).restore()


def apply_restore(state, target):
    del target
    state.__init__()


def run_config(module, dataset, target):
    del module
    dataset.update_config({target.key: target.column})


def apply_config(state, target):
    state.config[target.key] = target.column


def run_schema_metadata(module, dataset, target):
    del module
    dataset.update_schema_metadata({target.key: target.column})


def apply_schema_metadata(state, target):
    state.schema_metadata[target.key] = target.column


def run_field_metadata(module, dataset, target):
    del module
    dataset.update_field_metadata({target.column: {target.key: "v"}})


def apply_field_metadata(state, target):
    state.field_metadata.setdefault(target.column, {})[target.key] = "v"


def run_replace(module, dataset, target):
    """New values in the last fragments, or in the first."""
    del module
    fragments = dataset.get_fragments()
    fragment = fragments[-1] if target.only_last_fragments else fragments[0]
    path = f"replaced{target.ids[0]}.lance"
    field = dataset.schema.field(target.column)
    schema = pa.schema([field])
    with LanceFileWriter(f"{dataset.uri}/data/{path}", schema, version="2.1") as file:
        values = pa.array([77] * fragment.physical_rows, field.type)
        file.write_batch(pa.record_batch([values], schema=schema))
    field_id = next(f.id() for f in dataset.lance_schema.fields() if f.name() == target.column)
    group = lance.LanceOperation.DataReplacementGroup(
        fragment.fragment_id, DataFile(path, [field_id], [0], 2, 1)
    )
    operation = lance.LanceOperation.DataReplacement([group])
    lance.LanceDataset.commit(dataset.uri, operation, read_version=dataset.version)


def apply_replace(state, target):
    first = ROWS - ROWS_PER_FILE if target.only_last_fragments else 0
    for id_ in range(first, first + ROWS_PER_FILE):
        if id_ in state.rows:
            state.rows[id_][target.column] = 77


@dataclasses.dataclass(frozen=True)
class Kind:
    """One operation: its name in the table, and whether we have it in Python."""

    in_table: str
    run: object
    apply: object
    is_ours: bool = True


KINDS = {
    "append": Kind("Append", run_append, apply_append),
    "delete": Kind("Delete", run_delete, apply_delete),
    "truncate": Kind("Delete", run_truncate, apply_truncate),
    "update": Kind("Update", run_update, apply_update),
    "merge": Kind("Update", run_merge, apply_merge),
    "overwrite": Kind("Overwrite", run_overwrite, apply_overwrite),
    "index": Kind("CreateIndex", run_index, apply_nothing),
    "compact": Kind("Rewrite", run_compact, apply_nothing, is_ours=False),
    "add": Kind("Merge", run_add, apply_add),
    "add_nulls": Kind("Merge", run_add_nulls, apply_add_nulls),
    "cast": Kind("Merge", run_cast, apply_cast),
    "drop": Kind("Project", run_drop, apply_drop),
    "rename": Kind("Project", run_rename, apply_rename),
    "restore": Kind("Restore", run_restore, apply_restore, is_ours=False),
    "config": Kind("UpdConfig", run_config, apply_config),
    "schema_metadata": Kind("UpdConfig", run_schema_metadata, apply_schema_metadata),
    "field_metadata": Kind("UpdConfig", run_field_metadata, apply_field_metadata),
    "replace": Kind("DataRepl", run_replace, apply_replace, is_ours=False),
}


# ---- What the table says -----------------------------------------------------------------------


def share_fragments(ours, theirs, variant):
    """Whether both change a fragment; ours, made apart, is at the other end of the table."""
    return variant != "apart" or theirs == "truncate" or ours in ("truncate", "compact")


def letter_of(note, ours, theirs, variant, is_ours):
    """What a note gives for two calls; . R X."""
    collides = variant != "apart"
    shares = share_fragments(ours, theirs, variant)
    kinds = {ours, theirs}
    if note in (".", "R", "X"):
        return note
    if note in ("n1", "k1", "k2", "k3", "m1", "m2", "p", "c2"):
        # Both say that nullability stays; no key of ours is a primary key; no columns are rewritten
        # in place; a write sets no configuration.
        return "."
    if note == "a":
        if "truncate" in kinds:
            return "R"  # it removes fragments
        return "R" if variant == "same" else "."
    if note in ("f", "r1"):
        return "R" if shares else "."
    if note == "c1":
        return "R"
    touches_schema = kinds & {"schema_metadata", "field_metadata"}
    if note in ("c3", "c4", "c6"):
        return {"c3": "R", "c4": "X", "c6": "X"}[note] if touches_schema else "."
    if note == "c5":
        if kinds == {"schema_metadata"}:
            return "X"
        return "X" if ours == theirs and collides else "."
    if note == "i3":
        return "R" if collides or is_ours else "."  # we look at fragments as well as at fields
    if note == "i1":
        return "R" if collides else "."
    if note in ("i2", "i4"):
        return "R"  # an index covers all fragments
    if note == "d1":
        return "X" if theirs == "truncate" else "."
    if note == "d2":
        return "R" if collides else "."
    if note == "d3":
        return "X" if theirs == "drop" and collides else "."
    if note == "d4":
        return "R" if collides else "."
    raise AssertionError(f"note {note} of the table is new")


# What nobody can do any more: the column is gone. The reference lets the index pass and then cannot
# count rows; it is not asked.
VANISHED = {("index", "cast"), ("index", "drop"), ("field_metadata", "drop")}


def breaks_the_reference(ours, theirs, variant):
    return ours == "index" and variant != "apart" and (ours, theirs) in VANISHED


def expected(ours, theirs, variant, is_ours):
    """Of the operation itself; V: refused because what it names is gone."""
    if variant != "apart" and (ours, theirs) in VANISHED:
        return "V"
    if ours == "restore":
        return "."  # the call looks for the newest version first
    notes = CELLS[KINDS[ours].in_table, KINDS[theirs].in_table]
    letters = [letter_of(note, ours, theirs, variant, is_ours) for note in notes]
    return max(letters, key=".RX".index)


def outcome_of(error):
    """R: trying again can help; X: it cannot."""
    if isinstance(error, lance_cpp.errors.CommitConflictError):
        return "R" if error.retryable else "X"
    text = str(error)
    if "Retryable commit conflict" in text or "Too many concurrent writers" in text:
        return "R"
    if "ncompatible" in text or "conflict" in text:
        return "X"
    if "does not exist" in text or "is not in the schema" in text:
        return "V"
    raise error


# ---- The tests -----------------------------------------------------------------------------------


@pytest.fixture(name="first", scope="module")
def _first(tmp_path_factory):
    """The table that every test starts with."""
    uri = tmp_path_factory.mktemp("conflicts") / "t.lance"
    ids = pa.array(range(ROWS), pa.int64())
    a = pa.array(range(ROWS), pa.int32())
    b = pa.array([-i for i in range(ROWS)], pa.int32())
    lance_cpp.write_dataset(
        pa.table({"id": ids, "a": a, "b": b}), uri, max_rows_per_file=ROWS_PER_FILE,
        data_storage_version="2.1",
    )
    return uri


def assert_both_read(uri, state):
    lance.dataset(uri).validate()
    for module in MODULES.values():
        dataset = module.dataset(uri)
        found = sorted(dataset.to_table().to_pylist(), key=lambda row: row["id"])
        assert found == state.table(), module
        for name in state.names.values():
            if name != "id":
                passing = [row for row in state.table() if row[name] is not None and row[name] > 9]
                assert dataset.count_rows(f"{name} > 9") == len(passing), (module, name)
        assert {key: dataset.config()[key] for key in state.config} == state.config


def cases(direction):
    """Ordered pairs that the writers of a direction can make; in the short size a sample."""
    second, first = direction
    pairs = [
        (ours, theirs, variant)
        for ours in KINDS
        for theirs in KINDS
        for variant in THEIRS
        if not (second == "reference" and breaks_the_reference(ours, theirs, variant))
        if (second == "reference" or KINDS[ours].is_ours)
        and (first == "reference" or KINDS[theirs].is_ours)
    ]
    if IS_LONG:
        return pairs
    return sorted(rng_of("conflicts", direction).sample(pairs, SHORT_SAMPLE))


DIRECTIONS = [("ours", "reference"), ("reference", "ours")]
DIRECTIONS += [("reference", "reference")] if IS_LONG else []


@pytest.mark.parametrize(
    ("direction", "ours", "theirs", "variant"),
    [(direction, *case) for direction in DIRECTIONS for case in cases(direction)],
    ids=lambda value: value if isinstance(value, str) else "-after-".join(value),
)
def test_the_second_commit_ends_as_the_table_says(
    direction, ours, theirs, variant, first, tmp_path
):
    uri = str(tmp_path / "t.lance")
    shutil.copytree(first, uri)
    second_module, first_module = (MODULES[name] for name in direction)
    # Something to restore from.
    lance.dataset(uri).update_config({"first": "1"})
    old = second_module.dataset(uri)
    state = State()
    state.config["first"] = "1"

    KINDS[theirs].run(first_module, first_module.dataset(uri), THEIRS[variant])
    KINDS[theirs].apply(state, THEIRS[variant])
    try:
        KINDS[ours].run(second_module, old, OURS)
        KINDS[ours].apply(state, OURS)
        outcome = "."
    except (OSError, ValueError, RuntimeError) as error:
        outcome = outcome_of(error)

    wanted = expected(ours, theirs, variant, direction[0] == "ours")
    if (ours, wanted) == ("truncate", "R"):
        # The call has no limit of attempts, and comes through on the newest version.
        state.rows.clear()
        wanted = "."
    assert_both_read(uri, state)
    assert outcome == wanted


ROW_KINDS = {
    "delete": lambda dataset: dataset.delete(condition(OURS)),
    "update": lambda dataset: dataset.update({"a": "a + 100"}, condition(OURS)),
    "merge": lambda dataset: dataset.merge_insert("id")
    .when_matched_update_all().when_not_matched_insert_all()
    # A second attempt cannot read it again.
    .execute(table_of(OURS.ids, 8).to_reader()),
}


@pytest.mark.parametrize("direction", DIRECTIONS[:2], ids="-after-".join)
@pytest.mark.parametrize("theirs", ROW_KINDS)
@pytest.mark.parametrize("ours", ROW_KINDS)
def test_who_met_the_same_rows_tries_again_on_the_newest_version(
    ours, theirs, direction, first, tmp_path
):
    uri = str(tmp_path / "t.lance")
    shutil.copytree(first, uri)
    second_module, first_module = (MODULES[name] for name in direction)
    old = second_module.dataset(uri)
    state = State()

    def apply(kind):
        for id_ in OURS.ids:
            row = state.rows.get(id_)
            if kind == "delete":
                state.rows.pop(id_, None)
            elif kind == "merge":
                state.new_rows([id_], 8)
            elif row is not None:
                row["a"] += 100

    ROW_KINDS[theirs](first_module.dataset(uri))
    apply(theirs)
    ROW_KINDS[ours](old)
    apply(ours)

    assert_both_read(uri, state)


@pytest.mark.parametrize("kind", KINDS)
def test_the_reference_stops_at_a_declaration_made_meanwhile(kind, first, tmp_path):
    uri = str(tmp_path / "t.lance")
    shutil.copytree(first, uri)
    old = lance.dataset(uri)
    lance_cpp.dataset(uri).set_clustering(["a"])

    message = "cannot be written by this version of Lance"
    with pytest.raises((OSError, NotImplementedError), match=message):
        KINDS[kind].run(lance, old, OURS)

    assert lance_cpp.dataset(uri).version == 2
    assert lance_cpp.dataset(uri).clustering_spec()["columns"] == ["a"]
    assert_both_read(uri, State())


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.is_ours])
def test_what_we_commit_past_a_declaration_keeps_it_true(kind, first, tmp_path):
    uri = str(tmp_path / "t.lance")
    shutil.copytree(first, uri)
    old = lance_cpp.dataset(uri)
    lance_cpp.dataset(uri).set_clustering(["a"])
    state = State()

    if kind == "drop":
        with pytest.raises(lance_cpp.errors.InvalidError, match="clear_clustering"):
            KINDS[kind].run(lance_cpp, old, OURS)
    else:
        KINDS[kind].run(lance_cpp, old, OURS)
        KINDS[kind].apply(state, OURS)

    ours = lance_cpp.dataset(uri)
    column = "a_new" if kind == "rename" else "a"
    assert ours.clustering_spec()["columns"] == [column]
    assert [finding for finding in ours.check() if finding["severity"] != "info"] == []
    assert_both_read(uri, state)
