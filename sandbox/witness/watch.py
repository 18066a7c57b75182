"""Watches a command in a sandbox: each bash notes each of its commands and how the one before it ended.

Sourced by the command's own shell, and through BASH_ENV by each bash that it starts. A step names a command by the shells around it
(`100.3/117.2`); programs find theirs in ML_AGENT_STEP. The trap runs builtins only, leaves `$?` and PIPESTATUS as they are, and says nothing in
a trace (`set -x`).

At its end the command's own shell waits for programs of the repository that it left in the background, as long as the command may run: the sandbox
would end them. For one after which another has ended it waits a while only: it may be a server. It notes how those that are its own children ended,
and so does a `wait` for all of them, whose status is 0 whatever became of them.

Where a command is cut into steps (`steps.py`) its shell ends itself behind a long one, unless something of it is left that a new
shell would not have: a process, a file outside the workspace and the home, a step that failed.
"""

import re
from importlib.resources import files

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.output import unpacked
from ml_agent.sandbox.script_lines import LOGIN_PATH
from ml_agent.sandbox.witness.notes import judge

FOLDER = "$HOME/.ml-agent"
MOST_COMMANDS = 5000
"""Of one shell: a loop must not fill the disk."""
LATER = 20
"""How often, each 0.05 seconds, programs in the background that are none of the repository are looked at: they may still start one that is."""
SERVED = 60
"""How often at most, each 0.05 seconds, where a program of the repository that began later has ended."""
WATCH = (
    r"""
export BASH_ENV=$HOME/.ml-agent/watch.sh ML_AGENT_NOTES=$HOME/.ml-agent/notes ML_AGENT_STEP=${ML_AGENT_STEP-}
read -r ML_AGENT_ROOT <"$HOME/.ml-agent/root"; export ML_AGENT_ROOT
[[ ! -d $HOME/.ml-agent/site || :${PYTHONPATH-}: == *:$HOME/.ml-agent/site:* ]] || export PYTHONPATH=$HOME/.ml-agent/site${PYTHONPATH:+:$PYTHONPATH}
__ml_agent_pid=$BASHPID __ml_agent_base=${ML_AGENT_STEP:+$ML_AGENT_STEP/} __ml_agent_number=0
__ml_agent_note() {
  [[ ${FUNCNAME[1]-} == wait || ${FUNCNAME[1]-} == __ml_agent_step ]] && return
  local command=${BASH_COMMAND:0:2000}
  if [[ $BASHPID != "$__ml_agent_pid" ]]; then
    __ml_agent_pid=$BASHPID __ml_agent_base=${ML_AGENT_STEP:+$ML_AGENT_STEP/} __ml_agent_number=0
  fi
  printf 'D\t%s\t%s\t%s\t%s\t%s\n' "$BASHPID" "$ML_AGENT_STEP" "${!:-}" "$*" "${command//[$'\t\n']/ }" >>"$ML_AGENT_NOTES"
  ((__ml_agent_number += 1))
  ML_AGENT_STEP=$__ml_agent_base$BASHPID.$__ml_agent_number
  [[ $__ml_agent_number -lt MOST_COMMANDS ]] || trap - DEBUG
}
__ml_agent_waits() {
  local folder pid words notes IFS=' '
  notes=$'\n'$(<"$ML_AGENT_NOTES") left=none
  [[ -z $(jobs -pr) ]] || left=other
  for folder in /proc/[0-9]*; do
    pid=${folder#/proc/}
    [[ $pid != "$$" ]] && { mapfile -d '' -t words <"$folder/environ"; } 2>/dev/null || continue
    [[ " ${words[*]} " == *" ML_AGENT_NOTES=$ML_AGENT_NOTES "* ]] || continue
    left=other
    case $notes in
      *$'\nP\t'"$pid"$'\t{"own": true, "inside": false,'*) left=own; __ml_agent_served "$pid" && left=served; break ;;
      *$'\nS\t'"$pid"$'\t'*) [[ $notes =~ $'\nS\t'"$pid"$'\t'[^$'\t']*$'\t'[^$'\t']*$'\t'[^$'\n']*[./] ]] && { left=own; break; } ;;
    esac
  done
}
__ml_agent_served() {
  local rest=${notes#*$'\nP\t'"$1"$'\t'} begun=$'\nP\t([0-9]+)\t[{]"own": true, "inside": false,'
  while [[ $rest =~ $begun ]]; do
    rest=${rest#*"${BASH_REMATCH[0]}"}
    [[ $rest == *$'\nX\t'"${BASH_REMATCH[1]}"$'\t'* ]] && return 0
  done
  return 1
}
__ml_agent_end() {
  local left='' kind pid rest code number=0
  trap - DEBUG
  set +ef
  while [[ -z $__ml_agent_base && $1 -le 128 ]]; do
    __ml_agent_waits
    case $left in own) number=0 ;; served) [[ $number -lt SERVED ]] || break ;; other) [[ $number -lt LATER ]] || break ;; none) [[ $number -lt 1 ]] || break ;; esac
    ((number += 1))
    command -p sleep 0.05
  done
  [[ -n $left ]] && while IFS=$'\t' read -r kind pid rest; do
    [[ $kind == P && $rest == '{"own": true, "inside": false,'* && ! -e /proc/$pid/exe ]] || continue
    builtin wait "$pid"; code=$?
    [[ $code == 127 ]] || printf 'E\t%s\t%s\n' "$pid" "$code" >>"$ML_AGENT_NOTES"
  done <"$ML_AGENT_NOTES"
  printf 'E\t%s\t%s\n' "$BASHPID" "$1" >>"$ML_AGENT_NOTES"
}
__ml_agent_step() {
  local status=$? folder name value parent user home=${ML_AGENT_NOTES%/.ml-agent/notes} - IFS=$' \t\n'
  set +efu
  [[ $status == 0 ]] || __ml_agent_spoilt=1
  [[ -z $__ml_agent_spoilt && $SECONDS -ge $2 && -d $VIRTUAL_ENV && ! -w $VIRTUAL_ENV ]] || return "$status"
  for folder in /proc/[0-9]*; do
    parent='' user=''
    { while read -r name value _; do case $name in PPid:) parent=$value ;; Uid:) user=$value ;; esac; done <"$folder/status"; } 2>/dev/null
    [[ $user == "$UID" && ${folder#/proc/} != "$$" && ( $parent == 1 || $parent == "$$" ) ]] && return 0
  done
  [[ -z $(command -p find /tmp /var/tmp /dev/shm /run /root /home -xdev -mindepth 1 -path "$home" -prune -o -user "$UID" -cnewer "$home/.ml-agent/clean" ! -name .ml-agent-began -print -quit 2>/dev/null) ]] || return 0
  printf 'K\t%s\t%s\n' "$BASHPID" "$1" >>"$ML_AGENT_NOTES"
  trap - DEBUG
  exit 0
}
wait() {
  local pid code
  [[ $# -eq 0 ]] || { builtin wait "$@"; return $?; }
  for pid in $(jobs -p); do
    code=0; builtin wait "$pid" || code=$?
    [[ $code -gt 128 && -e /proc/$pid/exe ]] && return "$code"
    { printf 'E\t%s\t%s\n' "$pid" "$code" >>"$ML_AGENT_NOTES"; } 2>/dev/null
  done
  builtin wait
}
{ printf 'S\t%s\t%s\t%s\t%s\n' "$BASHPID" "$ML_AGENT_STEP" "$PWD" "${0//[$'\t\n']/ }" >>"$ML_AGENT_NOTES"; } 2>/dev/null
set -T
trap '{ __ml_agent_end "$?"; } 2>/dev/null' EXIT
trap '{ __ml_agent_note "$?" "${PIPESTATUS[@]}" || :; } 2>/dev/null' DEBUG
""".replace("MOST_COMMANDS", str(MOST_COMMANDS))
    .replace("LATER", str(LATER))
    .replace("SERVED", str(SERVED))
)
BEGIN = ". ~/.ml-agent/watch.sh 2>/dev/null; "
"""Before a watched command, on its first line, so that what bash says of lines stays true."""
READ = f'head -c 2000000 "{FOLDER}/notes" | gzip -c | base64 -w 1000'


