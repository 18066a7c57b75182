"""Which options a row sets: what a document shows and the program may need, some of the rest, and some that can do no harm."""

import re
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.make.guards import UNSET, Guards
from ml_agent.benchmarks.make.harmless import is_harmless, is_shape
from ml_agent.benchmarks.make.reference import RefusedCommand
from ml_agent.benchmarks.make.seeds import Seed, usable
from ml_agent.benchmarks.make.vary import (
    NAME_WORDS,
    OUTPUT_WORDS,
    SUFFIX,
    RequestedOption,
    ValueMaker,
    is_path,
    words_of,
)
from ml_agent.tools.signatures.model import Option

WISHES = (2, 5)
"""Options of a request, at least and at most, where the program does not need more."""
MOST = 12
"""Options that a request can say."""
VARIED = 0.6
"""How often a documented number becomes another."""
USUAL, FEW = 0.75, 4
"""The share of documented calls that makes an option usual, and how many calls are needed to say so."""


class EntryKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an entry point beside its signature."""

    guards: Guards
    documented: tuple[Seed, ...]
    """All that documents show of it."""


def chosen(start: Seed, known: EntryKnowledge, varied: ValueMaker) -> list[RequestedOption]:
    """The options that a row sets, in the order of the signature.

    Raises:
        RefusedCommand: no value is known for one that is needed, or there are too many or too few.
    """
    varied.fresh()
    found = {
        o.dest: wish for o in needed(start, known) if (wish := _needed_wish(o, start, known.guards, varied)) is not None
    }
    if len(found) > MOST:
        raise RefusedCommand("too many options are needed")
    _add_shown(start, known.guards, found, varied)
    wanted = min(max(varied.random.randint(*WISHES), len(found) + varied.random.randint(0, 2)), MOST)
    for option in _undocumented_options(start, known.guards, found, varied.random):
        if len(found) >= wanted:
            break
        wish = varied.wish(option, None, start.workdir)
        if wish is not None and is_harmless(wish, found, known.guards, start.signature):
            found[option.dest] = wish
    if len(found) < WISHES[0]:
        raise RefusedCommand("too few options with a value")
    order = [o.dest for o in start.signature.options]
    return sorted(found.values(), key=lambda w: order.index(w.option.dest))


def needed(start: Seed, known: EntryKnowledge) -> list[Option]:
    """What the parser requires, and what the document shows and the program may not do without.

    Raises:
        RefusedCommand: no document shows the entry point, and it may need something that its parser does not require.
    """
    required = {o.dest: o for o in start.signature.options if _is_required(o)}
    options = {o.dest: o for o in start.signature.options}
    unknown = any(_may_be_needed(o) or (_is_word(o) and o.dest in required) for o in usable(start.signature))
    if start.example is None and (unknown or known.guards.launched):
        raise RefusedCommand("nothing shows what it needs")
    shown = [*start.shown, *start.open]
    kept = {d: options[d] for d in shown if d in options and not _may_be_left_out(options[d], start, known)}
    kept |= {d: options[d] for d in _spelled_in_names(start, kept)}
    if known.guards.unused & kept.keys():
        raise RefusedCommand("the program does nothing with an option that its document gives")
    if any(_is_unknown(d, start.shown[d], known) for d in kept if d in start.shown):
        raise RefusedCommand("the source does not know a word that a document gives")
    return list({**required, **kept}.values())


def _spelled_in_names(start: Seed, kept: Collection[str]) -> list[str]:
    """The options whose numbers a name that is kept contains: with another number it would say what is not so."""
    names = [v for d in kept if isinstance(v := start.shown.get(d), str)]
    numbers = {d: str(v) for d, v in start.shown.items() if d not in kept and type(v) in (int, float)}
    return [d for d, n in numbers.items() if len(n) > 1 and any(_contains(name, n) for name in names)]


def _contains(name: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", name) is not None


def _is_unknown(dest: str, value: Any, known: EntryKnowledge) -> bool:
    """Whether the source keeps under a key what another document gives an option, and nowhere spells this word.

    Such a word is misspelt, or of another version. What no table knows may be anything: the name of a run, of data.
    """
    if not isinstance(value, str) or not re.fullmatch(r"[\w-]+", value) or value in known.guards.known:
        return False
    others = {str(s.shown[dest]) for s in known.documented if dest in s.shown} - {value}
    return bool(others & known.guards.keys)


def _is_required(option: Option) -> bool:
    return option.required or (option.positional and option.nargs not in ("?", "*", "..."))


def _is_word(option: Option) -> bool:
    """Whether any word may be given, of which few mean something."""
    return not (option.switch or option.choices or option.accepted or option.type in ("int", "float", "bool"))


def _may_be_needed(option: Option) -> bool:
    """Whether an option without a value of its own may be one that the program cannot do without."""
    if option.switch or option.type in ("int", "float", "bool") or option.default not in UNSET:
        return False
    return not words_of(option) & (OUTPUT_WORDS | NAME_WORDS)


def _may_be_left_out(option: Option, start: Seed, known: EntryKnowledge) -> bool:
    if option.dest in known.guards.tested or known.guards.leads.get(option.dest):
        return False
    if option.switch or option.type == "bool":
        return any(_does_without(option, s, start) for s in known.documented)
    if option.type not in ("int", "float") or option.default in UNSET:
        return False
    return not is_shape(option)


def _does_without(option: Option, other: Seed, start: Seed) -> bool:
    """Whether another documented call lacks this option, and gives no data, model or task that this one does not."""
    if option.dest in other.shown or option.dest in other.open:
        return False
    return not ({*other.shown, *other.open} & plainly_needed(start)) - {*start.shown, *start.open}


def plainly_needed(start: Seed) -> set[str]:
    """The options whose values are words: paths, names, positionals."""
    return {o.dest for o in start.signature.options if not o.switch and o.type not in ("int", "float", "bool")}


def _needed_wish(option: Option, start: Seed, guards: Guards, varied: ValueMaker) -> RequestedOption | None:
    """The option as documented, with another place where it names one; None where that is its default."""
    if option.dest in start.open:
        value = _replacement_places(option, start.open[option.dest], varied)
    elif option.dest in start.shown:
        shown = start.shown[option.dest]
        stays = str(shown) in guards.words or _is_in_a_folder(option, shown, start)
        value = shown if stays else varied.kept(option, shown, start.workdir)
        if not _can_be_said(value):
            raise RefusedCommand("a value cannot be said")
        if str(value) == option.default and not _is_required(option):
            return None
    else:
        wish = varied.wish(option, None, start.workdir)
        value = None if wish is None else wish.value
    if value is None:
        raise RefusedCommand(f"no value is known for an option that is needed ({option.type})")
    return RequestedOption(option=option, value=value, documented=option.dest in start.shown)


def _is_in_a_folder(option: Option, shown: Any, start: Seed) -> bool:
    """Whether a bare name of a file stands beside a folder of input, to which the program joins it: another folder would undo that one."""
    if not isinstance(shown, str) or "/" in shown or not SUFFIX.search(shown):
        return False
    given = {**start.shown, **start.open}
    beside = (o for o in start.signature.options if o.dest in given and o.dest != option.dest and is_path(o))
    return any(
        not words_of(o) & OUTPUT_WORDS and isinstance(v := given[o.dest], str) and not SUFFIX.search(v) for o in beside
    )


def _replacement_places(option: Option, shown: Any, varied: ValueMaker) -> Any:
    """Places for placeholders, one or several."""
    if not isinstance(shown, list):
        return varied.place(option, shown)
    places = [varied.place(option, s) for s in shown]
    return None if None in places or len(set(places)) < len(places) else places


def _can_be_said(value: Any) -> bool:
    """Whether a value can stand in a sentence."""
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(
        isinstance(v, (bool, int, float)) or re.fullmatch(r"[^\"'`$\\<>\n]{1,80}", str(v)) for v in values
    )


def _add_shown(start: Seed, guards: Guards, found: dict[str, RequestedOption], varied: ValueMaker) -> None:
    """What the document gives besides, most of it with another value where that does no harm, up to what can be said."""
    shown = [o for o in usable(start.signature) if o.dest in start.shown and o.dest not in {*found, *guards.unused}]
    varied.random.shuffle(shown)
    for option in shown[: MOST - len(found)]:
        value = start.shown[option.dest]
        wish = varied.wish(option, value, start.workdir) if varied.random.random() < VARIED else None
        if wish is None or option.dest in guards.tested or not is_harmless(wish, found, guards, start.signature):
            if str(value) == option.default or not _can_be_said(value):
                continue
            wish = RequestedOption(option=option, value=value, documented=True)
        found[option.dest] = wish


def _undocumented_options(
    start: Seed, guards: Guards, found: Mapping[str, RequestedOption], random: Random
) -> list[Option]:
    """What may be asked for besides, though no document shows it."""
    taken = {*found, *start.shown, *start.open, *guards.tested, *guards.unused}
    hidden = [o for o in usable(start.signature) if o.dest not in taken and (o.help or o.type != "str")]
    random.shuffle(hidden)
    return hidden


def usual(documented: Sequence[Seed]) -> list[Seed]:
    """Without those that lack what nearly all others of the entry point give: a line cut short, or another way through the program."""
    kept = []
    for seed in documented:
        same = [s for s in documented if s.key == seed.key]
        texts = {d for s in same for d in (*s.shown, *s.open)} - {*seed.shown, *seed.open}
        often = [
            d
            for d in texts & plainly_needed(seed)
            if sum(d in s.shown or d in s.open for s in same) >= USUAL * len(same)
        ]
        if len(same) < FEW or not often:
            kept.append(seed)
    return kept
