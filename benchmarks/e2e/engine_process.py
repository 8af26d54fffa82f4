"""An engine in a process of its own, which stays alive: its threads, caches and memory are its own.

    engine_process.py ENGINE THREADS

answers requests, one JSON line each on standard input, with one JSON line each.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from typing import Any


class EngineError(Exception):
    """An engine refused a request, or died."""

    def __init__(self, engine: str, call: str, kind: str, message: str):
        super().__init__(f"{engine}.{call}: {kind}: {message}")
        self.kind = kind
        self.reason = message


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a request gave, and what it took."""

    value: Any
    seconds: float
    cpu_seconds: float


class EngineProcess:
    """The other end of an engine: start it, ask it, close it. A context manager."""

    def __init__(self, engine: str, threads: int):
        self.engine = engine
        count = str(threads)
        environment = dict(
            os.environ,
            LANCE_CPU_THREADS=count,
            LANCE_LOG="error",
            OMP_NUM_THREADS=count,  # Arrow's pool
            RAYON_NUM_THREADS=count,
            TOKIO_WORKER_THREADS=count,
        )
        self._process = subprocess.Popen(
            [sys.executable, __file__, engine, count],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Says hello once everything is imported.
        self.version = self._receive("start")["value"]

    def call(self, name: str, **arguments: Any) -> Answer:
        """Ask the engine and wait. Raises EngineError."""
        self._process.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        return Answer(**self._receive(name))

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.wait()

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self, call: str) -> dict:
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            raise EngineError(self.engine, call, "died", f"the process ended with {code}")
        answer = json.loads(line)
        if "error" in answer:
            raise EngineError(self.engine, call, answer["error"], answer["message"])
        return answer


def _memory_mb() -> dict[str, float]:
    """Resident memory of this process, the most so far and now."""
    status = pathlib.Path("/proc/self/status").read_text()
    return {
        name: int(re.search(rf"^{field}:\s*(\d+) kB", status, re.MULTILINE)[1]) * 1024 / 1e6
        for name, field in (("peak", "VmHWM"), ("now", "VmRSS"))
    }


def _answer(engine: object, request: dict) -> dict:
    if request["call"] == "memory":
        return {"value": _memory_mb(), "seconds": 0, "cpu_seconds": 0}
    call = getattr(engine, request["call"], None)
    if call is None:
        return {"error": "AttributeError", "message": f"there is no {request['call']}"}
    begin, cpu_begin = time.perf_counter(), time.process_time()
    try:
        value = call(**request["arguments"])
    except Exception as error:  # pylint: disable=broad-exception-caught; told to the other end
        return {"error": type(error).__name__, "message": str(error)}
    seconds = time.perf_counter() - begin
    return {"value": value, "seconds": seconds, "cpu_seconds": time.process_time() - cpu_begin}


def main() -> int:
    # Answers have a channel of their own: what libraries print goes to standard error.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(answer: dict) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    import engines  # pylint: disable=import-outside-toplevel; only this end has the libraries

    try:
        engine = engines.ENGINES[sys.argv[1]](int(sys.argv[2]))
    except Exception as error:  # pylint: disable=broad-exception-caught; told to the other end
        send({"error": type(error).__name__, "message": str(error)})
        return 1
    send({"value": engine.version()})
    for line in sys.stdin:
        send(_answer(engine, json.loads(line)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
