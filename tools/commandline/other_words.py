"""The words of a command line as fire, absl, click, OmegaConf and make, and plain scripts read them: one `read_…` for each."""

import re
from collections.abc import Mapping, Sequence

from ml_agent.tools.commandline.reader import BARE_VARIABLE, VARIABLE, ArgumentKind, Reader
from ml_agent.tools.launchers import HELP
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.nearest import nearest
from ml_agent.tools.signatures.words import match_places

# The words of a command line as fire reads them: flags anywhere, what is left by place, then members of the result.

FLAG = re.compile(r"^(?:--|-[A-Za-z])")


def read_fire(reader: Reader, words: list[str]) -> None:
    """Words up to `--`, behind which fire's own flags stand, and up to `-`, behind which the result is asked for more."""
    end = next((at for at, word in enumerate(words) if word in ("-", "--")), len(words))
    reader.unknown += words[end + 1 :]
    places: list[tuple[int, str]] = []
    unknown: list[str] = []
    at = 0
    while at < end:
        if FLAG.match(words[at]):
            at = _flag(reader, words[:end], at, unknown)
        else:
            places.append((at, words[at]))
            at += 1
    _take_subcommand(reader, places)
    level = len(reader.signature.subcommand)
    open_ones = [o for o in reader.signature.options if o.level == level and o.dest not in reader.values]
    _say(reader, unknown, _fill(reader, open_ones, places), asked="--" in words or any(word in HELP for word in words))


def _take_subcommand(reader: Reader, places: list[tuple[int, str]]) -> None:
    """The words of the subcommand, which are taken out of those that stand by place."""
    for name in reader.signature.subcommand:
        found = next((place for place in places if place[1] == name), None)
        if found is not None:
            places.remove(found)
            reader.take(found[0], found[0] + 1, kind="subcommand", values=(name,))


def _flag(reader: Reader, words: list[str], at: int, unknown: list[str]) -> int:
    """One flag and its value; returns where to go on."""
    flag, equals, value = words[at].partition("=")
    follows = not equals and at + 1 < len(words) and not FLAG.match(words[at + 1])
    option = _option(reader, flag, bare=not equals and not follows)
    values = (value,) if equals else (words[at + 1],) if follows else ()
    stop = at + 2 if follows else at + 1
    if option is None:
        unknown += [] if words[at] in HELP else [words[at]]
    elif values:
        reader.store(option, values)
    elif flag in option.negative_flags or option.nargs == "?":
        reader.store(option, [], flag)
    else:
        reader.values[option.dest] = True
    reader.take(at, stop, option=option, flag=flag, values=values, form="equals" if equals else "apart")
    return stop


def _option(reader: Reader, flag: str, *, bare: bool) -> Option | None:
    """The parameter that a flag names; one letter names the only one that begins with it."""
    name = flag.lstrip("-").replace("-", "_")
    named = {option.dest: option for option in reader.signature.options if option.flags}
    if name in named:
        return named[name]
    if bare and name.startswith("no") and name[2:] in named:
        return named[name[2:]]
    alike = [option for dest, option in named.items() if len(name) == 1 and dest.startswith(name)]
    return alike[0] if len(alike) == 1 else None


def _fill(reader: Reader, options: Sequence[Option], places: Sequence[tuple[int, str]]) -> list[str]:
    """Give words by place to options in order, the last of variable number the rest; returns those that are left."""
    counts = match_places([o.nargs if not o.flags else "?" for o in options], "A" * len(places))
    for option, count in zip(options, counts, strict=False):
        mine, places = places[:count], places[count:]
        if mine:
            reader.store(option, [word for _, word in mine])
        for at, word in mine:
            reader.take(at, at + 1, kind="place", option=option, values=(word,))
    return [word for _, word in places]


def _say(reader: Reader, unknown: list[str], left: list[str], *, asked: bool) -> None:
    """What nobody takes, and what is missing; a member of the result may take it, where there is one."""
    signature = reader.signature
    if asked:
        reader.unknown += [*unknown, *left]
        reader.tried |= {option.dest for option in signature.options}
    elif left and signature.chains:
        reader.unknown += [*unknown, *left]
        reader.cannot_tell(left[0], "the object that it returns may take it")
    else:
        for word in unknown:
            reader.note_unknown(word)
        if left:
            reader.note_too_many(left)
    variable = any(BARE_VARIABLE.match(word) or VARIABLE.search(word) for word in [*unknown, *left])
    for option in signature.options:
        if option.required and option.dest not in reader.values and option.dest not in reader.tried and not variable:
            message = f"{option.dest} is required by {signature.path}"
            reader.note("missing-required", message, None, option.flags[-1] if option.flags else option.dest)
    reader.tried |= {option.dest for option in signature.options}


