"""Chains of changes that mix in tags, branches, clones, restores, clean-up and compaction.

Each step is made by us or by the reference. The chain works on one place at a time: the table, a
branch, a clone or a copy of it; the places that it left must go on holding what they held.
"""

import datetime
import pathlib
import re

import lance
import lance_cpp
import pytest
from lancectl import IS_LONG, rng_of
from test_chains import WRITERS, Chain

CHAINS = range(100 if IS_LONG else 6)
STEPS = 40 if IS_LONG else 12
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


class HistoryChain(Chain):
    """A chain on a table that has tags, branches, clones and copies."""

    def __init__(self, rng, uri, **options):
        self.root = uri  # of the table that the chain works on; branches have its tags
        self.places_left = {}  # by location: what it holds
        self.tags = {}  # of the root: location, version and what it holds
        self.branches = []  # of the root
        self.hollow = set()  # root, branch and version: what the reference took files from
        self.born = {}  # by key: row id, and version of creation
        super().__init__(rng, uri, **options)

    def move(self, uri, model):
        """Go on at another place."""
        self.places_left[self.uri] = self.model.copy()
        self.uri, self.model = uri, model
        # The reference names the manifests of branches and clones anew, we as the table's.
        manifests = (pathlib.Path(uri) / "_versions").glob("*.manifest")
        self.is_v2_named = any(len(path.stem) == 20 for path in manifests)
        self.handles, self.snapshots, self.physical_rows = {}, {}, {}
        self.log.append(("moved", uri))

    @property
    def branch(self):
        """The branch that the chain is on; None: the main one."""
        return None if self.uri == self.root else self.uri.removeprefix(f"{self.root}/tree/")

    def pick_version(self):
        return self.rng.choice(sorted(self.snapshots))

    # --- Changes of history ---------------------------------------------------------------------

    def tag(self):
        """Create a tag, or let it name another version."""
        name = self.rng.choice(["v1", "v.2", "a_b-c"])
        tags = self.pick_writer().dataset(self.root).tags
        version = self.pick_version()
        change = tags.update if name in self.tags else tags.create
        change(name, (self.branch, version))
        self.tags[name] = (self.uri, version, self.snapshots[version])

    def untag(self):
        if self.tags:
            name = self.rng.choice(sorted(self.tags))
            self.pick_writer().dataset(self.root).tags.delete(name)
            del self.tags[name]

    def create_branch(self):
        name = next(self.names)
        name = self.rng.choice([name, f"deep/{name}"])
        version = self.pick_version()
        dataset = self.pick_writer().dataset(self.root)
        dataset.create_branch(name, (self.branch, version))
        self.branches.append(name)
        self.move(f"{self.root}/tree/{name}", self.snapshots[version].copy())

    def return_to_main(self):
        """Or to another branch that the chain has left."""
        places = [self.root, *(f"{self.root}/tree/{name}" for name in self.branches)]
        places = [uri for uri in places if uri in self.places_left and uri != self.uri]
        if places:
            uri = self.rng.choice(places)
            self.move(uri, self.places_left[uri])

    def clone(self):
        self.leave_for("shallow_clone")

    def copy(self):
        self.leave_for("copy")

    def leave_for(self, call):
        """Go on at a new table, which has no tags and branches."""
        uri = str(pathlib.Path(self.root).parent / next(self.names))
        version = self.pick_version()
        if call == "copy":
            lance_cpp.dataset(self.uri, version=version).copy(uri)
        else:
            self.pick_writer().dataset(self.root).shallow_clone(uri, (self.branch, version))
        model = self.snapshots[version].copy()
        self.move(uri, model)
        self.root, self.tags, self.branches = uri, {}, []
        if call == "copy":
            self.born = {}
            model.rows_were_written(set(model.ids))

    def cleanup(self):
        """All versions that nobody names, or all but some."""
        dataset = self.open()
        newest = dataset.version
        kept = {version for uri, version, _ in self.tags.values() if uri == self.uri} | {newest}
        policy = {"older_than": datetime.timedelta(0)}
        if self.rng.random() < 0.5:
            policy = {"retain_versions": self.rng.choice([1, 3])}
        dataset.cleanup_old_versions(**policy, error_if_tagged_old_versions=False)
        left = {entry["version"] for entry in lance.dataset(self.uri).versions()}
        assert left == {entry["version"] for entry in lance_cpp.dataset(self.uri).versions()}
        assert kept <= left, self.log
        if isinstance(dataset, lance.LanceDataset):
            left -= self.hollow_out(kept)
        self.snapshots = {v: model for v, model in self.snapshots.items() if v in left}

    def hollow_out(self, kept):
        """The reference keeps a version that a branch began at, and only those of its files that
        the branch needs still: it opens, and may not read.
        """
        branches = lance_cpp.dataset(self.root).branches.list().values()
        began = {b["parent_version"] for b in branches if b["parent_branch"] == self.branch} - kept
        self.hollow |= {(self.root, self.branch, version) for version in began}
        return began

    def compact(self):
        """By either. Rows keep their order in the fragments that are new, which come last."""
        before = self.model.ids
        options = {"target_rows_per_fragment": self.rng.choice([10, 40, 1000])}
        if self.rng.random() < 0.3:
            options["materialize_deletions"] = False
        self.open().optimize.compact_files(**options)
        found = lance.dataset(self.uri).to_table(columns=["id"], with_row_address=True)
        places = dict(zip(found["id"].to_pylist(), found["_rowaddr"].to_pylist()))
        moved = {id_ for id_, place in places.items() if self.model.places[id_] != place}
        were = [id_ for id_ in before if id_ in moved]
        assert [id_ for id_ in places if id_ in moved] == were, self.log

    HISTORY_CHANGES = [
        tag, tag, untag, create_branch, return_to_main, clone, copy, cleanup, cleanup, compact,
        compact, Chain.restore, Chain.restore,
    ]

    def step(self):
        if self.rng.random() < 0.5:
            super().step()
            return
        change = self.rng.choice(self.HISTORY_CHANGES)
        self.log.append(change.__name__)
        change(self)

    # --- What must hold -------------------------------------------------------------------------

    def check(self):
        super().check()
        self.check_lineage()
        self.check_tags()
        for uri, model in self.places_left.items():
            if uri != self.uri:
                writer = WRITERS[self.rng.choice(sorted(WRITERS))]
                assert writer.dataset(uri).to_table().to_pylist() == model.rows, (uri, self.log)
        findings = lance_cpp.dataset(self.uri).check(deep=self.rng.random() < 0.2)
        bad = [f for f in findings if f["severity"] != "info" and not self.is_of_hollow(f)]
        assert bad == [], self.log

    def is_of_hollow(self, finding):
        """Whether a file is missing that only versions name which the reference hollowed out."""
        names = re.search(
            r"not there, versions? (\d+)(?: to (\d+))?(?: of branch (\S+))? names? it$",
            finding["message"],
        )
        if names is None:
            return False
        first, last, branch = int(names[1]), int(names[2] or names[1]), names[3]
        uri = self.root if branch is None else f"{self.root}/tree/{branch}"
        there = {entry["version"] for entry in lance_cpp.dataset(uri).versions()}
        return all(
            (self.root, branch, version) in self.hollow
            for version in there & set(range(first, last + 1))
        )

    def check_lineage(self):
        """Both tell one id for each row, which it keeps with the version of its creation."""
        if not self.has_stable_row_ids:
            return
        found = [
            writer.dataset(self.uri).to_table(columns=["id", *LINEAGE]).to_pylist()
            for writer in WRITERS.values()
        ]
        assert found[0] == found[1], self.log
        ids = [row["_rowid"] for row in found[0]]
        assert len(set(ids)) == len(ids), self.log
        for row in found[0]:
            born = row["_rowid"], row["_row_created_at_version"]
            assert self.born.setdefault(row["id"], born) == born, (row, self.log)
        some = self.rng.sample(found[0], min(len(found[0]), 5))
        for writer in WRITERS.values():
            taken = writer.dataset(self.uri)._take_rows([row["_rowid"] for row in some], ["id"])
            assert taken["id"].to_pylist() == [row["id"] for row in some], self.log

    def check_tags(self):
        for writer in WRITERS.values():
            tags = writer.dataset(self.root).tags.list()
            assert {name: tag["version"] for name, tag in tags.items()} == {
                name: version for name, (_, version, _) in self.tags.items()
            }, self.log
        if self.tags:
            name = self.rng.choice(sorted(self.tags))
            rows = self.tags[name][2].rows
            for writer in WRITERS.values():
                dataset = writer.dataset(self.root).checkout_version(name)
                assert dataset.to_table().to_pylist() == rows, (name, self.log)


@pytest.mark.parametrize("has_stable_row_ids", [False, True], ids=["addresses", "stable_ids"])
@pytest.mark.parametrize("number", CHAINS)
def test_both_read_what_a_chain_with_history_left(number, has_stable_row_ids, tmp_path):
    rng = rng_of("history", number, has_stable_row_ids)
    chain = HistoryChain(rng, str(tmp_path / "t"), has_stable_row_ids=has_stable_row_ids)
    for _ in range(STEPS):
        chain.step()
        chain.check()
