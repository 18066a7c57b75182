"""What the checks of one repository share: its tree, its console scripts, and a reader that parses each file once."""

import functools
import posixpath
import weakref

from ml_agent.tools.check.places import PathIndex, locate
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import absent_submodules
from ml_agent.tools.signatures.console import declared_names
from ml_agent.tools.signatures.model import Signature

NOT_MEANT = frozenset({"setup.py", "conftest.py", "__main__.py"})


class CheckedRepository:
    """What the checks of one repository share: its tree, and a reader that parses each file once."""

    def __init__(self, index: RepoIndex) -> None:
        self.absent = absent_submodules(index)
        """Submodules that are not checked out."""
        self.tree = PathIndex(index.files)
        self.reader = index.reader
        self.consoles = index.programs
        """Console scripts by name; a program is followed when it is asked for."""

    @functools.cached_property
    def declared(self) -> frozenset[str]:
        """Programs that the setup files declare, also those that are not read here."""
        return declared_names(self.reader.sources)

    def signatures(self, invocation: Invocation, folder: str) -> tuple[Signature, ...]:
        """What the target of an invocation takes with its words; () where it is nothing of the repository.

        Args:
            invocation: one command.
            folder: where the text that holds it starts.
        """
        here = locate(folder, invocation.folder) if invocation.folder else None
        return () if here is None else self._target(invocation, here)

    def _target(self, invocation: Invocation, here: str) -> tuple[Signature, ...]:
        if invocation.target in ("script", "shell") and invocation.program not in self.consoles:
            path = locate(here, invocation.name)
            return self.reader.tested(path) if path in self.tree.files else ()
        if invocation.target == "module":
            found = self.module_file(invocation.name, here)
            return self.reader.module(found, invocation.name) if found is not None else ()
        return self.consoles.get(posixpath.basename(invocation.program), ())

    def entry_points(self, path: str) -> list[str]:
        """The scripts of the same kind beside a path."""
        suffix = posixpath.splitext(path)[1]
        beside = [p for p in self.tree.files if posixpath.dirname(p) == posixpath.dirname(path) and p.endswith(suffix)]
        return sorted(p for p in beside if self.reader.read(p) and posixpath.basename(p) not in NOT_MEANT)

    def module_file(self, name: str, folder: str) -> str | None:
        """The file that `python -m name` runs when it is called in `folder`."""
        relative = name.replace(".", "/")
        bases = [folder, *(b for b in (self.reader.sources.packages().get(name.partition(".")[0]),) if b is not None)]
        for base in bases:
            for tail in (".py", "/__main__.py"):
                path = posixpath.normpath(posixpath.join(base, relative + tail))
                if path in self.tree.files:
                    return path
        return None

    def holds(self, name: str, folder: str) -> bool:
        """Whether the first part of a module's name is a package or module of the repository."""
        top = name.partition(".")[0]
        base = posixpath.normpath(posixpath.join(folder, top))
        packages = self.reader.sources.packages()
        return top in packages or base in self.tree.folders or f"{base}.py" in self.tree.files


_known: "weakref.WeakKeyDictionary[RepoIndex, CheckedRepository]" = weakref.WeakKeyDictionary()


def checked_repository(index: RepoIndex) -> CheckedRepository:
    if index not in _known:
        _known[index] = CheckedRepository(index)
    return _known[index]
