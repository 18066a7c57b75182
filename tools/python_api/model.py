"""What a Python file defines, and what others can import from it."""

from enum import Enum
from typing import Literal

import msgspec

from ml_agent.tools.outline import Import

ParameterKind = Literal["positional", "either", "rest", "keyword", "keywords"]
"""By place only, by place or name, *args, by name only, **kwargs."""
ObjectKind = Literal["module", "class", "function", "method", "attribute"]
"""A method is called on an instance; static and class methods count as functions."""


class Unknown(Enum):
    """The answer where a name may or may not exist: star imports of foreign code, names made at run time."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN


class Parameter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One parameter of a function."""

    name: str
    kind: ParameterKind = "either"
    default: str | None = None
    """As written in the source; None where there is none."""
    annotation: str = ""

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is None and self.kind not in ("rest", "keywords")


class Definition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A class, a function or a method, as it stands in one file."""

    name: str
    """Within the module: `Model`, `Model.forward`."""
    kind: Literal["class", "function", "method"]
    line: int
    parameters: tuple[Parameter, ...] = ()
    """Without self and cls; for a class its dataclass fields."""
    bases: tuple[str, ...] = ()
    """As written; for classes."""
    doc: str = ""
    """First line of the docstring."""
    sure: bool = True
    """False where a decorator or metaclass may have changed what a call takes."""
    fields: bool = False
    """A class whose constructor is made from its fields."""
    attributes: tuple[str, ...] = ()
    """What a class or its instances have besides methods: names bound in its body or on `self`."""
    open: bool = False
    """A class whose instances may have more, by names that are made at run time."""
    read: bool = False
    """A method that is read like an attribute and not called: a property."""
    returns: str = ""
    """What a function says that it gives, where that is a plain name."""


class ModuleFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One Python file."""

    path: str
    doc: str = ""
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    stars: tuple[str, ...] = ()
    """Modules of which everything is imported, as written."""
    attributes: tuple[str, ...] = ()
    """Other names bound at module level."""
    exported: tuple[str, ...] | None = None
    """`__all__` where it is a plain list."""
    dynamic: bool = False
    """Names may be made at run time, or the file is no Python we can read."""


class ApiObject(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that can be imported from the repository."""

    name: str
    """Dotted, where it is defined: `open_clip.factory.create_model`."""
    kind: ObjectKind
    path: str
    line: int = 1
    parameters: tuple[Parameter, ...] = ()
    """What a call takes, without self; for a class the parameters of its constructor."""
    doc: str = ""
    sure: bool = True
    """Whether `parameters` is all a call may give."""
