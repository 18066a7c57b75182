"""Makefiles: their targets and the variables that their recipes take, such as `make train LR=0.1`; prerequisites are not read."""

import re
from bisect import bisect_left

from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sources import Sources

TARGET = re.compile(
    r"^([A-Za-z0-9][\w./-]*(?:[ \t]+[A-Za-z0-9][\w./-]*)*)[ \t]*::?(?!=)[^\n]*(?:\n(?:\t[^\n]*|[ \t]*#[^\n]*|[ \t]*(?=\n)))*",
    re.MULTILINE,
)
VARIABLE = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(\?|:|::)?=[ \t]*([^\n#]*)", re.MULTILINE)
NAMES = frozenset({"Makefile", "makefile", "GNUmakefile"})
MAX_TARGETS = 200


def is_makefile(path: str) -> bool:
    """Whether a path names a makefile."""
    name = path.rpartition("/")[2]
    return name in NAMES or name.endswith(".mk")


def read(sources: Sources, path: str) -> tuple[Signature, ...]:
    """One signature a target."""
    text = sources.text(path)
    if text is None:
        return ()
    text = re.sub(r"\\\n", " ", text)
    ends = [match.start() for match in re.finditer("\n", text)]
    variables = {m.group(1): (m.group(3).strip(), bisect_left(ends, m.start()) + 1) for m in VARIABLE.finditer(text)}
    found: dict[str, Signature] = {}
    for match in TARGET.finditer(text):
        recipe = [line.strip().lstrip("@-+") for line in match.group(0).split("\n")[1:] if line.startswith("\t")]
        line = bisect_left(ends, match.start()) + 1
        for name in match.group(1).split():
            if len(found) < MAX_TARGETS and name not in found:
                found[name] = _target(path, name, line, recipe, variables)
    return tuple(found.values())


def _target(path: str, name: str, line: int, recipe: list[str], variables: dict[str, tuple[str, int]]) -> Signature:
    used = {v for command in recipe for v in re.findall(r"\$[({](\w+)[)}]", command)}
    options = tuple(
        Option(dest=v, default=variables[v][0] or None, path=path, line=variables[v][1]) for v in variables if v in used
    )
    return Signature(
        path=path, kind="make", framework="make", name=name, options=options, syntax="overrides", line=line,
        calls=tuple(c for c in recipe if c), accepts_unknown=True,
    )  # fmt: skip
