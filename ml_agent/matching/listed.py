"""Values that a help text lists."""

import re

from ml_agent.values.numbers import number
from tools.remember import remembered

_CHOICES_IN_HELP = re.compile(
    r"[\[({]\s*([\w.+-]+(?:\s*[,|/]\s*[\w.+-]+){1,14})\s*[\])}]|((?:['\"`][\w./+-]+['\"`](?:\s*(?:,|\||/|or|and)+\s*)?){2,})"
    r"|(?<![\w.|+-])[\w.+-]{1,40}(?:\s?\|\s?[\w.+-]{1,40}){1,20}(?![\w|])"
    r"|(?:^|:\s)[\w.+-]{1,40}(?:, [\w.+-]{1,40}){3,20}(?![\w.+-])(?!\s\w)"
)
"""In brackets, in quotes, with bars between; or four words and more with nothing but commas, where a sentence or its second half begins."""
_LONGEST = 2000
"""Characters of a help text that are looked at."""
_WORD = re.compile(r"[\w.+/-]+")


@remembered(8192, longest=2000)
def listed_in(text: str) -> tuple[str, ...]:
    """Values that a help text lists: "[M, S, MS]", "'mean' or 'max'"."""
    found: list[str] = []
    for match in _CHOICES_IN_HELP.finditer(text[:_LONGEST]):
        found += [
            word.strip("./") for word in _WORD.findall(match[0]) if word not in {"or", "and"} and number(word) is None
        ]
    return tuple(dict.fromkeys(word for word in found if word))


_SEVERAL = re.compile(r"[A-Za-z][\w-]*(?:,[A-Za-z][\w-]*)+")


def listed_apart(text: str) -> list[str]:
    """The values of a text that lists several, "rouge1,rouge2"."""
    return text.split(",") if _SEVERAL.fullmatch(text) else [text]
