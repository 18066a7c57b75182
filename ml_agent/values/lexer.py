"""The instruction as tokens: words, numbers, quoted strings, paths, flags, names."""

import re
from typing import Literal

import msgspec

from ml_agent.values.lexicon import words
from ml_agent.values.numbers import DIGITED, WORDED, from_digits, from_words

TokenKind = Literal["word", "number", "quoted", "path", "flag", "shape", "name", "mark"]


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """One token, with its place in the text."""

    kind: TokenKind
    text: str
    value: str
    start: int
    end: int
    written: bool = False
    """A number given in words: a guess where it is small."""


_QUOTED = (
    r"""(?<![\w'"`])(?P<q>['"`])(?P<body>(?!\s)(?:(?!(?P=q)(?![A-Za-z]))[^\n]){1,300})(?:(?<!\s)|(?<=[:,]\s))(?P=q)(?![A-Za-z0-9_])"""
    r"""(?P<suffix>\.[A-Za-z][A-Za-z0-9]{1,5}\b)?"""
)
_CURLED = r"[“‘](?P<curled>[^”’\n]{1,300})[”’]|«(?P<angled>[^«»\n]{1,300})»|„(?P<low>[^„“”\n]{1,300})[“”]"
IN_QUOTES = r"""\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»"""
"""A value behind an option, where blanks are no end of it; an unbroken word goes before."""
_FLAG = r"(?<![\w-])--?[A-Za-z][\w.-]*(?==|\b)"
_URL = r"[a-z][a-z0-9+]{1,9}://[^\s'\"<>]+"
_LIST = re.compile(r"\d+(?:,\d+){1,999}(?![\d,]|\.\d|[A-Za-z_])")
_DOTTED = re.compile(r"\d{1,5}(?:\.\d{1,5}){2,5}(?::\d{1,5})?(?![\w+-]|\.\d)")
"""A version or an address, "3.4.1", "10.0.0.1:80": no number."""
_SHAPE = r"[(\[]\s*-?\d+(?:\s*[,x×]\s*-?\d+)+\s*,?\s*[)\]]"
_NUMBERED = r"[\w.+@~-]{0,255}(?:/[\w.+@-]{1,255})*/[\w-]+=\d[\w.]*?(?:-[\w-]+=\d[\w.]*?)*\.[A-Za-z]{2,5}(?![\w=])"
"""A file that says its epoch, as trainers name checkpoints: "out/epoch=3-step=400.ckpt". No name of a file is longer than 255."""
_PATHLIKE = (
    rf"{_NUMBERED}|"
    r"(?:(?<=[\s('\"=:,])|^)(?:\.{1,2}/|~/|/(?=\w))[\w\u0300-\u036f./+*@${}-]*"
    r"|[\w\u0300-\u036f.+@${}-]{1,255}(?:/[\w\u0300-\u036f.+*@${}-]+)+/?|\.{1,2}/|(?!w/)[A-Za-z_][\w.-]{0,254}/(?=[\s,.;:)'\"]|$)"
)
_CONTRACTED = r"[A-Za-z]+['’](?:s|m|re|ve|d|ll|t)\b"
_LETTER = r"[\w\u0300-\u036f]"
"""With the marks of letters that are written as two signs."""
_NO_BLANKS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts whose sentences have none: where other letters begin, a name does."""
_FOREIGN_FILE = (
    rf"(?<![\w.+-])(?=[A-Za-z0-9_+-]*[^\x00-\x7f])(?:(?![{_NO_BLANKS}][A-Za-z]){_LETTER}|[+-])"
    rf"(?:(?![{_NO_BLANKS}][A-Za-z]){_LETTER}|[+-]|\.(?={_LETTER})){{0,255}}\.[A-Za-z][A-Za-z0-9]{{0,9}}(?![A-Za-z0-9_])(?!\.\w)"
)
"""A file whose name has letters beyond ASCII: "über.txt", "数据.txt"; in other words they part."""
_WORDLIKE = r"[A-Za-z0-9_][A-Za-z0-9_+]*(?:[-.:@][A-Za-z0-9_+]+){0,63}(?:\(\))?"

_MASTER = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<curl>{_CURLED})|(?P<url>{_URL})|(?P<flag>{_FLAG})|(?P<shape>{_SHAPE})"
    rf"|(?P<path>{_PATHLIKE})|(?P<contracted>{_CONTRACTED})|(?P<foreign>{_FOREIGN_FILE})"
    rf"|(?P<wordlike>{_WORDLIKE})|(?P<mark>[^\sA-Za-z0-9_])"
)


def tokenize(text: str) -> list[Token]:
    """All tokens of `text`, in order.

    A number is recognised before the word it begins ("25-layer" is 25 and "-layer"), a name after that ("wn18rr").
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _number_at(text, at) or _other_at(text, at)
        tokens.append(token)
        at = max(token.end, at + 1)
    return tokens


