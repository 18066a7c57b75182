"""Options in groups: a command declares one parameter for several options that belong together."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

Command = Callable[..., int]


def grouped(command: Command) -> Command:
    """The command with each parameter of a NamedTuple type spread into its fields, which Typer takes as options.

    A field's annotation and default are the option's; the command is called with the tuples. Arguments come in the order declared.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}

    @functools.wraps(command)
    def with_groups(**options: Any) -> int:
        filled = {name: kind(**{field: options.pop(field) for field in kind._fields}) for name, kind in groups.items()}
        return command(**options, **filled)

    parameters = [
        parameter
        for name, declared in inspect.signature(command).parameters.items()
        for parameter in (_fields(groups[name]) if name in groups else [declared.replace(annotation=hints[name])])
    ]
    # Typer passes by name: an option that must be given may stand after one that has a default.
    spread = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    with_groups.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    return with_groups


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def _fields(group: Any) -> list[inspect.Parameter]:
    hints, defaults = get_type_hints(group, include_extras=True), group._field_defaults
    return [
        inspect.Parameter(
            field,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(field, inspect.Parameter.empty),
            annotation=hints[field],
        )
        for field in group._fields
    ]
