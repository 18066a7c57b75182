"""Modules that `python -m` is told to run, and of which no file was found: what is wrong with the name, and what was meant."""

import posixpath
import sys
from collections.abc import Iterator

from ml_agent.tools.check.repository import CheckedRepository
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.launchers import launcher_modules
from ml_agent.tools.signatures.nearest import is_slip, nearest

KNOWN_MODULES = sys.stdlib_module_names | {m.partition(".")[0] for m in launcher_modules()}
"""Modules of every machine."""


def check_module_path(name: str) -> Finding:
    """A path in the place of a dotted name."""
    dotted = name.removesuffix(".py").strip("./").replace("/", ".")
    message = f"python -m takes a dotted name, not a path: {name}; did you mean {dotted}?"
    return Finding(code="no-such-module", message=message, subject=name, suggestion=dotted)


def check_missing_module(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Iterator[Finding]:
    """What is wrong with the name of a module of which no file was found; nothing where it may be a library's.

    Args:
        repository: where it is looked for.
        name: dotted.
        folder: where the command runs.
        sure: whether no earlier command may have made it.
    """
    top = name.partition(".")[0]
    if not _lies_in(repository, folder, top):
        folder = repository.reader.sources.packages().get(top, folder)
    if _lies_in(repository, folder, top):
        yield _not_in_package(repository, name, folder, sure=sure)
        return
    near = next((own for own in _own_modules(repository, folder) if is_slip(top, own)), "")
    if near and top not in KNOWN_MODULES:
        meant = ".".join([near, *name.split(".")[1:]])
        yield _finding(f"there is no module {name}; did you mean {meant}?", name, meant, sure=sure)
        return
    yield from _elsewhere(repository, name, folder, sure=sure)


def _not_in_package(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Finding:
    """The package is there, and the module is not."""
    tree = repository.tree
    whole = posixpath.normpath(posixpath.join(folder, name.replace(".", "/")))
    if whole in tree.folders:
        return _finding(f"{name} is a package without __main__ and cannot be run", name, sure=True)
    siblings = [p.removesuffix(".py") for p in tree.files if posixpath.dirname(p) == posixpath.dirname(whole)]
    near = nearest(whole, siblings)
    suggestion = posixpath.relpath(near, folder).replace("/", ".") if near else ""
    return _finding(f"there is no module {name}", name, suggestion, sure=sure)


def _elsewhere(repository: CheckedRepository, name: str, folder: str, *, sure: bool) -> Iterator[Finding]:
    """A package of that name lies in another folder."""
    tree, top = repository.tree, name.partition(".")[0]
    found = [f for f in tree.folders if posixpath.basename(f) == top and f"{f}/__init__.py" in tree.files]
    if len(found) != 1:
        return
    inside = posixpath.join(posixpath.dirname(found[0]), name.replace(".", "/"))
    if inside not in tree.folders and f"{inside}.py" not in tree.files:
        yield _finding(f"{found[0]} has no module {name}", name, sure=sure)
        return
    base = posixpath.relpath(posixpath.dirname(found[0]) or ".", folder)
    yield _finding(f"{top} is not a package here; it is in {base}", name, f"cd {base}", sure=False)


def _finding(message: str, name: str, suggestion: str = "", *, sure: bool) -> Finding:
    severity: Severity = "error" if sure else "warning"
    return Finding(code="no-such-module", message=message, severity=severity, subject=name, suggestion=suggestion)


def _lies_in(repository: CheckedRepository, folder: str, top: str) -> bool:
    here = posixpath.normpath(posixpath.join(folder, top))
    return here in repository.tree.folders or f"{here}.py" in repository.tree.files


def _own_modules(repository: CheckedRepository, folder: str) -> list[str]:
    """Modules and packages that can be imported in a folder: those beside, and those that are installed."""
    prefix = "" if folder == "." else folder + "/"
    beside = {
        p.removeprefix(prefix).removesuffix("/__init__.py").removesuffix(".py")
        for p in repository.tree.files
        if p.startswith(prefix) and p.endswith(".py")
    }
    return sorted({name for name in beside if "/" not in name} | set(repository.reader.sources.packages()))
