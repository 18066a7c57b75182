"""Bash text as tokens that, put together, are the text again."""

import re
import shlex
from collections.abc import Iterator
from typing import Literal, NamedTuple

TokenKind = Literal["word", "redirect", "operator", "comment", "end"]
_GAP = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)+")
_PROMPT = re.compile(r"[ \t]*(?:\$|>|%|#!?\$)[ \t]+(?=\S)")
_HARMLESS_PROMPT = re.compile(r"[ \t]*(?:\$|%|#!?\$)[ \t]+(?=\S)")
"""Of these bash makes a command that does not exist, or a comment."""
_OPERATOR = re.compile(r"\r?\n|&&|\|\||;;&?|;&|\|&|[;|()]|&(?!>)")
_REDIRECT = re.compile(r"(?:(?:\d*|\{[A-Za-z_]\w*\})(?:>>|>\||>&|<&|<<<|<<-?|<>|>|<)|&>>?)(?!\()")
_BLANK = " \t\r\n\f\v"
_PLAIN = re.compile(r"[^ \t\r\n\f\v'\"\\`$;|&()<>]+")
_BARE = re.compile(rf"(?!#){_PLAIN.pattern}+(?=[ \t\r\n\f\v]|\Z)")
"""A word that stands for itself, up to a blank: most are."""
_HEREDOC = re.compile(r"<<-?$")
_LONGEST = 20_000
"""Characters over which a quote or a bracket may run."""
_BRACKETS = {pair: re.compile(rf"[{pair}'\"\\]") for pair in ("()", "{}")}
"""What counts between two brackets: they, quotes and what takes a meaning away."""
_AS_IT_IS = re.compile(r"^[\w./+:@%=,~^{}-]+$")
_WITH_VARIABLE = re.compile(r"^[\w@%+=:,./~{}-]*(?:\$(?:\w+|\{\w+\})[\w@%+=:,./{}-]*)+$")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
"""What bash expands: {a,b} and {1..3}."""
_MOST_LOOKED_AT = 500_000
"""Characters that are looked at in vain for closing quotes and brackets; from then on those that open mean themselves."""


class Token(NamedTuple):
    """A piece of bash text."""

    kind: TokenKind
    """"end" is what is left at the end of the text: nothing but blanks."""
    gap: str
    """Blanks, continued lines and a prompt before it."""
    raw: str
    """As written."""
    value: str
    """A word without its quotes; of a redirection its target."""
    broken: bool = False
    """It opens a quote that is never closed."""
    line: int = 1
    """Where it begins, from 1."""
    at: int = 0
    """Characters of the text before `raw`."""


def lex(text: str, *, prompts: bool = True) -> Iterator[Token]:
    """The tokens of a text; gaps and raw texts joined are the text.

    Args:
        text: bash text.
        prompts: whether a sign such as `>` at the beginning of a line may be a prompt; to bash `>` is a redirection.
    """
    return _Lexer(text, prompts=prompts).tokens()


