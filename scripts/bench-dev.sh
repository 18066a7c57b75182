#!/usr/bin/env bash
# bench-dev.sh - the navigator without a model on the development rows, scored three ways. Resumable: rows that are done are kept.
#   env: TASKS (JSONL of rows), REPOS (folder with the repositories at their commits, by lower-case name),
#        OUT (default outputs/dev), ATTEMPTS (5), NAVIGATOR (offline), JOBS (1)
set -euo pipefail
tasks=${TASKS:?TASKS=rows.jsonl: the rows of the keys in benchmarks/dev_split.json}; repos=${REPOS:?REPOS=folder of the repositories}
out=${OUT:-outputs/dev}; mkdir -p "$out"
bench=".venv/bin/ml-agent bench"
for setting in agent repo; do
  predictions=$out/$setting.${NAVIGATOR:-offline}.jsonl
  $bench predict --tasks "$tasks" --repos "$repos" --setting "$setting" --navigator "${NAVIGATOR:-offline}" \
    --attempts "${ATTEMPTS:-5}" --jobs "${JOBS:-1}" --out "$predictions"
  for mode in strict official corrected; do
    echo "== $setting, $mode"
    $bench score --tasks "$tasks" --repos "$repos" --predictions "$predictions" --mode "$mode"
  done
done
