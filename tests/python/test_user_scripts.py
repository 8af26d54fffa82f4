"""Scripts of users of the reference: with our module they must print the same.

Each is a function of the module and a folder that returns its lines.
"""

import datetime
import importlib
import json
import pickle
import time
import warnings

import lance
import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest


def evolve_a_schema(module, folder):
    """Columns by SQL, by function and from a reader; rename, cast and drop them."""
    lines = []
    uri = f"{folder}/evolve.lance"
    weights = [1.5, 2.5, None, 4.5, 5.5, 6.5]
    rows = pa.table({"id": pa.array(range(6), pa.int32()), "w": weights})
    ds = module.write_dataset(rows, uri, max_rows_per_file=4)
    ds.add_columns({"w2": "w * 2", "label": "concat('n', CAST(id AS STRING))"})
    lines.append((ds.version, ds.schema.names, ds.to_table(limit=2).to_pylist()))

    @module.batch_udf(output_schema=pa.schema([("square", pa.int64())]))
    def square(batch):
        ids = batch["id"].cast(pa.int64())
        return pa.record_batch([pc.multiply(ids, ids)], names=["square"])

    ds.add_columns(square, read_columns=["id"])
    lines.append(ds.to_table(columns=["square"]).to_pydict())
    ds.add_columns(
        lambda batch: pa.record_batch([pc.divide(batch["w"], 2.0)], names=["half"]),
        read_columns=["w"],
    )
    lines.append(ds.to_table(columns=["half"]).to_pydict())
    extra = pa.table({"extra": [f"e{i}" for i in range(6)]})
    ds.add_columns(extra.to_reader(max_chunksize=2))
    ds.add_columns(pa.field("later", pa.timestamp("us")))
    ds.add_columns(pa.schema([("p", pa.int8()), ("q", pa.list_(pa.string()))]))
    lines.append(str(ds.schema))
    lines.append(ds.to_table(columns=["extra", "later", "p", "q"], limit=1).to_pylist())
    right = pa.table({"key": pa.array([1, 3, 5], pa.int32()), "joined": ["x", "y", "z"]})
    ds.merge(right, left_on="id", right_on="key")
    lines.append(ds.to_table(columns=["id", "joined"]).to_pydict())
    ds.alter_columns({"path": "w", "name": "weight"}, {"path": "p", "nullable": True})
    ds.alter_columns({"path": "id", "data_type": pa.int64()})
    lines.append(ds.to_table(columns=["id", "weight"], filter="id > 3").to_pydict())
    ds.alter_columns(
        {"path": "weight", "data_type": pa.float32()},
        {"path": "label", "data_type": pa.large_string()},
    )
    lines.append((str(ds.schema), ds.to_table(columns=["weight", "label"]).to_pydict()))
    ds.drop_columns(["w2", "later", "q", "p"])
    lines.append((ds.schema.names, ds.count_rows(), ds.version))
    more = pa.table({"id": pa.array([100], pa.int64()), "extra": ["new"]})
    module.write_dataset(more, uri, mode="append")
    ds = module.dataset(uri)
    lines.append(ds.to_table(filter="id = 100").to_pylist())
    lines.append(ds.checkout_version(1).schema.names)
    for name, call in (
        ("drop", lambda: ds.drop_columns(["nope"])),
        ("add", lambda: ds.add_columns({"id": "1"})),
        ("alter", lambda: ds.alter_columns({"path": "nope", "name": "x"})),
        ("sql", lambda: ds.add_columns({"z": "missing + 1"})),
    ):
        with pytest.raises((ValueError, OSError, KeyError)):
            call()
        lines.append(f"{name} refused")
    return lines


def evolve_a_struct(module, folder):
    """Members of structs are renamed and dropped by path."""
    rows = pa.table({"s": [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]})
    ds = module.write_dataset(rows, f"{folder}/nested.lance")
    ds.alter_columns({"path": "s.a", "name": "aa"})
    ds.drop_columns(["s.b"])
    return [str(ds.schema), ds.to_table().to_pylist()]


