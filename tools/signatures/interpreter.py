"""An abstract interpreter: follows a script from its first line to where it parses its command line. Nothing is executed."""

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ml_agent.tools import plugins
from ml_agent.tools.signatures import calls, expressions, statements
from ml_agent.tools.signatures.control_flow import (
    AcceptedValues,
    Budget,
    Collector,
    Condition,
    Finished,
    Flow,
    OutOfFuel,
    ParseCall,
    ProgramRaised,
    TooLong,
)
from ml_agent.tools.signatures.library import CONSTANTS_OF
from ml_agent.tools.signatures.registries import begin, doubt_registries, fill
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import (
    UNKNOWN,
    Arguments,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Lazy,
    Module,
    Native,
    ParsedArgument,
    Value,
)

STEPS, STEPS_OF_OTHERS = 150_000, 30_000
"""For a script that reads its arguments itself, and for one that may only call what does."""
SHARE = 3
"""A module that is imported may take this part of the steps that are left: its parser matters more than its plug-ins."""
STEPS_BEYOND = 30_000
MOST_OPTIONS = 5_000
"""Of all parsers of a script together; whoever reads them goes through all of them, and often."""


Factory = Callable[["Interpreter", str, Arguments], Value]
"""Makes a modelled library object from the called name and its arguments."""


