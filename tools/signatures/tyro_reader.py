"""tyro: subcommands out of unions of classes, tables of configurations and functions."""

import itertools
import re
from collections.abc import Iterator, Mapping

import msgspec

from ml_agent.tools.signatures.dataclass_reader import elsewhere
from ml_agent.tools.signatures.fields import (
    Field,
    dashed,
    dataclass_fields,
    flatten,
    foreign_bases,
    option_of,
    parameters,
    with_absent,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Origin, Signature, Unseen
from ml_agent.tools.signatures.type_forms import TypeForm
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Native,
    Value,
)

MAX_COMBINATIONS = 60
UNIONS = ("typing.Union", "typing.Optional", "types.UnionType")
_AVOID = "tyro.conf.AvoidSubcommands"
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Branches(Native):
    """Several configurations, one a subcommand."""

    def __init__(self, targets: Mapping[str, Value], *, whole: bool) -> None:
        self.targets = targets
        self.whole = whole
        """Whether there are no others."""


class Named(Native):
    """tyro.conf.subcommand(name=...)."""

    def __init__(self, arguments: Arguments) -> None:
        name = arguments.get(0, "name")
        self.name = name if isinstance(name, str) else ""


def subcommand_name(name: str) -> str:
    """How tyro calls the subcommand of a class or a function."""
    return _WORD.sub("-", name).lower().replace("_", "-")


def branches_of(target: Value) -> Branches | None:
    """What a union of classes chooses between; None for anything else."""
    if isinstance(target, Branches):
        return target
    target, _ = unwrapped(target)
    if isinstance(target, Branches):
        return target
    if isinstance(target, TypeForm) and target.origin.name in UNIONS:
        parts = [unwrapped(part) for part in target.inner]
        known = {name or subcommand_name(part.name): part for part, name in parts if isinstance(part, Class)}
        return Branches(known, whole=len(known) == len(parts)) if len(known) > 1 else None
    return None


def _can_be_read(value: Value) -> bool:
    return isinstance(value, (Function, Bound, Class, Instance))


def unwrapped(value: Value) -> tuple[Value, str]:
    """What markers such as `Annotated` stand around, and the name that they give it."""
    name = ""
    while isinstance(value, TypeForm) and value.inner and value.origin.name not in UNIONS:
        name = name or next((note.name for note in value.inner[1:] if isinstance(note, Named)), "")
        value = value.inner[0]
    return value, name


