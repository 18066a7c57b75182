"""The one place that decides what a user may be handed to paste: what the sandbox runs is free, the user's own shell is not.

A text is fit for the user's shell where it only runs programs of the repository, or does what the user's sentence says. Whatever
else it does is told with the line of the repository that it came from; such an answer is run in the sandbox and is not handed over.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Literal

import msgspec

from ml_agent.draft import CHOSEN, Draft
from ml_agent.prompts.hidden import hidden_words, spelt_out
from ml_agent.request import Request
from ml_agent.tools.check.host_bash import bash_risks
from ml_agent.tools.check.host_python import python_risks
from ml_agent.tools.check.host_scope import LONGEST, HostRisk, HostScope
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.index import RepoIndex

NOT_FOR_HOST = "not-for-host"
"""Code of the findings with which a text is run in the sandbox only."""
INSTEAD = "run it with `ml-agent` or `reproduce.sh --sandbox`"
_ANY_WORD = re.compile(r"[\w./~-]*")
_IMPORT_PATH = re.compile(r'export PYTHONPATH="((?:\$PWD(?:/[^":$`\\]*)?:?)*)\$\{PYTHONPATH:\+:\$PYTHONPATH\}"')
_LONGEST = 1_000
"""Characters that a message quotes."""


def scope_of(index: RepoIndex | None, workdir: str = ".", named: str = "") -> HostScope:
    """What the user asked for and what the repository has.

    Args:
        index: the repository; None where it is not known.
        workdir: folder relative to the repository from which a text runs.
        named: what the user wrote.
    """
    if index is None:
        return HostScope(workdir=workdir, named=named)
    repository = checked_repository(index)
    return HostScope(
        workdir=workdir,
        named=named,
        repository=index.root.name,
        has_program=lambda name: name in repository.consoles or name in repository.declared,
        has_module=lambda name: repository.module_file(name, workdir) is not None or repository.holds(name, workdir),
        has_library=lambda name: name in index.api.third_party or name in index.api.requirements,
    )


def host_risks(text: str, scope: HostScope, kind: Literal["bash", "python"] = "bash") -> list[HostRisk]:
    """What a text would do beyond running what was asked for, and words in it or in its folder's name that are not what they seem."""
    folder = [scope.workdir] if "\n" in scope.workdir else hidden_words(scope.workdir)
    hidden = [
        HostRisk("contains control characters or invisible ones", word)
        for word in (*hidden_words(text[: LONGEST[kind]]), *folder)
    ]
    found = (
        [] if _is_written(text.strip(), scope.named) else (bash_risks if kind == "bash" else python_risks)(text, scope)
    )
    return [risk for risk in (*dict.fromkeys(hidden), *found) if not _is_written(risk.text, scope.named)]


def _is_written(text: str, named: str) -> bool:
    """Whether the user wrote it, but for quotes: words and paths, which may stand in any sentence, do not count."""
    return _ANY_WORD.fullmatch(text) is None and (text in named or _bare(text) in _bare(named))


def _bare(text: str) -> str:
    return text.translate({ord(sign): None for sign in "'\"\\"})


def refusals(draft: Draft, request: Request, index: RepoIndex) -> list[Finding]:
    """Why an answer is not handed over for the user's own shell, each with the line of the repository that it came from.

    A model is told so and may stay with it: the sandbox runs it. Of what rules write this is an error: they have other drafts.
    """
    own = " ".join([request.instruction, request.prefix_code, *(value.value for value in request.values)])
    risks = host_risks(draft.text, scope_of(index, draft.workdir, own), draft.kind)
    severity: Severity = "warning" if draft.source in ("llm", CHOSEN) else "error"
    return [_finding(risk, index, severity) for risk in risks if not risk.text or risk.text not in request.prefix_code]


def is_refused(draft: Draft) -> bool:
    """Whether an answer is for the sandbox only."""
    return any(finding.code == NOT_FOR_HOST for finding in draft.findings)


def added_risks(text: str, scope: HostScope) -> list[HostRisk]:
    """The same of a text that a run put together: its own line for the import path, if that stays in the repository, is none."""
    kept = [line for line in text.splitlines() if not _is_import_path(line, scope)]
    return host_risks("\n".join(kept), scope)


def _is_import_path(line: str, scope: HostScope) -> bool:
    match = _IMPORT_PATH.fullmatch(line)
    return match is not None and not scope.outside(match[1])


def harmless_variables(given: Mapping[str, str], scope: HostScope) -> dict[str, str]:
    """The environment variables of a run that a script for the user's shell may set before its program."""
    return {
        name: value for name, value in given.items() if not host_risks(f"{name}={shlex.quote(value)} ./program", scope)
    }


def _finding(risk: HostRisk, index: RepoIndex, severity: Severity) -> Finding:
    text = spelt_out(risk.text[:_LONGEST]).replace("\n", "\\n")
    message = f"{text} {risk.why}: not for your own shell; {INSTEAD}"
    found = Finding(code=NOT_FOR_HOST, message=message, severity=severity, subject=text)
    shown = next((one for one in index.examples if risk.text in one.text or risk.text in "\n".join(one.setup)), None)
    return found if shown is None else msgspec.structs.replace(found, path=shown.path, line=shown.line)
