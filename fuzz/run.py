"""Build the fuzz targets and run them; fails when one finds something.

    fuzz/run.py [--minutes-per-target M] [--jobs N] [--build FOLDER] [TARGET ...]

Builds the preset fuzz (clang, libFuzzer, address and undefined behaviour sanitizers), makes the
seed corpora once from files of the reference implementation, and fuzzes every target for M
minutes, N of them at a time. Prints what each target did. What it found lies in
build/fuzz/findings/TARGET; once fixed it goes to fuzz/regressions/TARGET, named after what was
wrong, where the tests replay it.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[1]
TESTS_PYTHON = PROJECT / ".venv-test" / "bin" / "python"

# Bytes of the largest input of each target; others: MAX_BYTES.
MAX_BYTES = 8192
MAX_BYTES_OF = {"logical_type": 256, "chunk_table": 1024, "row_index": 512, "schema": 4096}

# What a target may need: the cap of its memory pool, what decoders may expand to without it, and
# the sanitizer's own.
RSS_LIMIT_MB = 2048
ALLOCATION_LIMIT_MB = 700
TIMEOUT_S = 20


@dataclasses.dataclass
class Outcome:
    """What came of fuzzing one target."""

    target: str
    is_clean: bool
    executions: int = 0
    coverage: int = 0
    features: int = 0
    corpus: int = 0
    output: str = ""


def all_targets():
    """The targets, by their sources."""
    return sorted(path.name.removesuffix("_fuzz.cc") for path in PROJECT.glob("fuzz/*_fuzz.cc"))


def build(folder, targets, jobs):
    if not (folder / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "fuzz", "-B", folder], cwd=PROJECT, check=True)
    names = [f"fuzz_{target}" for target in targets]
    subprocess.run(
        ["cmake", "--build", folder, "-j", str(jobs), "--target", "lance_fuzz_seeds", *names],
        check=True,
    )


def make_seeds(folder):
    """Once for a build folder; delete its seeds/ to make them again."""
    seeds = folder / "seeds"
    if (seeds / "complete").exists():
        return
    shutil.rmtree(seeds, ignore_errors=True)
    subprocess.run(
        [
            TESTS_PYTHON,
            PROJECT / "fuzz" / "make_corpus.py",
            folder / "fuzz" / "lance_fuzz_seeds",
            seeds,
        ],
        check=True,
        env=environment(),
    )
    (seeds / "complete").touch()


def environment():
    # The default pools of Arrow hide what is written behind a buffer's end.
    return {
        **os.environ,
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
    }


def fuzz(folder, target, seconds):
    grown = folder / "corpus" / target
    findings = folder / "findings" / target
    for kept in (grown, findings):
        kept.mkdir(parents=True, exist_ok=True)
    inputs = [
        inputs
        for inputs in (
            folder / "seeds" / target,
            PROJECT / "fuzz" / "corpus" / target,
            PROJECT / "fuzz" / "regressions" / target,
        )
        if inputs.exists()
    ]
    command = [
        folder / "fuzz" / f"fuzz_{target}",
        f"-max_total_time={seconds}",
        f"-max_len={MAX_BYTES_OF.get(target, MAX_BYTES)}",
        f"-rss_limit_mb={RSS_LIMIT_MB}",
        f"-malloc_limit_mb={ALLOCATION_LIMIT_MB}",
        f"-timeout={TIMEOUT_S}",
        "-print_final_stats=1",
        # Looked for at the end: after every input that is most of the time.
        "-detect_leaks=0",
        "-use_value_profile=1",
        f"-artifact_prefix={findings}/",
        grown,
        *inputs,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, env=environment()
    )
    return outcome_of(target, done.returncode, done.stderr)


def outcome_of(target, code, output):
    """Read what libFuzzer says at its end."""
    outcome = Outcome(target, code == 0, output=output)
    executions = re.search(r"stat::number_of_executed_units:\s+(\d+)", output)
    if executions:
        outcome.executions = int(executions[1])
    progress = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", output)
    if progress:
        outcome.coverage, outcome.features, outcome.corpus = map(int, progress[-1])
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes-per-target", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--build", type=pathlib.Path, default=PROJECT / "build" / "fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    arguments = parser.parse_args()
    known = all_targets()
    unknown = sorted(set(arguments.targets) - set(known))
    if unknown:
        parser.error(f"no target {unknown[0]}; there are: {', '.join(known)}")
    targets = arguments.targets or known
    folder = arguments.build.resolve()
    build(folder, targets, arguments.jobs)
    make_seeds(folder)
    seconds = max(1, round(60 * arguments.minutes_per_target))
    outcomes = []
    print(f"{'target':20} {'executions':>12} {'coverage':>9} {'features':>9} {'corpus':>7}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda target: fuzz(folder, target, seconds), targets):
            outcomes.append(outcome)
            print(
                f"{outcome.target:20} {outcome.executions:12,} {outcome.coverage:9,} "
                f"{outcome.features:9,} {outcome.corpus:7,}"
                f"{'' if outcome.is_clean else '  FINDING'}",
                flush=True,
            )
    for outcome in outcomes:
        if not outcome.is_clean:
            print(f"\n--- {outcome.target}\n{outcome.output[-6000:]}", file=sys.stderr)
    minutes = len(targets) * seconds / 60
    clean = sum(outcome.is_clean for outcome in outcomes)
    total = sum(outcome.executions for outcome in outcomes)
    print(
        f"{total:,} executions in {minutes:.1f} core-minutes, "
        f"{clean} of {len(targets)} targets without a finding"
    )
    return 0 if clean == len(targets) else 1


if __name__ == "__main__":
    sys.exit(main())
