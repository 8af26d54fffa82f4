"""One data set and the engines that compete on it."""

import contextlib
import json
import math
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Iterator, Optional

import pyarrow.parquet as pq
from data_sets import DATA_SETS, REVISION
from engine_process import Answer, EngineError, EngineProcess
from workload import Query, make_queries

OURS = "ours"
PYLANCE = "pylance"
DUCKDB = "duckdb"
PEERS = (PYLANCE, DUCKDB)

# Both are tables of all rows: as they arrived, and in each engine's order along a curve.
ARRIVAL = "arrival"
CLUSTERED = "clustered"


class WrongAnswer(Exception):
    """An engine gave rows that it should not, or not all."""


class Contest:
    """A data set, its files, and the engines, each started when it is first asked.

    A context manager: it ends the engines and removes what they wrote.
    """

    def __init__(self, options: Any, name: str):
        self.options = options
        self.data = DATA_SETS[name]
        self.folder = options.folder / f"{name}-{options.scale:g}"
        self.description: dict[str, Any] = {}
        self._engines: dict[str, EngineProcess] = {}
        self._tables: set[tuple[str, str]] = set()
        self._queries: Optional[list[Query]] = None
        self._sums: dict[Query, float] = {}

    def __enter__(self) -> "Contest":
        self._make_source()
        return self

    def __exit__(self, *_: object) -> None:
        for engine in self._engines.values():
            engine.close()
        shutil.rmtree(self.folder / "tables", ignore_errors=True)

    # --- Files --------------------------------------------------------------------------------

    @property
    def parquet(self) -> str:
        """The rows as they arrived, as Parquet."""
        return str(self.folder / "source.parquet")

    @property
    def arrow(self) -> str:
        """The rows as they arrived, as Arrow."""
        return str(self.folder / "arrival.arrow")

    @property
    def num_rows(self) -> int:
        return self.description["rows"]

    @property
    def arrow_mb(self) -> float:
        """Bytes of all rows in memory, in millions."""
        return self.description["arrow_bytes"] / 1e6

    def place(self, name: str) -> str:
        """Where something of this name may be written; what was there is removed."""
        path = self.folder / "tables" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        return str(path)

    def _make_source(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.description = json.loads((self.folder / "data.json").read_text())
        if self.description.get("revision") != REVISION:
            say(f"making {self.data.name} at scale {self.options.scale:g}")
            program = pathlib.Path(__file__).with_name("data_sets.py")
            command = [sys.executable, str(program), self.data.name]
            command += ["--scale", str(self.options.scale), "--folder", str(self.folder)]
            command += ["--flights-package", str(self.options.flights_package)]
            subprocess.run(command, check=True)
            self.description = json.loads((self.folder / "data.json").read_text())

    # --- Engines ------------------------------------------------------------------------------

    def start(self, engine: str) -> EngineProcess:
        """A fresh process of an engine; the caller closes it."""
        program = self.options.ours if engine == OURS else engine
        return EngineProcess(program, self.options.threads)

    def engine(self, name: str) -> EngineProcess:
        """The process of an engine that stays alive."""
        if name not in self._engines:
            self._engines[name] = self.start(name)
        return self._engines[name]

    def versions(self) -> dict[str, str]:
        """Of the engines that were asked, for people."""
        return {name: engine.version for name, engine in self._engines.items()}

    def table(self, engine: str, layout: str) -> str:
        """A table of an engine, written when it is first needed."""
        path = self.folder / "tables" / f"{engine}-{layout}"
        if (engine, layout) not in self._tables:
            say(f"{self.data.name}: {engine} writes its table in {layout} order")
            self.write_table(self.engine(engine), self.place(path.name), self.arrow, layout)
            self._tables.add((engine, layout))
        return str(path)

    def write_table(self, engine: EngineProcess, place: str, source: str, layout: str) -> Answer:
        """Let an engine write all rows."""
        more = {"source": source, "target": place, "version": self.options.file_version}
        if layout == CLUSTERED:
            return engine.call("cluster_write", keys=self.data.keys, **more)
        return engine.call("write", **more)

    # --- Turns --------------------------------------------------------------------------------

    def rounds(self, engines: tuple[str, ...], one: Any) -> dict[str, list[float]]:
        """Let engines take turns, --reps times after one round to get warm.

        one(engine) does the work and gives an Answer; the seconds come back by engine.
        """
        seconds: dict[str, list[float]] = {engine: [] for engine in engines}
        for repetition in range(self.options.reps + 1):
            for engine in engines:
                answer = one(engine)
                if repetition > 0:
                    seconds[engine].append(answer.seconds)
        return seconds

    # --- Queries ------------------------------------------------------------------------------

    @property
    def queries(self) -> list[Query]:
        """The queries, made once."""
        if self._queries is None:
            table = pq.read_table(self.parquet, columns=list(self.data.keys))
            self._queries = make_queries(table, self.data.keys, self.options.queries)
        return self._queries

    def condition(self, engine: str, query: Query) -> str:
        """A query in an engine's words."""
        words = ("DATE", "TIMESTAMP") if engine == DUCKDB else ("date", "timestamp")
        return query.condition(*words)

    def check(self, engine: str, query: Query, answer: Any) -> None:
        """Compare an answer with the right one: a count, or a count and a sum.

        What the right sum is the first engine says; the others must agree.
        """
        found, total = answer if isinstance(answer, list) else (answer, None)
        where = self.condition(engine, query)
        if found != query.num_rows:
            raise WrongAnswer(
                f"{self.data.name}: {engine} finds {found} rows of {where}; right: {query.num_rows}"
            )
        if total is not None:
            agreed = self._sums.setdefault(query, total)
            if not math.isclose(total, agreed, rel_tol=1e-9):
                raise WrongAnswer(
                    f"{self.data.name}: {engine} sums {where} to {total}; others: {agreed}"
                )

    def check_rows(self, engine: str, found: int, right: int) -> None:
        """Compare the number of rows that an engine read with what it should be."""
        if found != right:
            raise WrongAnswer(f"{self.data.name}: {engine} reads {found} rows of {right}")


@contextlib.contextmanager
def tolerating(what: str, left_out: list[str]) -> Iterator[None]:
    """Go on where an engine says that it does not do this; anything else is a failure."""
    try:
        yield
    except EngineError as error:
        if error.kind not in ("UnsupportedError", "NotImplementedError"):
            raise
        reason = f"{what}: {error.reason}"
        say(f"left out: {reason}")
        if reason not in left_out:
            left_out.append(reason)


def say(text: str) -> None:
    """Tell a person what goes on."""
    print(f"==> {text}", file=sys.stderr, flush=True)
