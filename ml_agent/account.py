"""The account: which of the user's values an answer uses, and where. It only advises; a right answer may do without a value.

A value counts as used wherever it stands: given to an option by any of its names, inside a list, a file's name, the script, the
subcommand, the folder, or as the default of an option that is left alone. What is in doubt counts as used.
"""

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice

import msgspec

from ml_agent.delivery.expectation import Judgement
from ml_agent.draft import Draft, LedgerEntry, LedgerStatus
from ml_agent.navigator import Workspace
from ml_agent.numbers import number
from ml_agent.request import Request, Value
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.own_cache import remembered
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.retrieval import tokenize
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.user_values import TRUTH, word_list

_NUMBERS = re.compile(r"(?<![\w.])[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+(?:\.\d+)?")
_SCALES = (Decimal(1), Decimal(1000), Decimal("0.001"), Decimal(1_000_000), Decimal("0.000001"), Decimal(1024))
"""Units in which the same amount may be asked for: thousands of images, milliseconds, gigabytes."""
_FEW_LETTERS = 2
_MOST_ALIKE = 4
"""Options of one value that are named."""
_LONGEST_WORD = 400
_MOST_WORDS = 3_000
"""So many words of an answer are looked at: no answer has more, but an example may."""
_MOST_SOURCE = 200_000
"""Characters of an entry point that are looked through."""
SPEAKS = frozenset({"echo", "printf", "true", "false", ":"})
"""Commands whose words set nothing, unless something reads what they say."""
_READ_BY_OTHERS = re.compile(r"(?<!\|)\|(?!\|)|[<>`(){}]")
_SEPARATOR = re.compile(r"(\|\||&&|[;&\n])")
_SPLIT = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{1,2}))?")
_WHOLE = 100
"""What the shares of a split make together: 80/20."""
_UNIT = re.compile(r"[\s-]{0,2}(?:[kMG]?Hz|bits?|[kKMGT]i?B)\b")
"""Units that say what a thing is like rather than what is to be done with it: "a 96 kHz recording", "on 16 GB"."""
_VARIES = re.compile(r"\*|\?+|\{[^{}\s]{0,40}\}|%\d{0,3}[ds]")
_PATTERN = re.compile(rf"(?:[\w.-]|{_VARIES.pattern}){{1,120}}")
_MOST_PARTS = 4
"""Of the name of several files, between what varies."""
_AND_SO_ON = re.compile(r"[\"'`)\s,]{0,3}(?:and so (?:on|forth)\b|etc\b|\.\.\.|…)")
"""What follows an example of many: "frame_000.png and so on"."""
_SPOKEN = (ast.Attribute, ast.BinOp, ast.List, ast.Tuple)
"""What people write as it stands in code, or nearly so: `net.head`, pi/8 of `np.pi / 8`, (0, 0) of `[0, 0]`."""
_MOST_SPOKEN = 2_000
"""Of these in one answer that are looked at: a list of data says no more."""
_MODULE = re.compile(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])")
_YEAR = re.compile(r"(?:19|20)\d\d")


class _Word(msgspec.Struct, frozen=True):
    """A word of an answer that may carry a value."""

    text: str
    where: str
    """The word with the option before it, or the line of code."""


def account(draft: Draft, request: Request, workspace: Workspace) -> tuple[LedgerEntry, ...]:
    """What became of each of the user's values in an answer, whoever wrote it; guesses that it does not use are left out."""
    return used_or_required(whole_account(draft, request, workspace))


