"""What makes bash write down what it carries out of an answer, also in the shells that the answer starts for text of its own."""

import re
import shlex
import shutil
from pathlib import Path

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
RECORD, FIELD = "\x1e", "\x1f"
"""Separate the records of a trace, and the fields of each: the folder, the script in which a command stands, and the command.

A bash that the answer started says so first: by `STARTED` in the place of the script and what it was given as text, if any.
"""
STARTED = "started"
TRACE_FD = 198
TRACE = "trace"
"""The file in which bash writes what it carries out."""
SHELLS = "shells.sh"
"""What each bash that the answer starts reads first."""
MOST_TEXT = 200_000
"""Characters of a script that are taken down."""
_STOPS = re.compile(r"(?<![\w$-])set[ \t]+\+x(?=[ \t]*(?:$|[;&|\n})'\"]|\d?>))", re.M)
_FOR_SH = re.compile(r"^#![ \t]*/(?:usr/)?bin/sh\b", re.M)


def system(name: str) -> str:
    """A program of the system itself, past what stands before it on the PATH."""
    return shutil.which(name, path=SYSTEM_PATH) or f"/bin/{name}"


def traced_on(text: str) -> str:
    """The answer without what only ends a trace that it began itself (`set +x`), and with scripts for `sh` started by the one on the PATH."""
    return _FOR_SH.sub("#!/usr/bin/env -S sh", _STOPS.sub(":", text))


def tracing(place: Path) -> str:
    """What makes bash write down each simple command, variables filled in; it stays on the line."""
    shells = shlex.quote(str(place / SHELLS))
    return f"export BASH_ENV={shells}; readonly BASH_ENV; {_trace(place)}"


def _trace(place: Path) -> str:
    prompt = f"$'\\x{ord(RECORD):02x}" + rf"\x{ord(FIELD):02x}".join(("${PWD}", "${BASH_SOURCE[0]-}", "")) + "'"
    opened = f"exec {TRACE_FD}>>{shlex.quote(str(place / TRACE))}; BASH_XTRACEFD={TRACE_FD}"
    return f"{opened}; PS4={prompt}; readonly PS4 BASH_XTRACEFD; set -x; "


def started_shells(place: Path, root: Path) -> str:
    """The script that each bash reads before its own text (`BASH_ENV`): it traces that bash where what it runs is the answer's.

    A script of the repository is older than this one; it is not traced, nor is what it starts. The shell `sh` is another one than
    bash: it runs what is the repository's itself, and says what of an answer's text it does not understand.
    """
    record = rf"printf '\x{ord(RECORD):02x}" + rf"\x{ord(FIELD):02x}".join(["%s"] * 3) + "'"
    as_sh = f'exec {system("sh")} "${{BENCH_WORDS[@]:1}}"'
    return f"""{{ set +x; }} 2>/dev/null
mapfile -d '' -t BENCH_WORDS < /proc/$$/cmdline
BENCH_CODE=${{BASH_EXECUTION_STRING-}} BENCH_FILE=
if [[ -z ${{BASH_EXECUTION_STRING+x}} && $0 != "${{BENCH_WORDS[0]}}" ]]; then
  BENCH_FILE=$({system("readlink")} -f -- "$0")
  BENCH_CODE=$(< "$BENCH_FILE")
fi
if [[ $BENCH_FILE == {shlex.quote(str(root))}/* && ! $BENCH_FILE -nt {shlex.quote(str(place / SHELLS))} ]]; then
  unset BASH_ENV
  [[ -z ${{BENCH_SH-}} ]] || {{ unset BENCH_SH; {as_sh}; }}
else
  {record} "$PWD" {STARTED} "${{BENCH_CODE:0:{MOST_TEXT}}}" >> {shlex.quote(str(place / TRACE))}
  [[ -z ${{BENCH_SH-}} || -z $BENCH_CODE ]] || {system("sh")} -n "${{BENCH_WORDS[@]:1}}" || {as_sh}
  unset BENCH_SH BENCH_CODE BENCH_FILE BENCH_WORDS
  readonly BASH_ENV; {_trace(place)}
fi
"""
