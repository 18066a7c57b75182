"""What a model may look at: find, read, signature, and a run in the sandbox. Every answer has a limit."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Protocol

from ml_agent.conversation.entries import blocks_of, find_entries, likely_passages, with_tested_values
from ml_agent.conversation.files import cut, excerpt, likely_files
from ml_agent.conversation.listing import api_line, cut_off, line_of, options_of, parameter_of
from ml_agent.conversation.objects import likely_objects, method_text, methods_of, parameter_docs, result_docs, whole
from ml_agent.navigator import Workspace
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.sandbox.session import Installed
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.signatures.model import Signature


class TaskEnvironment(Protocol):
    """What a model may do in the sandbox, in the environment in which its answer is run."""

    def about(self, workspace: Workspace) -> tuple[str, ...]:
        """At most three lines about it."""

    def probe(self, workspace: Workspace, command: str) -> str:
        """What a command in the task's folder says."""

    def install(self, workspace: Workspace, words: Sequence[str], why: str, system: Sequence[str] = ()) -> Installed:
        """Requirements by name, `--python 3.9` or `-e .`, and Debian packages."""


_ASKED = 1_000
"""Characters of a query, a path or a name; what is behind them is not looked at."""
_FOUND = 1_800
_OBJECT = 3_600
_ENOUGH = 3
"""Lines that hold the query itself and make passages about it needless."""
_SIGNATURE = 9_000
"""Characters for the options of an entry point, all its subcommands together."""
_SIGNATURES = 12_000
"""With how each is called."""
_SAID, _METHOD, _GIVES = 220, 400, 1400
"""Characters of what is said of a parameter, of a method's parameters, and of what is given back."""
_LISTED = 150
_SEARCHED_FILES = 4_000
_SEARCHED_BYTES = 200_000
_LINES = 8
_LONGEST_LINE = 160
_MOST_PARTS = 400
"""Lines with some words of a query that are looked at."""
_NAME = re.compile(r"\w[_.]\w|\w\(|[a-z]\d")
"""What a word of code looks like, rather than one of prose."""
_TEXTS = (".py", ".sh", ".md", ".rst", ".txt", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".gin", ".ipynb")