def keep_settings(module, folder):
    """Configuration and metadata of table, schema and columns."""
    lines = []
    uri = f"{folder}/meta.lance"
    schema = pa.schema(
        [pa.field("id", pa.int64(), metadata={"unit": "none"}), pa.field("t", pa.float64())],
        metadata={"origin": "sensor 7"},
    )
    rows = pa.table({"id": [1, 2], "t": [0.5, 1.5]}, schema=schema)
    ds = module.write_dataset(rows, uri, commit_message="first load")
    lines.append((ds.schema.metadata, ds.schema.field("id").metadata, ds.config(), ds.metadata))
    lines.append(ds.update_config({"owner": "me", "team": "data"}))
    ds.update_config({"team": None, "tier": "gold"})
    lines.append(ds.config())
    ds.delete_config_keys(["tier"])
    lines.append(ds.config())
    ds.update_config({"only": "this"}, replace=True)
    lines.append(ds.config())
    ds.update_metadata({"note": "hello", "drop me": "x"})
    lines.append(ds.update_metadata({"drop me": None}))
    lines.append(ds.update_schema_metadata({"origin": "sensor 8", "extra": "1"}))
    lines.append(ds.schema_metadata)
    ds.replace_schema_metadata({"fresh": "yes"})
    lines.append((ds.schema_metadata, ds.schema.metadata))
    ds.update_field_metadata({"t": {"unit": "celsius"}})
    ds.update_field_metadata({"t": {"unit": "kelvin", "accuracy": "0.1"}, "id": {"role": "x"}})
    ds.replace_field_metadata("id", {"role": "key"})
    lines.append((ds.schema.field("t").metadata, ds.schema.field("id").metadata))
    lines.append((ds.to_table()["t"].to_pylist(), ds.version, module.dataset(uri).version))
    ds.update_config({"only": None})
    lines.append((ds.config(), ds.checkout_version(2).config()))
    return lines


def go_back_in_time(module, folder):
    """Versions by number, tag and time; restore one."""
    lines = []
    uri = f"{folder}/history.lance"
    module.write_dataset(pa.table({"v": [1]}), uri)
    time.sleep(0.05)
    between = datetime.datetime.now()
    time.sleep(0.05)
    module.write_dataset(pa.table({"v": [2]}), uri, mode="append")
    ds = module.write_dataset(pa.table({"v": [3]}), uri, mode="append")
    stamps = [version["timestamp"] for version in ds.versions()]
    lines.append((ds.version, ds.latest_version, stamps == sorted(stamps), stamps[0] < between))
    lines.append(module.dataset(uri, version=1).to_table().to_pydict())
    lines.append(module.dataset(uri, asof=between).version)
    ds.tags.create("first", 1)
    ds.tags.create("good", 2)
    lines.append((sorted(ds.tags.list()), ds.tags.get_version("first")))
    lines.append(module.dataset(uri, version="good").to_table().to_pydict())
    ds.tags.update("good", 3)
    lines.append([name for name, _ in ds.tags.list_ordered("asc")])
    ds.tags.delete("good")
    for call in (
        lambda: ds.tags.create("first", 2),
        lambda: ds.tags.delete("nope"),
        lambda: ds.checkout_version("nope"),
        lambda: module.dataset(uri, version=99),
        lambda: module.dataset(uri, asof=stamps[0] - datetime.timedelta(days=1)),
    ):
        with pytest.raises((ValueError, OSError, KeyError)):
            call()
    old = ds.checkout_version("first")
    old.restore()
    lines.append((old.version, old.to_table().to_pydict(), ds.version, ds.latest_version))
    ds.checkout_latest()
    ds.insert(pa.table({"v": [10]}))
    lines.append((ds.to_table().to_pydict(), [found["version"] for found in ds.version_refs()]))
    return lines


def try_on_a_branch(module, folder):
    """A change on a branch, and branches of older versions."""
    lines = []
    uri = f"{folder}/main.lance"
    ds = module.write_dataset(pa.table({"id": [1, 2, 3], "x": ["a", "b", "c"]}), uri)
    ds.insert(pa.table({"id": [4], "x": ["d"]}))
    trial = ds.create_branch("trial")
    trial.delete("id = 1")
    trial.insert(pa.table({"id": [50], "x": ["only here"]}))
    lines.append((trial.to_table().to_pydict(), trial.version, trial.uri[len(folder) :]))
    lines.append(module.dataset(uri).to_table().to_pydict())
    lines.append((sorted(ds.branches.list()), ds.branches.list()["trial"]["parent_version"]))
    again = module.dataset(uri).checkout_version(("trial", None))
    lines.append((again.count_rows(), again.version == trial.version, ds.version))
    ds.create_branch("first", 1)
    first = module.dataset(uri).checkout_version(("first", None))
    lines.append((first.to_table().to_pydict(), [name for name, _ in ds.branches.list_ordered()]))
    clone = ds.shallow_clone(f"{folder}/clone.lance", ("trial", None))
    lines.append((clone.version, clone.to_table().to_pydict()))
    ds.branches.delete("first")
    lines.append(sorted(ds.branches.list()))
    return lines


