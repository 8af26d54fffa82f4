"""Every encoding of the file format, as the reference implementation writes it.

One function for each row of the conformance matrix (file-format 16). Each gives cases: a table
whose field metadata make the reference write the encoding, and what its pages must then say. The
check that they do say it is part of every run: a case that no longer makes its encoding fails.

    format_matrix.py write FOLDER [--row TEXT]     write all files, check their encodings
    format_matrix.py check TOOL [--row TEXT]       and read them with a program of ours:
                                                   TOOL read FILE [ROWS ...] > Arrow IPC stream
    format_matrix.py list                          print the rows and their cases
"""

import argparse
import collections
import dataclasses
import decimal
import functools
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lance.file import LanceFileReader, LanceFileWriter

N = 3000
V20, V21, V22 = "2.0", "2.1", "2.2"
BOTH = (V21, V22)
ALL = (V20, V21, V22)


@dataclasses.dataclass
class Case:
    """One column or table and what its pages must say."""

    name: str
    table: pa.Table
    versions: tuple = BOTH
    # Regular expressions that some page's description must match; for a version: a dictionary.
    expect: object = ()
    # Rows of the batches that it is written in; None: one batch.
    batch_rows: int | None = None
    # data_cache_bytes, max_page_bytes.
    options: dict = dataclasses.field(default_factory=dict)
    # How the file is made when not by the file writer: a function of (path, version).
    make: object = None
    # What the reference gives back is not what went in.
    is_converted: bool = False
    # What to expect where the reference cannot read the file: what `view` makes of our rows.
    expected_rows: object = None
    view: object = None
    row: str = ""

    def expected(self, version):
        found = self.expect.get(version, ()) if isinstance(self.expect, dict) else self.expect
        return (found,) if isinstance(found, str) else tuple(found)


ROWS = []


def row(title, versions=None):
    """Make a function of cases a row of the matrix."""

    def register(function):
        @functools.wraps(function)
        def cases():
            for case in function():
                case.row = title
                if versions is not None:
                    case.versions = tuple(v for v in case.versions if v in versions) or versions
                yield case

        ROWS.append((title, cases))
        return cases

    return register


# ---- data ----------------------------------------------------------------------------------------


def k(key):
    return "lance-encoding:" + key


def generator(seed=1):
    return np.random.default_rng(seed)


def one(array, **metadata):
    """A table of one column x. Metadata: keyword compression is lance-encoding:compression."""
    keys = {k(key.replace("_", "-")): str(value) for key, value in metadata.items()}
    if isinstance(array, list):
        array = pa.chunked_array(array)
    field = pa.field("x", array.type, metadata=keys or None)
    return pa.table([array], schema=pa.schema([field]))


def with_nulls(array, share=0.2, seed=2):
    mask = pa.array(generator(seed).random(len(array)) < share)
    return pc.if_else(mask, pa.scalar(None, array.type), array)


def only_nulls(type_, n=N):
    return pa.nulls(n, type_)


def words(n=N, shortest=3, longest=19, seed=3):
    rng = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(rng.choices(letters, k=rng.randint(shortest, longest))) for _ in range(n)]


def texts(type_=pa.utf8(), **arguments):
    values = words(**arguments)
    is_text = pa.types.is_string(type_) or pa.types.is_large_string(type_)
    return pa.array(values if is_text else [v.encode() for v in values], type_)


