"""Ways to come by a file that a program asked for, out of what the repository holds. Reads only; nothing is run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.sandbox.repository_search import MAX_BYTES, files
from ml_agent.sandbox.script_lines import inside, path_word
from ml_agent.tools.entries import entries_of
from ml_agent.tools.foreign_files import exists, is_dir, is_file, read_lines, read_text

MAX_WAYS = 4
_MAKER = re.compile(
    r"prepare|preprocess|process|download|generate|make|create|build|convert|split|setup|fetch|get|extract|gen",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"""open\([^)\n]{0,300},\s*['"][wax]|\.to_(?:csv|json|pickle|parquet|hdf)\(|(?:np|numpy)\.save|torch\.save|\.dump\(|write_text|write_bytes
    |savetxt|savez|urlretrieve|\.write\(|>\s*\S|-O\s|--output|wget\s|curl\s|gdown""",
    re.VERBOSE,
)
_TEMPLATE = re.compile(r"[._-]?(?:example|template|sample|default|dist|tmpl)[._-]?", re.IGNORECASE)
_COMMAND = re.compile(r"\s*+(?:[$>%]\s+|!)?((?:python3?|bash|sh|\./)\S*\s*\S.*)")
_BLANK = re.compile(r"<\w|\$\{?[A-Z]|\.\.\.|path/to|/path|\byour\b|\[\w", re.IGNORECASE)
"""Something that the reader must fill in."""
_README = re.compile(r"readme(\.\w+)?", re.IGNORECASE)


class MissingFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a program did not find."""

    root: Path
    """The repository."""
    path: str
    """As the program asked for it."""
    folder: str = "."
    """Where the program ran, relative to the root."""
    entry: Path | None = None
    """The script that ran; it does not make what it asks for."""
    named: bool = False
    """Whether the user names it: what is made of another file is not what he means."""

    @property
    def here(self) -> Path:
        """The folder where the program ran."""
        return (self.root.resolve() / self.folder).resolve()

    @property
    def spellings(self) -> tuple[str, ...]:
        """How a script may write the path: whole, its last two parts, its name."""
        pure = PurePosixPath(self.path.removeprefix("./"))
        parts = [part for part in pure.parts if part != ".."]
        whole = ["/".join(parts), "/".join(parts[-2:]), pure.name]
        return tuple(name for name in dict.fromkeys(whole) if len(name) > 2)

    @property
    def relative(self) -> bool:
        """Whether it belongs into the workspace."""
        target = Path(os.path.normpath(self.here / self.path))
        return bool(self.path) and not self.path.startswith("/") and target.is_relative_to(self.root.resolve())


def makers_of(missing: MissingFile) -> list[str]:
    """Commands, run from the folder where the program ran, that bring the file about; likeliest first."""
    others = () if missing.named else (_spelled_otherwise, _from_template)
    ways = (*others, _readme_commands, _scripts)
    found = [command for way in ways for command in way(missing)]
    return list(dict.fromkeys(found))[:MAX_WAYS]


def template_of(target: Path) -> Path | None:
    """The example beside a settings file that is not there: config.example.json for config.json."""
    if exists(target) or not is_dir(target.parent):
        return None
    beside = sorted(path for path in target.parent.iterdir() if is_file(path) and path.suffix != ".md")
    return next((path for path in beside if path != target and _strip_example(path.name) == target.name), None)


def _strip_example(name: str) -> str:
    """Without the word that marks an example, and one dot where it stood between two; `sample.txt` is no example of a file `txt`."""
    match = _TEMPLATE.search(name)
    if match is None:
        return name
    between = "." if match.start() and match.end() < len(name) and "." in match[0] else ""
    rest = name[: match.start()] + between + name[match.end() :]
    only_ending = not match.start() and match[0].endswith(".") and "." not in rest
    return name if only_ending else rest


def spelled_otherwise(missing: MissingFile) -> str:
    """The same path in other case, or where the one that was asked for has the separators of Windows; "" where there is none."""
    asked = _asked_path(missing)
    wanted = PurePosixPath(asked.replace("\\", "/"))
    if wanted.is_absolute() or ".." in wanted.parts or not wanted.parts:
        return ""
    for path in files(missing.here):
        there = PurePosixPath(path.relative_to(missing.here).as_posix())
        same = "/".join(there.parts[: len(wanted.parts)])
        if same != asked and same.casefold() == wanted.as_posix().casefold():
            return same
    return ""


def _asked_path(missing: MissingFile) -> str:
    return missing.path.replace("\\\\", "\\")


def _spelled_otherwise(missing: MissingFile) -> Iterator[str]:
    if same := spelled_otherwise(missing):
        asked = _asked_path(missing)
        parent = PurePosixPath(asked).parent
        target = PurePosixPath(*[".."] * len(parent.parts), same).as_posix()
        yield f"{_make_folder(parent)}ln -s {path_word(target)} {path_word(asked)}"


def _from_template(missing: MissingFile) -> Iterator[str]:
    found = template_of(missing.here / missing.path) if missing.relative else None
    if found is not None:
        yield f"cp {path_word(os.path.relpath(found, missing.here))} {path_word(missing.path)}"


def _readme_commands(missing: MissingFile) -> Iterator[str]:
    """Commands of a README that name the file, or its folder, and run another script of the repository."""
    root = missing.root.resolve()
    folder = PurePosixPath(missing.path).parent.as_posix()
    names = [*missing.spellings, *([folder] if len(folder) > 2 else [])]
    found: list[tuple[int, str]] = []
    for place, command in _written_in_readmes(root):
        rank = next((n for n, name in enumerate(names) if _has_word(command, name)), None)
        if rank is None:
            continue
        scripts = entries_of(command, root, place.relative_to(root).as_posix()) or _shell_scripts(command, place)
        if scripts and missing.entry not in scripts:
            found.append((rank, in_folder(place, missing.here, command)))
    yield from (command for _, command in sorted(found, key=lambda pair: pair[0]))


def _written_in_readmes(root: Path) -> Iterator[tuple[Path, str]]:
    """The commands in lines of READMEs, each with the README's folder."""
    for readme in files(root, (".md", ".rst", ".txt"), MAX_BYTES):
        for line in read_lines(readme) if _README.fullmatch(readme.name) else ():
            match = _COMMAND.match(line.rstrip())
            if match and not _BLANK.search(match[1]):
                yield readme.parent, match[1]


def _shell_scripts(command: str, folder: Path) -> list[Path]:
    return [folder / word for word in command.split() if word.endswith(".sh") and is_file(folder / word)]


def _has_word(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w-])", text) is not None


def _is_in(text: str, name: str) -> bool:
    """Whether a path stands there, also below some folder, and not as the end of another name."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _scripts(missing: MissingFile) -> Iterator[str]:
    """Scripts without arguments that write a file or folder of this name."""
    found = []
    for script in files(missing.root.resolve(), (".py", ".sh"), MAX_BYTES):
        if script == missing.entry:
            continue
        text = read_text(script)
        named = [rank for rank, name in enumerate(missing.spellings) if _is_in(text, name)]
        if not named or not _WRITES.search(text) or (script.suffix == ".py" and _needs_arguments(text)):
            continue
        if not _MAKER.search(script.stem) and not _writes(text, missing.spellings[named[0]]):
            continue
        found.append((named[0], not _MAKER.search(script.stem), len(script.parts), script))
    for *_, script in sorted(found)[:3]:
        path = os.path.relpath(script, missing.here)
        yield f"{'bash' if script.suffix == '.sh' else 'python'} {path_word(path)}"


def in_folder(folder: Path, here: Path, command: str) -> str:
    """The command as it is written in `here` when it must run in `folder`."""
    return command if folder == here else inside(path_word(os.path.relpath(folder, here)), command)


def _make_folder(folder: PurePosixPath) -> str:
    return "" if folder == PurePosixPath(".") else f"mkdir -p {path_word(folder.as_posix())} && "


def _writes(text: str, name: str) -> bool:
    """Whether the name stands near something that writes."""
    lines = text.splitlines()
    return any(
        _is_in(line, name) and _WRITES.search("\n".join(lines[max(0, number - 3) : number + 4]))
        for number, line in enumerate(lines)
    )


def _needs_arguments(text: str) -> bool:
    return re.search(r"required\s*=\s*True|sys\.argv\[[1-9]", text) is not None
