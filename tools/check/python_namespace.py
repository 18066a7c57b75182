"""Checks what a piece of Python reads from the arguments that it parses itself."""

import ast
from collections.abc import Iterator

from ml_agent.tools.check.python_imports import nearest
from ml_agent.tools.findings import Finding
from ml_agent.tools.python_api.bindings import chain_of, chains, made_objects

_PARSERS = frozenset(["argparse.ArgumentParser", "ArgumentParser"])
_ADDERS = frozenset(["add_argument", "parse_args", "set_defaults"])
"""What a parser whose options all stand in the code is asked to do."""
_OF_NAMESPACE = frozenset(["__dict__", "_get_args", "_get_kwargs"])


def missing_arguments(tree: ast.Module) -> Iterator[tuple[int, Finding]]:
    """Reads of parsed arguments that no option of the parser defines, with their lines; `setattr` and the like end the certainty."""
    made = made_objects(tree)
    for name, how in made.items():
        parser = made.get(how.maker.root)
        if how.maker.rest == ("parse_args",) and parser is not None and parser.maker.text in _PARSERS:
            known = _options(tree, how.maker.root)
            if known is not None and _only_read(tree, name):
                yield from _unknown(tree, name, known)


def _options(tree: ast.Module, parser: str) -> set[str] | None:
    """The names that a parser's options get; None where not all of them can be seen."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (chain := chain_of(node.func)) is not None and chain.root == parser:
            if chain.rest not in {(adder,) for adder in _ADDERS}:
                return None
            named = _added_names(node, chain.rest[0])
            if named is None:
                return None
            found |= named
    alone = sum(isinstance(node, ast.Name) and node.id == parser for node in ast.walk(tree))
    used = sum(chain.root == parser and bool(chain.rest) for chain in chains(tree))
    return found if alone == used + 1 else None


def _added_names(call: ast.Call, adder: str) -> set[str] | None:
    """What one call adds to the names; None where it cannot be seen."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    if adder != "add_argument":
        return {str(keyword.arg) for keyword in call.keywords} if adder == "set_defaults" else set()
    dest = next((keyword.value for keyword in call.keywords if keyword.arg == "dest"), None)
    words = [dest] if dest is not None else call.args
    texts = [word.value for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    if not texts or len(texts) != len(words):
        return None
    first = next((text for text in texts if text.startswith("--")), texts[0])
    return {first.lstrip("-").replace("-", "_") if first.startswith("-") else first}


def _only_read(tree: ast.Module, name: str) -> bool:
    """Whether the object is used by its attributes alone, so that nobody else can add to it."""
    names = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    attributes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    return names == 1 + sum(node.value.id == name for node in attributes if isinstance(node.value, ast.Name))


def _unknown(tree: ast.Module, name: str, known: set[str]) -> Iterator[tuple[int, Finding]]:
    stored: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == name and isinstance(node.ctx, ast.Store):
            stored[node.attr] = min(node.lineno, stored.get(node.attr, node.lineno))
    for chain in chains(tree):
        if chain.root != name or not chain.rest or chain.rest[0] in known | _OF_NAMESPACE:
            continue
        line, asked = chain.node.lineno, chain.rest[0]
        if line <= stored.get(asked, line):
            yield (
                line,
                Finding(
                    code="no-such-name",
                    message=f"line {line}: no option of the parser gives {name}.{asked}",
                    subject=f"{name}.{asked}",
                    suggestion=nearest(asked, known),
                ),
            )
