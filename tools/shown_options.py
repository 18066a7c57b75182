"""Options as documents show them: `--name=value` that a parser hands on unread, and what a key of a YAML file is given.

A program that takes more than its parser lists takes at least what its documents, its scripts and its docstring give it.
"""

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec

from ml_agent.tools.commandline.edit import calls
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.reader import VARIABLE, Argument, ParsedCall
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.examples import Example
from ml_agent.tools.files import Tree
from ml_agent.tools.launchers import HELP, PYTHON, SHELLS
from ml_agent.tools.python_source import read_module
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.nearest import is_slip
from ml_agent.tools.signatures.words import FALSE, TRUE
from ml_agent.tools.usage.placeholders import quoted_placeholders

_MOST_OF_A_DOCSTRING, _MOST_OPTIONS = 300, 100
_LONGEST_COMMAND = 4_000
_FLAG = re.compile(r"--[A-Za-z][\w.-]{0,80}")
_KEY = re.compile(r"[A-Za-z_][\w.]{0,80}")
_SCRIPTS, _RUNS = (".py", ".sh"), frozenset({"-m", "-c", "-u"})
_SYNTAXES = frozenset({"argparse", "click", "overrides"})
_KINDS = frozenset({"python", "module", "console"})


class _Command(NamedTuple):
    """A command that is shown, and where it stands."""

    invocation: Invocation
    path: str
    line: int
    folder: Path
    """From which it runs."""


class _Shown(NamedTuple):
    """What one command gives an option."""

    given: Argument
    path: str
    line: int


def learns_from_examples(signature: Signature) -> bool:
    """Whether what documents show of an entry point may say more of it than its source."""
    return signature.kind in _KINDS and (_is_open(signature) or any(map(_may_wait, signature.options)))


def with_shown_options(several: Sequence[Signature], examples: Sequence[Example], root: Path) -> tuple[Signature, ...]:
    """The signatures of a file, those that take more than they list with the options that are shown for them.

    Args:
        several: of one file.
        examples: the commands that documents and shell scripts show of it.
        root: folder of the repository.
    """
    commands = [*_commands(examples, root), *_docstring(several[0].path, root)]
    return tuple(_of_commands(one, several, commands) if learns_from_examples(one) else one for one in several)


def _commands(examples: Sequence[Example], root: Path) -> Iterator[_Command]:
    for example in examples:
        for invocation in parse_command(quoted_placeholders(example.text[:_LONGEST_COMMAND])).invocations:
            yield _Command(invocation, example.path, example.line, root / example.workdir)


def _docstring(path: str, root: Path) -> Iterator[_Command]:
    """The commands in the docstring of a script."""
    module = read_module(Tree(root), path) if path.endswith(".py") else None
    lines = ((ast.get_docstring(module) if module is not None else "") or "").split("\n")
    for line in [one.strip().lstrip("$>` ") for one in lines if Path(path).name in one][:_MOST_OF_A_DOCSTRING]:
        for invocation in parse_command(quoted_placeholders(line[:_LONGEST_COMMAND])).invocations:
            yield _Command(invocation, path, 1, root)


def _of_commands(signature: Signature, several: Sequence[Signature], commands: Sequence[_Command]) -> Signature:
    """One signature with what the commands that call it say of its options."""
    read = _with_flags(signature)
    own = [one for one in commands if calls(one.invocation, signature)]
    own = [one for one in own if _is_chosen(signature, several, one.invocation)]
    parsed = [(one, _own_words(one, parse_call(read, one.invocation.words))) for one in own]
    overrides = read.syntax == "overrides"
    new: dict[str, list[_Shown]] = {}
    given: dict[str, list[str]] = defaultdict(list)
    for command, call in parsed:
        for part in call.given:
            if part.option is not None:
                given[part.option.dest] += part.values
        for part in _new_parts(call, read):
            new.setdefault(part.flag if overrides else _name(part.flag), []).append(
                _Shown(part, command.path, command.line)
            )
    if read is not signature and any(part.kind == "place" for _, call in parsed for part in call.given):
        return signature  # what it makes of the words by place is not known
    options = tuple(_correct_type(option, given[option.dest]) for option in signature.options)
    more = [_option(read, name, shown) for name, shown in list(new.items())[:_MOST_OPTIONS]]
    return msgspec.structs.replace(read if more else signature, options=(*options, *more))


