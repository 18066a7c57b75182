"""One add_argument call as an option."""

import shlex
from pathlib import PurePath
from typing import Protocol

from ml_agent.tools.signatures.calls import Partial
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.model import CONFIG_FILE, WRITTEN_FILE, Option, OptionType
from ml_agent.tools.signatures.values import (
    CONSTANTS,
    UNKNOWN,
    Arguments,
    Bound,
    Class,
    External,
    Function,
    Instance,
    Native,
    Value,
    is_known,
)
from ml_agent.tools.signatures.words import KEY_VALUE, WHOLE_FLOAT

SUPPRESS = "==SUPPRESS=="
MAX_TYPED = 10_000
MAX_NAMED = 10
"""Places of a help text that name the default; a text of more keeps the later ones as they are."""
SWITCHES = {"store_true": "True", "store_false": "False", "store_const": "", "append_const": "", "count": ""}
ENDINGS = frozenset({"help", "version"})
"""Actions that say something and end the program."""
TYPE_NAMES: dict[str, OptionType] = {
    "builtins.int": "int", "builtins.float": "float", "builtins.str": "str", "builtins.bool": "bool", "json.loads": "json",
    "ast.literal_eval": "json", "builtins.eval": "json", "yaml.safe_load": "json", "pathlib.Path": "path",
    "argparse.FileType": "path", "builtins.open": "path", "pathlib.PurePath": "path", "distutils.util.strtobool": "int",
    "os.path.abspath": "str", "os.path.expanduser": "str", "builtins.list": "json", "builtins.tuple": "json",
    "builtins.str.lower": "str", "builtins.str.upper": "str", "builtins.str.strip": "str", "builtins.str.title": "str",
    "builtins.set": "json", "builtins.dict": "json", "decimal.Decimal": "float", "fractions.Fraction": "float",
}  # fmt: skip
DICT_ACTIONS = frozenset(
    f"{package}.DictAction"
    for package in ("mmengine", "mmengine.config", "mmengine.config.config", "mmcv", "mmcv.utils", "mmcv.utils.config")
)
"""Actions of libraries that split each word of a list at its `=` and fail where there is none."""
PROBES = ("1", "0.5", "true", "abc", "a,b")


class ParserSettings(Protocol):
    """What of its parser an option depends on."""

    run: Interpreter
    defaults: dict[str, Value]
    argument_default: Value


