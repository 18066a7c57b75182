"""The keys of YAML files as options: what a file sets, with its type, its default and its line."""

import functools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ml_agent.tools.signatures.hydra_defaults import MISSING
from ml_agent.tools.signatures.model import Option, OptionType, Signature
from ml_agent.tools.signatures.sources import Sources

MAX_KEYS = 2_000
MAX_YAML_BYTES = 300_000
MAX_VALUES = 200_000
"""Of a file, each as often as an alias names it."""
MAX_DIGITS = 100
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
TYPES: dict[type, OptionType] = {bool: "bool", int: "int", float: "float", str: "str"}
EXPONENT = re.compile(r"\A[-+]?(?:\d[\d_]*+(?:\.[\d_]*+)?|\.\d[\d_]*+)[eE][-+]?\d++\Z")
"""A number that plain YAML takes for a text where it has no point or no sign behind the e."""


@functools.cache
def _loader() -> Any:
    """A loader that takes for numbers what OmegaConf does, `3e-4` too, and no text for a date."""
    import yaml

    safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    made: Any = type("Loader", (safe,), {})
    known = {
        first: [one for one in rules if "time" not in one[0]] for first, rules in safe.yaml_implicit_resolvers.items()
    }
    made.yaml_implicit_resolvers = known
    made.add_implicit_resolver("tag:yaml.org,2002:float", EXPONENT, list("-+0123456789."))
    return made


def load_yaml(sources: Sources, path: str) -> dict[str, Any] | None:
    """The mapping in a YAML file; None where it is none."""
    text = sources.text(path)
    if text is None or len(text) > MAX_YAML_BYTES:
        return None
    import yaml  # one repository in many has such files

    try:
        loader = _loader()(text)
        node = loader.get_single_node()
        if node is not None and _weight(node, {}) > MAX_VALUES:
            return None
        data = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError, LookupError, ArithmeticError):
        return None  # a tag may call anything a number, a date or a switch
    return data if isinstance(data, dict) else {} if data is None else None


def _weight(node: Any, known: dict[int, float]) -> float:
    """How many values a YAML node stands for, each as often as it is named; without end where it holds itself, or a number without end."""
    if id(node) not in known:
        known[id(node)] = math.inf
        if isinstance(node.value, str):
            known[id(node)] = math.inf if node.tag in NUMBERS and len(node.value) > MAX_DIGITS else 1
        else:
            parts = (part for item in node.value for part in (item if isinstance(item, tuple) else (item,)))
            known[id(node)] = 1 + sum(_weight(part, known) for part in parts)
    return known[id(node)]


def flat_options(data: Mapping[Any, Any], path: str, text: str, prefix: str = "") -> Iterator[Option]:
    """One option a leaf, with dotted names."""
    lines = _lines(text)
    for count, (name, value) in enumerate(_leaves(data, prefix)):
        if count >= MAX_KEYS:
            return
        kind: OptionType = "json" if isinstance(value, (list, dict)) else TYPES.get(type(value), "unknown")
        line = lines.get(name.removeprefix(prefix), 0)
        missing = value == MISSING
        shown = None if value is None or missing else str(value).lower() if isinstance(value, bool) else str(value)
        yield Option(
            dest=name, type="unknown" if missing else kind, default=shown, required=missing, path=path,
            line=line, converter="yaml", sure=not missing,
        )  # fmt: skip


def _lines(text: str) -> dict[str, int]:
    """By dotted name the line on which a YAML file, written in blocks, sets it."""
    found: dict[str, int] = {}
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        key = line.partition(":")[0].strip().strip("'\"")
        if ":" not in line or not key or key[0] in "#-{[":
            continue
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, key))
        found.setdefault(".".join(name for _, name in above), number)
    return found


def _leaves(data: Mapping[Any, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value and depth < 12:
            yield from _leaves(value, f"{name}.", depth + 1)
        else:
            yield name, value


# What a comment says of an option whose framework says nothing: `n_layer = 12  # depth of the network`.

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
