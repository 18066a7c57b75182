"""A small absl.flags and tf.flags that records definitions and parses as they do."""

# Foreign code may raise anything, and pathlib would call the functions that are replaced here.

import sys
import types

from stubrun import stubs
from stubrun.record import Stop, known, plain, typed

TRUE = ("true", "t", "1")
FALSE = ("false", "f", "0")
KINDS = {
    "string": "str", "integer": "int", "float": "float", "bool": "bool", "boolean": "bool", "enum": "str", "list": "str",
    "spaceseplist": "str", "multi_string": "str", "multi_integer": "int", "multi_float": "float", "multi_enum": "str",
    "enum_class": "str", "multi_enum_class": "str",
}  # fmt: skip


class IllegalFlagValueError(Exception):
    """As in absl."""


class Flag:
    """One definition."""

    def __init__(self, kind, name, default, **more):
        self.kind, self.name, self.default, self.value = kind, name, default, default
        self.help, self.choices = more["text"], more["choices"]
        self.short, self.required = more["short"], bool(more["required"])

    @property
    def boolean(self):
        """Whether it is a switch that may also take a value."""
        return self.kind in ("bool", "boolean")

    def take(self, word):
        """Set the value from a word of the command line."""
        if self.boolean:
            if word.lower() not in TRUE + FALSE:
                raise Stop("rejected", f"flag --{self.name}={word}: Non-boolean argument to boolean flag")
            self.value = word.lower() in TRUE
            return
        if self.choices is not None and word not in self.choices:
            raise Stop("rejected", f"flag --{self.name}={word}: value should be one of <{'|'.join(self.choices)}>")
        convert = {"int": lambda w: int(w, 0), "float": float}.get(KINDS[self.kind], str)
        try:
            value = convert(word)
        except ValueError as error:
            raise Stop("rejected", f"flag --{self.name}={word}: {error}") from None
        if self.kind in ("list", "spaceseplist"):
            value = word.split("," if self.kind == "list" else None)
        if self.kind.startswith("multi_"):
            seen = self.__dict__.setdefault("seen", [])
            seen.append(value)
            value = seen
        self.value = value

    def option(self):
        """In the terms of a signature's option."""
        return {
            "dest": self.name, "flags": (["-" + self.short] if self.short else []) + ["--" + self.name],
            "negative_flags": ["--no" + self.name] if self.boolean else [], "nargs": "?bool" if self.boolean else None,
            "type": KINDS[self.kind], "choices": self.choices, "default": typed(self.default),
            "default_known": known(self.default), "required": self.required, "switch_value": "True" if self.boolean else None,
            "action": "DEFINE_" + self.kind, "help": str(self.help or ""), "converter": "",
        }  # fmt: skip


class FlagValues:
    """The FLAGS object."""

    def __init__(self):
        self.__dict__["_flags"] = {}

    def __getattr__(self, name):
        flags = self.__dict__["_flags"]
        if name in flags:
            return flags[name].value
        if name.startswith("__"):
            raise AttributeError(name)
        return stubs.Stub("FLAGS." + name)

    def __setattr__(self, name, value):
        if name in self._flags:
            self._flags[name].value = value

    def __getitem__(self, name):
        return self._flags[name]

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __call__(self, argv, known_only=False):
        return argv[:1] + _parse(list(argv[1:]), self._flags, known_only)

    def flag_values_dict(self):
        """All values by name."""
        return {name: flag.value for name, flag in self._flags.items()}


def _parse(words, flags, known_only):
    """Set flags from words as absl does; what is left over is returned."""
    short = {f.short: f for f in flags.values() if f.short}
    rest = []
    while words:
        word = words.pop(0)
        if word == "--":
            return rest + words
        if not word.startswith("-") or word == "-":
            rest += [word, *words]  # absl stops at the first word that is no flag
            break
        name, equals, value = word.lstrip("-").partition("=")
        flag = flags.get(name) or short.get(name)
        if flag is None and name.startswith("no") and getattr(flags.get(name[2:]), "boolean", False):
            flags[name[2:]].value = False
        elif flag is None:
            if not known_only:
                raise Stop("rejected", f"Unknown command line flag '{name}'")
            rest.append(word)
        elif flag.boolean and not equals:
            flag.value = True
        elif not equals and not words:
            raise Stop("rejected", "Missing value for flag " + word)
        else:
            flag.take(value if equals else words.pop(0))
    for flag in flags.values():
        if flag.required and flag.value is None:
            raise Stop("rejected", f"Flag --{flag.name} must have a value other than None.")
    return rest


