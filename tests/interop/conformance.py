"""What a case of the conformance matrix shows: do we read it, does the reference read ours.

Some panics of the reference abort, so all cases are checked in worker processes; each row of the
matrix is one task. A worker says what it is about to do before it does it: when it dies, the case
is checked again by a new one, which takes that step as failed.
"""

import dataclasses
import multiprocessing
import pathlib
import random
import re
import tempfile

import lance.file
import lance_cpp.file
import pyarrow as pa

import format_matrix as matrix

EXTERNAL_BLOB = 3  # kind of a blob v2: a URI


@dataclasses.dataclass
class Result:
    """What came out for one case in one version."""

    row: str
    name: str
    version: str
    # What is wrong; empty: nothing.
    problems: list = dataclasses.field(default_factory=list)
    # What the reference cannot do with its own file.
    note: str = ""
    # Why our writer does not write it; empty: it does.
    not_written: str = ""
    theirs: set = dataclasses.field(default_factory=set)
    ours: set = dataclasses.field(default_factory=set)
    # (type, nullability, nesting) of every leaf.
    shapes: set = dataclasses.field(default_factory=set)


# ---- shapes --------------------------------------------------------------------------------------


def type_name(field_type):
    """A leaf's type without its parameters."""
    if isinstance(field_type, pa.BaseExtensionType):
        return field_type.extension_name
    if pa.types.is_dictionary(field_type):
        return f"dictionary of {type_name(field_type.value_type)}"
    if pa.types.is_fixed_size_list(field_type):
        return f"fixed_size_list of {type_name(field_type.value_type)}"
    return re.sub(r"\(.*\)|\[\d+\]|, tz=[^\]]*", "", str(field_type))


def has_struct(field_type):
    while pa.types.is_fixed_size_list(field_type):
        field_type = field_type.value_type
    return pa.types.is_struct(field_type)


def is_any_list(field_type):
    return pa.types.is_list(field_type) or pa.types.is_large_list(field_type)


def nesting_name(path):
    return "flat" if not path else f"in {path[0]}" if len(path) == 1 else "deeper"


def shapes_of(field, array, path=(), nulls_above=False):
    """(type, nullability, nesting) of the leaves of an array."""
    has_nulls = nulls_above or array.null_count > 0
    metadata = field.metadata or {}
    kind = field.type
    if b"lance-encoding:blob" in metadata:
        name = f"{type_name(kind)} as blob"
    elif pa.types.is_struct(kind) and b"lance-encoding:packed" in metadata:
        name = "packed struct"
    elif pa.types.is_struct(kind) and kind.num_fields > 0:
        for i in range(kind.num_fields):
            below = (*path, "struct")
            yield from shapes_of(kind.field(i), array.field(i), below, has_nulls)
        return
    elif pa.types.is_map(kind):
        for below, values in ((kind.key_field, array.keys), (kind.item_field, array.items)):
            yield from shapes_of(below, values, (*path, "map"), has_nulls)
        return
    elif is_any_list(kind) or has_struct(kind) and not pa.types.is_struct(kind):
        yield from shapes_of(kind.value_field, array.values, (*path, "list"), has_nulls)
        return
    elif pa.types.is_struct(kind):
        name = "struct without fields"
    else:
        name = type_name(kind)
    yield name, "nulls" if has_nulls else "no nulls", nesting_name(path)


def shapes_of_case(case):
    if case.expected_rows is not None:
        return {("blob v2", "nulls", "flat")}
    found = set()
    for field, column in zip(case.table.schema, case.table.columns, strict=True):
        # No chunks, or several: as one array.
        array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, field.type)
        found.update(shapes_of(field, array))
    return found


# ---- encodings -----------------------------------------------------------------------------------


