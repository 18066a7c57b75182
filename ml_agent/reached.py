"""Whether a run that ended well did anything of the repository: what a shell writes by itself into a file, no program made."""

import re
from pathlib import Path, PurePosixPath

from ml_agent.delivery.expectation import CreatedFile
from ml_agent.draft import Draft
from sandbox.contract import Response
from sandbox.seen import Seen
from tools.commandline.shell import parse_command
from tools.index import RepoIndex

NOTHING = "no code of the repository was reached"
HELP = "it only printed its help"
_ASKS = re.compile(r"\b(?:help|usage|options?|arguments?|flags?|version)\b", re.IGNORECASE)
"""A request that is about how a program is called."""
_CODE = frozenset(
    [
        ".sh",
        ".bash",
        ".zsh",
        ".r",
        ".jl",
        ".js",
        ".mjs",
        ".ts",
        ".lua",
        ".pl",
        ".rb",
        ".m",
        ".ipynb",
        ".go",
        ".rs",
        ".java",
        ".cpp",
        ".cc",
        ".c",
        ".cu",
        ".scala",
        ".php",
    ]
)
"""Ends of code that is run by something else than Python, which is watched itself."""


def shortfall(
    draft: Draft, instruction: str, response: Response, made: tuple[CreatedFile, ...], index: RepoIndex
) -> str:
    """Why a run that ended well is none of the task, in a few words; "" where it is, or where nobody can tell.

    A command that the repository's own documents show is its way of doing things, whatever it calls.
    """
    if response.seen is None or not response.ok:
        return ""
    if not made and _is_help(response) and not _ASKS.search(instruction):
        return HELP
    shown = draft.provenance is not None and draft.provenance.kind == "example"
    return "" if shown or response.seen.blind or _is_reached(response.seen, index) else NOTHING


def _is_help(response: Response) -> bool:
    """Whether all that was printed is how a program is called."""
    said = response.stdout.strip() or response.stderr.strip()
    usage = re.match(r"usage:?\s", said, re.IGNORECASE) is not None and "--help" in said
    return usage or (said.startswith("NAME\n") and "\nSYNOPSIS\n" in said)


def _is_reached(seen: Seen, index: RepoIndex) -> bool:
    if any((index.root / path).is_file() for path in (*seen.programs, *seen.loaded)):
        return True
    return bool(_packages(index.root) & set(seen.packages)) or any(_is_call(text, index) for text in seen.commands)


def _packages(root: Path) -> set[str]:
    """Names under which code of the repository may be installed: its packages and modules, at the top and one folder below."""
    places = [*root.glob("*"), *root.glob("*/*")]
    return {
        path.stem for path in places if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").is_file())
    }


def _is_call(text: str, index: RepoIndex) -> bool:
    """Whether a command that was run calls something of the repository, as far as its words tell: not all programs are watched."""
    for call in parse_command(text).invocations:
        if call.target == "console":
            if any(one.name == call.name for known in index.signatures.values() for one in known):
                return True
        elif call.target == "module":
            if call.name.partition(".")[0] in _packages(index.root):
                return True
        elif _is_file(call.name, index.root):
            return True
    first, *words = text.split() or [""]
    if first == "make":
        return any((index.root / name).is_file() for name in ("Makefile", "makefile", "GNUmakefile"))
    code = [word.strip("'\"") for word in words if PurePosixPath(word.strip("'\"")).suffix.lower() in _CODE]
    return any(_is_file(word, index.root) for word in ([first] if "/" in first else []) + code)


def _is_file(name: str, root: Path) -> bool:
    """Whether a file of this name is somewhere in the repository: from where the command ran is not known of each."""
    last = PurePosixPath(name).name
    return bool(last) and not re.search(r"[*?\[\]]", last) and next(root.rglob(last), None) is not None
