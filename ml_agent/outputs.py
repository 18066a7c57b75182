"""The files that a run made, brought out of the sandbox."""

from pathlib import Path, PurePosixPath

from sandbox.contract import Command, Sandbox

MOST_FILES = 200
MOST_KILOBYTES = 64 * 1024
"""Larger files stay in the sandbox; the log of the collection names them."""

_MARK = "$HOME/.before-the-run"
_FIND = (
    f"find . -type f -newer {_MARK} -size -{MOST_KILOBYTES}k "
    "-not -path '*/__pycache__/*' -not -path './.git/*' -not -name '*.pyc' -print0"
)


def mark(sandbox: Sandbox) -> None:
    """Remember the present moment inside the sandbox."""
    sandbox.run(Command(text=f"touch {_MARK}", timeout=30))


def collect(sandbox: Sandbox, folder: Path) -> tuple[str, ...]:
    """Copy every file of the workspace that is newer than the mark below `folder`; returns their relative paths."""
    listed = sandbox.run(Command(text=f"{_FIND} | head -z -n {MOST_FILES} | tr '\\0' '\\n'", timeout=60))
    found = []
    for line in listed.stdout.splitlines():
        path = PurePosixPath(line)
        if ".." in path.parts or path.is_absolute() or not line.startswith("./"):
            continue
        try:
            content = sandbox.get(path.as_posix())
        except FileNotFoundError:  # gone since, or its name has a line break
            continue
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        found.append(path.as_posix())
    return tuple(found)
