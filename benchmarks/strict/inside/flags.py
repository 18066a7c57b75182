"""TensorFlow's `tf.flags` and `tf.app` over the real absl, as TensorFlow 1.15 does it (platform/app.py, platform/flags.py)."""

import sys
import types
from collections.abc import Callable
from typing import Any

from . import seen
from .finder import unknown_module
from .parsers import Log


def tensorflow(log: Log, name: str) -> Callable[[], types.ModuleType]:
    """Makes an unknown TensorFlow whose flags and app are real."""

    def make() -> types.ModuleType:
        module = unknown_module(name)
        try:
            from absl import flags
        except ImportError:
            return module
        app = types.ModuleType(f"{name}.app")
        vars(app).update(flags=flags, run=lambda main=None, argv=None: run(log, main, argv))
        vars(module).update(flags=flags, app=app)
        return module

    return make


def run(log: Log, main: Any, argv: list[str] | None) -> None:
    """`tf.app.run`: parse the known flags, then call main with what is left.

    TensorFlow tolerates unknown flags (known_only=True) and drops them; here they count, because a dropped option does nothing.
    """
    from absl import flags

    try:
        rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    except flags.Error as error:
        log.reject("flags", str(error))
    log.parsed()
    ignored = [w for w in rest[1:] if w.startswith("-") and w not in ("-", "--")]
    if ignored:
        log.reject("unknown-option", "TensorFlow drops unknown flags: " + " ".join(ignored))
    _record(flags.FLAGS, rest[1:])
    main = main or vars(sys.modules["__main__"])["main"]
    sys.exit(main(rest))


def watch_absl(log: Log) -> None:
    """Let `absl.app.run` report what it parsed."""
    try:
        from absl import app, flags
    except ImportError:
        return

    def parse(args: list[str]) -> Any:
        try:
            rest = flags.FLAGS(args)
        except flags.Error as error:
            log.reject("flags", str(error))
        log.parsed()
        _record(flags.FLAGS, rest[1:])
        return rest

    module: Any = app
    real = module.parse_flags_with_usage
    for function in (module.run, module._register_and_parse_flags_with_usage):  # both have it as a default
        function.__defaults__ = tuple(parse if value is real else value for value in function.__defaults__ or ())
    module.parse_flags_with_usage = parse


def _record(values: Any, rest: list[str]) -> None:
    """Record all flags and end the program, where it is to be recorded."""
    found = {name: values[name] for name in values if values[name].name == name}
    given = {name: [str(flag.value)] for name, flag in found.items() if flag.present}
    defaults = {name: flag.default for name, flag in found.items()}
    seen.add_options({name: flag.value for name, flag in found.items()}, given, defaults, rest)
    seen.done()
