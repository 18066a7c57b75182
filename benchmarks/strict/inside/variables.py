"""Which environment variables a program reads, apart from those that are only the default of an option: these its parser shows."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

OURS = frozenset(
    {
        "PATH",
        "LANG",
        "HOME",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "CDPATH",
        "BASH_ENV",
        "_",
    }
)
"""Set in every run, or read by the interpreter and the shell themselves."""
DEVICES = frozenset({
    "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
    "ASCEND_RT_VISIBLE_DEVICES",
})  # fmt: skip
"""Read by the libraries below a program: they decide which devices it sees."""
_GETS = ("get", "setdefault", "pop", "getenv")
_DECLARES = ("add_argument", "option", "argument", "Option", "Argument")


def read_variables(environment: Mapping[str, str], texts: Iterable[bytes]) -> dict[str, list[str | None]]:
    """[value, what the program takes without it] of each variable that is set here and read by one of the sources or chooses devices.

    None where that is not known.
    """
    set_here = {n: v for n, v in environment.items() if n not in OURS and not n.startswith("STRICT_")}
    found: dict[str, list[str | None]] = {name: [set_here[name], None] for name in DEVICES & set_here.keys()}
    for text in texts if set_here else ():
        if any(name.encode() in text for name in set_here):
            found |= {n: [set_here[n], other] for n, other in _reads(text) if n in set_here}
    return found


def _reads(text: bytes) -> Iterator[tuple[str, str | None]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    defaults = [n for node in ast.walk(tree) for d in _defaults(node) for n in ast.walk(d)]
    names = {n.id for n in defaults if isinstance(n, ast.Name)}
    skipped = {id(n) for n in defaults}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and {t.id for t in node.targets if isinstance(t, ast.Name)} & names:
            skipped |= {id(n) for n in ast.walk(node)}
    yield from (read for node in ast.walk(tree) if id(node) not in skipped and (read := _read(node)) is not None)


def _defaults(node: ast.AST) -> list[ast.expr]:
    """What a call that declares an option gives as its default."""
    if not isinstance(node, ast.Call):
        return []
    name = _last(node.func)
    declares = name in _DECLARES or name.startswith("DEFINE")
    return [*(node.args if declares else ()), *(k.value for k in node.keywords if declares or k.arg == "default")]


def _read(node: ast.AST) -> tuple[str, str | None] | None:
    """The variable that an expression reads, and what it is without it."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _last(node.value) == "environ":
        name = _text(node.slice)
        return None if name is None else (name, None)
    if not isinstance(node, ast.Call) or _last(node.func) not in _GETS or not node.args:
        return None
    owner = _last(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    name = _text(node.args[0])
    if name is None or (owner != "environ" and _last(node.func) != "getenv"):
        return None
    return name, _text(node.args[1]) if len(node.args) > 1 else None


def _last(node: Any) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def _text(node: ast.AST) -> str | None:
    return str(node.value) if isinstance(node, ast.Constant) and node.value is not None else None
