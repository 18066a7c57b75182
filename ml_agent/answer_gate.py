"""The last look at an answer that the user will run: what a repository put into it beyond a program and its options is refused."""

from ml_agent.draft import Draft
from ml_agent.request import Request
from tools.check.bash_powers import without_quotes
from tools.check.power import Found, Power
from tools.check.powers import powers
from tools.findings import Finding
from tools.hidden import shown
from tools.index import RepoIndex

_WHY: dict[Power, str] = {
    "command-substitution": "would run a command of the repository's inside yours",
    "redirect-outside": "reads or writes outside the repository's folder",
    "secret-variable": "would hand one of your secrets to the program",
    "piped-to-shell": "runs what another command prints",
    "runs-text": "runs text as a command",
    "runs-programs": "starts other programs",
    "secret-file": "would hand one of your secrets to the program",
    "too-long": "is too long to judge",
    "control-character": "holds characters that a terminal obeys or that nobody sees",
}
_LONGEST = 1_000
"""Characters that a message quotes."""
REFUSED: frozenset[str] = frozenset(_WHY)
"""Codes of findings with which a text is never shown as an answer."""


def refusals(draft: Draft, request: Request, index: RepoIndex) -> list[Finding]:
    """What the answer must not hold, each with the line of the repository that it came from; what the user wrote is the user's."""
    own = " ".join([request.instruction, request.prefix_code, *(value.value for value in request.values)])
    own = f"{own} {without_quotes(own)}"
    found = powers(draft.text, draft.workdir, draft.kind)
    return [_finding(part, index) for part in found if part.text not in own]


def is_refused(draft: Draft) -> bool:
    """Whether the text may not be shown."""
    return any(finding.code in REFUSED for finding in draft.findings)


def _finding(part: Found, index: RepoIndex) -> Finding:
    path, line = _origin(part.text, index)
    text = shown(part.text[:_LONGEST])
    message = f"{text} {_WHY[part.power]}; write it into your own sentence if you want it"
    return Finding(code=part.power, message=message, subject=text, path=path, line=line)


def _origin(text: str, index: RepoIndex) -> tuple[str, int]:
    """The example that shows it."""
    shown = next(
        (example for example in index.examples if text in example.text or text in "\n".join(example.setup)), None
    )
    return (shown.path, shown.line) if shown is not None else ("", 0)
