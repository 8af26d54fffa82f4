"""Random tables of us and of the reference, as people make them: nothing is wrong with them."""

import lance
import lance_cpp
import pyarrow as pa

VERSIONS = ["2.0", "2.1", "2.2"]


def rows(rng, first, count):
    """Columns of many kinds; `id` counts on."""
    def maybe(value):
        return None if rng.random() < 0.1 else value

    return pa.table(
        {
            "id": pa.array(range(first, first + count), pa.int64()),
            "k": pa.array([maybe(rng.randrange(50)) for _ in range(count)], pa.int32()),
            "f": [maybe(rng.choice([float("nan"), -0.0, 0.0, rng.random()])) for _ in range(count)],
            "s": [maybe(rng.choice(["", "it's", f"text {rng.random()}"])) for _ in range(count)],
            "l": pa.array(
                [maybe([rng.randrange(9) for _ in range(rng.randrange(4))]) for _ in range(count)],
                pa.list_(pa.int64()),
            ),
            "d": pa.array([f"c{rng.randrange(5)}" for _ in range(count)]).dictionary_encode(),
        }
    )


class RandomTable:
    """A table that one writer makes and both change. Those with branches are the reference's."""

    def __init__(self, rng, folder):
        self.rng = rng
        self.folder = folder
        self.uri = str(folder / "t.lance")
        self.first_id = 0
        self.num_names = 0
        self.has_index = False
        self.is_stable = rng.random() < 0.4
        self.is_declared = not self.is_stable and rng.random() < 0.2
        self.creator = lance_cpp if self.is_declared else rng.choice([lance, lance_cpp])
        self.write(
            self.creator,
            mode="create",
            data_storage_version=rng.choice(VERSIONS),
            enable_stable_row_ids=self.is_stable,
            enable_v2_manifest_paths=rng.random() < 0.7,
        )
        if self.is_declared:
            lance_cpp.dataset(self.uri).set_clustering(["k", "s"])

    def write(self, writer, **options):
        count = self.rng.randrange(1, 300)
        table = rows(self.rng, self.first_id, count)
        self.first_id += count
        size = self.rng.choice([50, 1000])
        writer.write_dataset(table, self.uri, max_rows_per_file=size, **options)

    def new_name(self, kind):
        self.num_names += 1
        return f"{kind}{self.num_names}"

    def writer(self):
        """The reference refuses to write to declared tables."""
        return lance_cpp if self.is_declared else self.rng.choice([lance, lance_cpp])

    # --- Changes --------------------------------------------------------------------------------

    def append(self):
        self.write(self.writer(), mode="append")

    def overwrite(self):
        self.write(self.writer(), mode="overwrite")

    def delete(self):
        self.writer().dataset(self.uri).delete(f"id % {self.rng.randrange(2, 9)} = 1")

    def update(self):
        where = f"k = {self.rng.randrange(50)}"
        self.writer().dataset(self.uri).update({"s": "'new'"}, where=where)

    def merge(self):
        first = self.rng.randrange(max(self.first_id, 1))
        source = rows(self.rng, first, 40)
        self.first_id = max(self.first_id, first + 40)
        builder = self.writer().dataset(self.uri).merge_insert("id")
        builder.when_matched_update_all().when_not_matched_insert_all().execute(source)

    def index(self):
        column = self.rng.choice(["id", "k", "f"])
        self.writer().dataset(self.uri).create_scalar_index(column, "ZONEMAP")

    def other_index(self):
        if not self.is_declared:
            kind = self.rng.choice(["BTREE", "BITMAP"])
            lance.dataset(self.uri).create_scalar_index("k", kind, name=kind.lower())

    def config(self):
        self.writer().dataset(self.uri).update_config({"owner": str(self.rng.random())})

    def column(self):
        dataset = self.writer().dataset(self.uri)
        name = f"c{dataset.version}"
        dataset.add_columns({name: "id + 1"})
        if self.rng.random() < 0.5:
            self.writer().dataset(self.uri).drop_columns([name])

    def tag(self):
        dataset = self.writer().dataset(self.uri)
        dataset.tags.create(self.new_name("tag"), dataset.version)

    def optimize(self):
        if self.is_declared:
            lance_cpp.dataset(self.uri).optimize.compact_files()
        else:
            lance.dataset(self.uri).optimize.compact_files(target_rows_per_fragment=200)

    def restore(self):
        dataset = self.writer().dataset(self.uri)
        versions = [version["version"] for version in dataset.versions()]
        old = self.writer().dataset(self.uri, version=self.rng.choice(versions))
        old.restore()

    def branch(self):
        """Of the reference, with a commit of its own."""
        if self.is_declared:
            return
        dataset = lance.dataset(self.uri)
        branch = dataset.create_branch(f"side/{self.new_name('b')}")
        lance.write_dataset(dataset.to_table(), branch.uri, mode="append")

    def clone(self):
        """Of the reference, with a commit of its own; it is checked, too."""
        if self.is_declared:
            return
        dataset = lance.dataset(self.uri)
        place = str(self.folder / f"{self.new_name('clone')}.lance")
        dataset.shallow_clone(place, dataset.version)
        lance.dataset(place).delete("id % 3 = 0")
        self.clones.append(place)

    def change(self, steps):
        self.clones = []
        kinds = [
            self.append, self.append, self.delete, self.update, self.merge, self.index,
            self.other_index, self.config, self.column, self.tag, self.optimize, self.restore,
            self.branch, self.clone, self.overwrite,
        ]
        done = [str(self.creator.__name__)]
        for _ in range(steps):
            kind = self.rng.choice(kinds)
            done.append(kind.__name__)
            kind()
        return done
