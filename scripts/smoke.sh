#!/usr/bin/env bash
# Build the sdist and the wheel from it, install the wheel with each extra into an empty environment, and use it outside the checkout.
#   usage: smoke.sh [EXTRA…]     (default: "" bench mcp tool; also dask, data, docs; tool: by pipx, into an environment of its own)
set -euo pipefail
cd "$(dirname "$0")/.."
extras=("$@"); [ $# -gt 0 ] || extras=("" bench mcp tool)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python=$(command -v "${PYTHON:-$PWD/.venv/bin/python}")
# Only what the sdist holds can be in the wheel: a file that it forgets is missed below.
"$python" -m venv "$work/build"
{ "$work/build/bin/pip" -q install build && "$work/build/bin/python" -m build --outdir "$work/dist" .; } >"$work/pip.log" 2>&1 || { tail -5 "$work/pip.log" >&2; exit 1; }
ls "$work"/dist/ml_agent-*.tar.gz >/dev/null
wheel=$(ls "$work"/dist/ml_agent-*.whl)
cp -r ml_agent/samples/repositories/planar-nets "$work/planar-nets"
git -C "$work/planar-nets" init -q && git -C "$work/planar-nets" add -A
git -C "$work/planar-nets" -c user.name=smoke -c user.email=smoke@localhost commit -q -m smoke
cd "$work"
export ML_AGENT_CACHE_DIR="$work/cache" ML_AGENT_RUNS_DIR="$work/runs"

for extra in "${extras[@]}"; do
  env="$work/env-${extra:-none}"
  "$python" -m venv "$env"
  if [ "$extra" = tool ]; then
    "$env/bin/pip" -q install pipx 2>"$work/pip.log" || { tail -5 "$work/pip.log" >&2; exit 1; }
    export PIPX_HOME="$work/pipx" PIPX_BIN_DIR="$work/pipx/bin"
    "$env/bin/pipx" install --quiet "$wheel" 2>"$work/pip.log" || { tail -5 "$work/pip.log" >&2; exit 1; }
    agent="$PIPX_BIN_DIR/ml-agent" env=$(dirname "$(dirname "$(readlink -f "$PIPX_BIN_DIR/ml-agent")")")
  else
    "$env/bin/pip" -q install "$wheel${extra:+[$extra]}" 2>"$work/pip.log" || { tail -5 "$work/pip.log" >&2; exit 1; }
    agent="$env/bin/ml-agent"
  fi
  "$agent" --version
  "$agent" --help >help.txt && grep -q explain help.txt
  "$agent" explain planar-nets:train/fit_mlp.py >explained.txt && grep -q -- --lr explained.txt
  "$agent" check 'python train/fit_mlp.py --lr 0.1' --repo planar-nets >checked.txt
  "$agent" solve 'train the perceptron for 25 epochs' --repo planar-nets --run none -q | grep -q 25
  "$agent" bench make planar-nets --out rows.jsonl --rows 2 >made.txt 2>&1 && test -s rows.jsonl
  rm -rf scores out.jsonl && mkdir scores
  "$agent" bench predict --tasks rows.jsonl --repos . --out out.jsonl >predicted.txt 2>&1
  "$agent" bench score --tasks rows.jsonl --repos . --predictions out.jsonl --mode same-call --json >scores/offline.json
  "$agent" bench compare scores/offline.json >compared.txt && grep -q planar-nets compared.txt
  "$agent" bench report scores >reported.txt && test -s scores/report.html
  "$env/bin/python" -c 'import ml_agent; assert ml_agent.check("python train/fit_mlp.py --lr 0.1", "planar-nets").ok'
  case $extra in
    mcp) "$env/bin/python" - <<'PY' ;;
import asyncio, os, sys
import mcp
async def main():
    server = mcp.StdioServerParameters(command=os.path.join(os.path.dirname(sys.executable), "ml-agent"), args=["mcp"], env=dict(os.environ))
    async with mcp.Client(server) as client:
        assert len((await client.list_tools()).tools) >= 6
asyncio.run(main())
PY
    dask) "$env/bin/python" -c 'import distributed' ;;
    data) "$env/bin/python" -c 'import datasets' ;;
    docs) "$env/bin/python" -c 'import material, mkdocs' ;;
  esac
  echo "smoke: ${extra:-no extra}: ok"
done
