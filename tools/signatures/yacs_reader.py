"""yacs: a tree of settings, of which the words of one option change some: `--opts SOLVER.BASE_LR 0.01 OUTPUT_DIR runs/1`."""

import functools
import re
from collections.abc import Sequence

import msgspec

from ml_agent.tools.signatures.argparse_option import typed
from ml_agent.tools.signatures.config_dict import ConfigDict, leaves, places_of
from ml_agent.tools.signatures.fields import VALUE_TYPES
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Instance, ParsedArgument, Value
from ml_agent.tools.word_pattern import WordPattern, any_of

MOST_SETTINGS = 800
MOST_TREES = 8
_NAME = re.compile(r"\w+(?:\.\w+)*", re.ASCII)
"""A setting that can be given: who reads a command line must not take it for an option."""
_MODULES = ("yacs.config", "fvcore.common.config")


class ConfigNode(ConfigDict):
    """CfgNode(...): settings by name, some of them CfgNodes themselves.

    Args:
        run: the program that makes it.
        given: what it begins with.
    """

    def __init__(self, run: Interpreter, given: Value = None) -> None:
        self.run = run
        self.changed_by = ""
        """The dest of the option whose words change it."""
        self.before: list[tuple[str, Value]] = []
        """Its settings as they are before these words."""
        self.instance: Instance | None = None
        """The object of a class derived from CfgNode that it is."""
        self.adding: list[str] = []
        """What was given it before these words and may have added settings; "any" where it takes new ones."""
        super().__init__(given)
        run.made.append(self)

    def store(self, name: str, value: Value) -> None:
        """Set one; a dictionary becomes a CfgNode."""
        super().store(name, ConfigNode(self.run, value) if isinstance(value, dict) else value)

    def note_instance(self, instance: Instance) -> None:
        """The attributes of the object are the settings."""
        self.instance, self.settings = instance, instance.attributes

    def note_handed(self, name: str) -> None:
        """Foreign code was given these settings."""
        if not self.changed_by and not name.startswith("builtins."):
            self.adding.append(name)

    def do_clone(self, arguments: Arguments) -> Value:
        """clone(): whatever changes the copy changes the settings that are meant."""
        return self.instance or self

    def do_merge_from_list(self, arguments: Arguments) -> Value:
        """merge_from_list(args.opts)."""
        words = arguments.get(0, "cfg_list")
        if isinstance(words, ParsedArgument) and not self.changed_by:
            self.changed_by, self.before = words.dest, leaves(self)
        return None


def with_settings(run: Interpreter, signature: Signature) -> Signature:
    """A signature with the settings that its options change."""
    known = {option.dest for option in signature.options}
    nodes = [made for made in run.made if isinstance(made, ConfigNode)]
    trees = [one for one in nodes if one.changed_by in known][:MOST_TREES]
    if not trees:
        return signature
    more = tuple(setting for setting in _settings(run, trees) if setting.dest not in known)
    names = dict.fromkeys(name for one in nodes for name in one.adding)
    unseen = tuple(Unseen(origin="library", name=name, path=run.script) for name in names)
    return msgspec.structs.replace(signature, options=(*signature.options, *more), unseen=(*signature.unseen, *unseen))


@functools.cache
def changes_settings() -> WordPattern:
    """What a file that changes settings has in its text."""
    return any_of(r"\bmerge_from_list\b")


def _settings(run: Interpreter, trees: Sequence[ConfigNode]) -> list[Option]:
    found: dict[str, Option] = {}
    places = places_of(run.sources, sorted(run.modules))
    for tree in trees:
        for name, value in (one for one in tree.before if _NAME.fullmatch(one[0])):
            found.setdefault(name, _setting(run, name, value, tree.changed_by, places.get(name, ("", 0))))
    return list(found.values())[:MOST_SETTINGS]


def _setting(run: Interpreter, name: str, value: Value, within: str, place: tuple[str, int]) -> Option:
    default, known = typed(value, run)
    kind = VALUE_TYPES.get(type(value), "json" if isinstance(value, (list, tuple, dict)) else "unknown")
    return Option(
        dest=name, within=within, type=kind, default=default, path=place[0], line=place[1],
        sure=known and value is not UNKNOWN, converter="literal",
    )  # fmt: skip


def _make(run: Interpreter, name: str, arguments: Arguments) -> Value:
    made = ConfigNode(run, arguments.get(0, "init_dict"))
    if arguments.get(None, "new_allowed") is True:
        made.adding.append("new settings, which it allows")
    return made


FACTORIES: dict[str, Factory] = {f"{module}.CfgNode": _make for module in _MODULES}
