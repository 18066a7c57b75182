"""tyro: a dataclass or a function as a command line; what unions of classes choose between is not followed."""

import msgspec

from ml_agent.tools.signatures.dataclass_reader import elsewhere
from ml_agent.tools.signatures.fields import (
    Field,
    dashed,
    fields_of,
    flatten,
    foreign_bases,
    option_of,
    with_absent,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Origin, Signature, Unseen
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Bound, Class, Function, Native, TypeForm, Value

_UNIONS = ("typing.Union", "typing.Optional", "types.UnionType")


class TyroParser(Native):
    """tyro.cli(target)."""

    def __init__(self, run: Interpreter, target: Value) -> None:
        while isinstance(target, TypeForm) and target.inner and target.origin.name not in _UNIONS:
            target = target.inner[0]  # what markers such as `Annotated` stand around
        self.run = run
        self.target = target
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """The signature; open where fields come from elsewhere, or are chosen by subcommands."""
        options: list[Option] = []
        if not isinstance(self.target, (Function, Bound, Class)):
            unseen = [elsewhere(self.target)]
        else:
            named, unseen = self._fields(self.target)
            options = [self._option(name, field) for name, field in named if not field.kind.classes]
        return [
            Signature(
                path=self.run.script, framework="dataclass", options=tuple(options), accepts_unknown=bool(unseen),
                allow_abbrev=False,
                unseen=tuple(Unseen(origin=origin, name=name, path=self.run.script) for origin, name in unseen),
            )
        ]  # fmt: skip

    def _fields(self, target: Function | Bound | Class) -> tuple[list[tuple[str, Field]], list[tuple[Origin, str]]]:
        """The fields by dotted name, and from where there are others."""
        fields, is_open = fields_of(self.run, target)
        named, deeper = flatten(self.run, fields)
        unseen: list[tuple[Origin, str]] = []
        if isinstance(target, Class):
            unseen += [("library", base) for base in foreign_bases(target)]
        if (is_open or deeper) and not unseen:
            unseen.append(("computed", "keywords that are handed on"))
        unseen += [("registry", f"the classes that {name} chooses between") for name, one in named if one.kind.classes]
        return named, unseen

    def _option(self, name: str, field: Field) -> Option:
        made = with_absent(option_of(self.run, field, name, dashed(name)), field)
        if field.kind.positional:
            return msgspec.structs.replace(made, flags=())
        if field.kind.type == "bool" and not field.required:
            outer, _, last = name.rpartition(".")
            no = f"--{outer}.no-{last}" if outer else f"--no-{last}"
            negative = tuple(dict.fromkeys((no, no.replace("_", "-"), f"--{no[2:].replace('-', '_')}")))
            return msgspec.structs.replace(made, nargs="0", switch_value="True", negative_flags=negative)
        return made


def _cli(run: Interpreter, name: str, arguments: Arguments) -> Value:
    target = TyroParser(run, arguments.get(0, "f"))
    run.note_parsed(target, strict=arguments.get(None, "return_unknown_args") is not True)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {"tyro.cli": _cli}