class Recorder:
    """Makes the modules and remembers what was defined."""

    def __init__(self, log):
        self.log = log
        self.values = FlagValues()
        self.known_only = False

    def definer(self, kind):
        """DEFINE_<kind>."""

        def define(name, default=None, *args, **kwargs):
            args = list(args)
            choices = None
            if kind.endswith("enum"):
                choices = [str(c) for c in kwargs.pop("enum_values", None) or (args.pop(0) if args else ())]
            elif kind.endswith("enum_class"):
                source = kwargs.pop("enum_class", None) or (args.pop(0) if args else None)
                choices = [member.name for member in source] if known(source) else None
                default = getattr(default, "name", default)
            if kind.startswith("multi_") and isinstance(default, (str, int, float)):
                default = [default]
            if kind == "list" and isinstance(default, (list, tuple)):
                default = ",".join(map(str, default))
            flag = Flag(
                kind,
                name,
                default,
                text=kwargs.get("help") or (args[0] if args else ""),
                choices=choices,
                short=kwargs.get("short_name"),
                required=kwargs.get("required"),
            )
            self.values._flags[name] = flag
            return types.SimpleNamespace(name=name, value=default, default=default)

        return define

    def required(self, name, *args, **kwargs):
        """mark_flag_as_required and mark_flags_as_required."""
        for one in [name] if isinstance(name, str) else name:
            one = getattr(one, "name", one)
            if one in self.values._flags:
                self.values._flags[one].required = True

    def flags_module(self, name):
        """The module that stands for absl.flags."""
        module = stubs.StubModule(name)
        for kind in KINDS:
            setattr(module, "DEFINE_" + kind, self.definer(kind))
        module.FLAGS = self.values
        module.mark_flag_as_required = module.mark_flags_as_required = self.required
        module.IllegalFlagValueError = module.Error = IllegalFlagValueError
        module.__path__ = []
        return module

    def app_module(self, name, known_only=False):
        """The module that stands for absl.app or tf.app."""
        module = stubs.StubModule(name)

        def run(main=None, argv=None, flags_parser=None):
            self.known_only = known_only
            main = main or getattr(sys.modules["__main__"], "main", None)
            if self.log.mode in ("describe", "functions"):
                raise Stop("described")
            rest = self.values(argv or sys.argv, known_only)
            self.log.namespace = {k: plain(v) for k, v in self.values.flag_values_dict().items()}
            self.log.unknown, self.log.parsed = rest[1:], True
            if self.log.mode == "parse":
                raise Stop("parsed")
            raise SystemExit(main(rest) if main else 0)

        module.run = run
        module.__path__ = []
        return module

    def tensorflow(self, name):
        """A stub of tensorflow whose flags and app are the recorder's."""
        module = stubs.stub_module(name, "not installed")
        module.flags = self.flags_module(name + ".flags")
        module.app = self.app_module(name + ".app", known_only=True)
        module.app.flags = module.flags
        if not name.endswith("v1"):
            module.compat = stubs.stub_module(name + ".compat", "not installed")
            module.compat.v1 = sys.modules.get(name + ".compat.v1") or self.tensorflow(name + ".compat.v1")
        return module

    def absl(self, name):
        """The package absl; its submodules are attributes, so that `from absl import app` finds them."""
        module = stubs.stub_module(name, "not installed")
        module.flags = self.flags_module(name + ".flags")
        module.app = self.app_module(name + ".app")
        return module

    def modules(self):
        """Module name -> maker, for the finder."""
        return {
            "absl": self.absl,
            "gflags": self.flags_module,
            "absl.flags": self.flags_module,
            "absl.app": self.app_module,
            "tensorflow": self.tensorflow,
            "tensorflow.compat.v1": self.tensorflow,
        }

    def report(self):
        """The parser report of all flags, or None where none was defined."""
        flags = self.values._flags
        if not flags:
            return None
        options = [flag.option() for flag in flags.values()]
        return {
            "framework": "absl", "strict": not self.known_only, "subcommand": [], "handed": [], "allow_abbrev": False,
            "options": options, "subparsers": [], "description": "",
        }  # fmt: skip
