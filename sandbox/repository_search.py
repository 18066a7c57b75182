"""Finds in a repository what a failure asks for: a module, a file elsewhere, a variable's value, an option. Reads only."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ml_agent.tools.foreign_files import exists, is_file, read_lines, read_text

MAX_BYTES = 300_000
MAX_FILES = 3000
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", "site-packages", ".venv", "venv"})
_EXTENSION = re.compile(r"""Extension\(\s*(?:name\s*=\s*)?['"]([\w.]+)['"]""")
_COMPILED = (".pyx", ".cpp", ".c", ".cc", ".cu", ".f90", ".f", ".rs")
_DEVICE = {
    "--device": "cpu",
    "--gpu": "-1",
    "--gpu_id": "-1",
    "--gpu-id": "-1",
    "--gpus": "0",
    "--n_gpu": "0",
    "--accelerator": "cpu",
}
_SWITCHES = (
    "--no-cuda",
    "--no_cuda",
    "--cpu",
    "--use-cpu",
    "--use_cpu",
    "--cpu-only",
    "--cpu_only",
    "--no-gpu",
    "--no_gpu",
    "--nogpu",
    "--disable-cuda",
    "--disable_cuda",
)


def files(root: Path, endings: tuple[str, ...] = (), most: int | None = None) -> Iterator[Path]:
    """Files of a repository of at most so many bytes, its top first; no pipes, dead links, names that cannot be shown."""
    count = 0
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED and name.isprintable())
        for name in sorted(filter(str.isprintable, found)):
            if not endings or name.endswith(endings):
                count += 1
                path = Path(folder, name)
                if is_file(path) and (most is None or path.stat().st_size <= most):
                    yield path
        if count > MAX_FILES:
            return


def module_places(root: Path, module: str, near: Path) -> list[str]:
    """Folders of the repository, relative to it, from which a module can be imported; those around `near` first."""
    root = root.resolve()
    found = []
    for path in files(root, (".py",)):
        if path.name == f"{module}.py":
            found.append(path.parent)
        elif path.parent.name == module:
            found.append(path.parent.parent)
    inside = [place for place in dict.fromkeys(found) if place.is_relative_to(root)]
    above = set(near.resolve().parents) | {near.resolve()}
    inside.sort(key=lambda place: (place not in above, len(place.parts)))
    return [place.relative_to(root).as_posix() for place in inside][:3]


def built_by(root: Path, module: str) -> Path | None:
    """The setup.py that compiles a module of the repository; no index has such a module, whatever it has of that name."""
    for setup in files(root.resolve(), ("setup.py",), MAX_BYTES):
        if setup.name == "setup.py":
            named = _EXTENSION.findall(read_text(setup))
            if module in {part for name in named for part in (name, name.partition(".")[0])}:
                return setup
    return None


def unbuilt(root: Path, parts: Sequence[str]) -> str:
    """The source, relative to the root, from which a dotted module would be compiled; "" where it is none, or is there as Python."""
    for place in (root, root / "src", root / "lib", root / "python"):
        here = place.joinpath(*parts)
        if exists(here.with_suffix(".py")) or exists(here):
            return ""
        for ending in _COMPILED:
            if is_file(here.with_suffix(ending)):
                return here.with_suffix(ending).relative_to(root).as_posix()
    return ""


def same_file_elsewhere(root: Path, path: str, entry: Path | None, folder: str) -> str | None:
    """The folder, relative to the root, from which a relative path that was not found exists; the script's own first."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or not pure.parts or ".." in pure.parts:
        return None
    root = root.resolve()
    places = [entry.parent, *entry.parent.parents] if entry else []
    here = (root / folder).resolve()
    for place in [*places, root]:
        if place.is_relative_to(root) and place.resolve() != here and exists(place / path):
            return place.relative_to(root).as_posix()
    return None


def same_file_inside(root: Path, path: str) -> str | None:
    """The file of the repository, relative to its root, that an absolute path of another machine means; its tail decides."""
    parts = PurePosixPath(path).parts[1:]
    root = root.resolve()
    for size in range(len(parts), 1, -1):
        if exists(root / Path(*parts[-size:])):
            return PurePosixPath(*parts[-size:]).as_posix()
    named = [found for found in files(root) if parts and found.name == parts[-1]]
    return named[0].relative_to(root).as_posix() if len(named) == 1 else None


def value_of_variable(root: Path, name: str, entry: Path | None) -> str | None:
    """The value that a README or a shell script of the repository gives to an environment variable."""
    pattern = re.compile(
        rf"(?:^|[\s;`$])(?:export\s+|set\s+|setenv\s+)?{re.escape(name)}\s?[= ]\s?([^\s;`'\"&|]+|'[^']*'|\"[^\"]*\")"
    )
    near = entry.parent if entry else root
    sources = sorted(
        files(root.resolve(), (".md", ".rst", ".txt", ".sh", ".env", ".example"), MAX_BYTES),
        key=lambda p: p.parent != near,
    )
    for path in sources:
        for line in read_lines(path):
            match = pattern.search(line)
            if match and _is_value(match[1].strip("'\"")):
                return match[1].strip("'\"")
    return None


def device_option(entry: Path) -> str | None:
    """An option of a script that makes it use the processor, with its value."""
    options = {
        word.value
        for call in _option_calls(entry)
        for word in call.args
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    }
    for switch in _SWITCHES:
        if switch in options:
            return switch
    return next((f"{option} {value}" for option, value in _DEVICE.items() if option in options), None)


def _option_calls(entry: Path) -> list[ast.Call]:
    try:
        tree = ast.parse(read_text(entry))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("add_argument", "option")
    ]


def _is_value(text: str) -> bool:
    """Not a place holder."""
    return bool(text) and not re.search(
        r"^[<\[{$]|your|path/to|/path|xxx|\.\.\.|^=|^(?:is|to|in|for|and|the|not|must|should)$", text, re.IGNORECASE
    )
