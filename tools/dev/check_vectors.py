"""Check that the copy of the published vectors is the published one, where that is at hand.

A clone of the project stands alone and has only the copy in tests/vectors/data; where the folder
../shared/vectors lies beside the project, every file must be there and equal byte for byte.
"""

import pathlib
import sys

import source_tree

COPY = "tests/vectors/data"
PUBLISHED = "../shared/vectors"


def json_files(folder: pathlib.Path) -> dict[str, bytes]:
    """The vector files of a folder by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.json"))}


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    root = pathlib.Path(options.root).resolve()
    findings = source_tree.Findings("check_vectors")
    copy = json_files(root / COPY)
    if not copy:
        findings.add(COPY, 1, "no vectors here")
    published_folder = root / PUBLISHED
    if not published_folder.is_dir():
        return findings.finish(
            f"{len(copy)} files; no {PUBLISHED} beside the project to compare with"
        )
    published = json_files(published_folder)
    for name in sorted(copy.keys() | published.keys()):
        if name not in copy:
            findings.add(f"{COPY}/{name}", 1, f"missing; copy it from {PUBLISHED}")
        elif name not in published:
            findings.add(f"{COPY}/{name}", 1, f"not in {PUBLISHED}")
        elif copy[name] != published[name]:
            findings.add(f"{COPY}/{name}", 1, f"differs from {PUBLISHED}/{name}")
    return findings.finish(f"{len(published)} files of {PUBLISHED}")


if __name__ == "__main__":
    sys.exit(main())
