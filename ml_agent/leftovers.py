"""What one draft left behind is not there for the next: an answer must work alone, and what it did not write it did not make.

Names are kept in the home of the sandbox, where no draft's results are looked for. Between repairs of one draft nothing is removed:
it may have loaded much that it would load again.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ml_agent.delivery.expectation import CreatedFile
from ml_agent.outputs import SYSTEM
from ml_agent.sandbox.contract import Command, Sandbox

_NAMES = "find . -xdev -mindepth 1 \\( -name __pycache__ -o -name .git \\) -prune -o {which} -print0 | LC_ALL=C sort -z"
_HOME = '"$HOME/.ml-agent'
_MOMENT = re.compile(r"\d+\.\d+")


class Leftovers:
    """What the runs of one draft added to the workspace of a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._draft: object = None
        self._began = ""
        self._changed: list[str] = []

    def clear(self, draft: object, root: Path) -> None:
        """Before anything is done for a draft: where it is another one than before, what the earlier one made is removed, and what it
        changed of the repository (`root` on the host) is as it was."""
        if not self._began:
            self._draft = draft
            return
        new = _NAMES.format(which=f"-newerct @{self._began}")
        text = f'{SYSTEM}[ -e {_HOME}/before" ] && {new} | LC_ALL=C comm -z -13 {_HOME}/before" - >>{_HOME}/left"'
        if other := draft != self._draft:
            text += f'; [ -e {_HOME}/left" ] && xargs -0 -r rm -rf -- <{_HOME}/left"; : >{_HOME}/left"'
        self._sandbox.run(Command(text=text, timeout=60))
        if other:
            for path in self._changed:
                if _is_own(root, path):
                    self._sandbox.put(root / path, path)
            self._draft, self._changed = draft, []

    def begin(self) -> str:
        """The present moment by the sandbox's clock, with the names that are there. It is kept here: what lies in the sandbox, a program can change."""
        names = _NAMES.format(which="-true")
        text = f'{SYSTEM}mkdir -p {_HOME}" && {names} >{_HOME}/before"; date +%s.%N'
        said = self._sandbox.run(Command(text=text, timeout=60)).stdout.strip()
        self._began = said if _MOMENT.fullmatch(said) else "0.0"
        return self._began

    def note(self, made: Sequence[CreatedFile]) -> None:
        """What a run made or changed."""
        self._changed += [one.path for one in made]


def _is_own(root: Path, path: str) -> bool:
    """Whether a name from the sandbox is a file of the repository itself: one behind a link could be any of this machine."""
    try:
        place = root.resolve() / path
        return place.resolve() == place and place.is_relative_to(root.resolve()) and place.is_file()
    except (OSError, ValueError):  # too long a name, or none
        return False