def clean_up(module, folder):
    """Old versions, seen first and removed then, with a tag in the way."""
    lines = []
    uri = f"{folder}/churn.lance"
    for step in range(5):
        rows = pa.table({"id": range(step * 10, step * 10 + 10)})
        ds = module.write_dataset(rows, uri, mode="overwrite")
    ds.tags.create("keep", 2)

    def numbers():
        return [version["version"] for version in ds.versions()]

    keep = {"error_if_tagged_old_versions": False}
    plan = ds.explain_cleanup_old_versions(retain_versions=1, **keep)
    lines.append((plan.stats.old_versions, plan.stats.data_files_removed, numbers()))
    with pytest.raises((ValueError, OSError)):
        ds.cleanup_old_versions(older_than=datetime.timedelta(0))
    done = ds.cleanup_old_versions(retain_versions=1, **keep)
    lines.append((done.old_versions, done.data_files_removed, done.bytes_removed > 0, numbers()))
    lines.append(ds.checkout_version("keep").to_table().to_pydict())
    with pytest.raises((ValueError, OSError)):
        ds.checkout_version(1)
    ds.tags.delete("keep")
    last = ds.cleanup_old_versions(older_than=datetime.timedelta(0))
    lines.append((last.old_versions, numbers(), ds.count_rows()))
    lines.append(ds.cleanup_old_versions().old_versions)
    return lines


def write_on_workers(module, folder):
    """Fragments of several writers in one commit, and work with single fragments."""
    lines = []
    uri = f"{folder}/parts.lance"
    fragment = importlib.import_module(f"{module.__name__}.fragment")
    schema = pa.schema([("k", pa.int64()), ("t", pa.string())])

    def rows(start, count):
        numbers = range(start, start + count)
        return pa.table({"k": numbers, "t": [f"r{i}" for i in numbers]}, schema=schema)

    def numbers():
        return [part.fragment_id for part in ds.get_fragments()]

    parts = []
    for start in (0, 8, 16):
        parts += fragment.write_fragments(rows(start, 8), uri, schema=schema, max_rows_per_file=5)
    lines.append([(part.num_rows, len(part.files)) for part in parts])
    sent = [json.dumps(part.to_json()) for part in parts]
    came = [fragment.FragmentMetadata.from_json(text) for text in sent]
    lines.append((came == parts, pickle.loads(pickle.dumps(parts)) == parts))
    ds = module.LanceDataset.commit(uri, module.LanceOperation.Overwrite(schema, came))
    more = fragment.write_fragments(rows(50, 3), uri, schema=schema)
    ds = module.LanceDataset.commit(uri, module.LanceOperation.Append(more), read_version=1)
    lines.append((ds.version, ds.count_rows(), numbers(), list(ds.fragment_ids())))

    one = ds.get_fragment(2)
    lines.append((one.count_rows(), one.physical_rows, one.num_deletions, one.schema.names))
    lines.append((one.to_table(columns=["k"]).to_pydict(), one.head(1).to_pylist()))
    lines.append(one.to_table(filter="k > 9", with_row_id=True).to_pylist())
    lines.append((one.take([1, 4], columns=["t"]).to_pydict(), one.count_rows("k < 11")))
    lines.append([batch.num_rows for batch in one.scanner(batch_size=2).to_batches()])
    two = ds.scanner(columns=["k"], fragments=[one, ds.get_fragment(6)], filter="k % 2 = 0")
    lines.append((ds.get_fragment(77), two.to_table()["k"].to_pylist()))

    left = one.delete("k IN (8, 10)")
    lines.append((left.num_deletions, left.num_rows, ds.count_rows()))
    lines.append(ds.get_fragment(1).delete("k >= 0"))
    delete = module.LanceOperation.Delete([left], [1], "some of them")
    ds = module.LanceDataset.commit(uri, delete, read_version=ds.version)
    lines.append((ds.count_rows(), numbers(), ds.get_fragment(2).take([0, 2]).to_pydict()))

    def lengths(batch):
        sizes = pa.array([len(text) for text in batch["t"].to_pylist()], pa.int16())
        return pa.record_batch([sizes], names=["n"])

    merged = [part.merge_columns(lengths, columns=["t"]) for part in ds.get_fragments()]
    merge = module.LanceOperation.Merge([meta for meta, _ in merged], merged[0][1])
    ds = module.LanceDataset.commit(uri, merge, read_version=ds.version)
    lines.append((ds.schema.names, ds.to_table(filter="k > 20").to_pylist()))
    alone = fragment.LanceFragment.create(f"{folder}/alone.lance", rows(9, 2), schema=schema)
    again = pickle.loads(pickle.dumps(ds.get_fragment(2)))
    lines.append((alone.num_rows, again.count_rows()))
    lines.append([type(made.operation).__name__ for made in ds.get_transactions()])
    return lines


