"""The values that a request states: numbers in digits and in words, quoted text, paths, names, options that are spelled, `--arg`.

`tokens_of` reads a sentence, `explicit_flags` finds the options that it spells, `user_values` says which values an answer must account for.
"""

import posixpath
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from ml_agent.numbers import digits_at, number, words_at
from ml_agent.request import Value, ValueKind

TokenKind = Literal["word", "number", "quoted", "path", "flag", "list", "name", "mark"]
TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
"""How a yes or no is given to a switch."""


@cache
def word_list(kind: str) -> frozenset[str]:
    """The words that `user_values.toml` lists under a name."""
    lists = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return frozenset(lists[kind].split())


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a sentence, with its place in it."""

    kind: TokenKind
    text: str
    value: str
    """As it would be typed: "half a million" is 500000, a quoted text is without its quotes."""
    start: int
    end: int
    in_words: bool = False
    """A number without digits: a guess where it is small."""


IN_QUOTES = r"""\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»"""
_QUOTED = (
    r"""(?<![\w'"`])(?P<q>['"`])(?P<body>(?!\s)(?:(?!(?P=q)(?![A-Za-z]))[^\n]){1,300})(?:(?<!\s)|(?<=[:,]\s))(?P=q)(?![A-Za-z0-9_])"""
    r"""(?P<suffix>\.[A-Za-z][A-Za-z0-9]{1,5}\b)?"""
)
_CURLED = r"[“‘](?P<curled>[^”’\n]{1,300})[”’]|«(?P<angled>[^«»\n]{1,300})»|„(?P<low>[^„“”\n]{1,300})[“”]"
_LIST = re.compile(
    r"[(\[]\s*-?\d+(?:\s*[,x×]\s*-?\d+)+\s*,?\s*[)\]]|(?<![\w/.@-])\d+(?:[x×]\d+){1,2}(?![\w/^⁻⁰¹²³⁴-⁹])|(?<![\w/.@-])\d+-\d+(?:,\d+(?:-\d+)?)*(?![\w/-])"
)
"""A shape "(3, 4)", a size "256x256", a range "0-3"."""
_COMMAS = re.compile(r"\d+(?:,\d+){1,999}(?![\d,]|\.\d|[A-Za-z_])")
_DOTTED = re.compile(r"\d{1,5}(?:\.\d{1,5}){2,5}(?::\d{1,5})?(?:\+\w+)?(?![\w+-]|\.\d)")
"""A version or an address, "3.4.1", "10.0.0.1:80": no number."""
_LETTER = r"[\w\u0300-\u036f]"
_PATH = (
    r"[\w.+@~-]{0,255}(?:/[\w.+@-]{1,255})*/[\w-]+=\d[\w.]*?(?:-[\w-]+=\d[\w.]*?)*\.[A-Za-z]{2,5}(?![\w=])|"
    r"(?:(?<=[\s('\"=:,])|^)(?:\.{1,2}/|~/|/(?=\w))[\w\u0300-\u036f./+*@${}-]*"
    r"|[\w\u0300-\u036f.+@${}-]{1,255}(?:/[\w\u0300-\u036f.+*@${}-]+)+/?|\.{1,2}/|(?!w/)[A-Za-z_][\w.-]{0,254}/(?=[\s,.;:)'\"]|$)"
    r"|(?<![\w/.*-])(?:[A-Za-z][\w-]{0,80})?\*[\w-]{0,80}(?:\.[A-Za-z]\w*)+(?![\w/*])"
)
"""With slashes, as trainers name checkpoints ("epoch=3-step=400.ckpt"), or as a pattern ("part-*.csv")."""
_NO_BLANKS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts whose sentences have none: where other letters begin, a name does."""
_FOREIGN_FILE = (
    rf"(?<![\w.+-])(?=[A-Za-z0-9_+-]*[^\x00-\x7f])(?:(?![{_NO_BLANKS}][A-Za-z]){_LETTER}|[+-])"
    rf"(?:(?![{_NO_BLANKS}][A-Za-z]){_LETTER}|[+-]|\.(?={_LETTER})){{0,255}}\.[A-Za-z][A-Za-z0-9]{{0,9}}(?![A-Za-z0-9_])(?!\.\w)"
)
_TOKEN = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<curl>{_CURLED})|(?P<url>[a-z][a-z0-9+]{{1,9}}://[^\s'\"<>]+)|(?P<flag>(?<![\w-])--?[A-Za-z][\w.-]*(?==|\b))"
    rf"|(?P<list>{_LIST.pattern})|(?P<path>{_PATH})|(?P<contracted>[A-Za-z]+['’](?:s|m|re|ve|d|ll|t)\b)|(?P<foreign>{_FOREIGN_FILE})"
    r"|(?P<word>[A-Za-z0-9_][A-Za-z0-9_+]*(?:[-.:@][A-Za-z0-9_+]+){0,63}(?:\(\))?)|(?P<mark>[^\sA-Za-z0-9_])"
)
_MINUS_SIGNS = str.maketrans("\u2010\u2011\u2212", "---")
_DASH = re.compile(r"(?<=\d)[\u2012\u2013](?=\d)|(?<![\w\u2013])\u2013(?=\d)")
_CODE = re.compile(
    r"`(?P<body>\s*-[^`\n]*|[A-Za-z_][\w.]*=[^`\n]*|[A-Za-z](?=\w{0,80}[._])[\w.]{1,120}+ [^\s`]{1,80})`"
)


def normal_text(text: str) -> str:
    """The text, as long as it was, with typed hyphens, and without the marks around options that are set as code: "`--lr 3e-4`"."""
    typed = _DASH.sub("-", text.translate(_MINUS_SIGNS))
    return _CODE.sub(lambda found: f" {found['body']}{';' if ' ' in found['body'].strip() else ' '}", typed)


@lru_cache(maxsize=256)
def tokens_of(text: str) -> tuple[Token, ...]:
    """All tokens of a text, in order; a number is one token however many words it takes ("half a million")."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _number_at(text, at) or _other_at(text, at)
        tokens.append(token)
        at = max(token.end, at + 1)
    return tuple(tokens)


def _token(kind: TokenKind, text: str, at: int, value: str | None = None, in_words: bool = False) -> Token:
    return Token(
        kind=kind, text=text, value=text if value is None else value, start=at, end=at + len(text), in_words=in_words
    )


def _number_at(text: str, at: int) -> Token | None:
    if at and (text[at - 1].isalnum() or text[at - 1] in "_/"):
        return None
    if (found := _COMMAS.match(text, at)) and _is_list(text, found):
        return _token("list", found[0], at)
    if found := _DOTTED.match(text, at):
        return _token("name", found[0], at)
    if not text[at].isalpha():
        digits = None if _LIST.match(text, at) else digits_at(text, at)
        return _token("number", text[at : digits.end], at, digits.value) if digits and _ends(text, digits.end) else None
    said = words_at(text, at)
    return _token("number", text[at : said.end], at, said.value, in_words=True) if said else None


def _is_list(text: str, found: re.Match[str]) -> bool:
    """Whether numbers with commas between are a list ("0,1,2", "seeds 85,265,297") and not one number ("300,000")."""
    grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", found[0]) is not None
    return not grouped or re.search(r"[a-z]s\s+$", text[: found.start()]) is not None


def _ends(text: str, end: int) -> bool:
    """Whether what follows leaves the digits a number: not "256p", "2048_crop", "5YH2.pdb", "1/2"; but "25-layer", "128."."""
    rest = text[end : end + 24]
    if re.match(r"\.(?=\d)|\.[A-Za-z]|[A-Za-z_/]", rest):
        return False
    return not rest.startswith("-") or bool(re.match(r"-(?:[A-Za-z]{3,}\b(?![-_]?\d)|\s)", rest))


def _other_at(text: str, at: int) -> Token:
    found = _TOKEN.match(text, at)
    assert found is not None  # what is no blank and begins nothing else is a mark
    kind, said = found.lastgroup, found[0]
    if kind == "quoted":
        # A blank behind a colon belongs to a prefix: "query: ".
        body = found["body"] if found["body"].endswith(": ") else found["body"].strip().rstrip(",;")
        return _token("quoted", said, at, body + (found["suffix"] or ""))
    if kind == "curl":
        return _token("quoted", said, at, (found["curled"] or found["angled"] or found["low"]).strip())
    if kind == "url":
        return _token("path", said.rstrip(".,;:!?)"), at)
    if kind == "flag":
        return _token("flag", said.rstrip(".-"), at)
    if kind == "list":
        return _token("list", said, at, re.sub(r"\s+", "", said).replace("×", "x"))
    if kind == "path":
        trimmed = said.rstrip(".,;:!?") if said not in {"./", "../"} else said
        return _token(
            "path" if is_path(trimmed) or "*" in trimmed else "word" if trimmed == "w/o" else "name", trimmed, at
        )
    if kind == "contracted":
        return _token("word", said, at, re.split("['’]", said)[0])
    return _word(said, at) if kind in {"word", "foreign"} else _token("mark", said, at)


def _word(text: str, at: int) -> Token:
    bare = text.removesuffix("()")
    if is_file_name(bare):
        return _token("path", text, at, bare)
    if _is_odd(bare):
        return _token("name", text, at, bare)
    if "." in bare:
        joined = re.search(r"\.[A-Z]", bare)  # a missing blank after a full stop: "the data.The model"
        return _token("word", bare.split(".")[0], at) if joined else _token("path", text, at, bare)
    return _token("word", text, at, bare)


def _is_odd(text: str) -> bool:
    """Whether a word is spelled as only names are: "wn18rr", "IF-I-L-v1.0", "wiki_cs", "TimesNet", "MICN"."""
    if not re.search("[A-Za-z]", text):
        return False
    capitals = [(part[:1], sum(letter.isupper() for letter in part)) for part in re.split("[-.:]", text)]
    return re.search(r"[\d_]", text) is not None or any(
        n > 1 or (n == 1 and not first.isupper()) for first, n in capitals
    )


def is_path(text: str) -> bool:
    """Whether a text with slashes is a path: "data/amazon" and "./x" are, "and/or" is not."""
    if "/" not in text:
        return is_file_name(text)
    if text.startswith(("./", "../", "/", "~", "$")) or text.endswith("/"):
        return True
    parts = text.split("/")
    return len(parts) > 2 or is_file_name(parts[-1]) or any(re.search(r"[\d_.-]", part) for part in parts)


def is_file_name(text: str) -> bool:
    """Whether a word ends like a file name: "cov19.fasta"."""
    stem, dot, extension = text.rpartition(".")
    return bool(dot and stem) and extension.lower() in word_list("extensions")


_PLAIN = re.compile(r"[\w./~*?+@%{}$-]+")
_NO_NAME = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|[|<>;&=\n]|://")
"""Of a command, an address or code, and not of a file that people name."""
_FOLDER_BEFORE = re.compile(r"\b(?:folder|directory|dir)\s+(?:(?:called|named)\s+)?$", re.IGNORECASE)
_FOLDER_BEHIND = re.compile(r"\s+(?:folder|directory)\b", re.IGNORECASE)


def quoted_paths(text: str) -> Iterator[Token]:
    """What is quoted and is one file or folder, where no word alone is its name: "out dir/best ü.json", the folder "my results"."""
    for token in tokens_of(text) if any(sign in text for sign in "\"'`“‘«„") else ():
        odd = token.kind == "quoted" and not _PLAIN.fullmatch(token.value) and not _NO_NAME.search(token.value)
        parts = token.value.split()
        one_file = is_file_name(posixpath.basename(token.value)) and not any(map(is_file_name, parts[:-1]))
        if odd and (one_file or is_quoted_folder(text, token)):
            yield token


def is_quoted_folder(text: str, token: Token) -> bool:
    """Whether what is quoted is a folder: by its slash, or by the noun beside it."""
    beside = _FOLDER_BEFORE.search(text[: token.start]) or _FOLDER_BEHIND.match(text, token.end)
    return token.value.endswith("/") or (beside is not None and not is_file_name(token.value))


# Options that the user spells.

_FLAG = re.compile(rf"(?<![\w*/.-])(?P<flag>--?[A-Za-z][\w.-]*)(?P<equals>=(?:{IN_QUOTES}|\S+))?")
_ASSIGNED = re.compile(
    rf"(?<![\w/-])(?P<name>[A-Za-z_][\w.]{{0,120}})=(?P<value>{IN_QUOTES}|\([^)]*\)|\[[^\]]*\]|\{{[^}}]*\}}|-?\d[\w.+-]*(?:,-?\d[\w.+-]*)+|[^\s,;)]+)"
)
_PYTHON = re.compile(r"\bpython[\d.]*\s+$")


class ExplicitFlag(NamedTuple):
    """An option that the user spells: `--lr 3e-4`, `-P`, `lr=3e-4`."""

    name: str
    """As written, with its dashes."""
    value: str | None
    """None where a sentence goes on behind it: a switch, or one whose value stands elsewhere."""
    start: int
    end: int
    """Behind the value."""


@lru_cache(maxsize=256)
def explicit_flags(instruction: str) -> tuple[ExplicitFlag, ...]:
    """The options that an instruction spells, in its order; `python -m MODULE` starts a module and is none."""
    text = normal_text(instruction)
    found = []
    for match in _FLAG.finditer(text):
        flag = match["flag"].rstrip(".-")
        if flag == "-m" and _PYTHON.search(text[max(0, match.start() - 20) : match.start()]):
            continue
        joined = (match["equals"] or "")[1:].rstrip(",;)").removesuffix(".")
        found.append(
            ExplicitFlag(flag, _unquoted(joined), match.start(), match.end())
            if joined
            else _flag_before(text, flag, match)
        )
    for match in _ASSIGNED.finditer(text):
        if not any(one.start <= match.start() < one.end for one in found):
            found.append(ExplicitFlag(match["name"], _unquoted(match["value"].rstrip(".")), match.start(), match.end()))
    return tuple(sorted(found, key=lambda one: one.start))


def _flag_before(text: str, flag: str, match: re.Match[str]) -> ExplicitFlag:
    """A flag with the word behind it, where that is no word of the sentence's own."""
    start, end = match.span()
    behind = next((token for token in tokens_of(text) if token.start >= end and token.text != "="), None)
    if (
        behind is None
        or behind.kind in {"mark", "flag"}
        or behind.value.lower() in word_list("stop") | word_list("breaks") | word_list("option_nouns")
    ):
        return ExplicitFlag(flag, None, start, end)
    return ExplicitFlag(flag, behind.value, start, behind.end)


def _unquoted(text: str) -> str:
    return text[1:-1].strip() if len(text) > 1 and re.fullmatch(IN_QUOTES, text) else text.strip("\"'")


# Values.


def user_values(instruction: str, arguments: Sequence[tuple[str, str]] = ()) -> tuple[Value, ...]:
    """Every value of an instruction, in its order, after those that were given by name beside it.

    Args:
        instruction: what the user wrote.
        arguments: name and value of each `--arg NAME=VALUE`.
    """
    text = normal_text(instruction)
    tokens, flags = tokens_of(text), explicit_flags(instruction)
    given = [Value(text=f"{name}={value}", value=value, kind=kind_of(value), name=name) for name, value in arguments]
    said = [
        *map(_of_flag, flags),
        *_of_tokens(tokens, [(one.start, one.end) for one in flags]),
    ]
    return (*given, *sorted(said, key=lambda one: (one.start, one.end)))


def kind_of(text: str) -> ValueKind:
    """What kind of value a text is."""
    if number(text) is not None:
        return "number"
    if text.lower() in {"true", "false"}:
        return "switch"
    if is_path(text):
        return "path"
    return "text" if " " in text.strip() or text[:1] in "([" else "name"


def _of_flag(flag: ExplicitFlag) -> Value:
    name = flag.name.lstrip("-")
    if flag.value is None:
        return Value(text=flag.name, value="true", kind="switch", start=flag.start, end=flag.end, name=name)
    return Value(text=flag.value, value=flag.value, kind=kind_of(flag.value), start=flag.start, end=flag.end, name=name)


def _of_tokens(tokens: Sequence[Token], taken: Sequence[tuple[int, int]]) -> Iterator[Value]:
    for place, token in enumerate(tokens):
        if any(start <= token.start < end for start, end in taken) or not _is_value(tokens, place):
            continue
        quoted_file = token.kind == "quoted" and is_file_name(posixpath.basename(token.value))
        kind = "path" if token.kind == "path" or quoted_file else kind_of(token.value)
        kind = "name" if _is_hub_name(token.value) else kind
        near = tuple(word for word in words_around(tokens, place) if word != token.value.lower())
        yield Value(
            text=token.text,
            value=token.value,
            kind=kind,
            start=token.start,
            end=token.end,
            words=near,
            required=_is_certain(tokens, place),
        )


def _is_hub_name(text: str) -> bool:
    return re.fullmatch(r"(?=[^/]*[A-Z])[\w.-]+/[\w.-]+", text) is not None and not is_file_name(text)


def _is_value(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token is a value: no word of the sentence's own, no machine or language, no name of an option."""
    token, before = tokens[place], tokens[place - 1] if place else None
    if token.kind in {"mark", "flag"}:
        return False
    beside = {one.value.lower() for one in (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])}
    behind_number = any(one.kind == "number" or one.text == "#" for one in tokens[place + 1 : place + 2])
    if token.kind == "quoted":
        return not (beside & word_list("option_nouns") and token.value.isidentifier())
    if token.kind in {"number", "path", "list"}:
        return True
    if (
        token.value.lower() in word_list("common_names") | word_list("naming_nouns") | word_list("stop")
        or token.value in {"GPUs", "CPUs"}
        or (behind_number and token.kind == "name")
    ):
        return (
            len(token.value) == 1
            and token.value.isupper()
            and token.value != "I"
            and before is not None
            and before.kind == "word"
        )
    if token.kind == "name" or _is_introduced(tokens, place) or _is_module(tokens, place):
        return True
    return token.value[:1].isupper() and before is not None and before.text not in ".!?:" and len(token.value) > 1


def _is_certain(tokens: Sequence[Token], place: int) -> bool:
    """Whether the wording is that of a value; "two" of anything and an odd word are guesses."""
    token = tokens[place]
    if token.kind == "number":
        amount = number(token.value)
        return not (token.in_words and amount is not None and amount < 10 and amount == int(amount))
    if token.kind in {"quoted", "path", "list"} or _is_introduced(tokens, place) or _is_module(tokens, place):
        return True
    near = {one.value.lower() for one in (*tokens[max(0, place - 3) : place], *tokens[place + 1 : place + 4])}
    return bool(near & word_list("naming_nouns")) and (
        re.search(r"[\d_]", token.value) is not None or len(token.value) == 1
    )


def _is_introduced(tokens: Sequence[Token], place: int) -> bool:
    """Whether the words before one say that it is a name: "called X", "known as X", and not "the named X"."""
    before, lead = ("", "", *(token.value.lower() for token in tokens[max(0, place - 2) : place]))[-2:]
    return tokens[place].kind in {"word", "name"} and (
        (before, lead) == ("known", "as") or (lead in word_list("naming_verbs") and before not in {"a", "an", "the"})
    )


def _is_module(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is what `python -m MODULE` starts."""
    return any(
        one.value.startswith("python") and other.value == "-m"
        for one, other in pairwise(tokens[max(0, place - 2) : place])
    )


def words_around(tokens: Sequence[Token], place: int) -> tuple[str, ...]:
    """The telling words of the same clause around a token, nearest first, lower case; at most ten.

    What stands behind a comma or an "and" belongs to what comes next; before a value a clause may reach over an aside.
    """
    before, behind = list(_telling(tokens[place - 1 :: -1] if place else (), 6)), list(_telling(tokens[place + 1 :], 3))
    if tokens[place].kind == "number":
        behind, before = before, behind
    mixed = [word for pair in zip(before, behind, strict=False) for word in pair]
    return tuple(dict.fromkeys([*mixed, *before, *behind]))[:10]


def _telling(tokens: Sequence[Token], most: int) -> Iterator[str]:
    left, begun = most, False
    for token in tokens:
        lower = token.value.lower()
        ends = token.text in ",;:()–—" and (begun or most < 6)
        if (
            left == 0
            or token.text in {".", "!", "?"}
            or ends
            or (lower in word_list("breaks") and (begun or most < 6))
            or token.kind in {"number", "path", "list", "flag"}
        ):
            return
        if token.kind != "mark" and lower not in word_list("stop"):
            yield lower
            left, begun = left - 1, True


def counted_noun(value: Value, instruction: str) -> str:
    """The word right behind a number ("25 epochs"); "" where none of its words stands there."""
    behind = (
        re.match(r"[\s-]+([A-Za-z]+)", instruction[value.end :]) if value.kind == "number" and value.end > 0 else None
    )
    return behind[1] if behind is not None and behind[1].lower() in value.words else ""


def purpose(value: Value, instruction: str) -> tuple[str, ...]:
    """The word right behind a number ("25 epochs"), else the last two telling words before a value ("learning rate of 0.05")."""
    if counted := counted_noun(value, instruction):
        return (counted,)
    before = re.findall(r"[\w-]+", instruction[: max(value.start, 0)])[-4:]
    return tuple(word for word in before if word.lower() in value.words)[-2:]