class TyroParser(Native):
    """tyro.cli(target)."""

    def __init__(self, run: Interpreter, target: Value, *, narrow: bool = False) -> None:
        branches = branches_of(target)
        self.run = run
        self.target = unwrapped(target)[0] if branches is None else branches
        self.narrow = narrow
        """Whether a field that is a union is what its default is, and makes no subcommands (AvoidSubcommands)."""
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One signature; where it is chosen between several, one for each choice."""
        if not isinstance(self.target, Branches):
            can_be_read = _can_be_read(self.target)
            return (
                list(self._with_unions(self.target, ()))
                if can_be_read
                else [self._signature([], [elsewhere(self.target)], ())]
            )
        found = [s for name, target in self.target.targets.items() for s in self._with_unions(target, (name,))]
        if self.target.whole:
            return found
        more = Unseen(origin="registry", name="subcommands that are registered elsewhere", path=self.run.script)
        found = [msgspec.structs.replace(s, unseen=(*s.unseen, more)) for s in found]
        return [*found, self._signature([], [("registry", more.name)], ())]

    def _of(self, target: Value, subcommand: tuple[str, ...]) -> Signature:
        if isinstance(target, Class) and not isinstance(target.find("__init__"), Function):
            fields, is_open = dataclass_fields(self.run, target)
        else:
            function = target.find("__init__") if isinstance(target, Class) else target
            fields, is_open = parameters(self.run, function)
        named, deeper = flatten(self.run, fields)
        options = [self._option(name, field, len(subcommand)) for name, field in named]
        bases = foreign_bases(target) if isinstance(target, Class) else []
        elsewhere: list[tuple[Origin, str]] = [("library", base) for base in bases]
        if (is_open or deeper) and not elsewhere:
            elsewhere = [("computed", "keywords that are handed on")]
        return self._signature(options, elsewhere, subcommand)

    def _signature(
        self, options: list[Option], elsewhere: list[tuple[Origin, str]], subcommand: tuple[str, ...]
    ) -> Signature:
        return Signature(
            path=self.run.script, framework="dataclass", options=tuple(options), syntax="argparse",
            accepts_unknown=bool(elsewhere), subcommand=subcommand,
            unseen=tuple(Unseen(origin=origin, name=name, path=self.run.script) for origin, name in elsewhere),
        )  # fmt: skip

    def _option(self, name: str, field: Field, level: int) -> Option:
        made = with_absent(option_of(self.run, field, name, dashed(name)), field)
        made = msgspec.structs.replace(made, level=level)
        if field.kind.positional:
            return msgspec.structs.replace(made, flags=())
        if field.kind.type == "bool" and not field.required:
            outer, _, last = name.rpartition(".")
            no = f"--{outer}.no-{last}" if outer else f"--no-{last}"
            negative = tuple(dict.fromkeys((no, no.replace("_", "-"), f"--{no[2:].replace('-', '_')}")))
            return msgspec.structs.replace(made, nargs="0", switch_value="True", negative_flags=negative)
        return made

    def _with_unions(self, target: Value, subcommand: tuple[str, ...]) -> Iterator[Signature]:
        """The signature of a class or function, and those with the choices of its fields that are unions of classes."""
        own = self._of(target.cls if isinstance(target, Instance) else target, subcommand)
        unions = [(name, field) for name, field in self._fields(target) if field.kind.classes]
        chosen = {name for name, _ in unions}
        options = [o for o in own.options if o.dest not in chosen]
        narrowed = {
            name: made for name, field in unions if (made := self._union_default(target, name, field)) is not None
        }
        for name, made in narrowed.items():
            options += [self._set_default(o, made, f"{name}.") for o in self._below(name, made.cls, len(subcommand))]
        unions = [(name, field) for name, field in unions if name not in narrowed]
        if isinstance(target, Instance):
            options = [self._set_default(o, target) for o in options]
        plain = tuple(options)
        own = msgspec.structs.replace(own, options=plain)
        if all(not field.required for _, field in unions):
            yield own
        ways = itertools.product(*([(n, f, cls) for cls in f.kind.classes] for n, f in unions))
        for way in itertools.islice(ways if unions else (), MAX_COMBINATIONS):
            words = (*subcommand, *(f"{name}:{subcommand_name(cls.name)}" for name, _, cls in way))
            options = [*plain]
            for level, (name, _, cls) in enumerate(way, len(subcommand) + 1):
                options += self._below(name, cls, level)
            yield msgspec.structs.replace(own, subcommand=words, options=tuple(options))

    def _union_default(self, target: Value, name: str, field: Field) -> Instance | None:
        """The default of a field that is a union, where that is all that the command line takes for it."""
        default = target.attributes.get(name) if isinstance(target, Instance) else field.default
        return default if self.narrow and isinstance(default, Instance) else None

    def _fields(self, target: Value) -> list[tuple[str, Field]]:
        cls = target.cls if isinstance(target, Instance) else target
        if isinstance(cls, Class) and not isinstance(cls.find("__init__"), Function):
            fields, _ = dataclass_fields(self.run, cls)
        else:
            function = cls.find("__init__") if isinstance(cls, Class) else cls
            fields, _ = parameters(self.run, function)
        return flatten(self.run, fields)[0]

    def _below(self, name: str, cls: Class, level: int) -> list[Option]:
        """The options of a class that was chosen for a field."""
        fields, _ = dataclass_fields(self.run, cls)
        named, _ = flatten(self.run, fields, f"{name}.")
        return [self._option(dotted, field, level) for dotted, field in named]

    def _set_default(self, option: Option, instance: Instance, prefix: str = "") -> Option:
        """An option with the default that an object gives it."""
        value: Value = instance
        for name in option.dest.removeprefix(prefix).split("."):
            value = value.attributes.get(name, UNKNOWN) if isinstance(value, Instance) else UNKNOWN
        simple = isinstance(value, (bool, int, float, str))
        return msgspec.structs.replace(option, required=False, default=str(value) if simple else None, sure=simple)


def _cli(run: Interpreter, name: str, arguments: Arguments) -> Value:
    target = arguments.get(0, "f")
    default = arguments.get(None, "default")
    start = default if isinstance(target, Class) and isinstance(default, Instance) else target
    made = TyroParser(run, start, narrow=_avoids_subcommands(target, arguments.get(None, "config")))
    strict = arguments.get(None, "return_unknown_args") is not True
    run.note_parsed(made, strict=strict)
    return UNKNOWN


def _avoids_subcommands(target: Value, config: Value) -> bool:
    """Whether the marker stands around a type, or among those that are given for all of it."""
    marks = [*config] if isinstance(config, (list, tuple)) else []
    while isinstance(target, TypeForm) and target.inner:
        marks.append(target.origin)
        target = target.inner[0]
    return External(_AVOID) in marks


FACTORIES: dict[str, Factory] = {
    "tyro.cli": _cli,
    "tyro.conf.subcommand": lambda run, name, arguments: Named(arguments),
}
