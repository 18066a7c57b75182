"""absl.flags, tf.flags and gflags as the interpreter sees them."""

import msgspec

from ml_agent.tools.signatures import config_files
from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.config_files import Settings, files_beside, follower, options_of, settings_of
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import SETTINGS_FILE, Option, OptionType, Origin, Signature, Unseen
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Class,
    Namespace,
    Native,
    ParsedArgument,
    Value,
    is_known,
)

KINDS: dict[str, OptionType] = {
    "string": "str", "integer": "int", "float": "float", "bool": "bool", "boolean": "bool", "enum": "str",
    "list": "str", "spaceseplist": "str", "multi_string": "str", "multi_integer": "int", "multi_float": "float",
    "multi_enum": "str", "enum_class": "str", "multi_enum_class": "str",
}  # fmt: skip
LIBRARIES = ("absl", "tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2", "tf", "tensorflow.python.platform")


class Flags(Native):
    """The flags that were defined so far, and the FLAGS object through which they are read."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.options: dict[str, Option] = {}
        self.values = Namespace()
        self.known_only = False
        self.open = False
        self.unseen: list[Unseen] = []
        run.made.append(self)

    def attribute(self, name: str) -> Value:
        """The value of a flag."""
        return self.values.attribute(name)

    def item(self, key: Value) -> Value:
        """FLAGS["name"]."""
        return self if isinstance(key, str) else UNKNOWN

    def call(self, arguments: Arguments) -> Value:
        """FLAGS(sys.argv) parses."""
        self.known_only = arguments.get(1, "known_only") is True
        self.run.note_parsed(self, strict=not self.known_only)
        return UNKNOWN

    def define(self, kind: str, arguments: Arguments) -> Value:
        """DEFINE_<kind>(name, default, help, ...)."""
        name = arguments.get(0, "name")
        if not isinstance(name, str) or kind not in KINDS:
            self._define_elsewhere(name, kind, arguments)
            return UNKNOWN
        enumerated = kind.endswith(("enum", "enum_class"))
        choices, sure = self._choices(kind, arguments.get(2, "enum_values" if kind.endswith("enum") else "enum_class"))
        default, known = self._default(kind, arguments.get(1, "default"))
        switch = kind in ("bool", "boolean")
        short = arguments.get(None, "short_name")
        flags = (f"-{short}", f"--{name}") if isinstance(short, str) and short else (f"--{name}",)
        text = arguments.get(3 if enumerated else 2, "help")
        self.options[name] = Option(
            dest=name, flags=flags, negative_flags=(f"--no{name}",) if switch else (), type=KINDS[kind],
            choices=choices if enumerated else (), default=default, nargs="?bool" if switch else None,
            switch_value="True" if switch else None, required=arguments.get(None, "required") is True,
            repeatable=kind.startswith("multi_"), help=_help(text),
            path=arguments.path, line=arguments.line, converter="list" if kind == "list" else "",
            sure=known and (sure or not enumerated) and not arguments.open and not self.run.uncertain,
        )  # fmt: skip
        return FlagHolder(name)

    def _define_elsewhere(self, name: Value, kind: str, arguments: Arguments) -> None:
        """A flag of another library: DEFINE_config_file brings `--config FILE` and `--config.key`, DEFINE_config_dict the latter."""
        given = arguments.get(1, "config")
        if isinstance(given, Settings) and isinstance(name, str) and not given.open:
            self.options |= options_of(name, [given], whole=True)
            return
        self.open = True
        place = (arguments.path, arguments.line)
        if not isinstance(name, str):
            self.unseen.append(
                Unseen(origin="computed", name="a flag whose name is computed", path=place[0], line=place[1])
            )
            return
        origin: Origin = "configuration" if kind.startswith("config") else "library"
        said = f"the file of --{name}" if origin == "configuration" else f"DEFINE_{kind}"
        self.unseen.append(Unseen(origin=origin, name=said, path=place[0], line=place[1]))
        file = kind == "config_file"
        default = arguments.get(1, "default")
        if file:
            self._set_from_file(name, default)
        locked = not arguments.get(None, "accept_new_attributes")
        self.options[name] = Option(
            dest=name, flags=(f"--{name}",), type="path" if file else "unknown", path=place[0], line=place[1], sure=False,
            default=default if file and isinstance(default, str) else None, converter=SETTINGS_FILE if file and locked else "",
        )  # fmt: skip

    def _set_from_file(self, name: str, default: Value) -> None:
        """`--config.key`: of the file that is the default, else of all that may be meant."""
        run = follower(self.run.sources, self.run.script)
        first = settings_of(run, default) if isinstance(default, str) else None
        files = files_beside(run.sources, run.script) if first is None else ()
        read = [first, *(settings_of(run, path) for path in files)]
        self.options |= options_of(name, [one for one in read if one is not None])

    def _choices(self, kind: str, given: Value) -> tuple[tuple[str, ...], bool]:
        if isinstance(given, Class):
            members = self.run.attribute(given, "__members__")
            return (tuple(members), True) if isinstance(members, dict) else ((), False)
        if not isinstance(given, (list, tuple)) or not all(isinstance(c, str) for c in given):
            return (), False
        return tuple(given), True

    def _default(self, kind: str, value: Value) -> tuple[str | None, bool]:
        if kind == "list" and isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, float)) for v in value):
            return typed(",".join(map(str, value)), self.run) if is_known(value) else (None, False)
        if kind.endswith("enum_class") and hasattr(value, "attributes"):
            return value.attributes.get("name"), True
        return typed(value, self.run)

    def require(self, arguments: Arguments) -> Value:
        """mark_flag_as_required, mark_flags_as_required; one with a default is given already."""
        given = arguments.get(0, "flag_name", arguments.named.get("flag_names"))
        for name in given if isinstance(given, (list, tuple)) else [given]:
            key = name.dest if isinstance(name, FlagHolder) else name
            if isinstance(key, str) and key in self.options and self.options[key].default is None:
                self.options[key] = msgspec.structs.replace(self.options[key], required=True)
        return None

    def signatures(self) -> list[Signature]:
        """The flags as one signature."""
        return [
            Signature(
                path=self.run.script, framework="absl", options=tuple(self.options.values()), syntax="absl",
                accepts_unknown=self.known_only or self.open, unseen=tuple(self.unseen), allow_abbrev=False,
            )
        ]  # fmt: skip


def _help(text: Value) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


class FlagHolder(Native):
    """What DEFINE_... returns."""

    def __init__(self, dest: str) -> None:
        self.dest = dest

    def attribute(self, name: str) -> Value:
        """Its value after parsing."""
        return ParsedArgument(self.dest) if name == "value" else UNKNOWN


def flags_of(run: Interpreter) -> Flags:
    """The one set of flags of a program."""
    for made in run.made:
        if isinstance(made, Flags):
            return made
    return Flags(run)


def _run_app(known_only: bool) -> Factory:
    def run_app(run: Interpreter, name: str, arguments: Arguments) -> Value:
        flags = flags_of(run)
        flags.known_only = known_only
        if arguments.get(None, "flags_parser") is not None:
            flags.open = True
            own = Unseen(origin="computed", name="a parser of its own", path=arguments.path, line=arguments.line)
            flags.unseen.append(own)
        run.note_parsed(flags, strict=True)
        main = arguments.get(0, "main")
        if main is None:
            main = run.modules[run.script].env.get("main", UNKNOWN)
        return run.call(main, Arguments([UNKNOWN], {}))

    return run_app


def _values(run: Interpreter, name: str, arguments: Arguments) -> Value:
    return flags_of(run)


def _factories() -> dict[str, Factory]:
    made: dict[str, Factory] = {
        **config_files.FACTORIES,
        "DEFINE_": lambda run, name, arguments: flags_of(run).define(name.rpartition("DEFINE_")[2], arguments),
        "gflags.FLAGS": _values,
        "@gflags.FLAGS": _values,
    }
    for library in LIBRARIES:
        for place in (f"{library}.flags", f"{library}.app.flags"):
            made[f"@{place}.FLAGS"] = _values
            made[f"{place}.mark_flag_as_required"] = made[f"{place}.mark_flags_as_required"] = (
                lambda run, name, arguments: flags_of(run).require(arguments)
            )
        made[f"{library}.app.run"] = _run_app(known_only=library != "absl")
    return made


FACTORIES: dict[str, Factory] = _factories()
