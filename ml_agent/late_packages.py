"""Packages that load hundreds of modules which nothing here uses, left unloaded until a name of theirs is asked for.

LangGraph imports one class of `langgraph_sdk` and LangSmith's run tree one of `langsmith.types`; each of the two packages
loads whole clients on the way. LangChain imports LangSmith's client, `requests` and pydantic's first version to have names at hand
that it uses in no run of ours: those packages get late names, see late_names.py. Together this was half of what `ml-agent solve`
spent on starting. Submodules can be imported as ever; whoever asks a package itself for a name gets it loaded.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

from ml_agent.late_names import NAMES, asked_by_langgraph, late_name

LATE = frozenset(
    {"langchain_protocol", "langgraph_sdk", "langsmith.address", "langsmith.types", "snowballstemmer", *NAMES}
)
WHOLE = frozenset({"pydantic.v1", "requests"})
"""Those of them whose parts ask the package for names while they are imported: importing a part loads the package before."""
TRACING = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
    "LANGCHAIN_HANDLER",
)
"""Variables that would make LangGraph send all that a run knows to LangSmith."""


class LatePackage(ModuleType):
    """A package or module that is there with its place and is run when a name is asked for that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        """Run the package, then look again; what looks at modules from outside (`__file__`, `__wrapped__`) runs nothing.

        `import *` asks for `__all__`.
        """
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name in NAMES.get(self.__name__, ()) and asked_by_langgraph():
            return late_name(self.__name__, name)
        self.__spec__.loader.run(self)  # type: ignore[union-attr]
        return ModuleType.__getattribute__(self, name)


class LateLoader(Loader):
    """Makes the package and leaves it unrun."""

    def __init__(self, whole: Loader) -> None:
        self._whole = whole
        self._lock = RLock()
        self._begun = False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty package."""
        return LatePackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing yet."""

    def run(self, module: ModuleType) -> bool:
        """Run it, once: whether that was now.

        Another thread waits for that; what it imports itself sees it half done, as in any circle of imports.
        """
        with self._lock:
            if self._begun:
                return False
            self._begun = True
            try:
                self._whole.exec_module(module)
            except BaseException:
                self._begun = False
                raise
            module.__class__ = ModuleType
            return True


class LoadedAlready(Loader):
    """Gives a module that was loaded while it was looked for."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__
        # The import system goes by the spec that stands in such a module: its own would have it run a second time.
        self.spec = module.__spec__ = ModuleSpec(module.__name__, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module as it is."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """It was run; what the import system wrote into it is taken back."""
        module.__spec__ = self._spec


class LateFinder(MetaPathFinder):
    """Finds the late packages where they are, and hands out late loaders for them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package's place with a loader that waits; None for everything else."""
        if _run_package_of(fullname) and fullname in sys.modules:
            return LoadedAlready(sys.modules[fullname]).spec
        spec = PathFinder.find_spec(fullname, path, target) if fullname in LATE else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = LateLoader(spec.loader)
        return spec


def _run_package_of(part: str) -> bool:
    """Run the late package that a module is a part of, where its parts need it; whether that was done now."""
    name = part.rpartition(".")[0]
    package = sys.modules.get(name) if name in WHOLE else None
    return isinstance(package, LatePackage) and bool(package.__spec__.loader.run(package))  # type: ignore[union-attr]


def leave_unloaded() -> None:
    """From now on; for a program's start, not for libraries. What is loaded already stays; a second call changes nothing."""
    if not any(isinstance(finder, LateFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateFinder())


def trace_nothing() -> None:
    """LangGraph reports no run to LangSmith and pydantic looks for no plug-ins, which would see every setting: runs hold what users write."""
    for name in TRACING:
        os.environ.pop(name, None)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
