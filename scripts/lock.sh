#!/usr/bin/env bash
# lock.sh VENV - write requirements.lock: every dependency of pyproject.toml at one version, with the hashes of its files.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=build/release-tools
[ -x "$tools/bin/pip" ] || "${1:-.venv}/bin/python" -m venv "$tools"
"$tools/bin/pip" install -q --disable-pip-version-check 'uv>=0.8'
"$tools/bin/uv" pip compile pyproject.toml --quiet --generate-hashes --universal --python-version 3.11 \
  --no-emit-index-url --no-emit-find-links --no-annotate --no-header -o requirements.lock
