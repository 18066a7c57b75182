#!/usr/bin/env bash
# setup.sh VENV - a virtual environment with the project and its development tools. Repeatable.
set -euo pipefail
venv=${1:-.venv}
log=$(mktemp); trap 'rm -f "$log"' EXIT

find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"; return
    fi
  done
  echo "setup: Python 3.11 or newer is needed; install it and run this again" >&2; exit 1
}

python=$(find_python)
if [ ! -x "$venv/bin/pip" ]; then
  echo "setup: making $venv" >&2
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >"$log" 2>&1; then
    rm -rf "$venv"
    # Debian and Ubuntu keep ensurepip in a package of its own.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv' >"$log" 2>&1 || { tail -5 "$log" >&2; exit 1; }
      "$python" -m venv "$venv"
    else
      echo "setup: '$python -m venv' failed; on Debian or Ubuntu: sudo apt-get install python3-venv" >&2; exit 1
    fi
  fi
fi
echo "setup: installing the project and its development tools; the first time this takes some minutes" >&2
"$venv/bin/pip" install -q --disable-pip-version-check -e '.[dev]' >"$log" 2>&1 || { tail -15 "$log" >&2; exit 1; }