class OptionReader:
    """Turns one add_argument call into an option, as argparse does it."""

    def __init__(self, parser: ParserSettings, arguments: Arguments, flags: list[str]) -> None:
        self.parser = parser
        self.arguments = arguments
        self.named = arguments.named
        self.optional = bool(flags) and flags[0][:1] == "-"
        self.flags = flags
        self.sure = not arguments.open and not parser.run.uncertain
        self.action = self._action()

    def _action(self) -> str:
        """The name of the action; "" for a class of the program's own."""
        action = self.named.get("action", "store")
        if isinstance(action, str):
            return action
        if action is None:
            return "store"
        if isinstance(action, External) and action.name.endswith("BooleanOptionalAction"):
            return "boolean_optional"
        if isinstance(action, External) and action.name in DICT_ACTIONS and self.named.get("nargs") in ("+", "*"):
            return "dict"
        if isinstance(action, Class):
            self.named = {**self.named, **self._own_action(action)}
        else:
            self.sure = False
        return ""

    def _own_action(self, action: Class) -> dict[str, Value]:
        """The settings that an Action class of the program gives to argparse.Action."""
        if action.find("__init__") is None:
            return {}
        known = {k: v for k, v in self.named.items() if k not in ("action", "version")}
        call = Arguments([], {"option_strings": list(self.flags), "dest": self._dest(), **known})
        made = self.parser.run.call(action, call)
        native = made.native if isinstance(made, Instance) else None
        return native.settings if isinstance(native, ActionSettings) else {}

    def _dest(self) -> str:
        """The name under which argparse stores it."""
        given = self.named.get("dest")
        if isinstance(given, str):
            return given
        if not self.optional:
            return self.flags[0] if self.flags else ""
        long = [f for f in self.flags if f[1:2] == "-"]
        return (long or self.flags)[0].lstrip("-").replace("-", "_")

    def option(self) -> Option:
        """The option."""
        nargs, switch = self._nargs()
        dest = self._dest()
        default, known = self._default(dest)
        choices, choices_known = self._choices()
        kind, converter = self._type(switch)
        if self.named.get("is_config_file") is True or self.named.get("is_config_file_arg") is True:
            converter = CONFIG_FILE
        negative = (
            [f"--no-{f[2:]}" for f in self.flags if f.startswith("--")] if self.action == "boolean_optional" else []
        )
        return Option(
            dest=dest, flags=tuple(self.flags) if self.optional else (), negative_flags=tuple(negative), type=kind,
            choices=choices, choices_unread=not choices_known, default=default, nargs=nargs, switch_value=switch, required=self._is_required(nargs),
            repeatable=self.action in ("append", "append_const", "extend", "count"),
            help=_help(self.named.get("help"), default), path=self.arguments.path, line=self.arguments.line,
            sure=self.sure and known and choices_known, converter=converter, ends=self.action in ENDINGS,
            metavar=metavar_of(self.named.get("metavar")),
        )  # fmt: skip

    def _nargs(self) -> tuple[str | None, str | None]:
        """nargs and, for a switch, the value that it stores."""
        if self.action == "boolean_optional":
            return "0", "True"
        if self.action in ENDINGS:
            return "0", None
        if self.action in SWITCHES:
            return "0", self._const() if self.action.endswith("const") else SWITCHES[self.action] or None
        given = self.named.get("nargs")
        if isinstance(given, int):
            return str(given), None
        if isinstance(given, str):
            return given, self._const() if given == "?" else None
        if given is not None:
            self.sure = False
        return None, None

    def _const(self) -> str | None:
        """What is stored where no value is given."""
        stored, known = typed(self.named.get("const"), self.parser.run)
        self.sure = self.sure and known
        return stored

    def _default(self, dest: str) -> tuple[str | None, bool]:
        if "default" in self.named:
            return typed(self.named["default"], self.parser.run)
        if dest in self.parser.defaults:
            return typed(self.parser.defaults[dest], self.parser.run)
        if self.parser.argument_default is not None:
            return typed(self.parser.argument_default, self.parser.run)
        implied = {"store_true": "False", "store_false": "True"}.get(self.action)
        return implied, True

    def value(self, dest: str) -> Value:
        """What the program gets where the option is not given; UNKNOWN where that cannot be told."""
        if not self.sure:
            return UNKNOWN
        implied = {"store_true": False, "store_false": True}.get(self.action)
        if self.parser.argument_default is not None:
            implied = self.parser.argument_default
        value = self.named.get("default", self.parser.defaults.get(dest, implied))
        return UNKNOWN if value == SUPPRESS or not is_known(value) else value

    def _choices(self) -> tuple[tuple[str, ...], bool]:
        given = self.named.get("choices")
        if given is None:
            return (), True
        if not isinstance(given, (list, tuple, set, frozenset, dict)):  # of a text every part is taken
            return (), False
        items = sorted(given, key=str) if isinstance(given, (set, frozenset)) else list(given)
        texts = [typed(item, self.parser.run) for item in items]
        if not all(known for _, known in texts) or any(isinstance(item, Instance) for item in items):
            return (), False
        return tuple(text for text, _ in texts if text is not None), True

    def _type(self, switch: str | None) -> tuple[OptionType, str]:
        if self.action == "count":
            return "int", ""
        if self.action in SWITCHES or self.action == "boolean_optional" or self.action in ENDINGS:
            return "bool", ""
        given = self.named.get("type")
        if given is None:
            return "str", KEY_VALUE if self.action == "dict" else ""
        return converted_type(self.parser.run, given)

    def _is_required(self, nargs: str | None) -> bool:
        if self.optional:
            return self.named.get("required") is True and not self.arguments.open
        return nargs not in ("?", "*", "...", "0")


