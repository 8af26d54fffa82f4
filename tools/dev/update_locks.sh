#!/bin/bash
# Make requirements/*.lock anew from requirements/*.in. Needs uv: pip install uv, then
#   UV=path/to/uv tools/dev/update_locks.sh
#
# Versions are pinned in the .in files only; a lock adds what they need, and the hashes.
set -euo pipefail
cd "$(dirname "$0")/../../requirements"
uv=${UV:-uv}
command -v "$uv" >/dev/null || { echo "update_locks: no uv. Type: pip install uv" >&2; exit 1; }

for source in *.in; do
  lock=${source%.in}.lock
  # The data package is installed without its dependencies.
  [ "$source" = demo.in ] && more=(--no-deps) || more=()
  "$uv" pip compile --quiet --generate-hashes --python-version 3.11 --no-header --no-annotate \
    "${more[@]}" "$source" --output-file "$lock"
  echo "$lock: $(grep -c '==' "$lock") packages"
done
