"""pydantic-settings: the fields of a settings class as options, nested ones with dots, and subcommands."""

import ast

import msgspec

from ml_agent.tools.signatures.fields import Field, dataclass_fields, flatten, option_of, with_absent
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, Native, Value


class SettingsParser(Native):
    """A settings class that reads the command line.

    Args:
        run: the interpreter.
        cls: the class.
        settings: its model_config, with what its constructor was given besides.
    """

    def __init__(self, run: Interpreter, cls: Class, settings: dict[str, Value]) -> None:
        self.run = run
        self.cls = cls
        self.settings = settings
        run.made.append(self)

    def signatures(self) -> list[Signature]:
        """One signature, and one for each field that is a subcommand."""
        return self._of(self.cls, (), ())

    def _of(self, cls: Class, subcommand: tuple[str, ...], before: tuple[Option, ...]) -> list[Signature]:
        fields, _ = dataclass_fields(self.run, cls)
        commands = _subcommands(cls)
        level = len(subcommand)
        named, _ = flatten(self.run, [f for f in fields if f.name not in commands and f.name != "model_config"])
        options = [*before, *(self._option(name, field, level) for name, field in named)]
        nested = [f for f in fields if f.kind.nested is not None and f.name not in commands]
        options += [self._whole(field, level) for field in nested]
        chosen = {f.name: f.kind.nested for f in fields if f.name in commands and f.kind.nested is not None}
        found = [
            Signature(
                path=self.run.script, framework="dataclass", syntax="argparse", options=tuple(options),
                subcommand=subcommand, allow_abbrev=False, accepts_unknown=self.settings.get("cli_ignore_unknown_args") is True,
            )
        ]  # fmt: skip
        for name, inner in chosen.items():
            found += self._of(inner, (*subcommand, name), tuple(options))
        return found

    def _flag(self, name: str) -> str:
        prefix = self.settings.get("cli_prefix")
        whole = f"{prefix}.{name}" if isinstance(prefix, str) and prefix else name
        return "--" + (whole.replace("_", "-") if self.settings.get("cli_kebab_case") is True else whole)

    def _absent(self) -> tuple[str, ...]:
        """The word that means None."""
        given = self.settings.get("cli_parse_none_str")
        return (given if isinstance(given, str) else "None" if self.settings.get("cli_avoid_json") is True else "null",)

    def _option(self, name: str, field: Field, level: int) -> Option:
        plain = option_of(self.run, field, name, (self._flag(name),))
        made = msgspec.structs.replace(with_absent(plain, field, self._absent()), level=level)
        if field.kind.positional:
            return msgspec.structs.replace(made, flags=())
        if field.kind.type == "bool" and self.settings.get("cli_implicit_flags") is True:
            no = self._flag(name).replace("--", "--no-", 1)
            return msgspec.structs.replace(made, nargs="0", switch_value="True", negative_flags=(no,))
        if field.kind.type == "bool":
            return msgspec.structs.replace(made, converter="string_to_bool")
        return msgspec.structs.replace(made, nargs=None, repeatable=True, type="unknown") if made.nargs else made

    def _whole(self, field: Field, level: int) -> Option:
        """A nested class may be given whole, as JSON."""
        flag = self._flag(field.name)
        return Option(dest=field.name, flags=(flag,), type="json", level=level, path=field.path, line=field.line)


def _subcommands(cls: Class) -> set[str]:
    """The fields that are annotated as subcommands."""
    return {
        node.target.id
        for part in cls.mro()
        for node in part.node.body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and "CliSubCommand" in ast.unparse(node.annotation)
    }


def _make_settings(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """A settings class is called: it reads the command line where its configuration or the call says so."""
    cls = arguments.placed[0]
    config = cls.find("model_config")
    settings = {**(config if isinstance(config, dict) else {})}
    settings.update({key.lstrip("_"): value for key, value in arguments.named.items() if key.startswith("_cli")})
    if settings.get("cli_parse_args") is True:
        run.note_parsed(SettingsParser(run, cls, settings), strict=True)
    return None


def _run(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """CliApp.run(Settings)."""
    cls = arguments.get(0, "model_cls")
    if isinstance(cls, Class):
        config = cls.find("model_config")
        run.note_parsed(SettingsParser(run, cls, config if isinstance(config, dict) else {}), strict=True)
    return UNKNOWN


FACTORIES: dict[str, Factory] = {
    "#pydantic_settings.BaseSettings": _make_settings,
    "pydantic_settings.CliApp.run": _run,
    "pydantic_settings.SettingsConfigDict": lambda run, name, arguments: dict(arguments.named),
}
