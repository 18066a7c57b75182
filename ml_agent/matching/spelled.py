"""The options that a user spells, with the values behind them."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.matching.mentions import ParsedRequest, SpelledOption
from ml_agent.matching.slots import TRUTH, Slot
from ml_agent.values.lexer import IN_QUOTES, is_path, unquoted
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number


class FilledSlot(msgspec.Struct, frozen=True):
    """A slot with what goes there."""

    slot: int
    values: tuple[str, ...]
    score: float
    """Log-odds that it belongs there; high for what the user spells."""
    reason: str
    starts: tuple[int, ...] = ()
    text: str = ""


def spelled_slots(statement: ParsedRequest, slots: Sequence[Slot]) -> tuple[list[FilledSlot], list[SpelledOption]]:
    """The options that the user spells, taken as they stand."""
    by_flag = _places_by_flag(slots)
    found: list[FilledSlot] = []
    unknown: list[SpelledOption] = []
    for one in (*statement.spelled, *_spelled_settings(statement, slots), *_labels(statement, slots)):
        known = by_flag.get(one.name)
        if known is None and (len(one.name) > 2 or not one.name.startswith("-")):
            known = by_flag.get(one.name.replace("_", "-").lstrip("-"))
        if known is None:
            unknown.append(one)
            continue
        values, start, end = _value_of(statement, one, slots[known])
        if values:
            found.append(
                FilledSlot(known, values, _SPELLED, f"spelled as {one.name}", (start,), statement.text[start:end])
            )
    paired = _pair_settings(statement, slots, unknown, {one.slot for one in found})
    said = {start for one in paired for start in one.starts}
    return [*found, *paired], [one for one in unknown if one.start not in said]


_SPELLED = 20.0
"""Log-odds of what the user spells."""


def _pair_settings(
    statement: ParsedRequest, slots: Sequence[Slot], unknown: Sequence[SpelledOption], filled: set[int]
) -> list[FilledSlot]:
    """Settings that no option is called by, in the slot for such pairs: the only one, or the only one that is seen with this key."""
    takers = [place for place, slot in enumerate(slots) if slot.separator == "=" and place not in filled]
    words: dict[int, list[SpelledOption]] = {}
    for one in unknown:
        if takers and one.joined and one.start >= 0 and not one.name.startswith("-"):
            known = [place for place in takers if any(text.startswith(f"{one.name}=") for text in slots[place].seen)]
            meant = known if len(takers) > 1 else takers
            if len(meant) == 1:
                words.setdefault(meant[0], []).append(one)
    return [
        FilledSlot(place, tuple(f"{one.name}={unquoted(one.joined)}" for one in several), _SPELLED, "spelled as a pair",
               tuple(one.start for one in several), max((statement.text[one.start : one.end] for one in several), key=len))
        for place, several in words.items()
    ]  # fmt: skip


_SETTING = re.compile(r"(?<![\w./-])[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,8}(?![\w/]|\.\w|\s*+[=:]\S)")


def _spelled_settings(statement: ParsedRequest, slots: Sequence[Slot]) -> Iterator[SpelledOption]:
    """Options without dashes that stand in the request by a name that is no common word: "SOLVER.BASE_LR 0.1", "optim.max_epoch to 90"."""
    keys = [slot.option for slot in slots if slot.option.within or not slot.option.flags]
    known = {key.dest for key in keys if re.search(r"[._]", key.dest) or (key.within and not key.dest.islower())}
    for match in _SETTING.finditer(statement.text) if known else ():
        if match[0] in known:
            end = match.end() + (statement.text[match.end() : match.end() + 1] in {"`", "'", '"'})
            yield SpelledOption(name=match[0], following=statement.text[end : end + 160], start=match.start(), end=end)


_LABEL = re.compile(
    r"(?<![\w./:-])(?P<name>[A-Za-z][\w-]{1,40}):[ \t]+(?P<value>[\w./~'\"-][^\s,;]*)(?=[,;]|\s*\n|\s*$)"
)


def _labels(statement: ParsedRequest, slots: Sequence[Slot]) -> Iterator[SpelledOption]:
    """Options that are written as labels, by their whole names: "backbone: swin, epochs: 3"."""
    labels = list(_LABEL.finditer(statement.text))
    known = _places_by_flag(slots) if labels else {}
    for match in labels:
        name = match["name"].replace("_", "-") if match["name"] not in known else match["name"]
        if name in known and not slots[known[name]].boolean:
            value = match["value"].rstrip(".,;").strip("'\"")
            yield SpelledOption(name=name, following="", start=match.start(), end=match.end(), joined=value)


def _places_by_flag(slots: Sequence[Slot]) -> dict[str, int]:
    """By spelling, with its dashes and without: the slot; one without flags is spelled by its name."""
    found: dict[str, int] = {}
    for place, slot in enumerate(slots):
        for flag in (*slot.option.flags, *slot.option.negative_flags):
            found.setdefault(flag, place)
            found.setdefault(flag.replace("_", "-").lstrip("-"), place)
        if not slot.option.flags:
            found.setdefault(slot.option.dest, place)
    return found


def _value_of(statement: ParsedRequest, one: SpelledOption, slot: Slot) -> tuple[tuple[str, ...], int, int]:
    """What a spelled option is given, and where the two together begin and end."""
    bare = str(one.name not in slot.option.negative_flags)
    if one.joined:
        said = unquoted(one.joined)
        on = TRUTH.get(said.lower()) if slot.option.switch else None
        return (said if on is None else str(on == (bare == "True")),), one.start, one.end
    if slot.option.switch:
        return (bare,), one.start, one.end
    values, length = _entries(one.following, slot) if slot.several else ((), 0)
    if not values:
        values, length = _following(one.following, slot)
    if slot.boolean:
        typed = values and (values[0].lower() in TRUTH or (slot.binary and number(values[0]) is not None))
        return (_as_usual(values, slot), one.start, one.end + length) if typed else ((bare,), one.start, one.end)
    start = one.start if _DIRECTLY.match(one.following) else _ahead(statement, one, slot)
    if start < one.start:
        return (statement.text[start : one.start].strip(),), start, one.end
    return values, one.start, one.end + length


_SAID = {"on": "true", "yes": "true", "enabled": "true", "off": "false", "no": "false", "disabled": "false"}


def _as_usual(values: tuple[str, ...], slot: Slot) -> tuple[str, ...]:
    """ "On" and "no" as a setting writes them whose default is `True` or `false`: not every program reads words."""
    usual, said = slot.option.default or "", _SAID.get(values[0].lower(), "")
    if not said or usual.lower() not in {"true", "false"}:
        return values
    return (said.capitalize() if usual[0].isupper() else said,)


def is_whole(placed: FilledSlot) -> bool:
    """Whether nothing is missing from the values that the user spelled: several that stand there, all of them numbers or all files."""
    kinds = {"number" if number(one) is not None else "file" if is_path(one) else "word" for one in placed.values}
    return len(placed.values) > 1 and kinds in ({"number"}, {"file"})


_DIRECTLY = re.compile(r"\s*+-?\d")
_AHEAD = re.compile(r"(?<![\w.,/=-])(?P<number>-?\d[\d.]*(?:e-?\d+)?)\s+$", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"(?<![\w-])--?[A-Za-z][\w.-]*\s+$")


def _ahead(statement: ParsedRequest, one: SpelledOption, slot: Slot) -> int:
    """Where the number right before an option that takes one begins, if it is not another option's: "3 --nodes of 4 GPUs each"."""
    if slot.option.type not in {"int", "float"} or one.start < 0:
        return one.start
    before = statement.text[max(0, one.start - _NEAR) : one.start]
    match = _AHEAD.search(before)
    is_own = match is not None and not _OF_ANOTHER.search(before[: match.start()])
    return one.start - len(before) + match.start() if match is not None and is_own else one.start


