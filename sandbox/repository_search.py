"""Finds in a repository what a failure asks for: a file elsewhere, the script that makes it, a variable's value. Reads only."""

import ast
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MAX_BYTES = 300_000
MAX_FILES = 3000
_SKIPPED = frozenset({".git", "node_modules", "__pycache__", "site-packages", ".venv", "venv"})
_MAKER = re.compile(
    r"prepare|preprocess|process|download|generate|make|create|build|convert|split|setup|fetch|get|extract|gen",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"""open\([^)\n]*,\s*['"][wax]|\.to_(?:csv|json|pickle|parquet|hdf)\(|(?:np|numpy)\.save|torch\.save|\.dump\(|write_text|write_bytes
    |savetxt|savez|urlretrieve|\.write\(|>\s*\S|-O\s|--output|wget\s|curl\s|gdown""",
    re.VERBOSE,
)
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


def files(root: Path, endings: tuple[str, ...] = ()) -> Iterator[Path]:
    """Files of a repository, its top first, without what is no part of it."""
    count = 0
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(found):
            if not endings or name.endswith(endings):
                count += 1
                yield Path(folder, name)
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


def same_file_elsewhere(root: Path, path: str, entry: Path | None, folder: str) -> str | None:
    """The folder, relative to the root, from which a relative path that was not found exists; the script's own first."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or not pure.parts or ".." in pure.parts:
        return None
    root = root.resolve()
    places = [entry.parent, *entry.parent.parents] if entry else []
    here = (root / folder).resolve()
    for place in [*places, root]:
        if place.is_relative_to(root) and place.resolve() != here and (place / path).exists():
            return place.relative_to(root).as_posix()
    return None


def makers_of(root: Path, path: str, entry: Path | None, folder: str) -> list[str]:
    """Commands, run from `folder`, of scripts of the repository that write a file or folder of this name; likeliest first."""
    names = _spellings(path)
    found = []
    for script in files(root.resolve(), (".py", ".sh")):
        if script == entry or script.stat().st_size > MAX_BYTES:
            continue
        text = script.read_text(encoding="utf-8", errors="replace")
        named = [rank for rank, name in enumerate(names) if name in text]
        if not named or not _WRITES.search(text) or (script.suffix == ".py" and _needs_arguments(text)):
            continue
        if not _MAKER.search(script.stem) and not _writes(text, names[named[0]]):
            continue
        found.append((named[0], not _MAKER.search(script.stem), len(script.parts), script))
    here = (root / folder).resolve()
    return [_run(script, here) for *_, script in sorted(found)[:3]]


def value_of_variable(root: Path, name: str, entry: Path | None) -> str | None:
    """The value that a README or a shell script of the repository gives to an environment variable."""
    pattern = re.compile(
        rf"(?:^|[\s;`$])(?:export\s+|set\s+|setenv\s+)?{re.escape(name)}\s?[= ]\s?([^\s;`'\"&|]+|'[^']*'|\"[^\"]*\")"
    )
    near = entry.parent if entry else root
    sources = sorted(
        files(root.resolve(), (".md", ".rst", ".txt", ".sh", ".env", ".example")), key=lambda p: p.parent != near
    )
    for path in sources:
        if path.stat().st_size > MAX_BYTES:
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            match = pattern.search(line)
            if match and _is_value(match[1].strip("'\"")):
                return match[1].strip("'\"")
    return None


def device_option(entry: Path) -> str | None:
    """An option of a script that makes it use the processor, with its value."""
    text = entry.read_text(encoding="utf-8", errors="replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    options = {
        word.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("add_argument", "option")
        for word in node.args
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    }
    for switch in _SWITCHES:
        if switch in options:
            return switch
    return next((f"{option} {value}" for option, value in _DEVICE.items() if option in options), None)


def _spellings(path: str) -> list[str]:
    """How a script may write the path: whole, its last two parts, its name."""
    pure = PurePosixPath(path.removeprefix("./"))
    whole = [pure.as_posix(), "/".join(pure.parts[-2:]), pure.name]
    return [name for name in dict.fromkeys(whole) if len(name) > 2]


def _writes(text: str, name: str) -> bool:
    """Whether the name stands near something that writes."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if name in line and _WRITES.search("\n".join(lines[max(0, number - 3) : number + 4])):
            return True
    return False


def _needs_arguments(text: str) -> bool:
    return re.search(r"required\s*=\s*True|sys\.argv\[[1-9]", text) is not None


def _run(script: Path, here: Path) -> str:
    path = os.path.relpath(script, here)
    return f"{'bash' if script.suffix == '.sh' else 'python'} {shlex.quote(path)}"


def _is_value(text: str) -> bool:
    """Not a place holder."""
    return bool(text) and not re.search(
        r"^[<\[{$]|your|path/to|/path|xxx|\.\.\.|^=|^(?:is|to|in|for|and|the|not|must|should)$", text, re.IGNORECASE
    )
