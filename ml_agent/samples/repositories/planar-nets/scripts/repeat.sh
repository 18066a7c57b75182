#!/usr/bin/env bash
# Train on one toy problem several times with the seeds 1, 2, ... and average.
# Usage: bash scripts/repeat.sh DATASET TIMES
set -euo pipefail

DATASET=$1
TIMES=${2:-3}
ROOT="$(cd "$(dirname "$0")/.." && pwd)"
PYTHON=${PYTHON:-python}

RUNS=()
for SEED in $(seq 1 "$TIMES"); do
    FILE="$ROOT/results/repeat/${DATASET}_${SEED}.json"
    "$PYTHON" "$ROOT/train/fit_mlp.py" --dataset "$DATASET" --units 8 --optim adam --lr 0.02 --seed "$SEED" --out "$FILE"
    RUNS+=("$FILE")
done
"$PYTHON" "$ROOT/analysis/average.py" "$ROOT/results/repeat_${DATASET}.json" "${RUNS[@]}"
