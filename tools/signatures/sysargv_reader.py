"""Scripts that read sys.argv themselves, and scripts that take nothing."""

import ast
import re

from tools.signatures.model import Option, Signature
from tools.signatures.sources import Sources

ARGV = re.compile(r"\bargv\b")
MAX_PLACE = 50


def read(sources: Sources, path: str) -> tuple[Signature, ...]:
    """The signature of a script without a parser: its positional arguments by number."""
    text = sources.text(path) or ""
    if not ARGV.search(text):
        return (Signature(path=path, framework="none", syntax="plain", accepts_unknown=True, doc=_doc(text)),)
    tree = sources.tree(path)
    if tree is None:
        return (Signature(path=path, framework="none", syntax="plain", accepts_unknown=True),)
    return (_signature(tree, path),)


def _doc(text: str) -> str:
    found = re.match(r'\s*(?:#[^\n]*\n|\s)*[ru]{0,2}("""|\'\'\')(.*?)\1', text[:4000], re.DOTALL)
    return " ".join(found.group(2).strip().split("\n\n")[0].split())[:500] if found else ""


def _signature(tree: ast.Module, path: str) -> Signature:
    names: dict[int, tuple[str, int]] = {}
    uses = 0
    names_of_targets = {id(n.value): n.targets[0] for n in ast.walk(tree) if isinstance(n, ast.Assign)}
    for node in ast.walk(tree):
        if _is_argv(node):
            uses += 1
        place = _place(node)
        if place is None:
            continue
        target = names_of_targets.get(id(node))
        name = target.id if isinstance(target, ast.Name) else f"arg{place}"
        if place not in names or names[place][0].startswith("arg"):
            names[place] = (name, getattr(node, "lineno", 0))
    options = tuple(
        _option(place, *names.get(place, (f"arg{place}", 0)), path) for place in range(1, max(names, default=0) + 1)
    )
    doc = " ".join((ast.get_docstring(tree) or "").strip().split("\n\n")[0].split())[:500]
    only_places = uses == len([n for n in ast.walk(tree) if _place(n) is not None or _counts(n)])
    framework = "sysargv" if options or uses else "none"
    return Signature(
        path=path, framework=framework, options=options, syntax="plain", doc=doc, accepts_unknown=not only_places or not options
    )  # fmt: skip


def _option(place: int, name: str, line: int, path: str) -> Option:
    return Option(dest=name if name != f"arg{place}" else f"arg{place}", path=path, line=line, sure=False)


def _is_argv(node: ast.AST) -> bool:
    """sys.argv, or argv imported from sys."""
    if isinstance(node, ast.Attribute):
        return node.attr == "argv" and isinstance(node.value, ast.Name) and node.value.id == "sys"
    return isinstance(node, ast.Name) and node.id == "argv" and isinstance(node.ctx, ast.Load)


def _place(node: ast.AST) -> int | None:
    """The number of the argument that an expression reads."""
    if not isinstance(node, ast.Subscript) or not _is_argv(node.value):
        return None
    value = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return value if isinstance(value, int) and 0 < value <= MAX_PLACE else None


def _counts(node: ast.AST) -> bool:
    """len(sys.argv)."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and bool(node.args)
        and _is_argv(node.args[0])
    )