class _Lexer:
    def __init__(self, text: str, *, prompts: bool) -> None:
        self.text = text
        self.prompt = _PROMPT if prompts else _HARMLESS_PROMPT
        self.at = 0
        self.line = 1
        self.in_vain = 0
        """Characters that were looked at for something that closes, and did not."""
        self.heredocs: list[str] = []
        """Closing words of the here-documents that begin at the next line."""

    def tokens(self) -> Iterator[Token]:
        fresh = True
        while True:
            gap = self._gap(fresh)
            if self.at >= len(self.text):
                yield Token("end", gap, "", "")
                return
            self.line += gap.count("\n")
            token = self._token(gap)
            self.line += token.raw.count("\n")
            fresh = token.kind == "operator" and "\n" in token.raw
            yield token

    def _gap(self, fresh: bool) -> str:
        start = self.at
        prompt = self.prompt.match(self.text, self.at) if fresh else None
        if prompt is not None:
            self.at = prompt.end()
        blank = _GAP.match(self.text, self.at)
        if blank is not None:
            self.at = blank.end()
        return self.text[start : self.at]

    def _token(self, gap: str) -> Token:
        bare = _BARE.match(self.text, self.at)
        if bare is not None:
            at, self.at = self.at, bare.end()
            return Token("word", gap, bare[0], bare[0], False, self.line, at)
        if self.text[self.at] == "#":
            end = self.text.find("\n", self.at)
            return self._make_token("comment", gap, len(self.text) if end < 0 else end)
        operator = _OPERATOR.match(self.text, self.at)
        if operator is not None:
            end = operator.end()
            if operator[0].endswith("\n"):
                end = self._after_heredocs(end)
            return self._make_token("operator", gap, end)
        redirect = _REDIRECT.match(self.text, self.at)
        if redirect is not None:
            return self._redirect(gap, redirect.end())
        end, broken = self._word_end(self.at)
        return self._make_token("word", gap, end, broken=broken)

    def _make_token(self, kind: TokenKind, gap: str, end: int, *, broken: bool = False) -> Token:
        at, self.at = self.at, end
        raw = self.text[at:end]
        return Token(kind, gap, raw, unquote(raw) if kind == "word" else raw, broken, self.line, at)

    def _redirect(self, gap: str, behind: int) -> Token:
        """A redirection with its target."""
        sign = self.text[self.at : behind]
        blank = _GAP.match(self.text, behind)
        start = blank.end() if blank is not None else behind
        stops = start >= len(self.text) or _OPERATOR.match(self.text, start) or _REDIRECT.match(self.text, start)
        end, broken = (behind, False) if stops else self._word_end(start)
        target = unquote(self.text[start:end]) if end > start else ""
        if _HEREDOC.search(sign) and target:
            self.heredocs.append(target)
        return self._make_token("redirect", gap, end, broken=broken)._replace(value=target)

    def _after_heredocs(self, start: int) -> int:
        """The place behind the here-documents that begin here."""
        at = start
        for mark in self.heredocs:
            if self.in_vain >= _MOST_LOOKED_AT:
                break
            closed = re.compile(rf"^\t*{re.escape(mark)}$\n?", re.MULTILINE).search(self.text, at)
            self.in_vain += len(self.text) - at if closed is None else 0
            at = closed.end() if closed is not None else at
        self.heredocs = []
        return at

    def _word_end(self, at: int) -> tuple[int, bool]:
        """Where the word that begins at a place ends, and whether a quote in it is never closed."""
        start, broken = at, False
        while at < len(self.text):
            plain = _PLAIN.match(self.text, at)
            if plain is not None:
                at = plain.end()
                continue
            letter = self.text[at]
            if letter in _BLANK or (letter in ";|&<>()" and not self._goes_on(start, at)):
                break
            end = _closing(self.text, at) if self.in_vain < _MOST_LOOKED_AT else -1
            if end < 0:
                broken = True
                self.in_vain += min(_LONGEST, len(self.text) - at)
            at = end if end > 0 else at + 1
        return max(at, start + 1), broken

    def _goes_on(self, start: int, at: int) -> bool:
        """`<(command)` and `names=(a b)` are words."""
        letter, before = self.text[at], self.text[at - 1 : at]
        return (letter in "<>" and self.text[at + 1 : at + 2] == "(") or (
            letter == "(" and at > start and before in "=<>"
        )


def _closing(text: str, at: int) -> int:
    """The place behind what a quote, a dollar or a backslash opens; -1 where nothing closes it."""
    letter, following = text[at], text[at + 1 : at + 2]
    if letter == "\\":
        return min(at + 2, len(text))
    if letter == "'":
        return text.find("'", at + 1, at + _LONGEST) + 1 or -1
    if letter in '"`':
        return _quote_end(text, at)
    if letter == "(":
        return _bracket_end(text, at, "()")
    if letter in "$<>" and following == "(":
        return _bracket_end(text, at + 1, "()")
    if letter == "$" and following == "{":
        return _bracket_end(text, at + 1, "{}")
    return at + 1


def _quote_end(text: str, at: int) -> int:
    mark = text[at]
    place = at + 1
    while place < min(len(text), at + _LONGEST):
        if text[place] == "\\":
            place += 2
        elif text[place] == mark:
            return place + 1
        else:
            place += 1
    return -1


def _bracket_end(text: str, at: int, pair: str) -> int:
    depth, place, end_of_search = 0, at, at + _LONGEST
    while found := _BRACKETS[pair].search(text, place, end_of_search):
        letter, place = found[0], found.start()
        if letter in "'\"\\":
            end = _closing(text, place)
            place = end if end > 0 else place + 1
            continue
        depth += (letter == pair[0]) - (letter == pair[1])
        place += 1
        if depth == 0:
            return place
    return -1


def quote(word: str) -> str:
    """A word for a shell; references to variables and a path below the home folder stay alive, everything else is literal."""
    plain = _WITH_VARIABLE.match(word) or (_AS_IT_IS.match(word) and (word.startswith("~/") or word[0] != "~"))
    return word if plain and not _BRACES.search(word) else shlex.quote(word)


def unquote(word: str) -> str:
    """A word as the program gets it; variables and substitutions are left as they are written."""
    if not set("'\"\\").intersection(word):
        return word
    found: list[str] = []
    at = 0
    while at < len(word):
        letter = word[at]
        if letter in "'\"" and word.find(letter, at + 1) > 0:
            text, at = _read_quotes(word, at)
            found.append(text)
        elif letter == "\\" and at + 1 < len(word):
            found.append("" if word[at + 1] == "\n" else word[at + 1])
            at += 2
        else:
            found.append(letter)
            at += 1
    return "".join(found)


def _read_quotes(word: str, at: int) -> tuple[str, int]:
    """The text of the quotes that open at a place, and the place behind them."""
    mark = word[at]
    found: list[str] = []
    at += 1
    while at < len(word) and word[at] != mark:
        if mark == '"' and word[at] == "\\" and at + 1 < len(word) and word[at + 1] in '"\\$`\n':
            at += 1
            found.append("" if word[at] == "\n" else word[at])
        else:
            found.append(word[at])
        at += 1
    return "".join(found), at + 1
