"""Why paths of a command are missing: they lie in a submodule that is not checked out."""

from collections.abc import Iterator, Sequence

from ml_agent.tools.check.places import locate
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding
from ml_agent.tools.submodules import say_absent, submodule_of

_MISSING = frozenset({"no-such-file", "no-such-module", "cannot-tell"})


def explain_missing(
    findings: Sequence[Finding], absent: Sequence[str], workdir: str, invocations: Sequence[Invocation]
) -> Iterator[Finding]:
    """One further finding for each submodule in which what is missed would lie.

    Args:
        findings: what is missed, among others.
        absent: submodules that are not checked out.
        workdir: folder in which the text runs.
        invocations: its commands.
    """
    if not absent or any(one.program == "git" and "submodule" in one.words for one in invocations):
        return
    bases = dict.fromkeys([workdir, *(locate(workdir, one.folder) or "." for one in invocations)])
    reported = set[str]()
    for finding in findings:
        if finding.code not in _MISSING:
            continue
        word = finding.subject.replace(".", "/") if finding.code == "no-such-module" else finding.subject
        found = submodule_of((path for base in bases if (path := locate(base, word)) is not None), absent)
        if found and found not in reported:
            reported.add(found)
            yield Finding(code="submodule", message=say_absent([found]), severity="warning", subject=finding.subject)
