#!/usr/bin/env bash
# Makes sure that the sandbox's image is there; the recipe is in sandbox/image. Installs bubblewrap besides, where it can.
#   usage: base-image.sh [--force]
#   env:   PYTHON   an interpreter that has the project's dependencies (default .venv/bin/python)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
[ -x "$(command -v "$python")" ] || { echo "base-image: no $python: run scripts/setup.sh first" >&2; exit 2; }

install() {
  export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >/dev/null 2>&1
}
if ! command -v bwrap >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  install bubblewrap || echo "base-image: bubblewrap cannot be installed here" >&2
fi
exec "$python" -m ml_agent.sandbox.image "$@"