def of_bytes(values, type_):
    """Values of any fixed-width type from the bytes of a numpy array."""
    width = type_.bit_width // 8
    data = np.ascontiguousarray(values).tobytes()
    return pa.Array.from_buffers(type_, len(data) // width, [None, pa.py_buffer(data)])


def rand(type_, n=N, seed=4):
    """Full-range random values of a fixed-width type."""
    rng = generator(seed)
    if pa.types.is_boolean(type_):
        return pa.array(rng.integers(0, 2, n).astype(bool))
    if pa.types.is_floating(type_):
        return pa.array(rng.normal(size=n).astype(type_.to_pandas_dtype()), type_)
    if pa.types.is_date64(type_):
        return of_bytes(rng.integers(-20000, 20000, n) * 86400000, type_)
    if pa.types.is_time(type_):
        per_day = 86400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
        values = rng.integers(0, per_day, n)
        return of_bytes(values.astype(f"<i{type_.bit_width // 8}"), type_)
    if pa.types.is_decimal(type_):
        wide = np.zeros((n, type_.bit_width // 64), dtype="<i8")
        narrow = rng.integers(-(2**62), 2**62, n)
        wide[:] = np.where(narrow < 0, -1, 0)[:, None]  # sign extension
        wide[:, 0] = narrow
        return of_bytes(wide, type_)
    return of_bytes(np.frombuffer(rng.bytes(n * (type_.bit_width // 8)), dtype=np.uint8), type_)


def ints(values, type_=pa.int64()):
    return pa.array(np.asarray(values).astype(type_.to_pandas_dtype()), type_)


def runs(num_runs, length, type_, distinct=None, seed=5):
    rng = generator(seed)
    values = rng.integers(0, distinct or 100, num_runs)
    return ints(np.repeat(values, length), type_)


def fsl(items, dimension, row_nulls=0.0, seed=6):
    """Fixed-size lists over items; some rows null."""
    array = pa.FixedSizeListArray.from_arrays(items, dimension)
    if row_nulls == 0.0:
        return array
    mask = pa.array(generator(seed).random(len(array)) < row_nulls)
    return pa.FixedSizeListArray.from_arrays(items, dimension, mask=mask)


def floats(n, type_=pa.float32(), seed=7):
    return rand(type_, n, seed)


def lists(items, lengths, nulls=0.0, large=False, seed=8):
    """Lists over items, of given lengths; some null ones, which are empty below."""
    lengths = np.asarray(lengths).copy()
    rng = generator(seed)
    is_null = rng.random(len(lengths)) < nulls
    lengths[is_null] = 0
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    make = pa.LargeListArray if large else pa.ListArray
    offset_type = pa.int64() if large else pa.int32()
    return make.from_arrays(
        pa.array(offsets, offset_type), items.slice(0, offsets[-1]), mask=pa.array(is_null)
    )


def lengths(n=N, longest=5, shortest=0, seed=9):
    return generator(seed).integers(shortest, longest + 1, n)


def structs(nulls=0.0, seed=10, **members):
    arrays = list(members.values())
    fields = [pa.field(name, array.type) for name, array in members.items()]
    mask = pa.array(generator(seed).random(len(arrays[0])) < nulls) if nulls else None
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)


def empty_structs(n=N):
    return pa.StructArray.from_buffers(pa.struct([]), n, [None])


def dictionaries(index_type, values, n=N, null_keys=0.1, seed=11):
    keys = generator(seed).integers(0, len(values), n)
    indices = with_nulls(ints(keys, index_type), null_keys, seed) if null_keys else ints(
        keys, index_type
    )
    return pa.DictionaryArray.from_arrays(indices, values)


INTEGERS = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(),
    pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEMPORALS = [
    pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns"), pa.timestamp("s"),
    pa.timestamp("ms", "UTC"), pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns"),
]
WIDE = [
    pa.decimal128(38, 5), pa.decimal256(60, 2), pa.binary(3), pa.binary(16), pa.binary(17),
    pa.binary(100),
]
TEXTS = [pa.utf8(), pa.large_utf8(), pa.binary(), pa.large_binary()]
INDEX_TYPES = INTEGERS


def title_of(type_):
    return re.sub(r"[^a-z0-9]+", "_", str(type_).lower()).strip("_")


# ---- 2.0 -----------------------------------------------------------------------------------------


@row("Nullable no/some/all_nulls over Flat{8...64,128,256,8k}", (V20,))
def v20_nullable_flat():
    for type_ in INTEGERS + FLOATS + TEMPORALS + WIDE:
        bits = type_.bit_width
        values = rand(type_)
        name = title_of(type_)
        flat = rf"Flat\{{b={bits},"
        # 16 bytes that are no number are a list of bytes to 2.0.
        if pa.types.is_fixed_size_binary(type_):
            flat = ""
        yield Case(f"{name}_no_nulls", one(values), expect=f"NoNull.*{flat}")
        yield Case(f"{name}_some_nulls", one(with_nulls(values)), expect=f"SomeNull.*{flat}")
        yield Case(f"{name}_all_nulls", one(only_nulls(type_)), expect="AllNull")


@row("Flat{1}", (V20,))
def v20_flat_1():
    yield Case("bool", one(rand(pa.bool_())), expect=r"NoNull.*Flat\{b=1,")
    yield Case("bool_nulls", one(with_nulls(rand(pa.bool_()))), expect=r"SomeNull.*Flat\{b=1,")


@row("FixedSizeList (nested, item nulls, all items null)", (V20,))
def v20_fixed_size_list():
    yield Case("fsl_f32_4", one(fsl(floats(4 * N), 4)), expect="FixedSizeList")
    yield Case("fsl_f32_4_nulls", one(fsl(with_nulls(floats(4 * N)), 4, 0.1)),
               expect="SomeNull.*FixedSizeList")
    inner = fsl(with_nulls(ints(range(6 * N), pa.int32())), 3, 0.1)
    yield Case("fsl_fsl_nulls", one(fsl(inner, 2, 0.1, seed=12)),
               expect="FixedSizeList.*FixedSizeList")
    yield Case("fsl_all_items_null", one(fsl(only_nulls(pa.float32(), 4 * N), 4)),
               expect="FixedSizeList.*AllNull")
    yield Case("fsl_bool", one(fsl(rand(pa.bool_(), 10 * N), 10)), expect=r"FixedSizeList.*b=1,")


@row("Binary", (V20,))
def v20_binary():
    for type_ in TEXTS:
        name = title_of(type_)
        empty = "" if "string" in str(type_) else b""
        yield Case(f"{name}_words", one(texts(type_)), expect="Binary")
        yield Case(f"{name}_nulls", one(with_nulls(texts(type_))), expect="Binary")
        yield Case(f"{name}_empty", one(pa.array([empty] * 50, type_)), expect="Binary")
        yield Case(f"{name}_all_null", one(only_nulls(type_, 50)), expect="Binary")


@row("Flat{8} + Compression", (V20,))
def v20_compression():
    for scheme in ("zstd", "lz4", "none"):
        for type_ in TEXTS:
            yield Case(f"{scheme}_{title_of(type_)}",
                       one(with_nulls(texts(type_)), compression=scheme),
                       expect=f'Compression{{scheme="{scheme}"')


@row("Dictionary automatic (0 = null)", (V20,))
def v20_dictionary_automatic():
    few = words(30)
    yield Case("utf8_30_distinct", one(with_nulls(pa.array([few[i % 30] for i in range(N)]))),
               expect="Dictionary")


@row("Dictionary Arrow (direct, null item)", (V20,))
def v20_dictionary_arrow():
    yield from arrow_dictionaries("Dictionary")


def arrow_dictionaries(expect):
    values = {
        "utf8": pa.array(words(30)),
        "int64": pa.array(range(1000, 1030), pa.int64()),
        "double": pa.array([i / 8 for i in range(30)]),
    }
    for index_type in INDEX_TYPES:
        for name, items in values.items():
            yield Case(f"{title_of(index_type)}_{name}", one(dictionaries(index_type, items)),
                       expect=expect)
    holes = pa.array(["a", None, "b", None, "c"])
    yield Case("nulls_in_values", one(dictionaries(pa.int16(), holes)), expect=expect)
    yield Case("no_nulls", one(dictionaries(pa.int32(), values["utf8"], null_keys=0)),
               expect=expect)


@row("Fsst", (V20,))
def v20_fsst():
    for type_ in (pa.utf8(), pa.binary()):
        yield Case(title_of(type_), one(with_nulls(texts(type_, n=6000)), compression="fsst"),
                   expect="Fsst")


@row("List (nested; empty item column)", (V20,))
def v20_list():
    items = with_nulls(ints(range(20 * N), pa.int32()))
    yield Case("list", one(lists(items, lengths(), 0.1)), expect="List")
    yield Case("large_list", one(lists(items, lengths(), 0.1, large=True)), expect="List")
    inner = lists(items, lengths(4 * N), 0.1)
    middle = lists(inner, lengths(2 * N, 2), 0.1, seed=13)
    yield Case("list_list_list", one(lists(middle, lengths(N, 2), 0.1, seed=14)), expect="List")
    yield Case("all_empty", one(lists(items, np.zeros(N, int))), expect="List")
    yield Case("all_null", one(only_nulls(pa.list_(pa.int32()))), expect="List")
    yield Case("of_text", one(lists(texts(n=5 * N), lengths(), 0.1)), expect="List")
    yield Case("empty_text_items", one(lists(texts(n=5), np.zeros(N, int))), expect="List")


@row("SimpleStruct", (V20,))
def v20_struct():
    members = {"a": with_nulls(ints(range(N), pa.int32())), "b": with_nulls(texts())}
    yield Case("struct", one(structs(**members)), expect="SimpleStruct|Struct")
    many = structs(a=ints(range(5 * N), pa.int32()), b=with_nulls(texts(n=5 * N)))
    yield Case("list_of_struct", one(lists(many, lengths(), 0.1)), expect="SimpleStruct|Struct")
    yield Case("empty_struct", one(empty_structs()), expect="SimpleStruct|Struct")
    yield Case("struct_in_struct", one(structs(s=structs(**members), c=rand(pa.int8()))),
               expect="SimpleStruct|Struct")


@row("PackedStruct", (V20,))
def v20_packed():
    members = {"a": rand(pa.int32()), "b": rand(pa.float64())}
    yield Case("fixed", one(structs(**members), packed="true"), expect="PackedStruct")
    yield Case("with_fsl", one(structs(c=fsl(floats(3 * N), 3), **members), packed="true"),
               expect="PackedStruct.*FixedSizeList")


@row("Blob column", (V20,))
def v20_blob():
    yield from blob_cases((V20,), "PackedStruct")


def blob_cases(versions, expect, n=300):
    rng = random.Random(15)
    mixed = [None if i % 5 == 0 else b"" if i % 7 == 0 else rng.randbytes(rng.randint(1, 3000))
             for i in range(n)]
    column = functools.partial(pa.array, type=pa.large_binary())
    plain = [v or b"x" for v in mixed]
    for name, values in {"mixed": mixed, "no_nulls": plain, "all_empty": [b""] * 20,
                         "all_null": [None] * 20}.items():
        yield Case(name, one(column(values), blob="true"), versions, expect)


@row("several pages", (V20,))
def v20_pages():
    yield from several_pages((V20,))


def several_pages(versions):
    table = pa.table({
        "i": with_nulls(rand(pa.int64(), 40000)),
        "s": with_nulls(texts(n=40000)),
        "l": lists(with_nulls(rand(pa.int32(), 200000)), lengths(40000), 0.1),
    })
    yield Case("cache", table, versions, batch_rows=10000, options={"data_cache_bytes": 300000})
    yield Case("max_page", table, versions, options={"max_page_bytes": 100000})


@row("no pages", (V20,))
def v20_no_pages():
    yield from no_pages((V20,))


def no_pages(versions):
    types = {
        "i32": pa.int32(), "utf8": pa.utf8(), "list": pa.list_(pa.int32()),
        "struct": pa.struct([("a", pa.int32()), ("b", pa.utf8())]),
        "fsl": pa.list_(pa.float32(), 4),
    }
    for name, type_ in types.items():
        yield Case(name, one(pa.array([], type_)), versions)


@row("Bitpacked, BitpackedForNonNeg, FixedSizeBinary, List<u8> (by hand)", (V20,))
def v20_by_hand():
    yield from hand_made_20()


# ---- 2.1 and 2.2: mini-block ---------------------------------------------------------------------


def mini(value, **parts):
    """A regular expression of a mini-block page's values and other parts."""
    found = "^MiniBlockLayout.*"
    for name in ("rep", "def"):
        if name in parts:
            found += f"[{{,]{name}={parts[name]}.*"
    found += f"[{{,]value={value}.*"
    if "dictionary" in parts:
        found += f",dictionary={parts['dictionary']}.*"
    if "layers" in parts:
        found += rf",layers=\[{parts['layers']}\]"
    return found


def flat(bits):
    return rf"Flat\{{b={bits}[,}}]"


@row("mini, Flat{8,16,32,64}", BOTH)
def mini_flat():
    for type_ in INTEGERS + FLOATS:
        values = rand(type_)
        if pa.types.is_floating(type_):
            values = of_bytes(np.frombuffer(generator().bytes(N * type_.bit_width // 8), np.uint8),
                              type_)
        name = title_of(type_)
        yield Case(f"{name}", one(values, compression="none"), expect=mini(flat(type_.bit_width)))
        yield Case(f"{name}_nulls", one(with_nulls(values)), expect=mini(flat(type_.bit_width)))
    for type_ in INTEGERS[:4]:
        negative = ints(-1 - np.arange(N) % 100, type_)
        yield Case(f"{title_of(type_)}_negative", one(negative),
                   expect=mini(flat(type_.bit_width) if type_ != pa.int64() else "."))
    for type_ in TEMPORALS:
        yield Case(title_of(type_), one(with_nulls(rand(type_))), expect=mini("."))


@row("mini, Flat, last word with log > 0", BOTH)
def mini_last_log():
    yield Case("int64_2048", one(rand(pa.int64(), 2048)), expect=mini(flat(64)))


@row("mini, Flat{1}", BOTH)
def mini_flat_1():
    yield Case("bool_20000", one(rand(pa.bool_(), 20000)), expect=mini(flat(1)))
    yield Case("bool_20000_nulls", one(with_nulls(rand(pa.bool_(), 20000))), expect=mini(flat(1)))


@row("mini, Flat{8k}", BOTH)
def mini_flat_wide():
    for type_ in WIDE:
        if type_ == pa.binary(16):
            continue
        yield Case(title_of(type_), one(rand(type_)), expect=mini(flat(type_.bit_width)))
        yield Case(f"{title_of(type_)}_nulls", one(with_nulls(rand(type_))),
                   expect=mini(flat(type_.bit_width)))


@row("mini, InlineBitpacking{8,16,32,64}", BOTH)
def mini_inline_bitpacking():
    for type_ in INTEGERS:
        values = generator().integers(0, 50, N)
        if type_.bit_width == 64:
            values = 10**15 + 1000 * np.arange(N)
        name = title_of(type_)
        expect = mini(rf"InlineBitpacking\{{T={type_.bit_width}")
        yield Case(name, one(ints(values, type_)), expect=expect)
        yield Case(f"{name}_nulls", one(with_nulls(ints(values, type_))), expect=expect)
    for type_ in (pa.float32(), pa.float64()):
        yield Case(title_of(type_), one(pa.array(generator().random(N).astype(
            type_.to_pandas_dtype()))), expect=mini("InlineBitpacking"))


@row("mini, InlineBitpacking W = 0", BOTH)
def mini_width_0():
    # One group of zeros among others: the page's values differ, so that it is not constant.
    values = np.zeros(N, np.int64)
    values[2500:] = generator().integers(0, 2**20, N - 2500)
    for type_ in (pa.int32(), pa.int64()):
        yield Case(f"{title_of(type_)}_part", one(ints(values, type_), rle_threshold=0),
                   expect=mini("InlineBitpacking"))
    zeros = ints(np.zeros(N), pa.int32())
    yield Case("all_zero", one(zeros, rle_threshold=0), (V21,), mini("InlineBitpacking"))


@row("mini, Rle{8,16,32,64}", BOTH)
def mini_rle():
    for type_ in INTEGERS:
        bits = type_.bit_width
        expect = mini(rf"Rle\{{values={flat(bits)}")
        values = runs(30, 100, type_)
        yield Case(title_of(type_), one(values),
                   expect={V21: expect, V22: expect if bits < 64 else ()})
        yield Case(f"{title_of(type_)}_nulls", one(with_nulls(values, 0.01)), expect=mini("."))
        yield Case(f"{title_of(type_)}_off", one(values, rle_threshold=0), expect=mini("."))
    yield Case("one_constant", one(ints(np.full(N, 7), pa.int32())), (V21,), mini("Rle"))


@row("mini, ByteStreamSplit{32,64} alone / under General", BOTH)
def mini_byte_stream_split():
    for type_, places in ((pa.float32(), 1), (pa.float64(), 2)):
        values = np.round(generator().normal(size=20000), places)
        array = pa.array(values.astype(type_.to_pandas_dtype()), type_)
        bits = type_.bit_width
        for scheme in ("lz4", "zstd"):
            yield Case(f"{title_of(type_)}_{scheme}",
                       one(array, compression=scheme, bss="on", dict_divisor=100000),
                       expect=mini(rf"General.*{scheme.title()}.*ByteStreamSplit.*b={bits}"))
        noise = of_bytes(np.frombuffer(generator().bytes(N * bits // 8), np.uint8), type_)
        yield Case(f"{title_of(type_)}_alone", one(noise, compression="lz4", bss="on"),
                   expect=mini("ByteStreamSplit"))


@row("mini, General{Flat} (bool, 128-bit), General{Rle}", BOTH)
def mini_general():
    rare = pa.array(generator().random(60000) < 0.01)
    small = of_bytes(np.stack([generator().integers(0, 10**6, 20000), np.zeros(20000, np.int64)],
                              axis=1), pa.decimal128(20, 2))
    for scheme in ("zstd", "lz4"):
        found = scheme.title()
        yield Case(f"bool_{scheme}", one(rare, compression=scheme),
                   expect=mini(rf"General.*{found}.*{flat(1)}"))
        yield Case(f"decimal_{scheme}", one(small, compression=scheme),
                   expect=mini(rf"General.*{found}.*{flat(128)}"))
        long_runs = runs(30000, 40, pa.int16(), 30)
        yield Case(f"int16_runs_{scheme}", one(long_runs, compression=scheme),
                   expect=mini(rf"General.*{found}.*Rle"))
        yield Case(f"int32_runs_{scheme}", one(runs(30000, 40, pa.int32(), 30), compression=scheme,
                                               bss="off"), expect=mini(rf"General.*{found}.*Rle"))


@row("mini, Variable{32,64}", BOTH)
def mini_variable():
    for type_ in TEXTS:
        bits = 64 if "large" in str(type_) else 32
        expect = mini(rf"Variable\{{offsets={flat(bits)}")
        name = title_of(type_)
        yield Case(f"{name}_5", one(texts(type_, n=5)), expect=expect)
        yield Case(f"{name}_none", one(with_nulls(texts(type_)), compression="none"), expect=expect)
        if "binary" in str(type_):
            yield Case(f"{name}_words", one(with_nulls(texts(type_))), expect=expect)


@row("mini, Fsst{Variable}", BOTH)
def mini_fsst():
    for type_ in TEXTS:
        bits = 64 if "large" in str(type_) else 32
        asked = {"compression": "fsst"} if "binary" in str(type_) else {}
        yield Case(title_of(type_), one(with_nulls(texts(type_, n=8000)), **asked),
                   expect=mini(rf"Fsst.*Variable\{{offsets={flat(bits)}"))


@row("mini, General{Variable}", BOTH)
def mini_general_variable():
    for scheme in ("zstd", "lz4"):
        for type_ in TEXTS:
            yield Case(f"{title_of(type_)}_{scheme}", one(with_nulls(texts(type_, n=8000)),
                                                          compression=scheme),
                       expect=mini(rf"General.*{scheme.title()}.*Variable")
                       if scheme == "zstd" or "large" in str(type_) else mini("."))


@row("mini, other chunk sizes", BOTH)
def mini_chunk_sizes():
    for size in (64, 16384, 1048576):
        words = with_nulls(texts(pa.binary(), n=20000))
        yield Case(f"words_{size}", one(words, minichunk_size=size),
                   expect=mini("Variable"))


@row("mini, FixedSizeList (bitmap buffers)", BOTH)
def mini_fixed_size_list():
    for dimension in (1, 3, 4, 16, 63):
        items = floats(dimension * N)
        yield Case(f"f32_{dimension}", one(fsl(items, dimension)),
                   expect=mini(rf"FixedSizeList\{{items_per_value={dimension},values={flat(32)}"))
        yield Case(f"f32_{dimension}_nulls", one(fsl(with_nulls(items), dimension, 0.1)),
                   expect=mini(r"FixedSizeList.*has_validity=true"))
    yield Case("bool_10", one(fsl(with_nulls(rand(pa.bool_(), 10 * N)), 10, 0.1)),
               expect=mini(rf"FixedSizeList.*{flat(1)}"))
    yield Case("bool_10_no_nulls", one(fsl(rand(pa.bool_(), 10 * N), 10)),
               expect=mini(rf"FixedSizeList.*{flat(1)}"))
    inner = fsl(with_nulls(ints(range(6 * N), pa.int32())), 3, 0.1)
    yield Case("fsl_fsl_nulls", one(fsl(inner, 2, 0.1, seed=12)),
               expect=mini("FixedSizeList.*FixedSizeList"))
    inner = fsl(with_nulls(rand(pa.bool_(), 6 * N)), 3, 0.1)
    yield Case("fsl_fsl_bool", one(fsl(inner, 2, 0.1, seed=12)),
               expect=mini("FixedSizeList.*FixedSizeList"))
    inner = fsl(ints(range(6 * N), pa.int32()), 3)
    yield Case("fsl_fsl_outer_nulls", one(fsl(inner, 2, 0.1, seed=12)),
               expect=mini("FixedSizeList.*FixedSizeList"))
    yield Case("fsl_in_list", one(lists(fsl(with_nulls(floats(20 * N)), 4, 0.1), lengths(), 0.1)),
               expect=mini("FixedSizeList"))


@row("mini, FSL >= 256 bytes / long strings", BOTH)
def mini_wide():
    vectors = fsl(floats(128 * 500), 128, 0.1)
    yield Case("fsl_f32_128", one(vectors, structural_encoding="miniblock"),
               expect=mini("FixedSizeList"))
    yield Case("strings", one(texts(n=500, shortest=200, longest=900),
                              structural_encoding="miniblock"), expect=mini("."))


@row("mini, PackedStruct", BOTH)
def mini_packed():
    members = {"a": rand(pa.int32()), "b": rand(pa.float64()), "c": rand(pa.int8())}
    expect = mini(rf"PackedStruct\{{b=\[32,64,8\],values={flat(104)}")
    yield Case("no_nulls", one(structs(**members), packed="true"), expect=expect)
    yield Case("struct_nulls", one(structs(0.1, **members), packed="true"), expect=expect)
    many = structs(0.1, a=rand(pa.int32(), 5 * N), b=rand(pa.float64(), 5 * N))
    item = pa.field("item", many.type, metadata={k("packed"): "true"})
    in_list = lists(many, lengths(), 0.1).cast(pa.list_(item))
    yield Case("in_list", one(in_list), expect=mini("PackedStruct"))


@row("mini, dictionary Variable / Flat{128} / Flat{64} (2.2)", BOTH)
def mini_dictionary():
    few = words(30)
    strings = pa.array([few[i] for i in generator().integers(0, 30, N)])
    for type_ in TEXTS:
        array = strings.cast(type_)
        yield Case(title_of(type_), one(with_nulls(array)),
                   expect=mini(".", dictionary="(General.*)?Variable"))
    decimals = pc.take(rand(pa.decimal128(38, 5), 20), ints(generator().integers(0, 20, N)))
    yield Case("decimal128", one(with_nulls(decimals)),
               expect=mini(".", dictionary=rf"(General.*)?{flat(128)}"))
    uuids = pc.take(rand(pa.binary(16), 20), ints(generator().integers(0, 20, N)))
    yield Case("fsb16", one(with_nulls(uuids)),
               expect=mini(".", dictionary=rf"(General.*)?{flat(128)}"))
    for type_ in (pa.int64(), pa.float64(), pa.timestamp("us"), pa.binary(8)):
        values = pc.take(rand(type_, 20), ints(generator().integers(0, 20, N)))
        yield Case(title_of(type_), one(with_nulls(values)), (V22,),
                   mini(".", dictionary=rf"(General.*)?{flat(64)}"))


@row("mini, dictionary General LZ4 / zstd / none (2.2)", (V22,))
def mini_dictionary_general():
    few = words(30)
    strings = pa.array([few[i] for i in generator().integers(0, 30, N)])
    numbers = pc.take(rand(pa.int64(), 20), ints(generator().integers(0, 20, N)))
    for name, array in {"utf8": strings, "int64": numbers}.items():
        yield Case(f"{name}_lz4", one(array), expect=mini(".", dictionary="General.*Lz4"))
        yield Case(f"{name}_zstd", one(array, dict_values_compression="zstd"),
                   expect=mini(".", dictionary="General.*Zstd"))
        yield Case(f"{name}_none", one(array, dict_values_compression="none"),
                   expect=mini(".", dictionary="(Variable|Flat)"))


@row("mini, dictionary indices Rle", (V22,))
def mini_dictionary_rle():
    values = pc.take(rand(pa.int64(), 27), runs(30, 100, pa.int64(), 27))
    yield Case("int64_runs", one(values), expect=mini("Rle", dictionary="."))


@row("mini, dictionary OutOfLineBitpacking{64}", BOTH)
def mini_dictionary_bitpacked():
    items = ints(generator().permutation(2000) % 1000, pa.int64())
    yield Case("int16_int64", one(dictionaries(pa.int16(), items)),
               expect=mini(".", dictionary=r".*OutOfLineBitpacking\{T=64"))


@row("mini, dictionary key widths 8-64", BOTH)
def mini_dictionary_keys():
    yield from arrow_dictionaries(mini(".", dictionary="."))
    for name, items in {
        "utf8": lambda i: texts(n=20, seed=i),
        "large_binary": lambda i: texts(pa.large_binary(), n=20, seed=i),
        "int64": lambda i: rand(pa.int64(), 20, i),
        "double": lambda i: rand(pa.float64(), 20, i),
        "half": lambda i: rand(pa.float16(), 20, i),
    }.items():
        chunks = [
            pa.DictionaryArray.from_arrays(ints(generator(i).integers(0, 20, 20000), pa.int16()),
                                           items(i))
            for i in range(4)
        ]
        yield Case(f"pages_with_other_{name}", one(chunks), expect=mini(".", dictionary="."),
                   options={"data_cache_bytes": 30000})


# ---- levels --------------------------------------------------------------------------------------


@row("levels Flat{16}", BOTH)
def levels_flat():
    yield Case("5_rows", one(pa.array([1, None, 3, 4, None], pa.int32())),
               expect=mini(".", **{"def": flat(16)}))
    yield Case("4_strings", one(pa.array(["x", "yy", None, "w"])),
               expect=mini(".", **{"def": flat(16)}))
    yield Case("list", one(pa.array([[1, 2], None, [], [3, None]], pa.list_(pa.int32()))),
               expect=mini(".", **{"rep": flat(16), "def": flat(16)}))


@row("levels InlineBitpacking{16}", BOTH)
def levels_inline():
    yield Case("500_rows", one(with_nulls(rand(pa.int32(), 500))),
               expect=mini(".", **{"def": "InlineBitpacking"}))


@row("levels OutOfLineBitpacking{16}", BOTH)
def levels_out_of_line():
    yield Case("3000_rows", one(with_nulls(rand(pa.int32()))),
               expect=mini(".", **{"def": "OutOfLineBitpacking"}))
    yield Case("lists", one(lists(with_nulls(rand(pa.int32(), 5 * N)), lengths(), 0.1)),
               expect=mini(".", **{"rep": "OutOfLineBitpacking", "def": "OutOfLineBitpacking"}))


def uneven_lists():
    items = rand(pa.int32(), 60200)
    is_null = pa.array([False, False, False, True, False])
    return pa.ListArray.from_arrays(pa.array([0, 100, 60100, 60100, 60100, 60103], pa.int32()),
                                    items.slice(0, 60103), mask=is_null)


@row("levels OutOfLineBitpacking W = 0", BOTH)
def levels_width_0():
    yield Case("uneven_lists", one(uneven_lists()),
               expect={V21: mini(".", **{"def": "OutOfLineBitpacking"}), V22: mini(".")})


@row("levels Rle (2.2)", (V22,))
def levels_rle():
    yield Case("uneven_lists", one(uneven_lists()), expect=mini(".", rep="Rle"))
    mostly = pa.array([None if 1000 <= i < 2000 else i * 7919 for i in range(N)], pa.int64())
    yield Case("def_in_runs", one(mostly), expect=mini(".", **{"def": "Rle"}))


@row("layer kinds 1-6, all positions", BOTH)
def layer_kinds():
    items = {"1": rand(pa.int32(), 40 * N), "3": with_nulls(rand(pa.int32(), 40 * N))}
    kinds = {"2": (1, 0.0), "4": (1, 0.2), "5": (0, 0.0), "6": (0, 0.2)}
    for item, array in items.items():
        for kind, (shortest, nulls) in kinds.items():
            inner = lists(array, lengths(4 * N, 5, shortest), nulls)
            yield Case(f"list_{item}_{kind}", one(inner.slice(0, N)),
                       expect=mini(".", layers=f"{item},{kind}"))
            for outer, (outer_shortest, outer_nulls) in kinds.items():
                nested = lists(inner, lengths(N, 3, outer_shortest, 16), outer_nulls, seed=17)
                yield Case(f"list_list_{item}_{kind}_{outer}", one(nested),
                           expect=mini(".", layers=f"{item},{kind},{outer}"))
    for nulls in (0.0, 0.2):
        kind = "3" if nulls else "1"
        for kind_of_item, array in items.items():
            leaf = array.slice(0, N)
            over = structs(nulls, a=leaf, b=texts())
            yield Case(f"struct_{kind_of_item}_{kind}", one(over),
                       expect=mini(".", layers=f"{kind_of_item if kind == '1' else 3},{kind}"))
            twice = structs(0.2, seed=18, s=over, c=rand(pa.int8()))
            yield Case(f"struct_struct_{kind_of_item}_{kind}", one(twice),
                       expect=mini(".", layers="3,3,3"))
            under = lists(structs(nulls, a=array.slice(0, 5 * N), b=texts(n=5 * N)), lengths(), 0.1)
            yield Case(f"list_struct_{kind_of_item}_{kind}", one(under),
                       expect=mini(".", layers=f"{kind_of_item if kind == '1' else 3},{kind},6"))
            outside = structs(nulls, l=lists(array, lengths(), 0.1), c=rand(pa.int8()))
            yield Case(f"struct_list_{kind_of_item}_{kind}", one(outside),
                       expect=mini(".", layers=f"{kind_of_item},6,{kind}"))
            between = structs(nulls, l=lists(array, lengths(4 * N), 0.1), c=rand(pa.int8(), 4 * N))
            yield Case(f"list_struct_list_{kind_of_item}_{kind}",
                       one(lists(between, lengths(N, 3), 0.1, seed=19)),
                       expect=mini(".", layers=f"{kind_of_item},6,{kind},6"))
    deep = lists(lists(lists(items["3"], lengths(12 * N, 3), 0.1), lengths(5 * N, 2), 0.1, seed=20),
                 lengths(N, 4), 0.1, seed=21)
    yield Case("list_list_list", one(deep), expect=mini(".", layers="3,6,6,6"))
    yield Case("large_list", one(lists(items["3"], lengths(), 0.1, large=True)),
               expect=mini(".", layers="3,6"))
    yield Case("list_of_text", one(lists(with_nulls(texts(n=5 * N)), lengths(), 0.1)),
               expect=mini(".", layers="3,6"))
    yield Case("list_of_bool", one(lists(with_nulls(rand(pa.bool_(), 5 * N)), lengths(), 0.1)),
               expect=mini(".", layers="3,6"))
    few = pa.array(words(30))
    yield Case("list_of_dictionary",
               one(lists(dictionaries(pa.int16(), few, 5 * N), lengths(), 0.1)),
               expect=mini(".", dictionary=".", layers="3,6"))
    yield Case("struct_of_dictionary", one(structs(0.2, d=dictionaries(pa.int16(), few))),
               expect=mini(".", dictionary=".", layers="3,3"))
    yield Case("list_of_few_texts",
               one(lists(with_nulls(pa.array([few[i % 30].as_py() for i in range(5 * N)])),
                         lengths(), 0.1)), expect=mini(".", dictionary=".", layers="3,6"))


@row("repetition index over many chunks", BOTH)
def repetition_index():
    sizes = np.concatenate([lengths(200), [300000], lengths(200, seed=22), [9000, 9000, 0, 1]])
    items = with_nulls(rand(pa.int32(), int(sizes.sum())))
    yield Case("row_of_300000", one(lists(items, sizes, 0.05, seed=23)), expect=mini(".", rep="."))
    inner = lists(items, np.full(items.__len__() // 100, 100))
    yield Case("nested", one(lists(inner, [3, 0, 3000, 5, 1] + [0, 1] * 40)),
               expect=mini(".", rep="."))


@row("several pages by level budget", BOTH)
def level_budget():
    sizes = np.zeros(150001, int)
    sizes[100000] = 1
    is_null = np.zeros(150001, bool)
    is_null[100001:] = True
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    array = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), ints([1], pa.int32()),
                                     mask=pa.array(is_null))
    yield Case("empty_one_null", one(array),
               expect={V21: [mini("."), constant(False, 2)],
                       V22: [constant(True, 2), constant(False, 2)]})


# ---- full-zip ------------------------------------------------------------------------------------


def zipped(value, **parts):
    found = "^FullZipLayout.*"
    for name in ("bits_rep", "bits_def"):
        if name in parts:
            found += f"{name}={parts[name]},.*"
    found += f"value={value}.*"
    if "layers" in parts:
        found += rf",layers=\[{parts['layers']}\]"
    return found


@row("full-zip, Flat", BOTH)
def zip_flat():
    yield Case("fsb_300", one(rand(pa.binary(300), 500)), expect=zipped(flat(2400)))
    yield Case("fsb_300_nulls", one(with_nulls(rand(pa.binary(300), 500))),
               expect=zipped(flat(2400), bits_def=1))
    for type_ in (pa.int8(), pa.int32(), pa.float64(), pa.decimal128(38, 5)):
        yield Case(f"{title_of(type_)}_forced",
                   one(with_nulls(rand(type_)), structural_encoding="fullzip"),
                   expect=zipped(flat(type_.bit_width)))


@row("full-zip, FixedSizeList (with item bitmaps)", BOTH)
def zip_fixed_size_list():
    for dimension in (64, 100, 128, 768):
        items = floats(dimension * 300)
        yield Case(f"f32_{dimension}", one(fsl(items, dimension)), expect=zipped("FixedSizeList"))
        yield Case(f"f32_{dimension}_nulls", one(fsl(with_nulls(items), dimension, 0.1)),
                   expect=zipped("FixedSizeList.*has_validity=true"))
    inner = fsl(with_nulls(floats(100 * 300)), 10, 0.1)
    yield Case("fsl_10_10_nulls", one(fsl(inner, 10, 0.1, seed=24)),
               expect=zipped("FixedSizeList.*FixedSizeList"))


@row("full-zip, FixedSizeList{Constant{}}", BOTH)
def zip_constant():
    for dimension in (4, 128):
        items = only_nulls(pa.float32(), dimension * 300)
        yield Case(f"f32_{dimension}", one(fsl(items, dimension)),
                   expect=zipped("FixedSizeList.*Constant"))


@row("full-zip, Variable{32,64}", BOTH)
def zip_variable():
    for type_ in TEXTS:
        bits = 64 if "large" in str(type_) else 32
        expect = zipped(rf"Variable\{{offsets={flat(bits)}")
        name = title_of(type_)
        yield Case(f"{name}_10", one(with_nulls(texts(type_, n=10, shortest=200, longest=900))),
                   expect=expect)
        some = texts(type_, n=600).to_pylist() + [texts(type_, n=1, shortest=300, longest=300)[0]]
        yield Case(f"{name}_600_and_one", one(pa.array(some, type_)), expect=expect)


@row("full-zip, Fsst / General zstd", BOTH)
def zip_compressed():
    yield Case("fsst", one(with_nulls(texts(n=200, shortest=200, longest=900))),
               expect=zipped("Fsst"))
    for type_ in TEXTS:
        long = with_nulls(texts(type_, n=12, shortest=30000, longest=70000))
        yield Case(f"{title_of(type_)}_zstd", one(long, compression="zstd"),
                   expect=zipped("General.*Zstd"))
        yield Case(f"{title_of(type_)}_lz4", one(long, compression="lz4"), expect=zipped("General"))
    yield Case("automatic", one(with_nulls(texts(n=12, shortest=30000, longest=70000))),
               expect=zipped("General"))


@row("full-zip with rep, 2 bits each", BOTH)
def zip_lists():
    long = with_nulls(texts(n=1500, shortest=200, longest=900))
    yield Case("list_text", one(lists(long, lengths(500), 0.1)),
               expect=zipped(".", bits_rep=1, bits_def=2, layers="3,6"))
    vectors = fsl(with_nulls(floats(128 * 1000)), 128, 0.1)
    yield Case("list_vector", one(lists(vectors, lengths(300), 0.1)),
               expect=zipped("FixedSizeList", bits_rep=1, bits_def=2))
    yield Case("list_int32", one(lists(with_nulls(rand(pa.int32(), 5 * N)), lengths(), 0.1),
                                 structural_encoding="fullzip"),
               expect=zipped(flat(32), bits_rep=1, bits_def=2))
    inner = lists(with_nulls(rand(pa.int32(), 20 * N)), lengths(4 * N), 0.1)
    yield Case("list_list_int32", one(lists(inner, lengths(N, 3), 0.1, seed=25),
                                      structural_encoding="fullzip"),
               expect=zipped(flat(32), bits_rep=2, bits_def=3))
    over = structs(0.2, l=lists(long, lengths(500), 0.1))
    yield Case("struct_list_text", one(over), expect=zipped(".", layers="3,6,3"))
    yield Case("list_struct_text", one(lists(structs(0.2, t=long), lengths(500), 0.1)),
               expect=zipped(".", layers="3,3,6"))
    yield Case("struct_text", one(structs(0.2, t=long)), expect=zipped(".", layers="3,3"))


@row("full-zip fallback, bits_rep 2", BOTH)
def zip_fallback():
    sizes = np.where(np.arange(200000) % 3 == 0, 0, 1)
    inner = lists(rand(pa.int32(), 200000), sizes)
    yield Case("list_list_int32", one(lists(inner, [200000])), expect=zipped(flat(32), bits_rep=2))


@row("full-zip bool", BOTH)
def zip_bool():
    values = with_nulls(rand(pa.bool_()))
    yield Case("bool", one(values, structural_encoding="fullzip"), expect=zipped(flat(8)))
    yield Case("list_bool", one(lists(values, lengths(500), 0.1), structural_encoding="fullzip"),
               expect=zipped(flat(8)))


@row("full-zip, VariablePackedStruct (2.2)", (V22,))
def zip_packed():
    members = {"a": rand(pa.int32()), "s": texts()}
    expect = zipped("VariablePackedStruct")
    yield Case("i32_utf8", one(structs(0.1, **members), packed="true"), expect=expect)
    yield Case("no_nulls", one(structs(**members), packed="true"), expect=expect)
    yield Case("large_binary", one(structs(0.1, b=texts(pa.large_binary(), seed=26), **members),
                                   packed="true"), expect=expect)
    yield Case("fsl", one(structs(0.1, v=fsl(floats(4 * N), 4), **members), packed="true"),
               expect=expect)
    long = {"a": rand(pa.int32(), 10), "s": texts(n=10, shortest=45000, longest=45000)}
    yield Case("long", one(structs(**long), packed="true"), expect=expect)
    many = structs(0.1, a=rand(pa.int32(), 5 * N), s=texts(n=5 * N))
    item = pa.field("item", many.type, metadata={k("packed"): "true"})
    yield Case("in_list", one(lists(many, lengths(), 0.1).cast(pa.list_(item))), expect=expect)


# ---- constant ------------------------------------------------------------------------------------


def constant(inline, buffers, layers=None):
    """A constant or all-null page: whether it has an inline value, how many buffers."""
    found = rf"^(Constant|AllNull)Layout\{{.*layers=\[{layers or '.*'}\]"
    found += ",inline_value=" if inline else r"(?!.*inline_value)"
    return found + rf".*#{buffers}$"


@row("all-null simple", BOTH)
def null_simple():
    for type_ in [pa.int32(), pa.utf8(), pa.bool_(), pa.list_(pa.float32(), 4), pa.null(),
                  pa.decimal128(38, 5), pa.large_binary(), pa.dictionary(pa.int8(), pa.utf8())]:
        yield Case(title_of(type_), one(only_nulls(type_)), expect=constant(False, 0, "3"))
    yield Case("empty_struct", one(empty_structs()), expect=constant(False, 0))


@row("all-null complex (2.1 raw, 2.2 Rle / OutOfLine levels)", BOTH)
def null_complex():
    expect = constant(False, 2)
    some = rand(pa.int32(), 10)
    yield Case("all_empty", one(lists(some, np.zeros(N, int))), expect=expect)
    yield Case("all_null", one(only_nulls(pa.list_(pa.int32()))), expect=expect)
    yield Case("alternating", one(pa.array([None, []] * (N // 2), pa.list_(pa.int32()))),
               expect=expect)
    yield Case("list_of_null_items", one(lists(only_nulls(pa.int32(), 5 * N), lengths(), 0.1)),
               expect=expect)
    yield Case("list_of_null_text", one(lists(only_nulls(pa.utf8(), 5 * N), lengths(), 0.1)),
               expect=expect)
    yield Case("list_of_null_type", one(lists(only_nulls(pa.null(), 5 * N), lengths(), 0.1)),
               expect=expect)
    yield Case("struct_all_null", one(structs(1.1, a=rand(pa.int32()), b=texts())), expect=expect)
    yield Case("null_member", one(structs(n=only_nulls(pa.null()), a=rand(pa.int32()))),
               expect=expect)
    yield Case("null_member_struct_nulls",
               one(structs(0.1, n=only_nulls(pa.null()), a=rand(pa.int32()))), expect=expect)
    yield Case("null_text_member", one(structs(0.1, n=only_nulls(pa.utf8()), a=rand(pa.int32()))),
               expect=expect)
    nested = lists(lists(some, np.zeros(5 * N, int), 0.3), lengths(), 0.1, seed=27)
    yield Case("list_list_of_nothing", one(nested), expect=expect)
    yield Case("list_dictionary_empty",
               one(lists(dictionaries(pa.int8(), pa.array(["a"]), 1), np.zeros(N, int))),
               expect=expect)
    yield Case("packed_all_null",
               one(structs(1.1, a=rand(pa.int32()), b=rand(pa.int32())), packed="true"),
               expect=constant(False, "(0|2)"))


@row("constant inline (2.2), with and without levels", (V22,))
def constant_inline():
    values = {
        "int8": pa.scalar(7, pa.int8()), "int32": pa.scalar(7, pa.int32()),
        "int64": pa.scalar(-7, pa.int64()), "float": pa.scalar(1.5, pa.float32()),
        "double": pa.scalar(1.5, pa.float64()), "true": pa.scalar(True),
        "false": pa.scalar(False), "decimal128": pa.scalar(decimal.Decimal("-12.50000"),
                                                           pa.decimal128(38, 5)),
        "decimal256": pa.scalar(decimal.Decimal("-12.50"), pa.decimal256(60, 2)),
        "fsb4": pa.scalar(b"abcd", pa.binary(4)), "timestamp": pa.scalar(7, pa.timestamp("us")),
    }
    for name, value in values.items():
        array = pa.array([value.as_py()] * N, value.type)
        yield Case(name, one(array), expect=constant(True, 0, "1"))
        yield Case(f"{name}_nulls", one(with_nulls(array)), expect=constant(True, 2, "3"))
    sevens = ints(np.full(5 * N, 7), pa.int32())
    yield Case("list", one(lists(sevens, lengths(), 0.1)), expect=constant(True, 2, "1,6"))
    yield Case("list_nulls", one(lists(with_nulls(sevens), lengths(), 0.1)),
               expect=constant(True, 2, "3,6"))
    yield Case("struct", one(structs(0.1, a=sevens.slice(0, N), b=with_nulls(sevens.slice(0, N)))),
               expect=constant(True, 2, "3,3"))
    yield Case("struct_no_nulls", one(structs(a=sevens.slice(0, N))),
               expect=constant(True, "(0|2)"))


@row("constant value buffer (2.2)", (V22,))
def constant_buffer():
    for type_ in TEXTS:
        is_text = "string" in str(type_)
        for name, text in {"xyz": "xyz", "empty": "", "5000": "a" * 5000}.items():
            array = pa.array([text if is_text else text.encode()] * 500, type_)
            yield Case(f"{title_of(type_)}_{name}", one(array), expect=constant(False, 1, "1"))
            yield Case(f"{title_of(type_)}_{name}_nulls", one(with_nulls(array)),
                       expect=constant(False, 3, "3"))
    wide = pa.array([b"0123456789" * 4] * N, pa.binary(40))
    yield Case("fsb40", one(wide), expect=constant(False, 1, "1"))
    yield Case("fsb40_nulls", one(with_nulls(wide)), expect=constant(False, 3, "3"))
    yield Case("list", one(lists(pa.array(["xyz"] * 5 * N), lengths(), 0.1)),
               expect=constant(False, 3, "1,6"))


# ---- the rest ------------------------------------------------------------------------------------


@row("BlobLayout", BOTH)
def blob_layout():
    yield from blob_cases(BOTH, {V21: "^(BlobLayout|ConstantLayout|AllNullLayout)",
                                 V22: "^(BlobLayout|ConstantLayout|AllNullLayout)"})
    rng = random.Random(28)
    values = [None if i % 5 == 0 else rng.randbytes(rng.randint(0, 3000)) for i in range(300)]
    field = pa.field("b", pa.large_binary(), metadata={k("blob"): "true"})
    for nulls in (0.0, 0.2):
        mask = pa.array(generator().random(300) < nulls)
        column = pa.StructArray.from_arrays(
            [pa.array(values, pa.large_binary()), rand(pa.int8(), 300)],
            fields=[field, pa.field("i", pa.int8())], mask=mask)
        yield Case(f"in_struct_{nulls}", one(column), expect="^BlobLayout")


@row("map (2.2)", (V22,))
def maps():
    rng = generator(29)
    sizes = lengths(N, 4)
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    n = int(sizes.sum())
    keys = texts(n=n)
    values = with_nulls(rand(pa.int32(), n))

    def holes(array):
        mask = pa.array(rng.random(len(array)) < 0.1)
        return pc.if_else(mask, pa.scalar(None, array.type), array)

    def mapped(key_array, value_array):
        return pa.MapArray.from_arrays(offsets, key_array, value_array)

    plain = mapped(keys, values)
    yield Case("utf8_i32", one(plain), expect=mini(".", layers="3,1,5"))
    as_list = pa.ListArray.from_arrays(offsets, structs(key=keys, value=values),
                                       mask=pa.array(rng.random(N) < 0.1))
    entries = pa.struct([pa.field("key", pa.utf8(), nullable=False), pa.field("value", pa.int32())])
    typed = as_list.cast(pa.list_(pa.field("entries", entries, nullable=False)))
    with_null_rows = pa.Array.from_buffers(pa.map_(pa.utf8(), pa.int32()), N, typed.buffers()[:2],
                                           children=[typed.values])
    yield Case("utf8_i32_nulls", one(with_null_rows), expect=mini(".", layers="3,1,6"))
    yield Case("i32_utf8", one(mapped(rand(pa.int32(), n), with_nulls(texts(n=n)))),
               expect=mini("."))
    few = pa.array([words(3)[i % 3] for i in range(n)])
    yield Case("duplicate_keys", one(mapped(few, values)), expect=mini("."))
    yield Case("map_of_lists", one(mapped(keys, lists(rand(pa.int32(), 5 * n), lengths(n), 0.1))),
               expect=mini(".", layers=r"1,6,1,5"))
    grouped = pa.ListArray.from_arrays(
        pa.array(np.concatenate([np.arange(0, N, 3), [N]]), pa.int32()), plain)
    yield Case("list_of_maps", one(grouped), expect=mini("."))
    yield Case("all_null", one(only_nulls(pa.map_(pa.utf8(), pa.int32()))))
    yield Case("all_empty", one(pa.array([[]] * N, pa.map_(pa.utf8(), pa.int32()))))
    yield Case("map_in_struct", one(structs(0.2, m=with_null_rows)), expect=mini("."))
    yield Case("map_of_struct", one(mapped(keys, structs(0.2, a=values, b=texts(n=n)))),
               expect=mini("."))


@row("struct-FSL (2.2)", (V22,))
def struct_fsl():
    def members(n, seed=30):
        return structs(0.2, seed=seed, a=with_nulls(rand(pa.int32(), n)), b=with_nulls(texts(n=n)))

    yield Case("fsl_3", one(fsl(members(3 * N), 3, 0.1)), expect=mini(".", layers="3,3,3"))
    plain = structs(a=rand(pa.int32(), 3 * N))
    yield Case("fsl_3_no_nulls", one(fsl(plain, 3)), expect=mini(".", layers="1,1,1"))
    inner = structs(0.1, seed=31, f=fsl(members(6 * N), 2, 0.1), c=rand(pa.int8(), 3 * N))
    yield Case("nested", one(fsl(inner, 3, 0.1, seed=32)), expect=mini(".", layers="3,3,3,3,3"))
    yield Case("in_struct", one(structs(0.1, seed=33, f=fsl(members(3 * N), 3, 0.1))),
               expect=mini(".", layers="3,3,3,3"))
    long = structs(0.1, t=with_nulls(texts(n=900, shortest=200, longest=900)))
    yield Case("long_text", one(fsl(long, 3, 0.1)), expect=zipped(".", layers="3,3,3"))
    yield Case("all_null", one(only_nulls(pa.list_(pa.struct([("a", pa.int32())]), 3))),
               expect=constant(False, 2))
    same = structs(0.1, a=ints(np.full(3 * N, 7), pa.int32()))
    yield Case("constant", one(fsl(same, 3, 0.1)), expect=constant(True, 2))
    # In batches of their own: 14.0.2 panics when it writes slices of such a column.
    chunks = [fsl(members(3 * 10000, seed), 3, 0.1) for seed in range(4)]
    yield Case("several_pages", one(chunks), options={"data_cache_bytes": 300000})


BLOB_SIZES = [0, 5, 65536, 65537, 4194304, 4194305]


@row("blob v2 (2.2, dataset API)", (V22,))
def blob_v2():
    # kind, size, text behind the last slash of the URI
    expected = [None, (0, 0, ""), (0, 5, ""), (0, 65536, ""), (1, 65537, ""), (1, 4194304, ""),
                (2, 4194305, ""), (3, 0, "outside.blob"), (3, 3, "outside.blob")]
    nulls = pa.table({"b": pa.nulls(9)})
    yield Case("sizes", nulls, make=make_blob_v2, expect="VariablePackedStruct",
               expected_rows=expected, view=lambda value: value and (
                   value["kind"], value["size"], value["blob_uri"].rpartition("/")[2]))


def make_blob_v2(path, version):
    """Write a data set with blobs of every placement and take its data file."""
    import lance

    folder = path.with_suffix(".dataset")
    shutil.rmtree(folder, ignore_errors=True)
    outside = path.with_name("outside.blob")
    outside.write_bytes(b"0123456789")
    values = [None] + [b"x" * size for size in BLOB_SIZES]
    values += [outside.as_uri(), lance.Blob(uri=outside.as_uri(), position=2, size=3)]
    table = pa.table([lance.blob_array(values)], schema=pa.schema([lance.blob_field("b")]))
    lance.write_dataset(table, str(folder), data_storage_version=version,
                        allow_external_blob_outside_bases=True)
    (data_file,) = (folder / "data").glob("*.lance")
    path.write_bytes(data_file.read_bytes())


@row("extension types", BOTH)
def extension_types():
    ids = rand(pa.binary(16))
    uuids = pa.ExtensionArray.from_storage(pa.uuid(), ids)
    yield Case("uuid", one(uuids), ALL)
    bfloat16 = pa.field("item", pa.binary(2), metadata={"ARROW:extension:name": "lance.bfloat16",
                                                         "ARROW:extension:metadata": ""})
    items = rand(pa.binary(2), 8 * N)
    vectors = pa.FixedSizeListArray.from_arrays(items, type=pa.list_(bfloat16, 8))
    yield Case("bfloat16_vectors", one(vectors), ALL, is_converted=True)
    json = pa.ExtensionArray.from_storage(
        pa.json_(), pa.array([f'{{"a": {i}, "b": ["x", null]}}' for i in range(N)]))
    yield Case("arrow_json", one(json), ALL, is_converted=True)


@row("pages that change layout", BOTH)
def changing_pages():
    n = 20000
    arrays = [ints(np.full(n, 7), pa.int32()), only_nulls(pa.int32(), n),
              with_nulls(rand(pa.int32(), n)), rand(pa.int32(), n)]
    yield Case("int32", one(arrays), options={"data_cache_bytes": 80000}, batch_rows=n,
               expect={V22: ["InlineBitpacking|Flat", "ConstantLayout"]})
    strings = [pa.array(["same"] * n), only_nulls(pa.utf8(), n), with_nulls(texts(n=n)),
               pa.array([words(30)[i % 30] for i in range(n)]),
               texts(n=500, shortest=200, longest=900)]
    yield Case("utf8", one(strings), options={"data_cache_bytes": 80000}, batch_rows=n)
    items = rand(pa.int32(), 5 * n)
    chunks = [lists(items, np.zeros(n, int)), only_nulls(pa.list_(pa.int32()), n),
              lists(items, lengths(n), 0.1), lists(items, lengths(n, 5, 1))]
    yield Case("list_int32", one(chunks), options={"data_cache_bytes": 80000}, batch_rows=n)


@row("several pages", BOTH)
def several():
    yield from several_pages(BOTH)


@row("no pages", BOTH)
def none_at_all():
    yield from no_pages(BOTH)


@row("all types in one table", ALL)
def wide_table():
    arrays = {title_of(t): with_nulls(rand(t, 500)) for t in INTEGERS + FLOATS + TEMPORALS + WIDE}
    arrays |= {title_of(t): with_nulls(texts(t, n=500)) for t in TEXTS}
    arrays["bool"] = with_nulls(rand(pa.bool_(), 500))
    yield Case("all", pa.table(arrays), ALL)


# ---- 2.0 files by hand ---------------------------------------------------------------------------


def varint(value):
    out = bytearray()
    value &= 2**64 - 1
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def message(field, *parts):
    body = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def any_of(type_name, body):
    return message(2, message(1, message(1, "/" + type_name), message(2, body)))


def buffer_of(field, index):
    return message(field, number(1, index))


def no_nulls(body):
    return message(2, message(1, message(1, body)))


def write_hand_made(path, logical_type, columns, num_rows):
    """A 2.0 file of one field x. columns: [(encoding body, buffers, length), ...]."""
    data = bytearray()
    metadata = []
    for encoding, buffers, length in columns:
        offsets, sizes = [], []
        for content in buffers:
            data.extend(bytes(-len(data) % 64))
            offsets.append(len(data))
            sizes.append(len(content))
            data.extend(content)
        page = message(1, *map(varint, offsets)) + message(2, *map(varint, sizes))
        page += number(3, length) + message(4, any_of("lance.encodings.ArrayEncoding", encoding))
        column = any_of("lance.encodings.ColumnEncoding", message(1))
        metadata.append(message(1, column) + message(2, page))
    data.extend(bytes(-len(data) % 64))
    descriptor_at = len(data)
    field = message(2, "x") + number(4, -1) + message(5, logical_type) + number(6, 1) + number(7, 1)
    descriptor = message(1, message(1, field)) + number(2, num_rows)
    data.extend(descriptor)
    metadata_at = len(data)
    table = b""
    for body in metadata:
        table += struct.pack("<QQ", len(data), len(body))
        data.extend(body)
    table_at = len(data)
    data.extend(table)
    buffers_at = len(data)
    data.extend(struct.pack("<QQ", descriptor_at, len(descriptor)))
    data.extend(struct.pack("<QQQIIHH4s", metadata_at, table_at, buffers_at, 1, len(columns), 0, 3,
                            b"LANC"))
    path.write_bytes(bytes(data))


def bit_stream(values, width):
    joined = sum((int(v) & (2**width - 1)) << (i * width) for i, v in enumerate(values))
    return joined.to_bytes((len(values) * width + 7) // 8, "little")


FL_ORDER = [0, 4, 2, 6, 1, 5, 3, 7]


def fast_lanes(values, type_bits, width):
    """Groups of 1024 values packed as file-format 9.3 says."""
    out = b""
    for start in range(0, len(values), 1024):
        group = list(values[start:start + 1024])
        group += [0] * (1024 - len(group))
        lanes = 1024 // type_bits
        packed = [0] * (lanes * width)
        for lane in range(lanes):
            for r in range(type_bits):
                value = int(group[FL_ORDER[r // 8] * 16 + r % 8 * 128 + lane])
                bit = r * width
                word, shift = bit // type_bits, bit % type_bits
                packed[lanes * word + lane] |= value << shift & 2**type_bits - 1
                if shift + width > type_bits:
                    packed[lanes * (word + 1) + lane] |= value >> (type_bits - shift)
        out += b"".join(w.to_bytes(type_bits // 8, "little") for w in packed)
    return out


def hand_made_20():
    def case(name, array, logical_type, columns):
        return Case(name, one(array), (V20,), make=lambda path, _: write_hand_made(
            path, logical_type, columns, len(array)))

    n = 1500
    small = generator(40).integers(0, 2000, n)
    signed = generator(41).integers(-1000, 1000, n)
    packed = number(1, 11) + number(2, 32) + buffer_of(3, 0)
    yield case("bitpacked_unsigned", ints(small, pa.int32()), "int32",
               [(no_nulls(message(10, packed)), [bit_stream(small, 11)], n)])
    yield case("bitpacked_signed", ints(signed, pa.int32()), "int32",
               [(no_nulls(message(10, packed + number(4, 1))), [bit_stream(signed, 11)], n)])
    yield case("bitpacked_for_non_neg", ints(small, pa.int32()), "int32",
               [(no_nulls(message(12, packed)), [fast_lanes(small, 32, 11)], n)])
    strings = words(100, 5, 5)
    flat_bytes = message(1, message(1, number(1, 8) + buffer_of(2, 0)))
    yield case("fixed_size_binary", pa.array(strings), "string",
               [(message(11, flat_bytes + number(2, 5)), ["".join(strings).encode()], 100)])
    some = words(100)
    ends = np.cumsum([len(w) for w in some])
    total = int(ends[-1])
    offsets = no_nulls(message(1, number(1, 64) + buffer_of(2, 0)))
    items = no_nulls(message(1, number(1, 8) + buffer_of(2, 0)))
    yield case("list_of_bytes", pa.array(some), "string", [
        (message(4, message(1, offsets) + number(2, total + 1) + number(3, total)),
         [ends.astype("<u8").tobytes()], 100),
        (items, ["".join(some).encode()], total),
    ])


# ---- what a file says of its pages ---------------------------------------------------------------

TOKEN = re.compile(r'\s*(b?"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z_0-9]*|-?[0-9.]+|[{}()\[\]:,])')
SHORT = {
    "value_compression": "value", "rep_compression": "rep", "def_compression": "def",
    "bits_per_value": "b", "uncompressed_bits_per_value": "T",
}
WRAPPERS = {"CompressiveEncoding", "ArrayEncoding", "PageLayout"}
LAYERS = {
    "RepdefAllValidItem": "1", "RepdefAllValidList": "2", "RepdefNullableItem": "3",
    "RepdefNullableList": "4", "RepdefEmptyableList": "5", "RepdefNullAndEmptyList": "6",
}


class Description:
    """Shortens what the reference prints of a page's encoding to one line."""

    def __init__(self, text):
        self.tokens = [m.group(1) for m in TOKEN.finditer(text)]
        self.at = 0

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def until(self, end):
        while self.peek() != end:
            yield
            if self.peek() == ",":
                self.take()
        self.take()

    def value(self):
        token = self.take()
        if token == "[":
            items = [self.value() for _ in self.until("]")]
            return "[" + ",".join(items if len(items) < 300 else ["..."]) + "]"
        if self.peek() == "(":
            self.take()
            (inner,) = [self.value() for _ in self.until(")")]
            return inner
        if self.peek() == "{":
            self.take()
            members = []
            for _ in self.until("}"):
                name = self.take()
                self.take()
                members.append((name, self.value()))
            if token in WRAPPERS:
                return members[0][1]
            kept = [f"{SHORT.get(n, n)}={v}" for n, v in members if v not in ("None", "0", "false")]
            return token + "{" + ",".join(kept) + "}"
        return LAYERS.get(token, token)


def pages_of(path):
    """One line for every page: what it is encoded as, and how many buffers it has."""
    found = []
    for column in LanceFileReader(str(path)).metadata().columns:
        for page in column.pages:
            found.append(f"{Description(page.encoding).value()}#{len(page.buffers)}")
    return found


# ---- writing and checking ------------------------------------------------------------------------


def write(case, version, path):
    """Write a case's file."""
    if case.make is not None:
        case.make(path, version)
        return
    with LanceFileWriter(str(path), case.table.schema, version=version, **case.options) as writer:
        rows = case.batch_rows or max(1, case.table.num_rows)
        for start in range(0, max(1, case.table.num_rows), rows):
            part = case.table.slice(start, rows)
            if case.batch_rows is None and case.table.column(0).num_chunks > 1:
                for batch in part.to_batches():
                    writer.write_batch(batch)
            else:
                writer.write_batch(part.combine_chunks())


def missing(case, version, path):
    """What a case's pages should say and do not."""
    pages = pages_of(path)
    return [e for e in case.expected(version) if not any(re.search(e, page) for page in pages)]


def all_cases(pattern=""):
    for title, cases in ROWS:
        if pattern and pattern not in title:
            continue
        for case in cases():
            for version in case.versions:
                yield case, version


def file_name(case, version):
    return f"{version}_{title_of(case.row)}_{case.name}.lance"


def decoded(array):
    """A column of dictionary arrays as plain values: pyarrow unifies half floats wrongly."""
    if not pa.types.is_dictionary(array.type):
        return array
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return pa.chunked_array([chunk.dictionary_decode() for chunk in chunks], array.type.value_type)


def comparable(array):
    """A column as one array without dictionaries and extension types."""
    array = decoded(array)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array.storage if isinstance(array, pa.ExtensionArray) else array


def resolved(value, type_, data):
    """A value with the descriptors of legacy blobs replaced by their bytes."""
    if value is None or not isinstance(value, dict):
        return value
    if pa.types.is_large_binary(type_):
        return data[value["position"]:value["position"] + value["size"]]
    if pa.types.is_struct(type_):
        return {name: resolved(v, type_.field(name).type, data) for name, v in value.items()}
    return value


def same(ours, theirs, data=b""):
    """Whether two columns hold equal values; NaN equals NaN."""
    ours, theirs = comparable(ours), comparable(theirs)
    if len(ours) != len(theirs):
        return False
    if ours.type == theirs.type and ours.equals(theirs):
        return True
    values = ours.to_pylist()
    if "position: uint64" in str(ours.type):
        values = [resolved(v, theirs.type, data) for v in values]
    return repr(values) == repr(theirs.to_pylist())


def row_sets(num_rows, seed):
    """All rows, a range, single rows: as the tool's arguments and as indices."""
    rng = random.Random(seed)
    sets = [("all", list(range(num_rows)))]
    if num_rows == 0:
        return sets
    begin = rng.randrange(num_rows)
    end = rng.randint(begin + 1, num_rows)
    sets.append((f"{begin}:{end}", list(range(begin, end))))
    picked = sorted(rng.sample(range(num_rows), min(num_rows, 40)))
    sets.append((",".join(f"{i}:{i + 1}" for i in picked), picked))
    few = sorted(rng.sample(range(num_rows), min(num_rows, 3)))
    sets.append((",".join(f"{i}:{i + 1}" for i in few), few))
    sets.append((f"{num_rows - 1}:{num_rows}", [num_rows - 1]))
    return sets


def read_with(tool, path, row_texts):
    done = subprocess.run([tool, "read", str(path), *row_texts], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    with pa.ipc.open_stream(done.stdout) as stream:
        return list(stream)


def expected_table(case, path):
    """What the file holds: what the reference reads; or what went in, where it cannot read."""
    try:
        read = LanceFileReader(str(path)).read_all().to_table()
    except BaseException as error:  # the reference panics
        if case.is_converted:
            raise
        return case.table, f"reference cannot read: {str(error)[:60]}"
    if not case.is_converted:
        for name in case.table.column_names:
            if not same(read.column(name), case.table.column(name)):
                return case.table, f"reference reads other values of {name}"
    return read, ""


def differences(case, path, tool):
    """What a program of ours reads otherwise than it should."""
    if case.expected_rows is not None:
        return differences_of_rows(case, path, tool), ""
    table, note = expected_table(case, path)
    data = path.read_bytes()
    sets = row_sets(table.num_rows, file_name(case, ""))
    batches = read_with(tool, path, [text for text, _ in sets])
    problems = []
    for (text, indices), batch in zip(sets, batches, strict=True):
        for name in table.column_names:
            wanted = decoded(table.column(name))
            if text != "all":
                wanted = wanted.take(pa.array(indices, pa.int64()))
            if not same(batch.column(name), wanted, data):
                problems.append(f"rows {text[:40]}: column {name} differs")
    return problems, note


def differences_of_rows(case, path, tool):
    sets = row_sets(len(case.expected_rows), file_name(case, ""))
    problems = []
    for (text, indices), batch in zip(sets, read_with(tool, path, [t for t, _ in sets])):
        (column,) = batch.columns
        found = [case.view(value) for value in column.to_pylist()]
        if found != [case.expected_rows[i] for i in indices]:
            problems.append(f"rows {text[:40]}: {found}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["write", "check", "list"])
    parser.add_argument("argument", nargs="?")
    parser.add_argument("--row", default="")
    parser.add_argument("--version", default="")
    arguments = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.argument if arguments.action == "write" else temporary)
        folder.mkdir(exist_ok=True)
        for case, version in all_cases(arguments.row):
            if arguments.version not in ("", version):
                continue
            label = f"{version} | {case.row} | {case.name}"
            if arguments.action == "list":
                print(label)
                continue
            path = folder / file_name(case, version)
            problems, note = [], ""
            try:
                write(case, version, path)
                problems = [f"no page says {e}" for e in missing(case, version, path)]
                if problems:
                    problems += pages_of(path)[:3]
                if arguments.action == "check":
                    found, note = differences(case, path, arguments.argument)
                    problems += found
            except BaseException as error:  # the reference panics
                if isinstance(error, KeyboardInterrupt):
                    raise
                problems.append(f"{type(error).__name__}: {str(error)[:300]}")
            counts["failed" if problems else "ok"] += 1
            if note:
                print(f"note | {label} | {note}")
            for problem in problems:
                print(f"FAILED | {label} | {problem}")
            if arguments.action == "check":
                path.unlink(missing_ok=True)
    print(dict(counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
