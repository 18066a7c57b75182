"""Types as values: what a program can ask of an annotation and of the class of a value."""

from ml_agent.tools.signatures.machine import Machine
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    External,
    Native,
    Value,
    is_known,
)


class TypeForm(Native):
    """A type with arguments, such as `Optional[int]`."""

    def __init__(self, origin: External, inner: tuple[Value, ...]) -> None:
        self.origin = origin
        self.inner = inner
        self.size: int = 1 + sum(part.size for part in inner if isinstance(part, TypeForm))
        """How many forms it is made of."""


def is_instance(run: Machine, arguments: Arguments) -> Value:
    """isinstance(value, kinds) of a constant or container and built-in types."""
    if len(arguments.placed) != 2:
        return UNKNOWN
    value, kinds = arguments.placed
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    names = [kind.name for kind in several if isinstance(kind, External) and kind.name.startswith("builtins.")]
    if len(names) < len(several) or not (is_known(value) or isinstance(value, (list, tuple, dict, set))):
        return UNKNOWN
    return any(f"builtins.{cls.__name__}" in names for cls in type(value).__mro__)