_NEAR = 60
_GOES_ON = frozenset({"and", "which", "that", "so", "the"})
_STEP = re.compile(rf"\s*+(?:(?:of|to|is|at|as|with|=|:)\s+)?(?P<word>{IN_QUOTES}|[^\s]+)")


def _following(text: str, slot: Slot) -> tuple[tuple[str, ...], int]:
    """The words of a spelled option's value, and how far they reach."""
    found: list[str] = []
    at = 0
    while match := _STEP.match(text, at):
        word = match["word"]
        if word.startswith("-") and number(word.rstrip(",.;)")) is None and found:
            break
        attached = match.start("word") == at
        if word[0] in ",;)" or (word[0] == "." and (attached or word.startswith("..."))):
            break  # the sentence ends, or goes on; "./x" and ".mp4" are values
        quoted = unquoted(word) != word
        bare = word if quoted or word in {".", ".."} or word.endswith("...") else word.rstrip(";:),.")
        goes_on = bare in _GOES_ON or (found and bare in {"with", "for", "or"})
        if not bare or goes_on or (not quoted and _is_no_value(bare, slot)):
            break
        found.append(unquoted(bare))
        at = match.end()
        if not slot.several or (not quoted and word != bare):
            break
    return tuple(found), at


def _is_no_value(word: str, slot: Slot) -> bool:
    """Whether a word goes on with the sentence: a common one, or letters where a number belongs."""
    if not word.isalpha() or word.lower() in TRUTH or word in slot.vocabulary:
        return False
    return word in words("stop") or (slot.option.type in {"int", "float"} and not slot.vocabulary)


