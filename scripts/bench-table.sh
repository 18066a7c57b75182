#!/usr/bin/env bash
# bench-table.sh - one table of all subjects on the same rows, model and limits. Resumable, also after kill -9: run it again.
#   env: TASKS (JSONL of rows), REPOS (folder with the repositories at their commits), MODEL, BASE_URL (an OpenAI-compatible
#        endpoint), SAMPLE (JSON list of rows), SUBJECTS (names with commas; default all), CALLING (native | text),
#        SWE_AGENT (a checkout, to install that agent), OUT (outputs/table), JOBS (1),
#        SECONDS_A_ROW (600), CALLS_A_ROW (12), TOKENS_A_ROW (60000), REPLY_TOKENS (1024),
#        CONTEXT_TOKENS (3000: of the README that raw is shown)
# The table is OUT/scores/report.md; it grows with each subject. Agents that are not here are installed first.
set -euo pipefail
tasks=${TASKS:?TASKS=rows.jsonl}; repos=${REPOS:?REPOS=folder of the repositories}
model=${MODEL:?MODEL=name at the endpoint}; base_url=${BASE_URL:?BASE_URL=http://127.0.0.1:8080/v1}
export OPENAI_API_KEY=${OPENAI_API_KEY:-none}
exec .venv/bin/ml-agent bench table --tasks "$tasks" --repos "$repos" --out "${OUT:-outputs/table}" \
  --model "$model" --base-url "$base_url" --calling "${CALLING:-text}" \
  --max-seconds "${SECONDS_A_ROW:-600}" --max-calls "${CALLS_A_ROW:-12}" --max-tokens "${TOKENS_A_ROW:-60000}" \
  --reply-tokens "${REPLY_TOKENS:-1024}" --context-tokens "${CONTEXT_TOKENS:-3000}" \
  --jobs "${JOBS:-1}" --install \
  ${SAMPLE:+--sample "$SAMPLE"} ${SUBJECTS:+--subjects "$SUBJECTS"} ${SWE_AGENT:+--swe-agent "$SWE_AGENT"}