class Toolbox:
    """Looks around in one workspace; nothing of it is run here."""

    def __init__(self, workspace: Workspace, instruction: str, environment: TaskEnvironment | None = None) -> None:
        self._workspace, self._instruction, self._environment = workspace, instruction, environment
        self._tree = Tree(workspace.index.root)

    @property
    def can_run(self) -> bool:
        """Whether there is a sandbox."""
        return self._environment is not None

    def find(self, query: str) -> PromptText:
        """What speaks of the query: lines of files that hold it, entry points, API objects, passages."""
        query = query[:_ASKED]
        lines = self._lines_with(query)
        parts = ["Lines:\n" + "\n".join(lines) if lines else ""]
        few = len(lines) >= _ENOUGH
        entries = [
            line_of(entry, self._workspace.path) for entry in find_entries(query, self._workspace, 1 if few else 3)
        ]
        objects = [
            f"{item.path}:{item.line} {api_line(item, 120)}"
            for item in likely_objects(query, self._workspace, 2 if few else 5)
        ]
        passages = [
            f"{one.path}:{one.line} {' / '.join(one.headings[-2:])}\n{blocks_of(one, 300, query)}"
            for one in likely_passages(query, self._workspace, 0 if few else 2)
        ]
        files = [] if few else likely_files(query, self._workspace, 5)
        for title, lines in (("Entry points", entries), ("Classes and functions", objects), ("Documents", passages)):
            parts.append(f"{title}:\n" + "\n".join(lines) if lines else "")
        parts.append(f"Files: {', '.join(files)}" if files else "")
        text = "\n".join(part for part in parts if part)
        return neutral(cut(text, _FOUND) or "nothing")

    def read(self, path: str, lines: str = "") -> PromptText:
        """A file or a part of it, or what is in a folder."""
        path = path[:_ASKED]
        place = self._place(path)
        if self._tree.is_dir(place):
            return neutral(self._list_folder(place))
        if not self._tree.is_file(place):
            near = likely_files(posixpath.basename(path), self._workspace, 4)
            return neutral(f"there is no file {path}" + (f"; there is {', '.join(near)}" if near else ""))
        try:
            text = self._tree.read_text(place)
        except (ToolError, OSError) as error:
            return neutral(f"{path} cannot be read: {error}")
        return excerpt(place, text, lines)

    def signature(self, entry: str) -> PromptText:
        """All options of an entry point, or the parameters of a class or function with its methods."""
        entry = entry[:_ASKED]
        signatures = self._signatures(entry)
        if signatures:
            room = _SIGNATURE // len(signatures)
            heads: dict[str, list[str]] = {}
            for one in signatures:
                heads.setdefault(
                    options_of(with_tested_values(one, self._workspace), self._instruction, room), []
                ).append(line_of([one], self._workspace.path))
            shown = ["\n".join([*lines, options]) for options, lines in heads.items()]
            return neutral(cut("\n\n".join(shown), _SIGNATURES))
        return neutral(self._api(entry) or self._nothing_of(entry))

    def run(self, command: str) -> PromptText:
        """What a command says in the sandbox."""
        if self._environment is None:
            return neutral("there is no sandbox here")
        return neutral(self._environment.probe(self._workspace, command))

    def install(self, words: Sequence[str], why: str, system: Sequence[str]) -> Installed:
        """What came of asking for packages."""
        if self._environment is None:
            return Installed(ok=False, said=("there is no sandbox here",))
        return self._environment.install(self._workspace, words, why, system)

    def about_environment(self) -> tuple[str, ...]:
        """At most three lines about the environment; none where there is no sandbox."""
        return self._environment.about(self._workspace) if self._environment is not None else ()

    def _place(self, path: str) -> str:
        """The path as the model means it: from the root, or from the task's folder."""
        plain = posixpath.normpath(path.strip().removeprefix("./") or ".")
        inside = posixpath.normpath(posixpath.join(self._workspace.path or ".", plain))
        return plain if self._tree.exists(plain) or not self._tree.exists(inside) else inside

    def _list_folder(self, folder: str) -> str:
        prefix = "" if folder == "." else f"{folder}/"
        below = [path.removeprefix(prefix) for path in self._workspace.index.files if path.startswith(prefix)]
        names = dict.fromkeys(path.partition("/")[0] + ("/" if "/" in path else "") for path in below)
        shown = list(names)[:_LISTED]
        return ", ".join(shown) + (f", ... and {len(names) - len(shown)} more" if len(names) > len(shown) else "")

    def _signatures(self, entry: str) -> tuple[Signature, ...]:
        """The signatures that a model may mean by a path, a file's name, a console script, with or without a subcommand."""
        known = self._workspace.index.signatures
        words = entry.replace("python -m ", "").replace("python ", "").split() or [""]
        found = known.get(self._place(words[0])) or next(
            (
                known[one.path]
                for one in self._workspace.index.entries
                if words[0] in (one.name, posixpath.basename(one.path), one.path.removesuffix(".py").replace("/", "."))
            ),
            (),
        )
        named = tuple(one for one in found if one.subcommand and one.subcommand[-1] in words[1:])
        return named or found

    def _api(self, name: str) -> str:
        found = self._object(name.removesuffix("()"))
        if found is None:
            return ""
        found = whole(found, self._workspace.index)
        docs = parameter_docs(found, self._workspace)
        parameters = [f"  {parameter_of(one)}{_comment(docs.get(one.name, ''), _SAID)}" for one in found.parameters]
        known = {one.name for one in found.parameters}
        parameters += [f"  {name}{_comment(docs[name], _SAID)}" for name in docs if name not in known]
        public = methods_of(found, self._workspace) if found.kind == "class" else ()
        methods = [f"  .{method_text(one, _METHOD)}" for one in public]
        head = f"{found.path}:{found.line} {found.kind} {found.name}{_comment(found.doc, _LONGEST_LINE)}"
        gives = result_docs(found, self._workspace) if found.kind != "class" else ""
        lines = [head, *parameters, *([f"  gives {cut_off(gives, _GIVES)}"] if gives else []), *methods]
        return cut("\n".join(lines), _OBJECT)

    def _object(self, name: str) -> ApiObject | None:
        """What a dotted name means, or its last parts: a method of a class, a class or function."""
        api = self._workspace.index.api
        found = api.resolve(name, self._workspace.path)
        if isinstance(found, ApiObject):
            return found
        member, last = ".".join(name.split(".")[-2:]), name.rpartition(".")[2]
        places = (path for path, module in api.outlines.items() for one in module.names if one.name == member)
        inside = (api.inside(path, member) for path in islice(places, 1))
        named = (api.whole(item) for item in api.objects if item.name.endswith(f".{last}"))
        return next((one for one in chain(inside, named) if isinstance(one, ApiObject)), None)

    def _nothing_of(self, entry: str) -> str:
        near = [line_of(one, self._workspace.path) for one in find_entries(entry, self._workspace, 3)]
        return (
            "\n".join([f"nothing is known of {entry}; there is", *near])
            if near
            else f"nothing is known of {entry}; read its file"
        )

    def _lines_with(self, query: str) -> list[str]:
        """The lines that hold the query itself; where none does, those with the most of its words that are names of code."""
        wanted = query.strip().lower()
        if len(wanted) < 3:
            return []
        names = [word for word in wanted.split() if _NAME.search(word)][:_LINES] if " " in wanted else []
        whole: list[str] = []
        parts: list[tuple[int, str]] = []
        for path, number, line in self._all_lines():
            plain = line.lower()
            if wanted in plain:
                whole.append(f"{path}:{number}: {line.strip()[:_LONGEST_LINE]}")
                if len(whole) == _LINES:
                    break
            elif len(parts) < _MOST_PARTS and (held := sum(name in plain for name in names)):
                parts.append((held, f"{path}:{number}: {line.strip()[:_LONGEST_LINE]}"))
        return whole or [text for _, text in sorted(parts, key=lambda one: -one[0])[:_LINES]]

    def _all_lines(self) -> Iterator[tuple[str, int, str]]:
        texts = [path for path in self._workspace.index.files if path.endswith(_TEXTS)][:_SEARCHED_FILES]
        inside = f"{self._workspace.path}/" if self._workspace.path not in ("", ".") else ""
        for path in sorted(texts, key=lambda path: (not path.startswith(inside), path.count("/"))):
            try:
                text = self._tree.read_text(path, _SEARCHED_BYTES)
            except (ToolError, OSError):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                yield path, number, line


def _comment(text: str, most: int) -> str:
    return f"  # {cut_off(text, most)}" if text else ""