_ABSL_OWN_VALUES = frozenset(
    [
        "flagfile",
        "undefok",
        "v",
        "verbosity",
        "log_dir",
        "stderrthreshold",
        "logger_levels",
        "profile_file",
        "test_srcdir",
        "test_tmpdir",
        "test_random_seed",
        "test_randomize_ordering_seed",
        "xml_output_file",
    ]
)
ABSL_OWN = _ABSL_OWN_VALUES | frozenset(
    [
        "help",
        "helpfull",
        "helpshort",
        "helpxml",
        "logtostderr",
        "alsologtostderr",
        "showprefixforinfo",
        "only_check_args",
        "pdb_post_mortem",
        "pdb",
        "run_with_pdb",
        "run_with_profiling",
        "use_cprofile_for_profiling",
    ]
)
"""Flags that every program has that uses absl, the first ones with a value."""


def read_absl(reader: Reader, words: list[str]) -> None:
    """--name value, --name=value, -name, --noname; what is left over is passed on to main.

    A program that reads its words itself may take files among them.
    """
    total = len(words)
    by_place = any(option.positional for option in reader.signature.options)
    places: list[tuple[int, str]] = []
    while words:
        start = total - len(words)
        word = words.pop(0)
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            if by_place:
                places.append((start, word))
                continue
            _absl_leftover(reader, [word, *words])
            break
        flag, equals, value = word.partition("=")
        option, values = _absl_flag(reader, word, words)
        reader.take(
            start, total - len(words), option=option, flag=flag, values=(value,) if equals else values,
            form="equals" if equals else "apart",
        )  # fmt: skip
    if by_place:
        _fill_places(reader, places)


def _absl_flag(reader: Reader, word: str, words: list[str]) -> tuple[Option | None, tuple[str, ...]]:
    """Store one flag; returns its option and the values that it took from the words behind it."""
    name, equals, value = word.lstrip("-").partition("=")
    option = reader.by_flag.get(f"--{name}") or reader.by_flag.get(f"-{name}")
    if option is None:
        if name in ABSL_OWN:
            reader.excused = reader.excused or name == "flagfile"
            takes = name in _ABSL_OWN_VALUES and not equals and bool(words)
            return None, (words.pop(0),) if takes else ()
        reader.note_unknown(word)
        loose = reader.signature.accepts_unknown and not equals and words and not words[0].startswith("-")
        return None, (words.pop(0),) if loose else ()
    if option.nargs == "?bool" and not equals:
        reader.store(option, [], f"--{name}")
        _absl_loose_bool(reader, option, name, words)
        return option, ()
    if f"--{name}" in option.negative_flags:
        reader.note("bad-type", f"--{name} takes no value", option, word)
        return option, ()
    if not equals and not words:
        reader.note("missing-value", f"--{name} needs a value", option, word)
        reader.tried.add(option.dest)
        return option, ()
    given = () if equals else (words.pop(0),)
    if given and option.joined:
        written = f"--{name}={given[0]}"
        message = f"{reader.signature.path} reads the value of --{name} only behind an equals sign: write {written}"
        reader.note("missing-value", message, option, word, written)
    reader.store(option, [value] if equals else given)
    return option, given


def _absl_leftover(reader: Reader, words: list[str]) -> None:
    """absl stops at the first word that belongs to no flag: what follows is not read at all."""
    reader.unknown += words
    ignored = [w for w in words if w.startswith("--") and len(w) > 2]
    message = f"{words[0]} is not the value of any flag of {reader.signature.path}"
    if ignored:
        message += f", and absl reads nothing after it: {' '.join(ignored[:3])} is ignored"
    reader.note("too-many-arguments", message, None, words[0], sure=bool(ignored))


def _absl_loose_bool(reader: Reader, option: Option, name: str, words: list[str]) -> None:
    """--flag False sets the flag to true and leaves the word over: hardly what is meant."""
    if words and words[0].lower() in ("false", "0", "f"):
        word = words[0]
        message = f"--{name} {word} sets it to true and ignores {word}; write --{name}={word}"
        reader.note("bad-type", message, option, word, f"--{name}={word}")


