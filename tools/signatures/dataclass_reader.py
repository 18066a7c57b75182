"""Command lines made from dataclasses: HfArgumentParser and TrlParser."""

from collections.abc import Iterable

import msgspec

from ml_agent.tools.signatures.argparse_reader import Parser
from ml_agent.tools.signatures.fields import (
    Field,
    FieldNote,
    dashed,
    dataclass_fields,
    flatten,
    foreign_bases,
    option_of,
)
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.known_classes import STRING_TO_BOOL, known_class, with_negative
from ml_agent.tools.signatures.model import CONFIG_FILE, Option, Origin, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, External, Value


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
                self._add(known.as_options(self.run.sources.pinned))
                continue
            if not isinstance(cls, Class):
                self.note_unseen(*elsewhere(cls))
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
                self._add(known.as_options(self.run.sources.pinned))

    def _add(self, options: Iterable[Option]) -> None:
        """Add options; one of the same name takes the place of an inherited one."""
        self.options = list(({o.dest: o for o in self.options} | {o.dest: o for o in options}).values())

    def option(self, name: str, field: Field) -> Option:
        """One field as HfArgumentParser adds it."""
        made = option_of(self.run, field, name, dashed(name))
        if field.kind.type == "bool" and field.kind.nargs is None:
            default = made.default or "False"
            made = msgspec.structs.replace(
                made, nargs="?", switch_value="True", converter=STRING_TO_BOOL, default=default, required=False
            )
            return with_negative(made)
        return msgspec.structs.replace(made, nargs="+") if made.nargs == "*" else made

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
        self._add([Option(dest="config", flags=("--config",), type="path", sure=False, converter=CONFIG_FILE)])
        self.run.note_parsed(self, strict=arguments.get(None, "return_remaining_strings") is not True)
        return UNKNOWN


def elsewhere(value: Value) -> tuple[Origin, str]:
    """From where the fields of something come that is no class of the repository."""
    return ("library", value.name) if isinstance(value, External) else ("computed", "a dataclass chosen when it runs")


def _hf_parser(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = FieldParser(run, Arguments([], {}))
    made.path, made.line = arguments.path, arguments.line
    made.take(arguments.get(0, "dataclass_types", ()))
    return made


FACTORIES: dict[str, Factory] = {
    "transformers.HfArgumentParser": _hf_parser,
    "transformers.hf_argparser.HfArgumentParser": _hf_parser,
    "trl.TrlParser": _hf_parser,
    "dataclasses.field": lambda run, name, arguments: FieldNote(arguments),
}