def converted_type(run: Interpreter, given: Value) -> tuple[OptionType, str]:
    """The type that a converter makes of a word, and the converter's name."""
    if isinstance(given, External):
        name = given.name.removeprefix("builtins.")
        return TYPE_NAMES.get(given.name, "unknown"), name
    if isinstance(given, FileType):
        return "path", WRITTEN_FILE if given.writes else "FileType"
    function = given.function if isinstance(given, (Bound, Partial)) else given
    if isinstance(function, (Function, Class)):
        kind = _probe_converter(run, given)
        whole = kind == "int" and run.try_call(given, "1e3") == 1000
        return kind, WHOLE_FLOAT if whole else function.name
    return "unknown", "?"


def _probe_converter(run: Interpreter, function: Value) -> OptionType:
    """Follow the converter with a few words and look at what comes out."""
    results = [r for r in (run.try_call(function, word) for word in PROBES) if r is not None]
    if not results or any(r is UNKNOWN for r in results):
        return "unknown"
    kinds: tuple[tuple[OptionType, type | tuple[type, ...]], ...] = (
        ("bool", bool), ("int", int), ("float", (int, float)), ("str", str), ("path", PurePath),
    )  # fmt: skip
    for name, classes in kinds:
        if all(isinstance(r, classes) for r in results):
            return name
    return "json" if all(isinstance(r, (*CONSTANTS, list, tuple, dict, set)) for r in results) else "unknown"


def typed(value: Value, run: Interpreter) -> tuple[str | None, bool]:
    """A value as it would be typed, and whether it is known; nobody types one of more than MAX_TYPED letters."""
    text, known = _text_of_value(value, run)
    return (text, known) if text is None or len(text) <= MAX_TYPED else (None, False)


def _text_of_value(value: Value, run: Interpreter) -> tuple[str | None, bool]:
    if isinstance(value, (PurePath, str)):
        text = str(value)
        if text == SUPPRESS:
            return None, True
        root = str(run.sources.root)
        return "." if text == root else text.removeprefix(f"{root}/"), True
    if isinstance(value, (list, tuple)) and is_known(list(value)):
        return " ".join(shlex.quote(str(v)) for v in value), True
    if isinstance(value, (set, frozenset, dict)) and is_known(value):
        return str(value), True
    if isinstance(value, Instance) and set(value.attributes) == {"name", "value"}:
        return _enum_text(value), True
    if not isinstance(value, CONSTANTS):
        return None, False
    return None if value is None else str(value), True


def _enum_text(member: Instance) -> str:
    """str() of an enumeration's member."""
    if any(name.endswith("StrEnum") for name in member.cls.externals()):
        return str(member.attributes["value"])
    return f"{member.cls.name}.{member.attributes['name']}"


def text_of(value: Value) -> str:
    return value if isinstance(value, str) else ""


def metavar_of(given: Value) -> str:
    """What stands for a value, or for several, in a help text; "" where the source does not say."""
    parts = given if isinstance(given, (list, tuple)) else [given]
    return " ".join(one for one in parts if isinstance(one, str))


def _help(value: Value, default: str | None) -> str:
    """A help text on one line, with the default where it names it, as argparse shows it."""
    if not isinstance(value, str) or value == SUPPRESS:
        return ""
    return " ".join(value.split()).replace("%(default)s", str(default), MAX_NAMED)


class FileType(Native):
    """argparse.FileType(...)."""

    def __init__(self, arguments: Arguments) -> None:
        self.writes = opens_to_write(arguments)


def opens_to_write(arguments: Arguments) -> bool:
    """Whether the type of an option, called so, opens its file to be written."""
    mode = arguments.get(0, "mode")
    return isinstance(mode, str) and mode[:1] in ("w", "a", "x")


class ActionSettings(Native):
    """What an Action class of the program passed to argparse.Action."""

    def __init__(self, arguments: Arguments) -> None:
        named = dict(arguments.named)
        for name, value in zip(("option_strings", "dest", "nargs", "const", "default"), arguments.placed, strict=False):
            named[name] = value
        self.settings = {
            k: v for k, v in named.items() if k in ("nargs", "const", "default", "required", "type", "choices")
        }