def _token(kind: TokenKind, text: str, start: int, value: str | None = None, written: bool = False) -> Token:
    """A token that is as long as its text, which is its value where no other is given."""
    value = text if value is None else value
    return Token(kind=kind, text=text, value=value, start=start, end=start + len(text), written=written)


def _number_at(text: str, at: int) -> Token | None:
    if at and (text[at - 1].isalnum() or text[at - 1] in "_/"):
        return None
    if (match := _LIST.match(text, at)) and _is_list(text, match):
        return _token("shape", match[0], at)
    if match := _DOTTED.match(text, at):
        return _token("name", match[0], at)
    if match := DIGITED.match(text, at):
        value = from_digits(match)
        return _token("number", match[0], at, value) if value is not None and _number_ends(text, match.end()) else None
    if (match := WORDED.match(text, at)) and (value := from_words(match[0])) is not None:
        return _token("number", match[0], at, value, written=True)
    return None


def _is_list(text: str, match: re.Match[str]) -> bool:
    """Whether numbers with commas between are a list ("0,1,2", "seeds 85,265,297") and not one number ("300,000")."""
    grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", match[0]) is not None
    return not grouped or re.search(r"[a-z]s\s+$", text[: match.start()]) is not None


def _number_ends(text: str, end: int) -> bool:
    """Whether what follows leaves the digits a number: not "256p", "2048_crop", "5YH2.pdb", "1/2"; but "25-layer", "128."."""
    rest = text[end : end + 24]
    if re.match(r"\.(?=\d)|\.[A-Za-z]|[A-Za-z_/]", rest):
        return False
    if rest.startswith("-"):
        return bool(re.match(r"-(?:[A-Za-z]{3,}\b(?![-_]?\d)|\s)", rest))
    return True


def _other_at(text: str, at: int) -> Token:
    match = _MASTER.match(text, at)
    assert match is not None  # what is no blank and begins nothing else is a mark
    kind, said = match.lastgroup, match[0]
    if kind == "quoted":
        return _quoted_token(match)
    if kind == "curl":
        return _token("quoted", said, at, (match["curled"] or match["angled"] or match["low"]).strip())
    if kind == "url":
        return _token("path", said.rstrip(".,;:!?)"), at)
    if kind == "flag":
        bare = said.rstrip(".")
        return Token(kind="flag", text=said, value=bare, start=at, end=at + len(bare))
    if kind == "shape":
        return _token("shape", said, at, re.sub(r"\s+", "", said))
    if kind == "path":
        return _path(said, at)
    if kind == "contracted":
        return _token("word", said, at, re.split("['’]", said)[0])
    return _wordlike(said, at) if kind in {"wordlike", "foreign"} else _token("mark", said, at)


def _quoted_token(match: re.Match[str]) -> Token:
    # A blank behind a colon belongs to a prefix: "query: ".
    body = match["body"] if match["body"].endswith(": ") else match["body"].strip().rstrip(",;")
    body = re.sub(r"^\.\s+/", "./", body)
    return _token("quoted", match[0], match.start(), body + (match["suffix"] or ""))


def _path(text: str, at: int) -> Token:
    trimmed = text.rstrip(".,;:!?") if text not in {"./", "../"} else text
    if trimmed == "w/o":
        return _token("word", trimmed, at, "without")
    return _token("path" if is_path(trimmed) else "name", trimmed, at)


def _wordlike(text: str, at: int) -> Token:
    bare = text.removesuffix("()")
    kind: TokenKind = "path" if is_file_name(bare) else ("name" if _is_odd(bare) else "word")
    if kind == "word" and "." in bare:
        # A missing blank after a full stop: "the data.The model".
        return _token(kind, bare.split(".")[0], at)
    return _token(kind, text, at, bare)


def unquoted(text: str) -> str:
    """A value without the quotes around it."""
    return text[1:-1].strip() if len(text) > 1 and re.fullmatch(IN_QUOTES, text) else text


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
    return bool(dot and stem) and extension.lower() in words("extensions")


def _is_odd(text: str) -> bool:
    """Whether a word is spelled as only names are: "wn18rr", "IF-I-L-v1.0", "wiki_cs", "TimesNet", "MICN"."""
    if not re.search(r"[A-Za-z]", text):
        return False
    if re.search(r"\d", text) or "_" in text:
        return True
    parts = re.split(r"[-.:]", text)
    return any(_has_inner_capital(part) for part in parts)


def _has_inner_capital(word: str) -> bool:
    capitals = sum(letter.isupper() for letter in word)
    return capitals >= 2 or (capitals == 1 and not word[0].isupper())