class Interpreter:
    """Follows one script, by `run_script`, `run_entry` or `run_function`.

    Then `made` and `parsed` hold its parsers, `settled` and `accepted()` say which values it tests, and `complete` whether it was
    followed to its end.
    """

    def __init__(
        self,
        sources: Sources,
        script: str,
        factories: Mapping[str, Factory],
        *,
        steps: int = STEPS,
        beyond: bool = False,
    ) -> None:
        self.sources = sources
        self.script = script
        self.factories = factories
        self.beyond = beyond
        """Go on after the command line was parsed, to see which values are tested: then a test of one goes both ways, whatever its default."""
        self.budget = Budget(steps)
        self.options_left = MOST_OPTIONS
        self.uncertain = 0
        """More than 0 while it is not known whether this part of the program is reached."""
        self.muted = 0
        """More than 0 while a failure would be caught."""
        self.depth = 0
        """Calls that we are in."""
        self.call_steps = 0
        """How many steps a call may take, halved with each depth; 0 for no limit."""
        self.collectors = [Collector(0)]
        """One for each branch that we are in; the first is the program's."""
        self.active: list[object] = []
        """The functions that we are in, by their syntax node."""
        self.modules: dict[str, Module] = {}
        """Every module that was met, by its file."""
        self.parsed: list[ParseCall] = []
        """How often, and by which parser, the command line was read."""
        self.made: list[Native] = []
        """Every modelled parser, in order."""
        self._resolving: set[tuple[str, str]] = set()
        self.importing = 0
        """Modules besides the script whose top level we are in."""
        self.eager: set[str] = set()
        """Modules that fill tables: followed where they are imported."""
        self.settled: dict[str, None] = {}
        """Options whose values, known or not, decided how the program goes on."""
        self.inserted = ""
        """A subcommand that the program puts on the command line itself where none is given."""
        self.complete = True
        """False where the program was too long to be followed."""
        self.place = ("", 0)
        """File and line of the assignment to an attribute or an item that is being followed."""
        self.failed = ""
        """What went wrong in a package that models a library."""

    def run_script(self) -> Module:
        """Follow the script as `python script` would."""
        main = self.module(self.script, "__main__")
        self._guard(lambda: self.run_module(main))
        return main

    def run_entry(self, module: str, function: str) -> None:
        """Import the script under its own name and call one of its functions, as a console script does."""
        target = self.module(self.script, module)
        self._guard(lambda: self.run_module(target))
        if not self.parsed:
            self._guard(lambda: self._call_path(target, function))

    def run_function(self, function: Value) -> None:
        """Follow one function with unknown arguments."""
        self.uncertain, self.collectors, self.depth = 0, [Collector(0)], 0
        self.active = []
        if isinstance(function, Function):
            names = [p.arg for p in function.node.args.args if p.arg not in function.defaults]
            self._guard(lambda: self.call(function, Arguments([], dict.fromkeys(names, UNKNOWN))))
        elif isinstance(function, Class):
            self._guard(lambda: self._run_class(function))

    def result_of(self, path: str, function: str, placed: Sequence[Value]) -> Value:
        """What a function of a file gives; UNKNOWN where it cannot be followed."""
        self.complete, found = True, [UNKNOWN]
        self._guard(lambda: found.append(self._call_path(self.module(path, ""), function, placed)))
        return found[-1]

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression; UNKNOWN where it cannot be followed."""
        self.budget.spend()
        handler = expressions.HANDLERS.get(type(node))
        return UNKNOWN if handler is None else handler(self, node, frame)

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow:
        """Follow statements."""
        return statements.execute(self, body, frame)

    def call(self, function: Value, arguments: Arguments) -> Value:
        """What calling a value gives."""
        return calls.call(self, function, arguments)

    def attribute(self, value: Value, name: str) -> Value:
        """What `value.name` gives."""
        return calls.attribute(self, self.force(value), name)

    def look_up(self, name: str, frame: Frame) -> Value:
        """The value of a name, from the innermost frame outwards."""
        current: Frame | None = frame
        while current is not None:
            if name in current.names and (current is frame or not current.is_class):
                return self.force(current.names[name])
            current = current.outer
        if name in frame.module.env:
            fill(self, frame.module, name)
            return self.force(frame.module.env[name])
        if hasattr(builtins, name):
            return External("builtins." + name)
        found = self._star_import(frame.module, name)
        return UNKNOWN if found is None else found

    def _star_import(self, module: Module, name: str) -> Value | None:
        """What a name stands for that a star import brings, or None."""
        for source in reversed(module.stars):
            found = self._own_or_starred(source, name)
            if found is not None:
                return found
        return None

    def _own_or_starred(self, module: Module, name: str) -> Value | None:
        """A module's name, or one that it has from star imports; None where it has none or is being asked already."""
        added = self._added(module, name)
        if added is not None:
            return added
        key = (module.path, name)
        words = self.sources.words(module.path)
        if key in self._resolving or (name not in words and "*" not in words):
            return None
        self._resolving.add(key)
        try:
            self.run_module(module)
            fill(self, module, name)
            found = module.env.get(name)
            if isinstance(found, Lazy) and (found.module.path, found.name) in self._resolving:
                return None  # one that it has itself from the module that is being asked
            return self.force(found) if name in module.env else self._star_import(module, name)
        finally:
            self._resolving.discard(key)

    def force(self, value: Value) -> Value:
        """A value itself, where it may be Lazy."""
        if not isinstance(value, Lazy):
            return value
        return self.module_name(value.module, value.name)

    def settle(self, value: Value) -> Value:
        """A value of the command line as what it is by default, where that is known; other values themselves.

        On one of several ways that are followed it may be another than by default, which is why we are on that way.
        """
        if not isinstance(value, ParsedArgument):
            return value
        self.settled[value.dest] = None
        if value.value is UNKNOWN or (self.uncertain and self.beyond):
            return value
        if value.fold and isinstance(value.value, str):
            return value.value.lower() if value.fold == "lower" else value.value.upper()
        return value.value

    def _added(self, module: Module, name: str) -> Value | None:
        """What a package models that was added for it, although the module lies in the repository; None for all else."""
        if not plugins.added_names():
            return None
        dotted = module.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for owner in (module.name, dotted):
            if plugins.added_names() & {f"{owner}.{name}", f"@{owner}.{name}"}:
                return self.external_attribute(External(owner), name)
        return None

    def module_name(self, module: Module, name: str) -> Value:
        """What a module's name stands for: its own, one of a star import, or a submodule."""
        found = self._own_or_starred(module, name)
        if found is not None or name in module.env:
            return found
        inner = self.submodule(module, name)
        return UNKNOWN if inner is None else inner

    def external_attribute(self, value: External, name: str) -> Value:
        """What `.name` of a library's name gives."""
        full = f"{value.name}.{name}"
        if full in CONSTANTS_OF:
            return CONSTANTS_OF[full]
        factory = self.factories.get("@" + full)
        return External(full) if factory is None else factory(self, full, Arguments([], {}))

    def import_module(self, name: str, level: int, importer: Module) -> Value:
        """The module that an import names; run at once where that may define flags."""
        path = self.sources.resolve(name, level, importer.path, self.script)
        if path is None:
            return External(name)
        module = self.module(path, name)
        self._run_for_effects(module)
        return module

    def _run_for_effects(self, module: Module) -> None:
        """Follow a module that is imported, where that may define flags or fill a table."""
        if module.state != "new":
            return
        if module.path in self.eager or self.sources.has_effects(module.path, self.script):
            self.run_module(module)

    def module(self, path: str, name: str) -> Module:
        """The module of a file, not yet run."""
        if path not in self.modules:
            self.modules[path] = Module(path, name)
        return self.modules[path]

    def member(self, module: Value, name: str, importer: Module) -> Value:
        """What `from module import name` gives."""
        if isinstance(module, External):
            path = self.sources.resolve(f"{module.name}.{name}", 0, importer.path, self.script)
            return self.external_attribute(module, name) if path is None else self.module(path, f"{module.name}.{name}")
        if not isinstance(module, Module):
            return UNKNOWN
        added = self._added(module, name)
        if added is not None:
            return added
        if name in module.env:
            return Lazy(module, name) if name in module.registries else module.env[name]
        inner = self.submodule(module, name)
        if inner is not None and (module is importer or name not in self.sources.words(module.path)):
            return inner
        return Lazy(module, name)

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module `name` inside a package of the repository."""
        if not module.path.endswith("__init__.py"):
            return None
        path = self.sources.resolve(name, 1, module.path, self.script)
        if path is None or path == module.path:
            return None
        found = self.module(path, f"{module.name}.{name}")
        self._run_for_effects(found)
        return found

    def run_module(self, module: Module) -> None:
        """Follow a module's top level, once."""
        if module.state != "new":
            return
        module.state = "running"
        with self.budget.unspent():  # every later script finds the tree made
            tree = self.sources.tree(module.path)
        begin(module, self.sources.root / module.path, tree)
        if tree is None:
            return
        floor = self.budget.floor
        if module.path != self.script:
            self.budget.extend()
            self.budget.floor = max(floor, self.budget.steps - self.budget.steps // SHARE)
        uncertain, collectors = self.uncertain, self.collectors
        self.uncertain, self.collectors = 0, [Collector(0)]
        self.importing += module.path != self.script
        try:
            self.execute(tree.body, Frame(module, module.env))
        except ProgramRaised:
            pass
        except TooLong:
            if self.budget.steps < floor:
                raise
            doubt_registries(self.modules.values())
        except RecursionError:
            if module.path == self.script:
                raise
            self.complete = False
        finally:
            if module.path != self.script:
                self.uncertain, self.collectors = uncertain, collectors
                self.importing -= 1
            self.budget.floor = floor
            module.state = "done"

    def make_native(self, name: str, arguments: Arguments) -> Value | None:
        """What a known library function gives; None where the library is not modelled."""
        factory = self.factories.get(name)
        if factory is None and "DEFINE_" in name:
            factory = self.factories.get("DEFINE_")
        return None if factory is None else factory(self, name, arguments)

    def hand_over(self, name: str, arguments: Arguments) -> Value:
        """Foreign code is called: parsers that it is given may get options that are not seen here."""
        handed: list[Value] = []
        for value in arguments.all():
            native = value.native if isinstance(value, Instance) else value
            note = getattr(native, "note_handed", None)
            if isinstance(native, Native) and note is not None:
                note(name)
                handed.append(value)
        return handed[0] if len(handed) == 1 else UNKNOWN

    def note_parsed(self, parser: Native, strict: bool, *, more: bool = False) -> None:
        """The program parses its command line now. Raises Finished, which ends the reading, unless more options may follow.

        strict: unknown options are an error. more: later calls may declare further options.
        """
        self.parsed.append(ParseCall(parser=parser, strict=strict))
        if strict and not more and not self.uncertain:
            if not self.beyond:
                raise Finished(
                    "the script parsed its command line (call note_parsed where it does, not in signatures())"
                )
            self.budget.steps = min(self.budget.steps, STEPS_BEYOND)
            self.call_steps = STEPS_BEYOND

    def accept(self, condition: Condition, place: str) -> None:
        """Remember that on this way the program goes on only with these values of an argument."""
        current = self.collectors[-1]
        if not self.muted and not condition.negated and self.uncertain == current.uncertain:
            current.found.setdefault(condition.dest, (condition, place))

    @property
    def accepted(self) -> dict[str, AcceptedValues]:
        """dest -> the only values that the program goes on with."""
        return {
            dest: AcceptedValues(values=tuple(sorted(condition.values)), fold=condition.fold, place=place)
            for dest, (condition, place) in self.collectors[0].found.items()
        }

    def try_call(self, function: Value, *values: Value) -> Value:
        """What a function gives for known values; None where it raises."""
        uncertain, self.uncertain = self.uncertain, 0
        try:
            return self.call(function, Arguments(list(values), {}))
        except ProgramRaised:
            return None
        finally:
            self.uncertain = uncertain

    def _call_path(self, module: Module, function: str, placed: Sequence[Value] = ()) -> Value:
        value: Value = module
        for name in function.split("."):
            value = self.attribute(value, name)
        return self.call(value, Arguments(list(placed), {}))

    def _run_class(self, cls: Class) -> None:
        instance = self.call(cls, Arguments([], {}))
        for name, member in list(cls.names.items()):
            if isinstance(member, Function) and name != "__init__" and not member.kind:
                self._guard(partial(self.call, self.attribute(instance, name), Arguments([], {})))

    def _guard(self, action: Callable[[], object]) -> None:
        try:
            action()
        except (Finished, ProgramRaised):
            pass
        except (OutOfFuel, TooLong, RecursionError, MemoryError):
            self.complete = False
        except Exception as error:  # noqa: BLE001 - a foreign program may hold anything; what was read so far still counts
            self.complete = False
            self.failed = plugins.tell_of(error) or self.failed
