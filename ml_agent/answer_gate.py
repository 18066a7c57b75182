"""The last look at an answer that the user will run: what a repository put into it beyond a program and its options is refused."""

import re
from typing import Literal

from ml_agent.draft import Draft
from ml_agent.prompts.hidden import hidden_words, spelt_out
from ml_agent.request import Request
from ml_agent.tools.check.bash_powers import without_quotes
from ml_agent.tools.check.power import Power, PowerUse
from ml_agent.tools.check.powers import LONGEST, powers
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex

_WHY: dict[Power, str] = {
    "command-substitution": "would run a command of the repository's inside yours",
    "redirect-outside": "reads or writes outside the repository's folder",
    "secret-variable": "would hand one of your secrets to the program",
    "piped-to-shell": "runs what another command prints",
    "runs-text": "runs text as a command",
    "runs-programs": "starts other programs",
    "secret-file": "would hand one of your secrets to the program",
    "earlier-command": "puts an earlier command of your shell in its place when it is pasted",
    "too-long": "is too long or nested too deeply to judge",
    "control-character": "holds characters that a terminal obeys or that nobody sees",
}
_LONGEST = 1_000
"""Characters that a message quotes."""
REFUSED: frozenset[str] = frozenset(_WHY)
"""Codes of findings with which a text is never shown as an answer."""


def all_powers(text: str, workdir: str = ".", kind: Literal["bash", "python"] = "bash") -> list[PowerUse]:
    """What a text would do beyond running a program, and words in it or in its folder's name that are not what they seem.

    Args:
        text: bash or Python.
        workdir: folder relative to the repository from which it runs.
        kind: the language.
    """
    folder = [workdir] if "\n" in workdir else hidden_words(workdir)
    hidden = [PowerUse("control-character", word) for word in (*hidden_words(text[: LONGEST[kind]]), *folder)]
    return [*dict.fromkeys(hidden), *powers(text, workdir, kind)]


def refusals(draft: Draft, request: Request, index: RepoIndex) -> list[Finding]:
    """What the answer must not hold, each with the line of the repository that it came from; what the user wrote is the user's."""
    own = " ".join([request.instruction, request.prefix_code, *(value.value for value in request.values)])
    own = f"{own} {without_quotes(own)}"
    found = all_powers(draft.text, draft.workdir, draft.kind)
    return [_finding(part, index) for part in found if part.text not in own and not _is_named(part, own)]


def _is_named(part: PowerUse, own: str) -> bool:
    """Whether the user named every folder and link that is made elsewhere, each as a whole."""
    return bool(part.paths) and all(
        re.search(rf"(?<![^\s\"'`(=:]){re.escape(path.rstrip('/') or '/')}/?(?![^\s\"'`),;:.]|\.\w)", own) is not None
        for path in part.paths
    )


def is_refused(draft: Draft) -> bool:
    """Whether the text may not be shown."""
    return any(finding.code in REFUSED for finding in draft.findings)


def _finding(part: PowerUse, index: RepoIndex) -> Finding:
    path, line = _origin(part.text, index)
    text = spelt_out(part.text[:_LONGEST]).replace("\n", "\\n")
    message = f"{text} {_WHY[part.power]}; write it into your own sentence if you want it"
    return Finding(code=part.power, message=message, subject=text, path=path, line=line)


def _origin(text: str, index: RepoIndex) -> tuple[str, int]:
    """The example that shows it."""
    shown = next(
        (example for example in index.examples if text in example.text or text in "\n".join(example.setup)), None
    )
    return (shown.path, shown.line) if shown is not None else ("", 0)