def merge_small_fragments(module, folder):
    """Compaction in one call, and in steps that travel as pickles."""
    lines = []
    compaction = importlib.import_module(f"{module.__name__}.optimize").Compaction

    def grow(name, count, size=7):
        for i in range(count):
            rows = pa.table({"k": range(i * size, i * size + size), "who": [f"w{i}"] * size})
            mode = "append" if i else "create"
            made = module.write_dataset(rows, f"{folder}/{name}.lance", mode=mode)
        return made

    def counts(metrics):
        return (
            metrics.fragments_removed, metrics.fragments_added, metrics.files_removed,
            metrics.files_added,
        )

    ds = grow("all", 5)
    before = ds.to_table()
    lines.append(counts(ds.optimize.compact_files()))
    lines.append((len(ds.get_fragments()), ds.to_table() == before))
    lines.append(counts(ds.optimize.compact_files()))
    ds = grow("some", 6)
    lines.append(counts(ds.optimize.compact_files(target_rows_per_fragment=14)))
    lines.append([part.count_rows() for part in ds.get_fragments()])

    ds = grow("deleted", 1, size=80)
    ds.delete("k < 8")
    for threshold in (0.2, 0.05):
        options = {"materialize_deletions_threshold": threshold, "target_rows_per_fragment": 40}
        lines.append(counts(ds.optimize.compact_files(**options)))
        lines.append((sum(part.num_deletions for part in ds.get_fragments()), ds.count_rows()))

    ds = grow("steps", 9)
    ds.delete("k = 9")
    plan = compaction.plan(ds, options={"target_rows_per_fragment": 21})
    shape = [[(f.id, f.num_rows, len(f.files)) for f in task.fragments] for task in plan.tasks]
    lines.append((plan.num_tasks(), plan.read_version == ds.version, shape))
    tasks = [pickle.loads(pickle.dumps(task)) for task in plan.tasks]
    results = [pickle.loads(pickle.dumps(task.execute(ds))) for task in tasks]
    lines.append([counts(result.metrics) for result in results])
    lines.append(ds.latest_version == plan.read_version)
    lines.append(counts(compaction.commit(ds, results)))
    lines.append((ds.count_rows(), ds.to_table()["k"].to_pylist()))
    lines.append(ds.checkout_version(plan.read_version).count_rows())
    lines.append(compaction.plan(ds, options={"target_rows_per_fragment": 21}).num_tasks())
    ds = grow("bounded", 6)
    bounded = compaction.execute(ds, options={"max_source_fragments": 3})
    lines.append((bounded.fragments_removed <= 3, ds.count_rows()))
    return lines


@pytest.mark.parametrize(
    "script",
    [
        evolve_a_schema, evolve_a_struct, keep_settings, go_back_in_time, try_on_a_branch, clean_up,
        write_on_workers, merge_small_fragments,
    ],
)
def test_a_script_prints_the_same_with_both_modules(script, tmp_path):
    printed = []
    for module in (lance, lance_cpp):
        folder = tmp_path / module.__name__
        folder.mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            printed.append(script(importlib.import_module(module.__name__), str(folder)))
    assert printed[1] == printed[0]


def test_what_the_reference_deprecates_warns(tmp_path):
    ds = lance_cpp.write_dataset(pa.table({"x": [1]}), str(tmp_path / "t.lance"))
    with pytest.warns(DeprecationWarning, match="update_schema_metadata"):
        ds.replace_schema_metadata({"a": "b"})
    with pytest.warns(DeprecationWarning, match="update_field_metadata"):
        ds.replace_field_metadata("x", {"a": "b"})
