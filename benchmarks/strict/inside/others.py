"""Watches click, docopt and fire once a program imports them: what they made of the words, and whether they only show something."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from . import seen
from .finder import WrappingLoader
from .parsers import HELP, VERSION, Log
from .scope import Scope

Patch = Callable[[Any, Log], None]
_EAGER = "click.decorators"
"""The module whose callbacks end a program before its command: of `--help` and of `--version`."""


def watch(log: Log, scope: Scope) -> None:
    """Let the libraries that the host gave us report what they parsed; a module of the repository with their name is left alone."""
    sys.meta_path.insert(
        0, _WatchedFinder({"click": _watch_click, "docopt": _watch_docopt, "fire": _watch_fire}, log, scope)
    )


class _WatchedFinder(MetaPathFinder):
    """Asked before all others; finds the modules that are to be patched as soon as they are loaded."""

    def __init__(self, patches: dict[str, Patch], log: Log, scope: Scope) -> None:
        self.patches, self.log, self.scope = patches, log, scope

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in self.patches else None
        if spec is None or spec.loader is None or self.scope.has(spec.origin or ""):
            return None
        spec.loader = _PatchingLoader(spec.loader, lambda module: self.patches[name](module, self.log))
        return spec


class _PatchingLoader(WrappingLoader):
    """Loads a module as its own loader does, and patches it then."""

    def __init__(self, inner: Any, patch: Callable[[Any], None]) -> None:
        super().__init__(inner)
        self.patch = patch

    def exec_module(self, module: Any) -> None:
        self.inner.exec_module(module)
        self.patch(module)


def _watch_click(click: Any, log: Log) -> None:
    """Where calls are recorded, a command is recorded instead of run; a group goes on to its subcommand."""
    real, leave = click.Command.invoke, click.Context.exit
    path: list[str] = []

    def invoke(self: Any, context: Any) -> Any:
        log.parsed()
        if not seen.SEEN.on:
            return real(self, context)
        default = click.core.ParameterSource.DEFAULT
        given = {n: [str(v)] for n, v in context.params.items() if context.get_parameter_source(n) is not default}
        defaults = {p.name: p.get_default(context) for p in self.params if p.name}
        if context.parent is not None:
            path.append(context.info_name or "")
        group = isinstance(self, click.Group)
        seen.add_options(context.params, given, defaults, [] if group else list(context.args), path)
        if group:
            return real(self, context)
        return seen.done()

    def get_help(self: Any) -> Any:
        log.only_shows(HELP)

    def end(self: Any, code: int = 0) -> Any:
        if sys._getframe(1).f_globals.get("__name__") == _EAGER:
            log.only_shows(VERSION)
        return leave(self, code)

    click.Command.invoke, click.Context.get_help, click.Context.exit = invoke, get_help, end


def _watch_docopt(docopt: Any, log: Log) -> None:
    real = docopt.docopt

    def watched(doc: str, argv: Any = None, *args: Any, **kwargs: Any) -> Any:
        try:
            found = real(doc, argv, *args, **kwargs)
        except SystemExit as error:
            if error.code is None:
                log.only_shows(HELP)
            raise
        log.parsed()
        if argv is None or argv == sys.argv[1:]:
            seen.add_options(dict(found), {k: [str(v)] for k, v in found.items() if v not in (None, False)}, {}, [])
            seen.done()
        return found

    docopt.docopt = watched


def _watch_fire(fire: Any, log: Log) -> None:
    """fire goes through all words and shows its help then, where one of them asked for it."""
    real = fire.core._Fire

    def watched(*args: Any, **kwargs: Any) -> Any:
        trace = real(*args, **kwargs)
        if trace.show_help and not trace.HasError():
            log.only_shows(HELP)
        return trace

    fire.core._Fire = watched
