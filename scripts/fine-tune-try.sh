#!/usr/bin/env bash
# fine-tune-try.sh REPOS - the way of docs/fine-tuning.md to its end on a processor, with a tiny random model: export, train, merge,
# serve, predict, score. It shows that the way is whole, not that the model is any good. Takes an environment of its own (some 2 GB).
#   REPOS: folder with the repositories of the rows that come along (ml-agent bench repos --tasks wild --repos REPOS)
set -euo pipefail
repos=$(readlink -f "${1:?usage: fine-tune-try.sh REPOS}"); cd "$(dirname "$0")/.."
agent=.venv/bin/ml-agent; env=${FINE_TUNE_ENV:-$HOME/.cache/ml-agent/fine-tune}; out=$(mktemp -d); port=${PORT:-8094}
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$out"' EXIT
[ -x "$env/bin/python" ] || python3 -m venv "$env"
"$env/bin/python" -c 'import torch, trl, peft, datasets' 2>/dev/null || "$env/bin/pip" -q install "${TORCH:-torch}" transformers peft trl datasets
"$agent" bench export --tasks wild --repos "$repos" --format chat --setting oracle --out "$out/all.jsonl"
head -n 24 "$out/all.jsonl" >"$out/train.jsonl"
"$env/bin/python" scripts/fine_tune.py tiny --data "$out/train.jsonl" --out "$out/tiny"
"$env/bin/python" scripts/fine_tune.py train --data "$out/train.jsonl" --model "$out/tiny" --out "$out/tuned" --epochs 1 --batch 8 --length 512 | tail -n 1
"$env/bin/python" scripts/fine_tune.py serve --model "$out/tuned" --port "$port" & server=$!
for _ in $(seq 120); do curl -fsS -m 2 "http://127.0.0.1:$port/v1/models" >/dev/null 2>&1 && break; sleep 0.5; done
echo '["101-1", "102-2"]' >"$out/sample.json"
"$agent" bench predict --tasks wild --sample "$out/sample.json" --repos "$repos" --navigator raw --setting oracle --attempts 1 \
  --model tuned --base-url "http://127.0.0.1:$port/v1" --out "$out/tuned.jsonl"
"$agent" bench score --tasks wild --sample "$out/sample.json" --predictions "$out/tuned.jsonl" --repos "$repos" --mode official
