"""What of a repository the examples of one file may depend on, besides that file."""

import hashlib
import re
from collections.abc import Iterable

from ml_agent.tools.python_api.modules import ModuleTable

_WORD = re.compile(r"\w+")


class NameIndex:
    """The files, folders and installed names that a text can name, by the words in it.

    The entry point of a command and the folder from which it runs are found by names that the command has. A file whose
    name has a word that the text has not cannot be meant by it, and so no change of it is of any importance.

    Args:
        files: Relative posix paths of all files.
        installed: Names that installing the repository brings, and where what they mean lies: console scripts, packages.
        modules: The Python modules of the repository.
    """

    def __init__(self, files: Iterable[str], installed: Iterable[tuple[str, str]], modules: ModuleTable) -> None:
        self._roots = "\0".join(modules.install_roots)
        found: dict[str, list[str]] = {}
        for path in files:
            found.setdefault(_telling(path.removesuffix("/__init__.py").removesuffix("/__main__.py")), []).append(path)
        for folder in _folders(files):
            found.setdefault(_telling(folder), []).append(f"{folder}/ {folder in modules.folders}")
        for name, path in installed:
            found.setdefault(_telling(name), []).append(f"{name} {path}")
        self._by_word = {word: _hash(sorted(paths)) for word, paths in found.items()}

    def of(self, text: str) -> str:
        """A hash of all that a text can name."""
        words = sorted(set(_WORD.findall(text)) & self._by_word.keys())
        return _hash([self._roots, *(self._by_word[word] for word in words)])


def _telling(path: str) -> str:
    """The longest word of a file's or folder's name without its ending; what names it has this word."""
    name = path.rpartition("/")[2]
    return max(_WORD.findall(name.rpartition(".")[0] or name), key=len, default="")


def _folders(files: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in files:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found


def _hash(texts: Iterable[str]) -> str:
    text = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
