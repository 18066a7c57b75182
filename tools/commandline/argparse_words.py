"""The words of a command line as argparse reads them."""

from collections.abc import Sequence

from ml_agent.tools.commandline.reader import Reader
from ml_agent.tools.launchers import HELP, is_short_for_help
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.nearest import nearest_flag
from ml_agent.tools.signatures.words import NEGATIVE_NUMBER, match_places


class ArgparseWords:
    """argparse's own way: words are options (O) or not (A), and patterns of these say which argument gets what."""

    def __init__(self, reader: Reader, words: list[str]) -> None:
        self.reader = reader
        self.signature = reader.signature
        self.words = words
        self.numbers_are_options = any(NEGATIVE_NUMBER.match(f) for f in reader.by_flag)
        self.subcommands = list(self.signature.subcommand)
        self.kinds = ""
        self.matches: dict[int, tuple[Option | None, str, str | None]] = {}
        self.skipped: set[int] = set()
        """Words that are taken for the value of an unknown option."""
        self.glued: set[int] = set()
        """Words of which a flag was read already."""
        self._classify()
        named = {option.dest for option, _, _ in self.matches.values() if option is not None}
        self.pending = [o for o in self.signature.options if o.positional or (o.by_place and o.dest not in named)]

    def _classify(self) -> None:
        for place, word in enumerate(self.words):
            if word == "--":
                self.kinds += "-" + "A" * (len(self.words) - place - 1)
                return
            found = self._optional(word)
            self.kinds += "A" if found is None else "O"
            if found is not None:
                self.matches[place] = found

    def _optional(self, word: str) -> tuple[Option | None, str, str | None] | None:
        """(option, flag, explicit value) for a word that is an option, None for one that is not."""
        if not word.startswith("-") or len(word) == 1:
            return None
        if word in self.reader.by_flag:
            return self.reader.by_flag[word], word, None
        if word in HELP:
            return None, word, None
        flag, equals, value = word.partition("=")
        if equals and flag in self.reader.by_flag:
            return self.reader.by_flag[flag], flag, value
        found = self._expand(word, flag, value if equals else None)
        if len({id(o) for o, _, _ in found}) > 1 or len(found) > 1:
            names = ", ".join(f for _, f, _ in found)
            self.reader.note("unknown-option", f"{flag} could be any of {names}", None, flag, found[0][1])
            return None, word, None
        if found:
            self._tell_short(flag, *found[0][:2])
            return found[0]
        if NEGATIVE_NUMBER.match(word) and not self.numbers_are_options:
            return None
        return None if " " in word else (None, word, None)

    def _tell_short(self, written: str, option: Option, flag: str) -> None:
        """The program accepts a flag that is cut short; whoever mistyped another one wants to know how it is read."""
        if flag.startswith(written) and flag != written and written.startswith("--") and not option.ends:
            message = f"{written} is accepted as short for {flag}"
            self.reader.note("abbreviated-option", message, option, written, flag, sure=False)

    def _expand(self, word: str, flag: str, value: str | None) -> list[tuple[Option, str, str | None]]:
        known = self.reader.by_flag
        found: list[tuple[Option, str, str | None]] = []
        if word[1] == "-":
            if self.signature.allow_abbrev:
                found = [(o, f, value) for f, o in known.items() if f.startswith(flag)]
            return found
        for name, option in known.items():
            if name == word[:2]:
                found.append((option, name, word[2:]))
            elif self.signature.allow_abbrev and name.startswith(flag):
                found.append((option, name, value))
        return found

    def read(self) -> None:
        """Give every word its place."""
        place = 0
        while place < len(self.words) and not self.reader.excused:
            if place in self.skipped:
                place += 1
                continue
            following = min((p for p in self.matches if p >= place), default=len(self.words))
            if place < following:
                taken = self._positionals(place)
                place += taken
                if taken == 0 and place < following:
                    self.reader.note_too_many(without_dashes(self.words[place:following]))
                    place = following
                if place < following:
                    continue
            if place in self.matches:
                place = self._option(place)
        if not self.reader.excused:
            self._positionals(place)

    def _positionals(self, place: int) -> int:
        """Fill positional arguments from here; returns how many words they took."""
        ready = [o for o in self.pending if o.level == self._level()]
        counts = match_places([_by_place(o) for o in ready], self.kinds[place:])
        at = place
        for option, count in zip(ready, counts, strict=False):
            if option.by_place and count == 0:  # a later word may be meant for it
                continue
            words = self.words[at : at + count]
            words = words if option.nargs == "..." else without_dashes(words)
            if words or option.nargs not in ("?", "*", "..."):
                self.reader.store(option, words)
            self._take_places(option, at, at + count)
            at += count
            self.pending.remove(option)
        if len(counts) == len(ready) and self.subcommands and self.kinds[at : at + 1] == "A":
            name = self.subcommands.pop(0)
            if self.words[at] != name:
                self.reader.note(
                    "bad-choice",
                    f"{self.words[at]} is not a subcommand of {self.signature.path}",
                    None,
                    self.words[at],
                    name,
                )
            self.reader.take(at, at + 1, kind="subcommand", values=(self.words[at],))
            at += 1
        return at - place

    def _take_places(self, option: Option, start: int, stop: int) -> None:
        """The words of a positional argument, with a `--` among them apart."""
        for at in range(start, stop):
            if self.kinds[at] == "-":
                if at > start:
                    self.reader.take(start, at, kind="place", option=option, values=tuple(self.words[start:at]))
                self.reader.take(at, at + 1, kind="dashes", values=("--",))
                start = at + 1
        if stop > start:
            self.reader.take(start, stop, kind="place", option=option, values=tuple(self.words[start:stop]))

    def _option(self, place: int) -> int:
        option, flag, value = self.matches.pop(place)
        if option is not None and option.ends and value is None and option.level == self._level():
            self._end(place, flag)
            return place + 1
        if option is None or option.ends:
            self._unknown(place)
            return place + 1
        if value is not None:
            return self._explicit(place, option, flag, value)
        rest = self.kinds[place + 1 :]
        nargs = "0" if flag in option.negative_flags else option.nargs
        counts = match_places([nargs], rest, optional=True)
        if not counts:
            wanted = {None: "a value", "+": "at least one value", "1": "a value"}.get(
                option.nargs, f"{option.nargs} values"
            )
            self.reader.note("missing-value", f"{flag} needs {wanted}", option, flag)
            self.reader.tried.add(option.dest)
            self._take(place, option, flag)
            return place + 1
        words = without_dashes(self.words[place + 1 : place + 1 + counts[0]])
        self.reader.store(option, words, flag)
        self._take(place, option, flag, words)
        return place + 1 + counts[0]

    def _take(self, place: int, option: Option | None, flag: str, words: Sequence[str] = ()) -> None:
        """An option with its values in words of their own; an abbreviation as it is written."""
        glued = place in self.glued
        written = flag if glued else self.words[place]
        self.reader.take(place, place + 1 + len(words), option=option, flag=written, values=tuple(words), glued=glued)

    def _take_joined(self, place: int, option: Option | None, flag: str, value: str) -> None:
        """An option with its value in the same word."""
        word = self.words[place]
        attached = place in self.glued or (len(flag) == 2 and word == flag + value)
        written = flag if attached else word.partition("=")[0]
        self.reader.take(
            place, place + 1, option=option, flag=written, values=(value,), form="attached" if attached else "equals",
            glued=place in self.glued,
        )  # fmt: skip

    def _unknown(self, place: int) -> None:
        word = self.words[place]
        if word in HELP or (self.signature.allow_abbrev and is_short_for_help(word)):
            self._end(place, word)
            return
        if not any(f.subject == self.words[place].partition("=")[0] for f in self.reader.findings):
            self.reader.note_unknown(self.words[place])
        flag, equals, value = self.words[place].partition("=")
        if equals:
            self._take_joined(place, None, flag, value)
            return
        following = place + 1
        loose = not any(o.level == self._level() for o in self.pending)
        count = len(self.words) if loose else self._values_of_meant(place, flag)
        while following - place <= count and self.kinds[following : following + 1] == "A":
            self.reader.unknown.append(self.words[following])
            self.skipped.add(following)
            following += 1
        self._take(place, None, flag, self.words[place + 1 : min(following, place + 2)])

    def _values_of_meant(self, place: int, flag: str) -> int:
        """How many words are the value of an unknown flag that is surely wrong: those that the flag which is meant takes."""
        meant = self.reader.by_flag.get(nearest_flag(flag, self.reader.by_flag)) if self.signature.whole else None
        if meant is None or meant.level != self._level():
            return 0
        return sum(match_places([meant.nargs], self.kinds[place + 1 :], optional=True))

    def _end(self, place: int, flag: str) -> None:
        """The program says something and ends: argparse refuses words that it does not know only after the last one."""
        kept = [f for f in self.reader.findings if f.code not in ("unknown-option", "too-many-arguments")]
        self.reader.findings[:] = kept
        self.reader.excused = True
        self._take(place, None, flag)

    def _level(self) -> int:
        """How many subcommand words were read."""
        return len(self.signature.subcommand) - len(self.subcommands)

    def _explicit(self, place: int, option: Option, flag: str, value: str) -> int:
        single = len(flag) == 2
        while option.nargs == "0" and single and value:
            self.reader.store(option, [], flag)
            self.reader.take(place, place + 1, option=option, flag=flag, glued=place in self.glued)
            self.glued.add(place)
            flag, value = flag[0] + value[0], value[1:]
            following = self.reader.by_flag.get(flag)
            if flag in HELP or (following is not None and following.ends):
                self._end(place, flag)
                return place + 1
            if following is None:
                self.reader.note_unknown(self.words[place])
                self.reader.take(place, place + 1, flag=flag + value, glued=True)
                return place + 1
            option = following
            if not value:
                self.matches[place] = (option, flag, None)
                return self._option(place)
        if option.nargs == "0":
            self.reader.note("bad-type", f"{flag} takes no value", option, self.words[place], flag)
        elif (option.nargs or "").isdigit() and option.nargs != "1":
            self.reader.note("missing-value", f"{flag} needs {option.nargs} values", option, flag)
        self.reader.store(option, [value], flag)
        self._take_joined(place, option, flag, value)
        return place + 1


def _by_place(option: Option) -> str | None:
    """How many words an argument takes by place; one that may be named as well needs none there."""
    needed = option.required and option.nargs != "0"
    return option.nargs if needed or option.nargs == "*" or not option.by_place else "?"


def without_dashes(words: list[str]) -> list[str]:
    """An argument's words without the double dash that separates; a second one is a value."""
    if "--" not in words:
        return words
    place = words.index("--")
    return words[:place] + words[place + 1 :]