_PLAIN_VALUE = re.compile(r"[\"'“‘«`\[{(]|[-.]?\d|[~./]|.*[/_\d.]|(?:True|False|None)$", re.IGNORECASE)
_NO_VALUE = frozenset(
    {"and", "or", "with", "for", "on", "in", "to", "which", "that", "so", "the", "a", "an", "is", "are"}
)
_VALUE_OF_ONE = re.compile(rf"(?:\s+(?:of|to|as|=))?\s+(?P<word>{IN_QUOTES}|[^\s]+)")


def kept_words(one: SpelledOption) -> tuple[tuple[str, ...], int]:
    """A spelled option that nothing is known of, as it is typed, and where it ends: with the word behind it, where that can only be its value."""
    if one.joined:
        return (f"{one.name}={unquoted(one.joined)}",), one.end
    match = _VALUE_OF_ONE.match(one.following)
    word = match["word"] if match else ""
    bare = word if unquoted(word) != word else word.rstrip(";:),.")
    closed = word != bare or (match is not None and not one.following[match.end() :].strip())
    if match is None or not bare or bare.lower() in _NO_VALUE or (bare.startswith("-") and number(bare) is None):
        return (one.name,), one.end
    if not (_PLAIN_VALUE.match(bare) or closed):
        return (one.name,), one.end
    return (one.name, unquoted(bare)), one.end + match.start("word") + len(bare)


_VALUE = rf"{IN_QUOTES}|[A-Za-z_][\w.]*\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|\{{[^}}]*\}}|[^\s,;]*[^\s,;.)]"
_PAIR = re.compile(
    rf"(?:\s*:)?(?:\s*,)?(?:\s+and\b)?\s+(?P<key>[A-Za-z_][\w.]*)(?:(?P<separator>[:=])(?=\S)|\s*[:=]\s*|\s+(?:(?:of|to|is)\s+)?)(?P<value>{_VALUE})"
)
_OF_A_PAIR = re.compile(r"[\d.-]|True\b|False\b|None\b|[\"'\[{]|\w[\w.]*\(")


def _entries(text: str, slot: Slot) -> tuple[tuple[str, ...], int]:
    """Keys with values for an option that takes `key:value`, by what its help or an example shows, and how far they reach."""
    found: list[str] = []
    at = 0
    while slot.separator and (match := _PAIR.match(text, at)):
        if "_" not in match["key"] and not _OF_A_PAIR.match(match["value"]):
            break
        found.append(f"{match['key']}{match['separator'] or slot.separator}{match['value']}")
        at = match.end()
    return tuple(found), at
