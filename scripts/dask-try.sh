#!/usr/bin/env bash
# A dask scheduler and two workers as processes of their own, each with its own cache, answer rows of the bench; every row comes back once.
#   usage: dask-try.sh [REPOSITORY-FOLDER]   (default: the sample repositories of this checkout)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
"$python" -c "import distributed" 2>/dev/null || "$python" -m pip install -q -e ".[dask]"
work=$(mktemp -d); trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
address=tcp://127.0.0.1:${PORT:-8786}
repositories=${1:-$PWD/ml_agent/samples/repositories}
"$python" -m ml_agent bench make "$repositories"/* --out "$work/rows.jsonl" --rows 6 >"$work/make.log" 2>&1

"$python" -m distributed.cli.dask_scheduler --host 127.0.0.1 --port "${PORT:-8786}" --no-dashboard >"$work/scheduler.log" 2>&1 &
for number in 1 2; do
  ML_AGENT_CACHE_DIR="$work/cache-$number" "$python" -m distributed.cli.dask_worker "$address" --nthreads 1 --no-dashboard \
    --local-directory "$work/worker-$number" >"$work/worker-$number.log" 2>&1 &
done
"$python" -m ml_agent bench predict --tasks "$work/rows.jsonl" --repos "$repositories" --out "$work/out.jsonl" --engine dask --scheduler "$address"
"$python" - "$work" <<'PY'
import json, pathlib, sys

work = pathlib.Path(sys.argv[1])
rows = [json.loads(line) for line in (work / "rows.jsonl").read_text().splitlines()]
answers = [json.loads(line) for line in (work / "out.jsonl").read_text().splitlines()]
key = lambda row: (row["github_id"], row["id"])
assert sorted(map(key, answers)) == sorted(map(key, rows)), "not every row came back once"
shares = [len(list((work / f"cache-{number}").rglob("*"))) for number in (1, 2)]
assert all(shares), f"one worker did nothing: {shares}"
print(f"{len(answers)} rows over two workers, each once; files in their caches: {shares}")
PY
