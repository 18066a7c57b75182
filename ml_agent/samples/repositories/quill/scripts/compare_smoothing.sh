#!/usr/bin/env bash
# Perplexity of the three kinds of smoothing on one text.
# Usage: bash scripts/compare_smoothing.sh TEXT_FILE [ORDER]
set -euo pipefail
cd "$(dirname "$0")/.."

for SMOOTHING in add-k witten-bell kneser-ney; do
    python -m language_model.train "$1" --order "${2:-4}" --smoothing "$SMOOTHING" --out "results/$SMOOTHING.json"
done
