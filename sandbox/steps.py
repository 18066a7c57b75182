"""Steps of a command that take long run once: a later command that begins with the same ones goes on behind them.

A command is cut only where its steps leave nothing to the next one but files below the workspace and the home; what sets up the
shell (`cd`, `export`) is done again. Behind a long step the shell ends itself (`__ml_agent_step` of the watch), unless a process or
a file elsewhere is left; what was made is packed, and the rest runs in a shell of its own.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox, Seen
from ml_agent.sandbox.witness.watch import run_watched
from ml_agent.tools.commandline.grammar import refused
from ml_agent.tools.commandline.invocation import split_assignments
from ml_agent.tools.commandline.lexer import Token, lex

LONG_SECONDS = 10
"""What steps take at least, for their files to be kept."""
MOST_STEPS = 50
MOST_KEPT = 4
"""Places of one command behind which files are kept."""
MOST_BYTES = 256 * 1024**2
"""Of what was made up to there, packed; more is made again."""
MOST_FILES = 20_000
PACK_SECONDS = 120.0
_NEVER = 10**9
_PACKED = ".ml-agent-kept"
_THERE = f'cd / && w=workspace/{_PACKED} h="${{HOME#/}}" PATH=/usr/bin:/bin && n="$h/.ml-agent/clean" && '
_TAR = '--one-file-system --no-check-device --exclude=.ml-agent --exclude="$w"'
_NOTE = f'{_THERE} mkdir -p "${{n%/*}}" && rm -rf "$n" && tar -cf /dev/null -g "$n" {_TAR} workspace "$h"'
"""Notes what there is at the clean beginning."""
_PACK = f"""{_THERE} rm -rf "$w" && set -o pipefail || exit 1
[ "$(find workspace "$h" -xdev -cnewer "$n" 2>/dev/null | head -n {MOST_FILES + 1} | wc -l)" -le {MOST_FILES} ] && cp -p "$n" "$n.now" &&
  tar -cf - -g "$n.now" {_TAR} workspace "$h" | head -c {MOST_BYTES + 1} >"$w" && [ "$(stat -c %s "$w")" -le {MOST_BYTES} ] ||
  {{ rm -rf "$w"; exit 1; }}"""
"""Packs what is new, changed or gone since then."""
_UNPACK = f'{_NOTE} && tar -xGf "$w" --exclude=.ml-agent --no-overwrite-dir; code=$?; rm -rf "$w"; exit $code'
"""Makes of a clean beginning what was packed."""
_WORD = re.compile(r"[\w./+~:[-]+")
_CHANGES_SHELL = re.compile(
    r"\.|source|eval|exec|exit|return|trap|(?:un)?alias|unset|read|mapfile|readarray|declare|typeset|local|readonly|let|shopt|ulimit|umask"
    r"|pushd|popd|dirs|wait|jobs|fg|bg|disown|getopts|shift|enable|hash|builtin|command|logout|suspend|time|function|coproc|if|then|elif"
    r"|else|fi|for|while|until|do|done|case|esac|select|break|continue"
)
_SETS_SHELL = frozenset({"cd", "export", "set"})
_OF_THE_SHELL = re.compile(
    r"\$[?!$_#@*0-9-]|\$\{[^A-Za-z]|\$\{?(?:PIPESTATUS|RANDOM|SECONDS|BASH|PPID|LINENO)|:=|\$\(\("
)
_RUNS = re.compile(r"\$\(|`|[<>]\(")
_JOINS = {"&&": "&& ", ";": "; "}


class Step(NamedTuple):
    """A part of a command behind which the shell could end."""

    text: str
    joint: str
    """What stands between it and the next one; "" where its own text ends a line."""
    sets: bool
    """Whether it only sets up the shell."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What the first steps of a command left."""

    steps: tuple[str, ...]
    state: object
    """What they began with, beside the files of the repository."""
    packed: Path
    response: Response
    said: str
    """Which steps, and what they took."""


def steps_of(text: str) -> tuple[Step, ...]:
    """The steps of a command; none where one of them may need more of those before it than their files."""
    tokens = [one for one in lex(text, prompts=False) if one.kind != "comment"]
    steps: list[Step] = []
    current: list[Token] = []
    for token in tokens:
        is_line = token.kind == "operator" and token.raw.lstrip("\r").startswith("\n")
        has_text = any(one.raw.startswith("<<") and not one.raw.startswith("<<<") for one in current)
        if token.kind == "end" or is_line or (token.raw in _JOINS and not has_text):
            sets = _sets(current) if current else False
            if sets is None:
                return ()
            if current:
                end = len(text) if token.kind == "end" else token.at + len(token.raw) * is_line
                steps.append(Step(text[current[0].at : end], _JOINS.get(token.raw, ""), sets))
            current = []
        elif token.kind == "operator" and token.raw not in ("|", "||", *_JOINS):
            return ()
        else:
            current.append(token)
    return () if refused(tokens) or len(steps) > MOST_STEPS else tuple(steps)


def _sets(tokens: Sequence[Token]) -> bool | None:
    """Whether a step only sets up the shell; None where it does that and more, or what it does to the shell is not known."""
    commands: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "operator":
            commands.append([])
        else:
            commands[-1].append(token)
    for command in commands:
        _, words = split_assignments([one.value for one in command if one.kind == "word"])
        raw = " ".join(one.raw for one in command if not one.raw.startswith("'"))
        if _OF_THE_SHELL.search(raw) or words[:2] == ["printf", "-v"]:
            return None
        if not words or words[0] in _SETS_SHELL:
            alone = len(commands) == 1 and all(one.kind == "word" for one in command)
            return True if alone and not _RUNS.search(raw) else None
        if _CHANGES_SHELL.fullmatch(words[0]) or not _WORD.fullmatch(words[0]):
            return None
    return False


