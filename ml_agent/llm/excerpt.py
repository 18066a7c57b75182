"""A text file in little room: whole, the lines that are asked for, or its outline and its beginning."""

import re
from collections.abc import Sequence

from ml_agent.llm.heads import without_licence
from ml_agent.prompts.untrusted import PromptText, framed

WHOLE = 5_500
"""Characters of a file that are shown at once."""
ASKED = 9_000
"""Characters of lines that are asked for."""
_CUT = "\n... (cut)"
_OUTLINE = WHOLE // 2
_HEADING = re.compile(r"^(?:class |def |    def |async def |if __name__|@\w+\.command|[A-Z_]{3,} = )")
_MAIN = re.compile(r"class |def |    def __init__\(|async def ")
"""What stays of an outline that is too long."""
_CALLED = re.compile(r"def |    def __init__\(")
"""What code that uses the file calls."""
_LONGEST_HEADING = 100
_LONGEST_CALLED = 600
_MOST_LINES = 60
"""On which parameters stand."""
_RANGE = re.compile(r"(\d{1,9})\s*+(?:[-:,]\s*+(\d{1,9}))?")


def excerpt(path: str, text: str, lines: str) -> PromptText:
    """A text from the first to the last line that is asked for; of a long one the outline and the beginning."""
    every = text.splitlines()
    asked = _RANGE.search(lines)
    if asked:
        first = max(int(asked[1]), 1)
        last = min(int(asked[2] or first + 80), len(every))
        shown = cut("\n".join(every[first - 1 : last]), ASKED)
        if shown.endswith(_CUT):
            last = first + len(shown.splitlines()) - 2
        return framed(path, f"{path}, lines {first}-{last} of {len(every)}\n{shown}")
    kept_text = "\n".join(line for line in without_licence(every) if line.strip())
    if len(kept_text) <= WHOLE:
        return framed(path, kept_text)
    shape = _outline(every, _HEADING)
    if len(shape) > _OUTLINE:
        shape = cut(_outline(every, _MAIN), _OUTLINE)
    shown = cut(text, WHOLE - len(shape))
    count = len(shown.splitlines()) - 1
    return framed(path, f"{path}, lines 1-{count} of {len(every)}; ask for others by `lines`\n{shape}\n--\n{shown}")


def cut(text: str, most: int) -> str:
    """The lines of a text that fit into so many characters."""
    return text if len(text) <= most else text[:most].rpartition("\n")[0] + _CUT


def _outline(every: Sequence[str], heading: re.Pattern[str]) -> str:
    """What a file defines, with line numbers, up to where it is too long.

    Of what is called it holds all parameters, on however many lines they stand.
    """
    found, length = list[str](), 0
    for at, line in enumerate(every):
        if heading.match(line):
            found.append(f"{at + 1}: {_head(every, at) if _CALLED.match(line) else line[:_LONGEST_HEADING]}")
            length += len(found[-1])
        if length > _OUTLINE:
            break
    return "\n".join(found)


def _head(every: Sequence[str], at: int) -> str:
    """The head of a function on one line."""
    head = ""
    for line in every[at : at + _MOST_LINES]:
        head += line.rstrip() if not head else f" {line.strip()}"
        if head.count("(") <= head.count(")") or len(head) > _LONGEST_CALLED:
            break
    return head[:_LONGEST_CALLED].replace("( ", "(").replace(" )", ")")
