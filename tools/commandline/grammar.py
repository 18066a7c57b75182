"""Whether bash can read a text: quotes that close, operators and words of its grammar that stand where they may."""

import re
from collections.abc import Sequence

from ml_agent.tools.commandline.lexer import Token

_OTHER = re.compile(r"\(\(|\[\[|(?<![\w./-])(?:case|select|function|coproc)(?![\w./=-])|=\(|[?*+@!]\(")
"""Begins what is read by rules that are not looked at here."""
_OPENS = {"if": "then", "while": "do", "until": "do", "for": "do", "{": "}"}
"""Words that begin something, and what must come next of it."""
_GOES_ON = {"then": "fi", "do": "done", "else": "fi", "elif": "then"}
_CLOSES = frozenset({"fi", "done", "}"})
_JOINS = frozenset({"&&", "||", "|", "|&"})


def refused(tokens: Sequence[Token]) -> str:
    """Why bash cannot read a text, in its own words; "" where it can, or where that is not told here."""
    broken = next((token for token in tokens if token.broken), None)
    if broken is not None:
        return f"no closing quotation: {broken.raw[:40]}"
    if _OTHER.search("".join(token.gap + token.raw for token in tokens if token.kind != "comment")):
        return ""
    reader = _Reader()
    return next((error for token in tokens if (error := reader.take(token))), "")


class _Reader:
    """Goes along the tokens; knows what is open."""

    def __init__(self) -> None:
        self.open: list[str] = []
        """What must still come of each construct, the innermost last."""
        self.words = 0
        """Words and redirections of the current command."""
        self.negated = False
        """`!` or `time` stands before the command, which may then be empty."""
        self.done = False
        """A construct has ended: only redirections and operators may follow."""
        self.joined = False
        """An operator waits for its second command."""
        self.definition = False
        """`name(`: only `)` may follow."""

    def take(self, token: Token) -> str:
        """Take note of the next token; returns what is wrong with it."""
        if token.kind == "comment":
            return ""
        if self.definition and token.raw != ")":
            return _unexpected(token)
        if token.kind == "redirect":
            self.words, self.joined = self.words + 1, False
            return "" if token.value else _unexpected(token)
        if token.kind == "end":
            return "unexpected end of file" if self.open or self.joined else ""
        return self._word(token) if token.kind == "word" else self._operator(token)

    def _word(self, token: Token) -> str:
        raw = token.raw
        if self.done:
            return _unexpected(token)
        if self.words:
            self.words += 1
            return ""
        if raw in _OPENS or raw in _GOES_ON:
            if raw in _GOES_ON and not self._comes(raw):
                return _unexpected(token)
            self.open.append(_OPENS.get(raw) or _GOES_ON[raw])
            self.words = int(raw == "for")
            self.joined = self.joined and raw == "for"
        elif raw in _CLOSES:
            if not self._comes(raw):
                return _unexpected(token)
            self.words, self.done = 1, True
        else:
            self.negated = raw in ("!", "time")
            self.words = int(not self.negated)
        if self.words or self.negated:
            self.joined = False
        return ""

    def _comes(self, raw: str) -> bool:
        """Whether a word is what the innermost construct waits for."""
        wanted = self.open[-1] if self.open else ""
        if raw != wanted and not (raw in ("else", "elif") and wanted == "fi"):
            return False
        self.open.pop()
        return not self.joined

    def _operator(self, token: Token) -> str:
        sign = "\n" if "\n" in token.raw else token.raw
        if sign == "(":
            return self._opened(token)
        if sign == ")":
            if self.definition:
                self.definition, self.words = False, 0
                return ""
            if not self.open or self.open[-1] != ")" or self.joined or not (self.words or self.negated):
                return _unexpected(token)
            self.open.pop()
            self.words, self.done = 1, True
            return ""
        if sign != "\n" and not self.words and not self.negated:
            return _unexpected(token)
        self.joined = sign in _JOINS or (self.joined and sign == "\n")
        self.words, self.done, self.negated = 0, False, False
        return ""

    def _opened(self, token: Token) -> str:
        if self.done or self.words > 1:
            return _unexpected(token)
        if self.words:
            self.definition = True
        else:
            self.open.append(")")
            self.joined = False
        return ""


def _unexpected(token: Token) -> str:
    return f"unexpected token {token.raw.strip() or 'newline'!r}"