def used_or_required(entries: Sequence[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The entries that concern the user: not the guesses that an answer does not use, nor the parts of a value that it uses as a whole."""
    kept = [one for one in entries if one.required or one.status != "not found"]
    return tuple(one for one in kept if not any(_is_part(one, other) for other in kept))


def _is_part(entry: LedgerEntry, other: LedgerEntry) -> bool:
    """Whether an entry is one word of a series that stands in the same place: "12" of "12 6"."""
    whole = other.text.split()
    return len(whole) > 1 and entry.text in whole and bool(entry.where) and entry.where == other.where


def with_rows_seen(draft: Draft, instruction: str, judgements: Sequence[Judgement]) -> Draft:
    """The draft, where a number that only says how many rows should come out is accounted for by a table that has them."""
    numbers = [number(text) for text in _NUMBERS.findall(instruction)]
    told = {str(one.expectation.rows): one for one in judgements if one.verdict == "delivered"}
    seen = {text: one for text, one in told.items() if numbers.count(number(text)) == 1}
    ledger = [
        msgspec.structs.replace(entry, status="honoured", where=seen[entry.value].said)
        if entry.status == "not found" and not entry.named and entry.value in seen
        else entry
        for entry in draft.ledger
    ]
    return msgspec.structs.replace(draft, ledger=tuple(ledger))


def whole_account(draft: Draft, request: Request, workspace: Workspace) -> tuple[LedgerEntry, ...]:
    """What became of each of the user's values in an answer, guesses that it does not use among them."""
    words = list(islice(_in_code(draft.text) if draft.kind == "python" else _in_commands(draft.text), _MOST_WORDS))
    words += [_Word(draft.workdir, f"the folder {draft.workdir}"), _Word(draft.entry, draft.entry)]
    alone = _left_alone(draft, workspace.index) if draft.kind == "bash" else []
    stated = [_certain(value, request.instruction) for value in request.values if value.kind != "switch" or value.name]
    placed = _places_of(draft, words)
    entries = [
        _entry_by_place(value, placed) or _entry_of_switch(value, words, alone) or _entry(value, words, alone)
        for value in stated
    ]
    entries = [
        _entry_of_output(value, draft) or _entry_of_fixed(value, draft, workspace.index) or one
        if one.status == "not found"
        else one
        for value, one in zip(stated, entries, strict=True)
    ]
    distinct = {(entry.value, entry.text, entry.where): entry for entry in reversed(entries)}
    return tuple(reversed(distinct.values()))


def _places_of(draft: Draft, words: Sequence[_Word]) -> dict[int, str]:
    """By the place in the request where a value begins: what it set, as far as that stands in the answer."""
    said = {word.text for word in words}
    return {
        start: one.where
        for one in draft.placements
        if one.where.split()[:1] and one.where.split()[0] in said
        for start in one.starts
    }


def _entry_by_place(value: Value, placed: Mapping[int, str]) -> LedgerEntry | None:
    where = placed.get(value.start) if value.start >= 0 else None
    return _entry_of(value, "honoured", where) if where else None


def _entry_of_switch(value: Value, words: Sequence[_Word], alone: Sequence[Option]) -> LedgerEntry | None:
    """What became of a yes or no that the user gave an option by name, where that is a switch; None where it is none."""
    on = TRUTH.get(value.value.lower()) if value.name else None
    if on is None:
        return None
    name = _letters(value.name)
    if on:
        where = next((word.where for word in words if word.text.startswith("-") and _letters(word.text) == name), "")
        return _entry_of(value, "honoured", where) if where else None
    left = next((one for one in alone if one.switch and name in map(_letters, (one.dest, *one.flags))), None)
    return _entry_of(value, "default", f"{max(left.flags, key=len, default=left.dest)} left out") if left else None


def _entry(value: Value, words: Sequence[_Word], alone: Sequence[Option]) -> LedgerEntry:
    where = _option_of(value, words) or next((word.where for word in words if _is_whole(word.text, value)), "")
    where = where or next((word.where for word in words if _carries(word.text, value)), "")
    if where:
        return _entry_of(value, "honoured", where)
    option = next((option for option in alone if _is_default(option, value)), None)
    if option is not None:
        return _entry_of(value, "default", f"{max(option.flags, key=len, default=option.dest)} {option.default}")
    return _entry_of(value, "not found", "")


def _option_of(value: Value, words: Sequence[_Word]) -> str:
    """The option that is given a number; of several that are given the same one that is named beside it, else all of them."""
    if value.kind != "number":
        return ""
    given = list(
        dict.fromkeys(word.where for word in words if word.where.startswith("-") and _is_whole(word.text, value))
    )
    said = {token for word in (*value.words, value.name) for token in tokenize(word)}
    named = [where for where in given if said & set(tokenize(where.split()[0]))]
    return " or ".join((named if len(named) == 1 else given)[:_MOST_ALIKE])


def _entry_of_output(value: Value, draft: Draft) -> LedgerEntry | None:
    """The entry of a file that the answer says it makes, however its name comes about; the run shows whether it does."""
    if value.kind != "path":
        return None
    made = [posixpath.normpath(path) for one in draft.outputs for path in (one.path, f"{draft.workdir}/{one.path}")]
    return _entry_of(value, "honoured", "outputs") if posixpath.normpath(value.value) in made else None


def _entry_of_fixed(value: Value, draft: Draft, index: RepoIndex) -> LedgerEntry | None:
    """The entry of a file's name that the entry point itself has as a literal and takes by no option; None where it has none."""
    if value.kind != "path" or not value.value or draft.kind != "bash" or not draft.entry.endswith(".py"):
        return None
    if any(_is_default(option, value) for one in index.signatures.get(draft.entry, ()) for option in one.options):
        return None
    tree = parse_python(read_text(index.root / draft.entry, _MOST_SOURCE))
    nodes = ast.walk(tree) if tree is not None else ()
    lines = (node.lineno for node in nodes if isinstance(node, ast.Constant) and node.value == value.value)
    line = next(lines, None)
    return _entry_of(value, "default", f"{draft.entry}:{line}") if line else None


def _entry_of(value: Value, status: LedgerStatus, where: str) -> LedgerEntry:
    return LedgerEntry(
        value=value.value,
        text=value.text,
        status=status,
        where=where,
        required=value.required,
        named=bool(value.name),
        exact=bool(value.name) or value.kind in ("path", "text") or value.text[:1] in "\"'`",
    )


def _certain(value: Value, instruction: str) -> Value:
    """The value, as a guess where the wording is not that of a value."""
    unit = _UNIT.match(instruction, value.end) or _UNIT.search(value.text)
    described = value.kind == "number" and value.end > 0 and unit is not None
    exemplary = value.end > 0 and _AND_SO_ON.match(instruction, value.end) is not None
    required = value.required and _is_value(value) and not described and not exemplary
    return msgspec.structs.replace(value, required=required)


def _is_value(value: Value) -> bool:
    """Whether the wording is that of a value: not a plain word that only describes, a year in a name, or a part ("a third of").

    What the user quoted, spelled with digits or marks, or gave by name is one.
    """
    if value.name or value.kind in {"path", "text"}:
        return True
    if value.kind == "number":
        spelled_out = not any(letter.isdigit() for letter in value.text)
        part_of = spelled_out and "." in value.value
        return not part_of and not _YEAR.fullmatch(value.text)
    return not value.text.isalpha() or not value.text.islower()


def _is_whole(word: str, value: Value) -> bool:
    """Whether a word of an answer is the value, or one of those that it gives: what only holds it as a part comes after these."""
    if value.kind == "switch" or len(word) > _LONGEST_WORD:
        return False
    parts = (word, *re.split(r"[\s=,()\[\]'\"]+", word))
    wanted = number(value.value) if value.kind == "number" else None
    if wanted is not None:
        return any(number(part) == wanted for part in parts)
    return any(_letters(part) == _letters(value.value) != "" for part in parts)


def _carries(word: str, value: Value) -> bool:
    """Whether a word of an answer is the value, or has it as a part."""
    if value.kind == "switch":
        return _letters(value.name) in _letters(word)
    if value.kind == "number":
        return all(_has_number(word, part, value) for part in value.value.split())
    if shares := _shares(value.value):
        return any(number(text) in (one, one / _WHOLE) for text in _NUMBERS.findall(word) for one in shares)
    wanted, said = _letters(value.value), _letters(word)
    if not wanted:
        return value.value.rstrip("/") == word.rstrip("/")
    if value.kind == "path":
        return wanted == said or _is_file_of(value.value, word) or _is_imported(value.value, word)
    if wanted == said or (len(wanted) > _FEW_LETTERS and wanted in said):
        return True
    parts = [_letters(part) for part in re.split(r"[\s/_-]+", value.value) if _letters(part)]
    return len(parts) > 1 and any(_follow_each_other(parts, piece) for piece in word.split())


def _shares(text: str) -> tuple[Decimal, ...]:
    """The parts of a split into hundredths, "80/20"; () for anything else."""
    split = _SPLIT.fullmatch(text)
    parts = tuple(Decimal(part) for part in split.groups() if part) if split else ()
    return parts if sum(parts) == _WHOLE else ()


def _follow_each_other(parts: Sequence[str], piece: str) -> bool:
    """Whether all parts stand in a piece without blanks in their order, others between them; numbers each as a whole."""
    if all(part.isdigit() for part in parts):
        return re.search(r"(?<!\d)" + r"\D[^\s]*?(?<!\d)".join(parts) + r"(?!\d)", piece) is not None
    text, at = _letters(piece), 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _is_file_of(path: str, word: str) -> bool:
    """Whether a word names a file or folder: the whole path stands in it, or its last part is one of the word's."""
    bare = path.rstrip("/")
    name = posixpath.basename(bare).lower()
    parts = re.split(r"[/\s=,:'\"()\[\]{}]+", word.lower())
    return re.search(rf"(?<![\w./-]){re.escape(bare)}(?![\w-])(?!\.\w)", word) is not None or (
        len(name) > _FEW_LETTERS
        and (name in parts or any(one.endswith(f"*.{name}") for one in parts) or _is_one_of_many(name, word.lower()))
    )


def _is_one_of_many(name: str, word: str) -> bool:
    """Whether a word names several files, among them this one: `frame_*.png`, `f"frame_{k:03d}.png"`, `frame_%03d.png`."""
    for pattern in _PATTERN.findall(word):
        fixed = _VARIES.split(pattern)
        told = sum(map(str.isalnum, "".join(fixed))) > _FEW_LETTERS
        if 1 < len(fixed) <= _MOST_PARTS and told and re.fullmatch(r".{1,40}".join(map(re.escape, fixed)), name):
            return True
    return False


def _is_imported(path: str, line: str) -> bool:
    """Whether a line of code imports a file: "from tutorial_dataset import MyDataset" uses `tutorial_dataset.py`."""
    module = path.removeprefix("./").removesuffix(".py").replace("/", ".")
    return path.endswith(".py") and re.search(rf"\b(?:from|import)\s+{re.escape(module)}\b", line) is not None


def _has_number(word: str, amount: str, value: Value) -> bool:
    wanted = number(amount)
    if wanted is None:
        return amount in word
    found = [n for text in _NUMBERS.findall(word) if (n := number(text)) is not None]
    return any(n == wanted * scale for n in found for scale in _scales(value, wanted))


def _scales(value: Value, amount: Decimal) -> tuple[Decimal, ...]:
    """What a number may be counted in: hundreds for a share, thousands for what has thousands, anything for what has a unit."""
    if value.text.rstrip().endswith(("%", "cent")):
        return Decimal(1), Decimal("0.01")
    if any(word in word_list("measures") for word in value.words[:2]):
        return _SCALES
    return tuple(scale for scale in _SCALES if scale == 1 or (scale < 1 and abs(amount) >= 1 / scale))


def _is_default(option: Option, value: Value) -> bool:
    """Whether the value is what an option has anyway; a number only where a word of the wording says that it is this option."""
    if option.default is None or not _carries(option.default, value):
        return False
    if value.kind != "number":
        return _letters(option.default) == _letters(value.value)
    said = {token for word in (*value.words, value.name) for token in tokenize(word)}
    return bool(said & set(tokenize(f"{option.dest} {option.help}")))


@remembered(20_000)
def _letters(text: str) -> str:
    """Letters and digits only, lower case: "Long-term forecast" and "long_term_forecast" are the same."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _in_commands(text: str) -> Iterator[_Word]:
    """The words of all commands, each behind a flag with that flag; the whole text last, for what is in a here-document."""
    text = _without_speech(text)
    line_of_commands = parse_command(text)
    for call in line_of_commands.invocations:
        for name, given in call.environment:
            yield _Word(given, f"{name}={given}")
        yield _Word(call.name, call.name)
        flag = ""
        for word in call.words:
            is_flag = word.startswith("-") and number(word) is None
            yield _Word(word, word if is_flag or not flag else f"{flag} {word}")
            flag = word if is_flag and "=" not in word else ""
    said = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for comment in line_of_commands.comments:
        said = said.replace(comment, "")
    yield _Word(said, "the text of the command")


def _without_speech(text: str) -> str:
    """Commands without those that only say something, where nothing reads it."""
    if _READ_BY_OTHERS.search(text):
        return text
    parts = _SEPARATOR.split(text)
    spoken = [part for part in parts if part.split()[:1] and part.split()[0] in SPEAKS]
    if any(part.count(quote) % 2 for part in spoken for quote in "'\""):
        return text
    return "".join(part for part in parts if part not in spoken)


def _in_code(text: str) -> Iterator[_Word]:
    """The literals of Python code, each with its line, its other expressions, then its lines; comments say nothing."""
    lines = text.splitlines()
    tree = parse_python(text)
    if tree is None:
        yield from (_Word(line, line.strip()) for line in lines)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value is not None and not isinstance(node.value, bool):
            yield _Word(str(node.value), lines[node.lineno - 1].strip())
    for part in islice((node for node in ast.walk(tree) if isinstance(node, _SPOKEN)), _MOST_SPOKEN):
        plain = _MODULE.sub("", ast.unparse(part)) if isinstance(part, ast.BinOp) else ast.unparse(part)
        yield _Word(plain, lines[part.lineno - 1].strip())
    for line in ast.unparse(tree).splitlines():
        yield _Word(line, line.strip())


def _left_alone(draft: Draft, index: RepoIndex) -> list[Option]:
    """The options of the entry points that a command calls, as far as it does not give them."""
    found = []
    for call in parse_command(draft.text).invocations:
        signature = called(call, draft.workdir, index)
        if signature is not None:
            given = {word.partition("=")[0].lstrip("-").replace("-", "_") for word in call.words}
            names = {
                option.dest: {flag.lstrip("-").replace("-", "_") for flag in option.flags}
                for option in signature.options
            }
            found += [option for option in signature.options if not ({option.dest} | names[option.dest]) & given]
    return found


def declared(draft: Draft, index: RepoIndex) -> dict[str, str]:
    """Where each option of the entry points that a command calls is declared: FILE:LINE by flag."""
    if draft.kind != "bash":
        return {}
    found = (called(call, draft.workdir, index) for call in parse_command(draft.text).invocations)
    options = [option for signature in found if signature is not None for option in signature.options if option.line]
    return {flag: f"{option.path}:{option.line}" for option in options for flag in option.flags}


def entry_of(draft: Draft, workspace: Workspace) -> str:
    """The entry point that a command calls, as far as the repository knows it."""
    if draft.kind == "python":
        return ""
    calls = parse_command(draft.text).invocations
    found = (called(call, draft.workdir, workspace.index) for call in calls)
    return next((signature.path for signature in found if signature is not None), "")


def called(call: Invocation, workdir: str, index: RepoIndex) -> Signature | None:
    """The signature of what one command calls, of its subcommand where it has several; None where the repository has none."""
    folder = posixpath.normpath(posixpath.join(workdir or ".", call.folder or "."))
    if call.target == "module":
        path = call.name.replace(".", "/")
        paths = [posixpath.normpath(posixpath.join(folder, f"{path}{end}")) for end in (".py", "/__main__.py")]
    elif call.target == "console":
        paths = [one.path for one in index.entries if one.name == call.name]
    else:
        paths = [posixpath.normpath(posixpath.join(folder, call.name))]
    for path in paths:
        if path in index.signatures:
            known = index.signatures[path]
            own = [one for one in known if one.name == call.name] if call.target == "console" else known
            return choose(own, call.words)
    return None