def marked(steps: Sequence[Step], done: int, seconds: int) -> str:
    """The command behind its first `done` steps, with the places at which the shell may end after so many seconds."""
    text = "".join(f"{step.text.strip()}\n" for step in steps[:done] if step.sets)
    for number, step in enumerate(steps[done:], done + 1):
        mark = f"__ml_agent_step {number} {seconds}"
        after = " && " if "&&" in step.joint else "; "
        text += step.text + (f"{step.joint}{mark}{after}" if number < len(steps) else "")
    return text


class KeptSteps:
    """Runs commands, and has in `folder` what their long steps left; nothing is kept where that is None."""

    def __init__(self, folder: Path | None = None, seconds: int = LONG_SECONDS) -> None:
        self._folder, self._seconds = folder, seconds
        self._kept: list[Kept] = []

    def find(self, command: Command, state: object) -> Kept | None:
        """What was kept of the most steps with which a command begins, in the same state; what it does not begin with goes."""
        names = tuple(step.text.strip() for step in steps_of(command.text))
        for one in self._kept:
            if one.state != state or one.steps != names[: len(one.steps)]:
                one.packed.unlink(missing_ok=True)
        self._kept = [one for one in self._kept if one.packed.exists()]
        return self._kept[-1] if self._kept else None

    def restore(self, sandbox: Sandbox, kept: Kept) -> bool:
        """Make of a clean beginning what was kept; whether that could be done."""
        sandbox.put(kept.packed, _PACKED)
        return sandbox.run(Command(text=_UNPACK, timeout=PACK_SECONDS)).ok

    def run(
        self, sandbox: Sandbox, command: Command, on_output: OnOutput | None, state: object, kept: Kept | None = None
    ) -> Response:
        """Run a command behind the steps that were kept and restored, and keep what its long steps leave."""
        can = (
            sandbox.isolated and command.probe_seconds is None and self._folder is not None
        )  # else /workspace is the user's
        steps = steps_of(command.text) if can else ()
        if len(steps) < 2:
            return run_watched(sandbox, command, on_output)
        parts, done, left = ([kept.response], len(kept.steps), command.timeout) if kept else ([], 0, command.timeout)
        noted = kept is not None or sandbox.run(Command(text=_NOTE, timeout=PACK_SECONDS)).ok
        while True:
            text = marked(steps, done, self._seconds if noted and len(parts) < MOST_KEPT else _NEVER)
            part = run_watched(sandbox, msgspec.structs.replace(command, text=text, timeout=left), on_output)
            parts.append(part)
            if part.exit_code != 0 or part.seen is None or not done < part.seen.steps < len(steps):
                return msgspec.structs.replace(joined(parts), kept=kept.said if kept else "")
            done, left = part.seen.steps, max(left - part.seconds, 1.0)
            response = joined(parts)
            if response.ok:
                self._keep(sandbox, steps[:done], state, response)

    def _keep(self, sandbox: Sandbox, steps: Sequence[Step], state: object, response: Response) -> None:
        """Bring out what the steps left, where it is not too much."""
        assert self._folder is not None
        packed = self._folder / f"{len(self._kept)}.tar"
        if not sandbox.run(Command(text=_PACK, timeout=PACK_SECONDS)).ok:
            return
        with suppress(FileNotFoundError):
            packed.write_bytes(sandbox.get(_PACKED, MOST_BYTES))
            number = sum(not step.sets for step in steps)
            said = f"{f'steps 1-{number}' if number > 1 else 'step 1'} kept from an earlier attempt ({response.seconds:.0f} s)"
            names = tuple(step.text.strip() for step in steps)
            self._kept.append(Kept(steps=names, state=state, packed=packed, response=response, said=said))
        sandbox.run(Command(text=f"rm -rf {_PACKED}", timeout=60))


def joined(parts: Sequence[Response]) -> Response:
    """What parts of a command did one after the other, as one command."""
    *before, last = parts
    if not before:
        return last
    seen = [one.seen for one in parts if one.seen is not None]
    return msgspec.structs.replace(
        last,
        stdout="".join(one.stdout for one in parts),
        stderr="".join(one.stderr for one in parts),
        error_lines=tuple(chain.from_iterable(one.error_lines for one in parts)),
        progress=next((one.progress for one in reversed(parts) if one.progress), ()),
        started=any(one.started for one in parts),
        seconds=round(sum(one.seconds for one in parts), 3),
        cpu_seconds=sum(one.cpu_seconds or 0.0 for one in parts),
        peak_memory_bytes=max((one.peak_memory_bytes or 0 for one in parts), default=0) or None,
        seen=_seen_together(seen) if last.seen is not None else None,
    )


def _seen_together(parts: Sequence[Seen]) -> Seen:
    def each(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(getattr(one, name) for one in parts)))

    return Seen(
        programs=each("programs"),
        loaded=each("loaded"),
        packages=each("packages"),
        commands=each("commands"),
        failed=each("failed"),
        blind=any(one.blind for one in parts),
    )
