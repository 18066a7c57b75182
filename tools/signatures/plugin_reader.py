"""Plug-ins that a program finds by entry points: those that its own repository declares, and who knows which others."""

from ml_agent.tools.signatures.declared import read_entries, read_setup
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Method, Module, Native, Value


class EntryPoint(Native):
    """An entry point that the repository declares.

    Args:
        run: follows the program.
        name: under which it is declared.
        target: its module and what is meant in it.
        importer: the file that asks for it.
    """

    def __init__(self, run: Interpreter, name: str, target: tuple[str, str], importer: str) -> None:
        self.run = run
        self.name = name
        self.target = target
        self.importer = importer

    def attribute(self, name: str) -> Value:
        """Its name, or a method."""
        return self.name if name == "name" else super().attribute(name)

    def do_load(self, arguments: Arguments) -> Value:
        """What it stands for."""
        value = self.run.import_module(self.target[0], 0, Module(self.importer, ""))
        for name in self.target[1].split("."):
            value = self.run.attribute(value, name)
        return value

    do_resolve = do_load


def _entry_points(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """importlib.metadata.entry_points(group=...), pkg_resources.iter_entry_points(group); others may be installed."""
    group = arguments.get(0 if name.endswith("iter_entry_points") else None, "group")
    if not isinstance(group, str) or not arguments.path:
        return UNKNOWN
    found: list[Value] = []
    for folder in sorted(run.sources.setup_folders()):
        prefix = "" if folder == "." else folder + "/"
        given = read_setup(run.sources, prefix, (group,))
        for key, module, function in read_entries(run.sources, prefix, given.lines, (group,)):
            found.append(EntryPoint(run, key, (module, function), arguments.path))
    return [*found, UNKNOWN] if found else UNKNOWN


def _with_plugins(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """click_plugins.with_plugins(entry_points): a decorator of a group."""

    def decorate(given: Arguments) -> Value:
        group, plugins = given.get(0, "group"), arguments.get(0, "plugins")
        for plugin in plugins if isinstance(plugins, list) else [UNKNOWN]:
            command = plugin.do_load(arguments) if isinstance(plugin, EntryPoint) else UNKNOWN
            made = Arguments([command], {})
            made.path, made.line = arguments.path, arguments.line
            run.call(run.attribute(group, "add_command"), made)
        return group

    return Method(decorate)


FACTORIES: dict[str, Factory] = {
    "importlib.metadata.entry_points": _entry_points, "importlib_metadata.entry_points": _entry_points,
    "pkg_resources.iter_entry_points": _entry_points, "click_plugins.with_plugins": _with_plugins,
    "click_plugins.core.with_plugins": _with_plugins,
}  # fmt: skip
