"""Command lines made from dataclasses and functions: HfArgumentParser, simple-parsing, tyro, jsonargparse."""

from collections.abc import Iterable

import msgspec

from ml_agent.tools.signatures.argparse_reader import Parser, as_parser
from ml_agent.tools.signatures.fields import (
    TYRO_ABSENT,
    YAML_ABSENT,
    Field,
    FieldNote,
    dashed,
    dataclass_fields,
    flatten,
    foreign_bases,
    option_of,
    parameters,
    underscored,
    with_absent,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.known_classes import STRING_TO_BOOL, known_class, with_negative
from ml_agent.tools.signatures.model import CONFIG_FILE, Option, OptionType, Origin, Signature, Unseen
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Bound, Class, External, Function, Native, Value


class FieldParser(Parser):
    """An argparse parser whose options come from dataclasses."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        super().__init__(run, arguments)
        self.lone_file: tuple[str, ...] = ()

    def take(self, value: Value) -> None:
        """Add the fields of a dataclass, or of several."""
        for cls in value if isinstance(value, (list, tuple)) else [value]:
            known = known_class(cls.name) if isinstance(cls, External) else None
            if known is not None:
                self._add(known.as_options())
                continue
            if not isinstance(cls, Class):
                self.note_unseen(*_elsewhere(cls))
                continue
            self._take_bases(cls)
            fields, more = dataclass_fields(self.run, cls)
            named, deeper = flatten(self.run, fields)
            if deeper and not more:
                self.note_unseen("library", "a nested dataclass")
            self._add([self.option(name.rpartition(".")[2], field) for name, field in named])

    def _take_bases(self, cls: Class) -> None:
        """Add the options of the library classes that a dataclass derives from, as far as they are known."""
        for name in foreign_bases(cls):
            known = known_class(name)
            if known is None:
                self.note_unseen("library", name)
            else:
                self._add(known.as_options())

    def _add(self, options: Iterable[Option]) -> None:
        """Add options; one of the same name takes the place of an inherited one."""
        self.options = list(({o.dest: o for o in self.options} | {o.dest: o for o in options}).values())

    def option(self, name: str, field: Field) -> Option:
        """One field as HfArgumentParser adds it."""
        made = option_of(self.run, field, name, dashed(name))
        if field.kind.members:  # of an enumeration and str it takes the enumeration alone
            made = msgspec.structs.replace(made, choices=field.kind.members, sure=True)
        if field.kind.type == "bool" and field.kind.nargs is None:
            default = made.default or "False"
            made = msgspec.structs.replace(
                made, nargs="?", switch_value="True", converter=STRING_TO_BOOL, default=default, required=False
            )
            return with_negative(made)
        return msgspec.structs.replace(made, nargs="+") if made.nargs == "*" else made

    def do_add_arguments(self, arguments: Arguments) -> Value:
        """simple_parsing: the fields of a dataclass become options."""
        self.take(arguments.get(0, "dataclass"))
        return UNKNOWN

    def signatures(self, subcommand: tuple[str, ...] = (), before: tuple[Option, ...] = ()) -> list[Signature]:
        """As argparse, under its own name."""
        found = super().signatures(subcommand, before)
        return [msgspec.structs.replace(s, framework="dataclass", lone_file=self.lone_file) for s in found]

    def _take_file(self, *suffixes: str) -> Value:
        """A file given by place holds every value."""
        self.lone_file = (*self.lone_file, *suffixes)
        return UNKNOWN

    def do_parse_json_file(self, arguments: Arguments) -> Value:
        """HfArgumentParser: the values of a JSON file."""
        return self._take_file(".json")

    def do_parse_yaml_file(self, arguments: Arguments) -> Value:
        """HfArgumentParser: the values of a YAML file."""
        return self._take_file(".yaml", ".yml")

    def do_parse_args_and_config(self, arguments: Arguments) -> Value:
        """TrlParser: `--config FILE` gives values, and what is required may stand there."""
        self._add([msgspec.structs.replace(_plain("--config", "path"), converter=CONFIG_FILE)])
        self.run.note_parsed(self, strict=arguments.get(None, "return_remaining_strings") is not True)
        return UNKNOWN


def _elsewhere(value: Value) -> tuple[Origin, str]:
    """From where the fields of something come that is no class of the repository."""
    return ("library", value.name) if isinstance(value, External) else ("computed", "a dataclass chosen when it runs")


def _hf_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = FieldParser(run, Arguments([], {}))
    made.path, made.line = arguments.path, arguments.line
    made.take(arguments.get(0, "dataclass_types", ()))
    return made


def _simple_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return FieldParser(run, arguments)


def _simple_parse(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = FieldParser(run, Arguments([], {}))
    made.take(arguments.get(0, "config_class"))
    run.note_parsed(made, strict=True)
    return UNKNOWN


class FunctionParser(Native):
    """A command line made from a function, a class or a dataclass."""

    def __init__(self, run: Interpreter, target: Value, style: str) -> None:
        self.run = run
        self.target = target
        self.style = style
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One signature; for several functions one a subcommand."""
        targets = self._targets()
        if not targets:
            return [self._signature([], [_elsewhere(self.target)], ())]
        return [self._of(target, name) for name, target in targets]

    def _targets(self) -> list[tuple[tuple[str, ...], Value]]:
        if isinstance(self.target, (list, tuple)):
            return [((getattr(t, "name", ""),), t) for t in self.target if isinstance(t, (Function, Class))]
        if isinstance(self.target, dict):
            return [
                ((k,), t) for k, t in self.target.items() if isinstance(k, str) and isinstance(t, (Function, Class))
            ]
        return [((), self.target)] if isinstance(self.target, (Function, Bound, Class)) else []

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
        if self.style == "jsonargparse":
            options = [*options, *_of_jsonargparse()]
        return Signature(
            path=self.run.script, framework="dataclass", options=tuple(options), syntax="argparse",
            accepts_unknown=bool(elsewhere), subcommand=subcommand,
            unseen=tuple(Unseen(origin=origin, name=name, path=self.run.script) for origin, name in elsewhere),
        )  # fmt: skip

    def _option(self, name: str, field: Field, level: int) -> Option:
        flags = dashed(name) if self.style == "tyro" else underscored(name)
        words = TYRO_ABSENT if self.style == "tyro" else YAML_ABSENT
        made = msgspec.structs.replace(with_absent(option_of(self.run, field, name, flags), field, words), level=level)
        if field.kind.positional or (self.style == "jsonargparse" and field.required and "." not in name):
            return msgspec.structs.replace(made, flags=())
        if field.kind.type == "bool" and self.style == "tyro" and not field.required:
            outer, _, last = name.rpartition(".")
            no = f"--{outer}.no-{last}" if outer else f"--no-{last}"
            negative = tuple(dict.fromkeys((no, no.replace("_", "-"), f"--{no[2:].replace('-', '_')}")))
            return msgspec.structs.replace(made, nargs="0", switch_value="True", negative_flags=negative)
        return made


class LightningCommands(Native):
    """LightningCLI(Model, Data): subcommands that take the trainer's, the model's and the data module's parameters."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        self.run = run
        self.arguments = arguments
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One a subcommand; with `run=False` there are none."""
        config, shown = _of_jsonargparse()
        options = [
            msgspec.structs.replace(config, flags=("--config", "-c")),
            shown,
            _plain("--seed_everything", "json"),
        ]
        options += [_plain(f"--{name}", kind) for name, kind in LIGHTNING_OWN]
        unseen: list[Unseen] = []
        trainer = known_class("pytorch_lightning.Trainer")
        options += [_under("trainer", option) for option in trainer.as_options()] if trainer is not None else []
        for name, place in (("model", 0), ("data", 1)):
            found, elsewhere = self._of(
                name, self.arguments.get(place, f"{name if place == 0 else 'datamodule'}_class")
            )
            options += found
            unseen += [Unseen(origin=o, name=n, path=self.run.script) for o, n in elsewhere]
        names = [()] if self.arguments.get(None, "run", True) is False else [(n,) for n in LIGHTNING]
        level = len(names[0])
        return [
            Signature(
                path=self.run.script, framework="dataclass", subcommand=name, syntax="argparse", unseen=tuple(unseen),
                options=tuple(msgspec.structs.replace(o, level=level) for o in options), accepts_unknown=bool(unseen),
            )
            for name in names
        ]  # fmt: skip

    def _of(self, name: str, target: Value) -> tuple[list[Option], list[tuple[Origin, str]]]:
        """The parameters of a class, or from where they come."""
        if target is None:
            return [_plain(f"--{name}", "str")], [("computed", f"a {name} class chosen when it runs")]
        initialiser = target.find("__init__") if isinstance(target, Class) else None
        if not isinstance(initialiser, Function):
            return [], [] if isinstance(target, Class) else [_elsewhere(target)]
        fields, more = parameters(self.run, initialiser)
        made = []
        for field in fields:
            whole = f"{name}.{field.name}"
            made.append(with_absent(option_of(self.run, field, whole, underscored(whole)), field, YAML_ABSENT))
        if self.arguments.get(None, f"subclass_mode_{name}", False) is not False:
            loose = [msgspec.structs.replace(option, required=False, sure=False) for option in made]
            return loose, [("computed", f"a {name} class chosen when it runs")]
        return made, [("computed", "keywords that are handed on")] if more else []


def _trainer_options(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """pl.Trainer.add_argparse_args(parser): what the Trainer takes, as it was until version 2."""
    parser = as_parser(arguments.get(0, "parent_parser"))
    trainer = known_class("pytorch_lightning.Trainer")
    if parser is None or trainer is None:
        return run.hand_over(name, arguments)
    taken = {option.dest for option in parser.options}
    for option in trainer.as_options():
        if option.dest not in taken:
            made = msgspec.structs.replace(option, required=False, nargs="?" if option.type == "bool" else None)
            parser.options.append(
                msgspec.structs.replace(made, switch_value="True" if made.nargs else None, sure=False)
            )
    return arguments.get(0, "parent_parser")


LIGHTNING_OWN: tuple[tuple[str, OptionType], ...] = (
    ("trainer", "path"), ("model", "path"), ("data", "path"), ("optimizer", "json"), ("lr_scheduler", "json"),
    ("ckpt_path", "path"), ("verbose", "bool"), ("return_predictions", "bool"),
)  # fmt: skip
"""What every LightningCLI takes: whole parts out of a file, and what is handed to the method that is run."""
LIGHTNING = ("fit", "validate", "test", "predict")


def _plain(flag: str, kind: OptionType) -> Option:
    return Option(dest=flag.lstrip("-"), flags=(flag,), type=kind, sure=False)


def _of_jsonargparse() -> tuple[Option, Option]:
    """What every command line of jsonargparse takes besides: with either of them nothing else is required."""
    given = msgspec.structs.replace(_plain("--config", "path"), converter=CONFIG_FILE)
    shown = Option(
        dest="print_config",
        flags=("--print_config",),
        nargs="?",
        switch_value="True",
        converter=CONFIG_FILE,
        sure=False,
    )
    return given, shown


def _under(prefix: str, option: Option) -> Option:
    name = f"{prefix}.{option.dest}"
    absent = () if option.required or option.default is not None else YAML_ABSENT
    return msgspec.structs.replace(option, dest=name, flags=(f"--{name}",), nargs=None, required=False, absent=absent)


def _lightning(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = LightningCommands(run, arguments)
    run.note_parsed(made, strict=True)
    return UNKNOWN


def _call_with(style: str) -> Factory:
    def factory(run: Interpreter, name: str, arguments: Arguments) -> Value:
        made = FunctionParser(run, arguments.get(0, "components"), style)
        run.note_parsed(made, strict=True)
        return UNKNOWN

    return factory


def _field(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return FieldNote(arguments)


FACTORIES: dict[str, Factory] = {
    "transformers.HfArgumentParser": _hf_parser,
    "transformers.hf_argparser.HfArgumentParser": _hf_parser,
    "trl.TrlParser": _hf_parser,
    "simple_parsing.ArgumentParser": _simple_parser,
    "simple_parsing.parse": _simple_parse,
    "jsonargparse.CLI": _call_with("jsonargparse"),
    "jsonargparse.auto_cli": _call_with("jsonargparse"),
    "pytorch_lightning.cli.LightningCLI": _lightning,
    "lightning.pytorch.cli.LightningCLI": _lightning,
    "pytorch_lightning.utilities.cli.LightningCLI": _lightning,
    "pytorch_lightning.Trainer.add_argparse_args": _trainer_options,
    "pytorch_lightning.trainer.Trainer.add_argparse_args": _trainer_options,
    "pytorch_lightning.trainer.trainer.Trainer.add_argparse_args": _trainer_options,
    "lightning.pytorch.Trainer.add_argparse_args": _trainer_options,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "simple_parsing.field": _field,
    "simple_parsing.helpers.field": _field,
}