def short_encoding(text, with_levels):
    """The layout and its value's codec: MiniBlock(Rle). Parameters are left out."""
    plain = re.sub(r"\{[^}]*\}", "", text).replace("General (", "General(").replace(")(", ":")
    layout, _, rest = plain.partition("(")
    words = re.split(r"[(),:]", rest)
    value = words[0].strip()
    if value == "General":
        value = " ".join(word.strip() for word in words[:3])
    if value.startswith(("rep ", "def ", "layers")):
        value = ""
    parts = [value] if value else []
    if dictionary := re.search(r"dictionary (\w+)", plain):
        parts.append(f"dictionary {dictionary.group(1)}")
    if with_levels:
        parts += re.findall(r"(?:rep|def) [A-Z]\w+", plain)
    return f"{layout}({', '.join(parts)})" if parts else layout


def encodings_of(path, row):
    columns = lance_cpp.file.LanceFileReader(str(path)).metadata().columns
    with_levels = row.startswith(("levels", "all-null complex", "several pages by level"))
    return {short_encoding(p.encoding, with_levels) for c in columns for p in c.pages}


# ---- one case ------------------------------------------------------------------------------------


def ways_to_read(num_rows, seed, is_long):
    """(name, what to do with a reader, indices): whole, a range; in the long size single rows."""
    yield "whole", lambda reader: reader.read_all(), None
    if num_rows == 0:
        return
    rng = random.Random(seed)
    begin = rng.randrange(num_rows)
    end = rng.randint(begin + 1, num_rows)
    yield (
        f"rows {begin} to {end}",
        lambda reader: reader.read_range(begin, end - begin),
        range(begin, end),
    )
    counts = (40, 3, 1) if is_long else (10,)
    for count in counts:
        picked = sorted(rng.sample(range(num_rows), min(num_rows, count)))
        yield f"rows {picked}", lambda reader, rows=picked: reader.take_rows(rows), picked


