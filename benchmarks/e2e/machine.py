"""On what, with what and from what figures were made."""

import datetime
import os
import pathlib
import re
import subprocess


def _first_match(pattern: str, path: str, fallback: str) -> str:
    try:
        found = re.search(pattern, pathlib.Path(path).read_text(), re.MULTILINE)
    except OSError:
        return fallback
    return found[1].strip() if found else fallback


def _output_of(*command: str) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def _compiler(build: pathlib.Path) -> str:
    """The compiler and the flags of a build folder."""
    cache = str(build / "CMakeCache.txt")
    program = _first_match(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, "")
    kind = _first_match(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, "")
    flags = _first_match(rf"^CMAKE_CXX_FLAGS_{kind.upper()}:\w+=(.*)$", cache, "")
    version = _output_of(program, "--version").splitlines()[:1] if program else []
    return f"{version[0]}, {kind} ({flags})" if version else "unknown"


def _revision(project: pathlib.Path) -> str:
    git = ("git", "-C", str(project))
    revision = _output_of(*git, "rev-parse", "--short", "HEAD") or "unknown"
    # Without the file that the run writes.
    changes = _output_of(*git, "status", "--porcelain", "--untracked-files=no", ".", ":!docs")
    return revision + (" with changes" if changes else "")


def describe(project: pathlib.Path, build: pathlib.Path) -> dict[str, str]:
    """Facts by name, in the order in which to show them."""
    kib = int(_first_match(r"^MemTotal:\s*(\d+)", "/proc/meminfo", "0"))
    return {
        "date": datetime.date.today().isoformat(),
        "processor": _first_match(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo", "unknown"),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{kib / (1 << 20):.0f} GiB",
        "system": _first_match(r'^PRETTY_NAME="(.*)"$', "/etc/os-release", "unknown"),
        "compiler": _compiler(build),
        "revision": _revision(project),
    }


def load_average() -> float:
    """Processes that wanted a core during the last minute: above the threads that a benchmark
    itself uses, others disturb it."""
    return os.getloadavg()[0]
