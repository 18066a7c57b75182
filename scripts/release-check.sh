#!/usr/bin/env bash
# release-check.sh VENV - what a release needs: the lock is of today's dependencies, nothing known is wrong with them, and a bill
# of materials (dist/sbom.json, CycloneDX). What needs the advisories' server says so in one line where that cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${1:-.venv}
tools=build/release-tools
[ -x "$tools/bin/pip" ] || "$venv/bin/python" -m venv "$tools"
"$tools/bin/pip" install -q --disable-pip-version-check 'uv>=0.8' 'pip-audit>=2.9' 'cyclonedx-bom>=7' >build/release-tools.log 2>&1 || {
  echo "release-check: its tools cannot be installed here (build/release-tools.log); skipped"; exit 0; }

# 1. The lock: every dependency with its hashes, and still what pyproject.toml asks for.
"$tools/bin/python" - <<'END'
import re, sys, tomllib
entries = re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)[^\\\n]*(\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)?", open("requirements.lock").read(), re.M)
bare = [name for name, _, hashes in entries if not hashes]
locked = {re.sub(r"[-_.]+", "-", name).lower() for name, _, _ in entries}
wanted = {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", text)[0]).lower() for text in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]}
if bare or wanted - locked:
    sys.exit(f"release-check: requirements.lock is not whole (without hash: {bare}; not in it: {sorted(wanted - locked)}): make lock")
print(f"release-check: {len(entries)} dependencies, each with its hashes")
END

# 2. Known vulnerabilities of what is locked.
audited=0
"$tools/bin/pip-audit" --requirement requirements.lock --require-hashes --disable-pip --progress-spinner off >build/audit.log 2>&1 || audited=$?
if grep -qiE "found [0-9]+ known vulnerabilit" build/audit.log; then
  cat build/audit.log >&2; exit 1
fi
left=$(grep -c "could not be audited" build/audit.log || true)
if [ "$audited" != 0 ] || [ "$left" != 0 ]; then
  echo "release-check: no advisories can be had here for $([ "$left" != 0 ] && echo "$left of the dependencies" || echo "the dependencies") (build/audit.log)"
else
  echo "release-check: $(tail -1 build/audit.log)"
fi

# 3. What a release is made of.
mkdir -p dist
"$tools/bin/cyclonedx-py" requirements requirements.lock --pyproject pyproject.toml --mc-type library --output-reproducible --of JSON -o dist/sbom.json 2>build/sbom.log || {
  cat build/sbom.log >&2; exit 1; }
echo "release-check: dist/sbom.json lists $("$tools/bin/python" -c 'import json; print(len(json.load(open("dist/sbom.json"))["components"]))') components"