def read_click(reader: Reader, words: list[str]) -> None:
    """click: options take exactly their number of words; everything else is an argument or the subcommand."""
    total = len(words)
    places: list[tuple[int, str]] = []
    only_places = False
    while words:
        at = total - len(words)
        word = words.pop(0)
        if only_places or not word.startswith("-") or word == "-":
            places.append((at, word))
        elif word == "--":
            only_places = True
        else:
            _click_word(reader, at, word, words)
    _take_subcommand(reader, places)
    _fill_places(reader, places)


def _click_word(reader: Reader, at: int, word: str, words: list[str], *, glued: bool = False) -> None:
    """One option, or several short ones in one word."""
    flag, equals, value = word.partition("=")
    option = reader.by_flag.get(flag)
    joined = "equals"
    if option is None and not word.startswith("--") and len(word) > 2 and word[:2] in reader.by_flag:
        flag, value, joined = word[:2], word[2:], "attached"
        option = reader.by_flag[flag]
        if option.switch:
            reader.store(option, [], flag)
            reader.take(at, at + 1, option=option, flag=flag, glued=glued)
            _click_word(reader, at, "-" + value, words, glued=True)
            return
        equals = "="
    given = (value,) if equals else ()
    more = _click_option(reader, option, flag, word, given, words)
    reader.take(
        at, at + 1 + len(more), option=option, flag=flag, values=(*given, *more), form=joined if equals else "apart",
        glued=glued,
    )  # fmt: skip


def _click_option(
    reader: Reader, option: Option | None, flag: str, word: str, given: tuple[str, ...], words: list[str]
) -> tuple[str, ...]:
    """Store one option; returns the values that it took from the words behind it."""
    if option is None:
        if word not in HELP:
            reader.note_unknown(word)
        return ()
    if option.switch:
        if given:
            reader.note("bad-type", f"{flag} takes no value", option, word, flag)
        reader.store(option, [], flag)
        reader.excused = reader.excused or option.ends
        return ()
    count = int(option.nargs) if option.nargs is not None and option.nargs.isdigit() else 1
    more: list[str] = []
    while len(given) + len(more) < count and words:
        more.append(words.pop(0))
    if len(given) + len(more) < count:
        reader.note("missing-value", f"{flag} needs {count} value{'s' if count > 1 else ''}", option, flag)
        reader.tried.add(option.dest)
    else:
        reader.store(option, [*given, *more], flag)
    return tuple(more)


def _fill_places(reader: Reader, places: Sequence[tuple[int, str]]) -> None:
    """The positional arguments."""
    reader.note_too_many(_fill(reader, [o for o in reader.signature.options if o.positional], places))


def read_overrides(reader: Reader, words: list[str]) -> None:
    """key=value, as OmegaConf and make read it; hydra's own way is in `hydra_words`."""
    known: Mapping[str, Option] = {o.dest: o for o in reader.signature.options}
    for at, word in enumerate(words):
        key, equals, value = word.partition("=")
        option = known.get(key)
        given: tuple[str, ...] = (value,) if equals else ()
        kind: ArgumentKind = "option" if key.startswith("-") else "override"
        if key:
            reader.take(
                at, at + 1, kind=kind, option=option, flag=key, values=given, form="equals" if equals else "apart"
            )
        if option is not None and equals:
            reader.store(option, [value])
            continue
        reader.unknown.append(word)
        if not key.startswith("-"):
            _unknown_setting(reader, word, list(known))


def _unknown_setting(reader: Reader, word: str, known: list[str]) -> None:
    """A key that is not known; a whole table may be replaced."""
    key, equals, _ = word.partition("=")
    if any(k.startswith(key + ".") for k in known):
        return
    if not equals:
        reader.note("unknown-option", f"{word} is not of the form key=value", None, word, sure=False)
    else:
        reader.note_foreign("unknown-option", f"{reader.signature.path} has no setting {key}", key, nearest(key, known))


def read_plain(reader: Reader, words: list[str]) -> None:
    """By place; the options of a shell script's getopts as click reads its own."""
    if any(option.flags for option in reader.signature.options):
        read_click(reader, words)
    else:
        _fill_places(reader, list(enumerate(words)))
