#!/usr/bin/env bash
# Fuzzes every extractor: its property tests again and again with new seeds, so many minutes each.
#   usage: fuzz.sh [MINUTES] [NAME...]    default 10 minutes, all of them
#   env:   FUZZ_JOBS   how many at a time (default: one a processor)
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
shift || true
declare -A tests=(
  [signatures]="tests/tools/signatures/test_robustness.py tests/tools/signatures/test_real_argparse.py"
  [commands]="tests/tools/commandline"
  [documents]="tests/tools/test_documents_robustness.py"
  [python-api]="tests/tools/test_python_api.py -k test_any"
  [usage]="tests/tools/test_usage.py -k test_any"
  [check-python]="tests/tools/test_check_python.py -k test_any"
  [values]="tests/ml_agent/test_user_values.py"
)
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(printf '%s\n' "${!tests[@]}" | sort)

fuzz() {
  local name=$1 end=$((SECONDS + minutes * 60)) rounds=0 log
  log=$(mktemp)
  while [ $SECONDS -lt $end ]; do
    # shellcheck disable=SC2086 # the words of an entry are arguments
    if ! ML_AGENT_TEST_EFFORT=10 .venv/bin/python -m pytest -q -p no:cacheprovider --timeout 900 --hypothesis-seed=$RANDOM$RANDOM \
      ${tests[$name]} >"$log" 2>&1; then
      cat "$log"
      echo "fuzz: $name: FAILED in round $((rounds + 1))"
      return 1
    fi
    rounds=$((rounds + 1))
  done
  echo "fuzz: $name: $rounds rounds in $minutes minutes, nothing found"
}

failed=0
for name in "${names[@]}"; do
  [ -n "${tests[$name]:-}" ] || { echo "fuzz: no extractor $name; there are ${!tests[*]}" >&2; exit 2; }
  while [ "$(jobs -pr | wc -l)" -ge "${FUZZ_JOBS:-$(nproc)}" ]; do wait -n || failed=1; done
  fuzz "$name" &
done
while [ -n "$(jobs -pr)" ]; do wait -n || failed=1; done
exit $failed