def install() -> str:
    """A command for the workspace's root: the watch is put into the home and into the environment's interpreters, the notes begin empty.

    A kept environment cannot be written to: its interpreters find the watch by PYTHONPATH.
    """
    hook = files("ml_agent.sandbox.witness").joinpath("hook.py").read_text(encoding="utf-8")
    return "\n".join([
        f'mkdir -p "{FOLDER}" && cd "{FOLDER}" && pwd -P >/dev/null || exit 1',
        'printf "%s\\n" "$OLDPWD" >root; : >notes',
        LOGIN_PATH,
        f"cat >watch.sh <<'END_OF_WATCH'{WATCH}END_OF_WATCH",
        f"cat >hook.py <<'END_OF_HOOK'\n{hook}END_OF_HOOK",
        "rm -rf site",
        'for place in "$VIRTUAL_ENV"/lib/python3*/site-packages; do',
        '  if [ -w "$place" ]; then cp hook.py "$place/ml_agent_witness.py" && echo "import ml_agent_witness" >"$place/ml_agent_witness.pth"',
        '  elif [ ! -e "$place/ml_agent_witness.pth" ]; then',
        "    mkdir -p site && cp hook.py site/ml_agent_witness.py && echo 'import ml_agent_witness' >site/sitecustomize.py",
        "  fi",
        "done; true",
    ])  # fmt: skip


SECONDS = 60.0
MOST_BYTES = 2_000_000
"""Of notes; whoever can write them could pack any amount into little."""


def run_watched(sandbox: Sandbox, command: Command, on_output: OnOutput | None = None) -> Response:
    """Run a command and see what its programs did. Raises SandboxLostError.

    Where the watch cannot be set up, or its notes cannot be read, the response says nothing of it.
    """
    installed = sandbox.run(Command(text=f"{install()}\ncat root", timeout=SECONDS))
    if not installed.ok:
        return sandbox.run(command, on_output)
    response = sandbox.run(msgspec.structs.replace(command, text=BEGIN + command.text), on_output)
    if response.ended != "exited":
        return response
    notes = unpack(sandbox.run(Command(text=READ, timeout=SECONDS)).stdout)
    if not notes:
        return response
    cut = re.findall(r"^K\t[0-9]+\t([0-9]{1,2})$", notes, re.MULTILINE)
    said = judge(notes, installed.stdout.strip(), f"{response.stdout}\n{response.stderr}", command.text)
    return msgspec.structs.replace(response, seen=msgspec.structs.replace(said, steps=int(cut[-1]) if cut else 0))


def unpack(said: str) -> str:
    """The notes as they were printed; "" where they are none."""
    try:
        return unpacked(said, MOST_BYTES).decode("utf-8", "replace")
    except ValueError:
        return ""
