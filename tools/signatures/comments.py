"""What a comment says of an option whose framework says nothing: `n_layer = 12  # depth of the network`."""

import re
from collections.abc import Sequence

import msgspec

from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.sources import Sources

_LONGEST_LINE = 400
_MOST_ABOVE = 4
"""Lines of a comment above a setting that are read."""
_SETS = re.compile(r"\s*+[\w.'\"]++\s*+[:=]")
"""A line that sets something by name; before a call stands what is done next."""
_BEHIND = re.compile(r"""(?:[^'"#]|'[^']*+'|"[^"]*+")*+#+\s*+(\S.*)""")
_CODE = re.compile(r"[\w.\[\]'\"-]+\s*+[:=(]\s*+\S+$|(?:noqa|type:|pylint|fmt:|pragma|todo|fixme)", re.IGNORECASE)
"""A comment that is code or speaks to tools."""


def with_comments(sources: Sources, signature: Signature) -> Signature:
    """A signature whose options without a help text have the comments that stand with them."""
    lines: dict[str, list[str]] = {}
    options = []
    for option in signature.options:
        if not option.help and option.line and option.path:
            if option.path not in lines:
                lines[option.path] = (sources.text(option.path) or "").split("\n")
            said = comment_at(lines[option.path], option.line)
            option = msgspec.structs.replace(option, help=said) if said else option
        options.append(option)
    return msgspec.structs.replace(signature, options=tuple(options))


def comment_at(lines: Sequence[str], number: int) -> str:
    """The comment behind a line, or the one above that it has for itself; "" where there is none.

    Args:
        lines: of the file.
        number: of the line, from 1.

    A comment above several settings in a row is a heading of them all and says nothing of the first.
    """
    if not 0 < number <= len(lines):
        return ""
    behind = _BEHIND.match(lines[number - 1][:_LONGEST_LINE])
    if behind is not None:
        return _join_sentences([behind[1]])
    following = lines[number].lstrip() if number < len(lines) else ""
    if not _SETS.match(lines[number - 1][:_LONGEST_LINE]) or (following and not following.startswith("#")):
        return ""
    first = number - 1
    while first > max(0, number - 1 - _MOST_ABOVE) and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return _join_sentences([line.lstrip().lstrip("#").strip() for line in lines[first : number - 1]])


def _join_sentences(several: Sequence[str]) -> str:
    """The sentences among the lines of a comment, in one, without marks that nobody sees."""
    good = ("".join(filter(str.isprintable, line.strip()[:_LONGEST_LINE])) for line in several)
    return " ".join(line for line in good if re.search(r"[^\W\d_]{2}", line) and not _CODE.match(line))