class CaseCheck:
    """Checks one case. `begin` is told of every step that may end the process."""

    def __init__(self, case, version, folder, is_long, begin):
        self.case = case
        self.version = version
        self.theirs = folder / matrix.file_name(case, version)
        self.ours = self.theirs.with_suffix(".ours.lance")
        self.begin = begin
        self.result = Result(case.row, case.name, version)
        self.is_long = is_long

    def step(self, name, action):
        """(what the action gives, why it failed)."""
        try:
            self.begin(name)
            return action(), ""
        except BaseException as error:  # panics are no Exceptions
            if isinstance(error, KeyboardInterrupt):
                raise
            text = str(error).replace(str(self.theirs.parent), "").splitlines()
            return None, f"{type(error).__name__}: {(text or [''])[0][:200]}"

    def run(self):
        result = self.result
        result.shapes = shapes_of_case(self.case)
        _, problem = self.step(
            "the reference writes", lambda: matrix.write(self.case, self.version, self.theirs)
        )
        if problem:
            result.problems.append(f"the reference writes: {problem}")
            return result
        lacking, problem = self.step(
            "pages", lambda: matrix.missing(self.case, self.version, self.theirs)
        )
        result.problems += [f"no page says {text}" for text in lacking or ()]
        result.problems += [problem] if problem else []
        result.theirs, _ = self.step("encodings", lambda: encodings_of(self.theirs, self.case.row))
        if self.case.expected_rows is not None:
            self.check_rows()
        else:
            self.check_table()
        return result

    def check_rows(self):
        """Blobs of a table's file, which lie beside it; those outside of the table we refuse."""
        self.result.not_written = "made through a table"
        (path,) = (self.theirs.with_suffix(".dataset") / "data").glob("*.lance")
        reader = lance_cpp.file.LanceFileReader(str(path))
        for index, expected in enumerate(self.case.expected_rows):
            rows, problem = self.step(
                f"we read row {index}", lambda i=index: reader.read_range(i, 1).to_table()
            )
            kind, size, _ = expected or (None, 0, "")
            if kind == EXTERNAL_BLOB:
                self.result.note = "not read: the URIs, which are outside of the table"
                if "UnsupportedError" not in problem or "outside of the table" not in problem:
                    self.result.problems.append(f"row {index}, outside: {problem or rows}")
            elif problem or rows.column(0).to_pylist() != [expected and b"x" * size]:
                self.result.problems.append(f"row {index}: {problem or 'differs'}")

    def check_table(self):
        answer, problem = self.step(
            "the reference reads its own", lambda: matrix.expected_table(self.case, self.theirs)
        )
        wanted, self.result.note = answer or (self.case.table, problem)
        self.compare("we read", lance_cpp.file.LanceFileReader, self.theirs, wanted)
        if self.case.make is not None:
            self.result.not_written = "made by hand"
            return
        _, problem = self.step(
            "we write",
            lambda: matrix.write(
                self.case, self.version, self.ours, lance_cpp.file.LanceFileWriter
            ),
        )
        if problem.startswith("UnsupportedError"):
            self.result.not_written = problem
            return
        if problem:
            self.result.problems.append(f"we write: {problem}")
            return
        self.result.ours, _ = self.step("encodings", lambda: encodings_of(self.ours, self.case.row))
        self.compare("we read ours", lance_cpp.file.LanceFileReader, self.ours, wanted)
        self.compare("the reference reads ours", lance.file.LanceFileReader, self.ours, wanted)

    def compare(self, step, reader_class, path, wanted):
        """Read a file in all ways; what differs is a problem."""
        data = path.read_bytes() if self.is_blob() else b""
        for name, read, indices in ways_to_read(wanted.num_rows, path.name, self.is_long):
            problem = self.difference(f"{step}, {name}", reader_class, path, read, indices, wanted,
                                      data)
            if not problem:
                continue
            if reader_class is lance.file.LanceFileReader:
                own = self.difference(f"the reference reads its own, {name}", reader_class,
                                      self.theirs, read, indices, wanted, data)
                if own:
                    self.result.note = self.result.note or f"reference, its own file: {own}"
                    continue
            self.result.problems.append(f"{step}, {name[:60]}: {problem}")

    def is_blob(self):
        return "blob" in str({shape[0] for shape in self.result.shapes})

    def difference(self, step, reader_class, path, read, indices, wanted, data):
        found, problem = self.step(step, lambda: read(reader_class(str(path))).to_table())
        if problem:
            return problem
        for name in wanted.column_names:
            column = matrix.decoded(wanted.column(name))
            if isinstance(indices, range):
                column = column.slice(indices.start, len(indices))
            elif indices is not None:
                column = column.take(pa.array(indices, pa.int64()))
            if not matrix.same(found.column(name), column, data):
                return f"column {name} differs"
        return ""


# ---- workers -------------------------------------------------------------------------------------


def cases_of(row):
    """(case, version) of the row with this number."""
    return [(case, version) for case in matrix.ROWS[row][1]() for version in case.versions]


def serve(connection):
    """Check rows; send steps before they begin and results."""
    while True:
        row, first, failed_steps, is_long = connection.recv()

        def begin(name):
            if name in failed_steps:
                raise RuntimeError("the process aborted")
            connection.send(("step", name))

        with tempfile.TemporaryDirectory() as folder:
            for case, version in cases_of(row)[first:]:
                check = CaseCheck(case, version, pathlib.Path(folder), is_long, begin)
                connection.send(("result", check.run()))
                failed_steps = set()
                for path in (check.theirs, check.ours):
                    path.unlink(missing_ok=True)
        connection.send(("done", None))


class Worker:
    """A process that checks rows of the matrix, started anew when it dies."""

    def __init__(self):
        self.process = None

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def check(self, row, is_long):
        """The results of all cases of a row."""
        results, failed_steps = [], set()
        while True:
            if self.process is None:
                self.start()
            step = None
            try:
                self.connection.send((row, len(results), failed_steps, is_long))
                while True:
                    kind, value = self.connection.recv()
                    if kind == "done":
                        return results
                    if kind == "step":
                        step = value
                    else:
                        results.append(value)
                        failed_steps, step = set(), None
            except (EOFError, ConnectionError):
                self.close()
                if step is None:
                    raise RuntimeError(f"the worker died at row {row}") from None
                failed_steps = failed_steps | {step}

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None
