"""Records what click and docopt made of the words."""

import importlib
import sys
from typing import Any

from . import seen
from .parsers import Log


def watch(log: Log) -> None:
    """Let the libraries that the host gave us report what they parsed."""
    for name, patch in (("click", _watch_click), ("docopt", _watch_docopt)):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        patch(module, log)


def _watch_click(click: Any, log: Log) -> None:
    """A command is recorded instead of run; a group goes on to its subcommand."""
    real = click.Command.invoke
    path: list[str] = []

    def invoke(self: Any, context: Any) -> Any:
        log.parsed()
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

    click.Command.invoke = invoke


def _watch_docopt(docopt: Any, log: Log) -> None:
    real = docopt.docopt

    def watched(doc: str, argv: Any = None, *args: Any, **kwargs: Any) -> Any:
        found = real(doc, argv, *args, **kwargs)
        log.parsed()
        if argv is None or argv == sys.argv[1:]:
            seen.add_options(dict(found), {k: [str(v)] for k, v in found.items() if v not in (None, False)}, {}, [])
            seen.done()
        return found

    docopt.docopt = watched
