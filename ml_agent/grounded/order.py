"""In which order commands and programs are tried."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, filterfalse, islice, tee, zip_longest
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.draft import Draft
from ml_agent.grounded.choices import Choice
from ml_agent.grounded.commands import CommandDraft
from ml_agent.grounded.kind import wanted_kind
from ml_agent.matching.answers import CERTAIN
from ml_agent.matching.likeness import occurs_in
from ml_agent.tools.commandline.shell import parse_command

_NAME = re.compile(r"[A-Za-z_]\w*")
_LONGEST = 80
"""Lines of a program; none of more was right in 700 measured rows."""
_OF_ONE_KIND = 3
"""So many programs in a row are written before something else is tried."""
_CLEARLY = 0.5
"""So much better an example must fit that leaves a stated value without a place."""
_BY_VALUE = 0.3
"""What a stated value without a place counts against how well the best example fits, which is 1 at most."""


class ProgramDrafts(NamedTuple):
    """Programs by the way in which they were made, each the best first."""

    written: Sequence[Draft]
    """From signatures."""
    adapted: Iterable[Draft]
    """From examples."""
    named: frozenset[str] = frozenset()
    """Classes and functions of the repository that the request names to the letter: a program that uses none of them is another one."""


def ordered_drafts(
    instruction: str, commands: Sequence[CommandDraft], programs: ProgramDrafts, choices: Sequence[Choice]
) -> Iterator[Draft]:
    """All drafts, each text once: first of the kind that is asked for, or that fits better where the wording leaves it open.

    Args:
        instruction: the request.
        commands: the best first, with their accounts.
        programs: with their accounts.
        choices: what the repository shows, with how well each fits the wording.
    """
    wanted = wanted_kind(instruction)
    commands = sorted(commands, key=lambda one: unused_value_count(one.draft, one.placed_values) > 0)
    every, again = tee(_programs(programs))
    python: Iterator[Draft] = filter(_is_short, every)
    ahead, behind = iter([one.draft for one in commands]), python
    if wanted == "python":
        return _distinct(chain(python, ahead, filterfalse(_is_short, again)))
    if wanted == "either" and not (commands and _is_settled(instruction, commands[0], choices)):
        program = next(python, None)
        behind = chain([program] if program is not None else [], python)
        if program is not None and (not commands or _fits_better(program, commands[0], python_lead(choices))):
            ahead, behind = behind, ahead
    return _distinct(chain(islice(ahead, _OF_ONE_KIND), _alternating(behind, ahead)))


def _is_settled(instruction: str, command: CommandDraft, choices: Sequence[Choice]) -> bool:
    """Whether no program could go before a command: the request names it, it has all that is said, or no example fits better."""
    if _is_named(instruction, command.draft) or _is_certain(command):
        return True
    return python_lead(choices) + _BY_VALUE * unused_value_count(command.draft, command.placed_values) <= 0


def _is_short(program: Draft) -> bool:
    """Whether a program may be an answer: a whole notebook is a lesson."""
    return program.text.count("\n") < _LONGEST


def _programs(programs: ProgramDrafts) -> Iterator[Draft]:
    """Those that were written first where they have a place for more values: an example is a way that its authors have tried."""

    def missing(draft: Draft) -> int:
        return len(programs.named - set(_NAME.findall(draft.text)))

    adapted, written = iter(programs.adapted), sorted(programs.written, key=missing)
    first = next(adapted, None)
    others = chain([first] if first is not None else [], adapted)
    if written and (
        first is None
        or (missing(written[0]), unused_value_count(written[0])) < (missing(first), unused_value_count(first))
    ):
        yield from chain(written[:_OF_ONE_KIND], islice(others, 1), written[_OF_ONE_KIND:], others)
    else:
        yield from chain(islice(others, 1), written[:_OF_ONE_KIND], others, written[_OF_ONE_KIND:])


def _is_named(instruction: str, command: Draft) -> bool:
    """Whether a request says the program of a command by a name that is no plain word: "mmf_run", "train-net"."""
    names = (PurePosixPath(one.name).stem for one in parse_command(command.text).invocations)
    return any(
        re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", instruction) for name in names if re.search("[_-]", name)
    )


def _is_certain(command: CommandDraft) -> bool:
    """Whether a command has a place for every value, several at least, and none that could as well be elsewhere: nobody asks for another program then."""
    return (
        len(command.placed_values) > 1
        and command.weakest_placement > CERTAIN
        and not unused_value_count(command.draft, command.placed_values)
    )


def _fits_better(program: Draft, command: CommandDraft, ahead: float) -> bool:
    """Whether a program goes before a command where the wording leaves it open: values without a place speak against either.

    What the command has because of the request's words, and the program does not say, is such a value, too.
    """
    if unused_value_count(program) and ahead < _CLEARLY:
        return False
    without = unused_value_count(program) + sum(not occurs_in(value, program.text) for value in command.placed_values)
    return ahead + _BY_VALUE * (unused_value_count(command.draft, command.placed_values) - without) > 0


def python_lead(choices: Sequence[Choice]) -> float:
    """How much better the best Python example fits the wording than the best command."""
    fits = {"python": 0.0, "bash": 0.0}
    for choice in choices:
        fits[choice.kind] = max(fits[choice.kind], choice.fit)
    return fits["python"] - fits["bash"]


def unused_value_count(draft: Draft, placed: Collection[str] = ()) -> int:
    """How many stated values a draft has no place for, by its account; what was placed for its meaning has one."""
    return sum(entry.required and entry.status == "not found" and entry.value not in placed for entry in draft.ledger)


def _alternating(*several: Iterable[Draft]) -> Iterator[Draft]:
    return (draft for turn in zip_longest(*several) for draft in turn if draft is not None)


def _distinct(drafts: Iterable[Draft]) -> Iterator[Draft]:
    texts: set[str] = set()
    for draft in drafts:
        if draft.text.strip() not in texts:
            texts.add(draft.text.strip())
            yield draft
