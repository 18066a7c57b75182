"""Switches that the user words: "without early stopping", "use sparse backward"."""

from collections.abc import Iterator, Sequence

from ml_agent.request import Value
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_LONGEST = 5


def find_switches(tokens: Sequence[Token]) -> list[Value]:
    """Each "use X" and "without X", with the words of X; guesses, for most of them are no options."""
    return [value for place, token in enumerate(tokens) if token.kind == "word" for value in _at(tokens, place)]


def _at(tokens: Sequence[Token], place: int) -> Iterator[Value]:
    trigger = tokens[place].value.lower()
    off = trigger in words("disable")
    if not off and trigger not in words("enable"):
        return
    phrase = _phrase(tokens, place)
    if not phrase:
        return
    start, end = tokens[place].start, phrase[-1].end
    yield Value(
        text=" ".join(token.text for token in (tokens[place], *phrase)),
        value="false" if off else "true",
        kind="switch",
        start=start,
        end=end,
        words=tuple(token.value.lower() for token in phrase),
        required=False,
    )


def _phrase(tokens: Sequence[Token], place: int) -> list[Token]:
    phrase: list[Token] = []
    for token in tokens[place + 1 :]:
        if token.kind == "mark" and token.text == "-":
            continue
        if token.kind not in {"word", "name"} or token.value.lower() in words("breaks"):
            break
        if token.value.lower() in words("stop") | words("enable"):
            if phrase:
                break
            continue
        phrase.append(token)
        if len(phrase) == _LONGEST:
            break
    return phrase
