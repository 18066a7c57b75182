"""What the literals of Python code are for, by the names of the parameters that they are given to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ml_agent.grounded.literals import Literal, literals
from ml_agent.grounded.scope import imported, parsed
from tools.examples import Example
from tools.python_api.index import ApiIndex
from tools.python_api.model import ApiObject

_COMMENTED = re.compile(r"^[ \t]*#[ \t]*([\w.,\s]+=\s*[\w.]+\(.*\))[ \t]*$", re.MULTILINE)


def slots_of(code: str, found: Sequence[Literal], api: ApiIndex, workdir: str) -> list[str]:
    """For each literal the name of its keyword, or of the parameter that it is given for by place."""
    tree = parsed(code)
    names = imported(tree) if tree is not None else {}
    return [_parameter(literal, names, api, workdir) or literal.slot for literal in found]


def _parameter(literal: Literal, names: Mapping[str, str], api: ApiIndex, workdir: str) -> str:
    if literal.place < 0 or not literal.owner:
        return ""
    head, dot, rest = literal.owner.partition(".")
    called = api.resolve(names.get(head, head) + dot + rest, workdir)
    if not isinstance(called, ApiObject):
        return ""
    given = [parameter.name for parameter in called.parameters if parameter.kind in {"positional", "either"}]
    return given[literal.place] if literal.place < len(given) else ""


def seen_in(examples: Iterable[Example], api: ApiIndex) -> Mapping[str, frozenset[str]]:
    """By parameter of the repository's own functions: the texts that examples give it, those in commented lines too."""
    found: dict[str, set[str]] = defaultdict(set)
    for code in dict.fromkeys(example.text for example in examples if example.api):
        whole = "\n".join([code, *(match[1] for match in _COMMENTED.finditer(code))])
        texts = [
            literal for literal in literals(whole) if literal.kind == "text" and literal.owner and not literal.fixed
        ]
        for literal, slot in zip(texts, slots_of(whole, texts, api, "."), strict=True):
            if slot and len(literal.text) < 80:
                found[slot].add(literal.text)
    return {slot: frozenset(texts) for slot, texts in found.items()}