def _is_chosen(signature: Signature, several: Sequence[Signature], invocation: Invocation) -> bool:
    """Whether an invocation calls that one of several signatures; of commands that share a file the one whose name it says."""
    alike = [one for one in several if (one.kind == "console") == (signature.kind == "console")]
    named = [one for one in alike if one.name == invocation.name]
    return choose(named or alike, invocation.words) is signature


def _own_words(command: _Command, call: ParsedCall) -> ParsedCall:
    """A call without another program that it starts, and without the words of that."""
    words = command.invocation.words
    end = next((at for at, (word, behind) in enumerate(pairwise(words)) if _starts(word, behind)), len(words))
    given = [part for part in call.given if part.start < end]
    scripts = (at for at, part in enumerate(given) if part.option is None and _is_foreign(part, command.folder))
    return msgspec.structs.replace(call, given=tuple(given[: next(scripts, len(given))]))


def _starts(word: str, behind: str) -> bool:
    """Whether two words start a program: an interpreter, and what it runs."""
    return bool(PYTHON.match(word) or word in SHELLS) and (behind in _RUNS or behind.endswith(_SCRIPTS))


def _is_foreign(part: Argument, folder: Path) -> bool:
    """Whether a word by place is a script that the repository has not."""
    return part.kind == "place" and any(
        word.endswith(_SCRIPTS) and not (folder / word).exists() for word in part.values
    )


def _new_parts(call: ParsedCall, signature: Signature) -> Iterator[Argument]:
    """The parts of a command that are options which are not listed.

    What stands bare before a word by place is left out: nobody knows whether the word is its value.
    """
    if not _is_open(signature) or call.chosen:
        return
    known = tuple({flag.lstrip("-"): None for option in signature.options for flag in (*option.flags, option.dest)})
    for part, behind in zip(call.given, (*call.given[1:], None), strict=False):
        doubtful = not part.values and behind is not None and behind.kind == "place"
        if part.option is None and not doubtful and _is_new(part, signature.syntax, known):
            yield part


def _is_open(signature: Signature) -> bool:
    """Whether words that its source does not list may be options of it."""
    return signature.accepts_unknown and _with_flags(signature).syntax in _SYNTAXES


def _with_flags(signature: Signature) -> Signature:
    """A script that reads sys.argv itself, and of which no argument is known by place, takes options as others do."""
    own = signature.framework == "sysargv" and not signature.options
    return msgspec.structs.replace(signature, syntax="argparse", allow_abbrev=False) if own else signature


def _is_new(part: Argument, syntax: str, known: tuple[str, ...]) -> bool:
    """Whether a part of a command is an option that is not known, and not a known one with a slip in it."""
    pattern, kind = (_KEY, "override") if syntax == "overrides" else (_FLAG, "option")
    if part.kind != kind or not pattern.fullmatch(part.flag) or part.flag in HELP:
        return False
    return not _is_slip_of_any(part.flag.lstrip("-"), known)


@functools.lru_cache(256)
def _is_slip_of_any(word: str, known: tuple[str, ...]) -> bool:
    return any(is_slip(word, one) for one in known)


def _name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _option(signature: Signature, name: str, shown: Sequence[_Shown]) -> Option:
    """An option by what is shown of it; of its type nothing is known."""
    fire, overrides = signature.framework == "fire", signature.syntax == "overrides"
    spelled = dict.fromkeys(one.given.flag for one in shown)
    valued = [one for one in shown if one.given.values]
    made = Option(
        dest=name, flags=() if overrides else tuple(spelled), type="unknown", path=shown[0].path,
        line=shown[0].line, sure=False, level=len(signature.subcommand), converter="literal" if fire else "",
        joined=bool(valued) and all(one.given.form == "equals" for one in valued) and not overrides,
    )  # fmt: skip
    if valued or overrides:
        return made
    return msgspec.structs.replace(made, type="bool", nargs="?" if fire else "0", switch_value="True")


def _may_wait(option: Option) -> bool:
    return option.converter == "yaml" and option.type == "bool"


def _correct_type(option: Option, given: Sequence[str]) -> Option:
    """A key that is no switch after all: its `no` only says that nothing is given yet."""
    values = [one for one in given if one.lower() not in TRUE | FALSE | {"", "null"}]
    if not _may_wait(option) or not any(not VARIABLE.fullmatch(one) for one in values):
        return option
    return msgspec.structs.replace(
        option, type="unknown", default=None if option.default == "false" else option.default
    )
