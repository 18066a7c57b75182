#!/usr/bin/env bash
# A newcomer's path: in a fresh container with Python, git and make only, the README's first commands as they are printed.
#   usage: newcomer.sh [--with-tests]     (without: `make test` is left out, which takes minutes and is run by CI anyway)
#   env:   IMAGE    Debian or Ubuntu with Python 3.11 or newer (default python:3.11-slim-bookworm, else the sandbox's base image);
#                   `ubuntu` pulls Ubuntu 24.04, or makes it with debootstrap (as root, with a debootstrap and keyring that know noble)
#          NETWORK  of the container (default host, so that a package index of this machine's settings can be reached)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
image=${IMAGE:-python:3.11-slim-bookworm}
ubuntu() {
  docker image inspect "$1" >/dev/null 2>&1 || docker pull -q "$1" >/dev/null 2>&1 && return
  local root; root=$(mktemp -d)
  debootstrap --variant=minbase --components=main,universe --include=python3,python3-venv,git,make,ca-certificates noble "$root" >&2
  tar -C "$root" -c . | docker import - "$1" >/dev/null; rm -rf "$root"
}
if [ "$image" = ubuntu ]; then image=ubuntu:24.04; ubuntu "$image"; else
  docker image inspect "$image" >/dev/null 2>&1 || docker pull -q "$image" >/dev/null 2>&1 || image=ml-agent-base:bookworm
fi
docker image inspect "$image" >/dev/null || { echo "newcomer: no image: run scripts/base-image.sh" >&2; exit 2; }

# What pip is told on this machine: index, certificates, folders of packages (mounted read-only). Nothing else goes in.
mapfile -t flags < <("$python" - <<'PY'
from ml_agent.sandbox.pip_settings import read_pip_settings
settings = read_pip_settings()
for name, value in settings.environment(str).items():
    print("-e", f"{name}={value}", sep="\n")
for folder in settings.folders():
    print("-v", f"{folder}:{folder}:ro", sep="\n")
if settings.certificates:
    print("-v", f"{settings.certificates}:/etc/newcomer.crt:ro", "-e", "PIP_CERT=/etc/newcomer.crt", sep="\n")
PY
)
# The README's first commands, in its own words.
mapfile -t commands < <("$python" - <<'PY'
import re
from pathlib import Path
blocks = re.findall(r"^```\w*\n(.*?)^```", Path("README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
lines = [line.split("  #")[0].strip() for block in blocks[:2] for line in block.splitlines() if line.strip()]
print(*lines[:4], sep="\n")
PY
)
container=$(docker run -d --rm --network "${NETWORK:-host}" -u 0 --entrypoint sleep "${flags[@]}" "$image" 3600)
trap 'docker kill "$container" >/dev/null' EXIT
# The image may have more or less than a newcomer: git and make are added, a user without rights is made.
docker exec -u 0 "$container" sh -c 'command -v git make >/dev/null && command -v make >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends git make $(command -v python3 >/dev/null || echo python3 python3-venv); } >/dev/null 2>&1
  id newcomer >/dev/null 2>&1 || useradd --create-home --shell /bin/bash newcomer'
git archive --prefix=ml-agent/ HEAD | docker exec -i -u newcomer -w /home/newcomer "$container" tar -x

began=$SECONDS
script='set -e; cd ~/ml-agent; export PATH=/usr/local/bin:/usr/bin:/bin; unset VIRTUAL_ENV'
for command in "${commands[@]}"; do
  case "$command" in "make test"*) [ "${1:-}" = --with-tests ] || continue ;; esac
  script+=$'\n'"echo '\$ ${command//\'/\'\\\'\'}' >&2"$'\n'"$command"
done
docker exec -u newcomer -e HOME=/home/newcomer "$container" bash -c "$script"
echo "newcomer: ok after $((SECONDS - began)) s in $image"
