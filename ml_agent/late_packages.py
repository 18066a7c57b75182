"""Packages whose `__init__` loads hundreds of modules that nothing here uses, left unloaded until a name of theirs is asked for.

LangGraph imports one class of `langgraph_sdk` and LangSmith's run tree one of `langsmith.types`; each of the two packages
loads whole clients on the way: a third of what `ml-agent solve` spent on starting. Their submodules can be imported as ever; whoever
asks the package itself for a name gets it loaded.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

LATE = frozenset({"langgraph_sdk", "langsmith.types"})


class LatePackage(ModuleType):
    """A package that is there with its path and is run when a name is asked for that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        """Run the package, then look again; what looks at modules from outside (`__file__`, `__wrapped__`) runs nothing."""
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        loader: Loader = self.__spec__.loader.whole  # type: ignore[union-attr]
        self.__class__ = ModuleType  # type: ignore[assignment]
        loader.exec_module(self)
        return getattr(self, name)


class LateLoader(Loader):
    """Makes the package and leaves it unrun."""

    def __init__(self, whole: Loader) -> None:
        self.whole = whole

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty package."""
        return LatePackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing yet."""


class LateFinder(MetaPathFinder):
    """Finds the late packages where they are, and hands out late loaders for them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package's place with a loader that waits; None for everything else."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in LATE else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = LateLoader(spec.loader)
        return spec


def leave_unloaded() -> None:
    """From now on; for a program's start, not for libraries. What is loaded already stays; a second call changes nothing."""
    if not any(isinstance(finder, LateFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LateFinder())
