"""What makes bash write down what it carries out of an answer, also in the shells that the answer starts for text of its own."""

import re
import shlex
import shutil
from pathlib import Path

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
RECORD, FIELD, WORD = "\x1e", "\x1f", "\x1d"
"""Separate the records of a trace, the fields of each, and the words of a shell that was started.

Fields of a simple command: the folder, the script, its shell ("1" the answer's own, "0" one below it, "c" and a number one that
was started), the text, its shell's streams and the words. Of a shell that was started: the folder, its script's name, `OWN` or `THEIRS`,
the text, its number and its words.
"""
OWN, THEIRS = "own", "theirs"
"""Whether a shell that was started runs text of the answer, which is traced, or a script of the repository, which is not."""
TRACE_FD = 198
TRACE = "trace"
"""The file in which bash writes what it carries out."""
SHELLS = "shells.sh"
"""What each bash that the answer starts reads first."""
_STOPS = re.compile(r"(?<![\w$-])set[ \t]+\+x(?=[ \t]*(?:$|[;&|\n})'\"]|\d?>))", re.M)
_FOR_SH = re.compile(r"^#![ \t]*/(?:usr/)?bin/sh\b", re.M)
MOST_TEXT = 200_000
"""Characters of a script that are taken down."""


def system(name: str) -> str:
    """A program of the system itself, past what stands before it on the PATH."""
    return shutil.which(name, path=SYSTEM_PATH) or f"/bin/{name}"


def traced_on(text: str) -> str:
    """The answer without what only ends a trace that it began itself (`set +x`), and with scripts for `sh` started by the one on the PATH."""
    return _FOR_SH.sub("#!/usr/bin/env -S sh", _STOPS.sub(":", text))


def tracing(place: Path) -> str:
    """What makes bash write down each simple command with what `RECORD` says of it, variables filled in; it stays on the line."""
    shells = shlex.quote(str(place / SHELLS))
    return f"export BASH_ENV={shells}; readonly BASH_ENV; {_trace(place, 'BASHPID==$$', '')}"


def _trace(place: Path, own_shell: str, before: str) -> str:
    """An `export` has neither streams nor text: to ask for streams bash writes out all that is exported each time."""
    number = f"{before}$((STRICT_SHELL=BASHPID, STRICT_STEP+=1, {own_shell}))"
    text = "${STRICT_TEXT[STRICT_STEP]:=${BASH_COMMAND##export *}}"
    read = f"{system('readlink')} /proc/$STRICT_SHELL/fd/0 /proc/$STRICT_SHELL/fd/1"
    streams = f"${{STRICT_TEXT[STRICT_STEP]:+$({read})}}"
    fields = ("${PWD}", "${BASH_SOURCE[0]-}", number, text, streams, "")
    prompt = f"$'\\x{ord(RECORD):02x}" + rf"\x{ord(FIELD):02x}".join(fields) + "'"
    kept = "readonly PS4 BASH_XTRACEFD"
    return f"{_open_trace(place)}; BASH_XTRACEFD={TRACE_FD}; STRICT_STEP=0; PS4={prompt}; {kept}; set -x; "


def _open_trace(place: Path) -> str:
    return f"exec {TRACE_FD}>>{shlex.quote(str(place / TRACE))}"


def started_shells(place: Path, root: Path) -> str:
    """The script that each bash reads before its own text (`BASH_ENV`): it says what that bash runs, and traces it where it is the answer's.

    A script of the repository is older than this one, and text that it gives to a shell is its own. The shell `sh` is another one than
    bash: it runs what is the repository's itself, and says what of an answer's text it does not understand.
    """
    record = rf"printf '\x{ord(RECORD):02x}" + rf"\x{ord(FIELD):02x}".join(["%s"] * 5 + [""]) + "'"
    words = rf"printf '%s\x{ord(WORD):02x}' " + '"${STRICT_WORDS[@]}"'
    as_sh = f'exec {system("sh")} "${{STRICT_WORDS[@]:1}}"'
    return f"""{{ set +x; }} 2>/dev/null
mapfile -d '' -t STRICT_WORDS < /proc/$$/cmdline
STRICT_FILE= STRICT_CODE=${{BASH_EXECUTION_STRING-}} STRICT_WHOSE={OWN}
if [[ -n ${{BASH_EXECUTION_STRING+x}} || $0 == "${{STRICT_WORDS[0]}}" ]]; then
  STRICT_WHOSE=${{STRICT_SHELLS-{OWN}}}
else
  STRICT_FILE=$({system("readlink")} -f -- "$0")
  if [[ $STRICT_FILE == {shlex.quote(str(root))}/* && ! $STRICT_FILE -nt {shlex.quote(str(place / SHELLS))} ]]; then
    STRICT_WHOSE={THEIRS}
  else
    STRICT_CODE=$(< "$STRICT_FILE")
  fi
fi
{_open_trace(place)}
if [[ -n $STRICT_FILE || $STRICT_WHOSE == {OWN} ]]; then
  {{ {record} "$PWD" "$0" "$STRICT_WHOSE" "${{STRICT_CODE:0:{MOST_TEXT}}}" "$$"; {words}; }} >&{TRACE_FD}
fi
if [[ $STRICT_WHOSE == {THEIRS} ]]; then
  exec {TRACE_FD}>&-
  export STRICT_SHELLS={THEIRS}
  [[ -z ${{STRICT_SH-}} ]] || {{ unset STRICT_SH; {as_sh}; }}
else
  [[ -z ${{STRICT_SH-}} || -z $STRICT_CODE ]] || {system("sh")} -n "${{STRICT_WORDS[@]:1}}" || {as_sh}
  unset STRICT_SH STRICT_SHELLS STRICT_CODE STRICT_FILE STRICT_WORDS STRICT_WHOSE
  readonly BASH_ENV; {_trace(place, "0", "c$$.")}
fi
"""
