"""From a response to the name of the failure."""

import functools
import re
from collections import defaultdict
from collections.abc import Sequence

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.diagnosis.model import Category, Diagnosis, Match, Rule
from ml_agent.sandbox.diagnosis.refine import RunLocation, refine

MAX_TEXT = 60_000
"""Characters of output that are searched; the last ones."""
MAX_EVIDENCE = 8
FINAL_LINES = 25
_EXCEPTION = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|NotFound|Warning|Failure|Timeout|Iteration)\w*|[A-Za-z_]\w*(?:\.\w+)+)(?::\s|$)"
)
_SUBJECTS = ("subject", "other", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "any")


def diagnose(
    response: Response, command: str = "", place: RunLocation | None = None, added: Sequence[tuple[Category, Rule]] = ()
) -> Diagnosis:
    """Why the command did not end well; `no-error` for a response that is ok.

    First by how it ended, then by the first rule that finds its pattern, the special before the general. With `place` the
    repository's files are looked at, to say more than the output does. `added` are rules that are tried before ours.
    """
    found = _classify(response, added)
    return found if place is None else refine(found, place)


def _classify(response: Response, added: Sequence[tuple[Category, Rule]]) -> Diagnosis:
    by_end = _by_end(response)
    if by_end is not None:
        return by_end
    whole = _whole(response)
    final = _final(whole, response)
    for category, rule in (*added, *_rules()):
        match = rule.pattern.search(final if rule.scope == "final" else whole)
        if match is not None:
            return _diagnosis(category, rule, match, whole)
    last = next((line for line in reversed(whole.splitlines()) if line.strip()), "")
    return Diagnosis(
        code="signal" if response.ended == "signalled" else "unknown",
        category="code",
        message=_unknown(response, last),
        evidence=(last,) if last else (),
    )


@functools.cache
def _rules() -> tuple[tuple[Category, Rule], ...]:
    """All rules in the order in which they are tried: what is sure to be the reason before what may follow from it."""
    # Some hundred patterns are compiled by these modules: not before something fails.
    from ml_agent.sandbox.diagnosis import environment, program, removed

    ordered: list[tuple[Category, tuple[Rule, ...]]] = [
        ("limits", program.LIMITS),
        ("arguments", program.COMMAND),
        ("data", program.POINTERS),
        ("environment", environment.RULES),
        ("data", program.DATA),
        ("code", program.SYNTAX),
        ("environment", removed.GENERAL),
        ("code", program.CODE),
        ("code", program.GENERAL),
    ]
    return tuple((category, rule) for category, rules in ordered for rule in rules)


def _by_end(response: Response) -> Diagnosis | None:
    def found(code: str, message: str, category: Category = "limits") -> Diagnosis:
        said = response.error_lines[-3:] if response.ended == "signalled" else last
        return Diagnosis(code=code, category=category, message=message, evidence=said)

    if response.ok or response.ended == "probe":
        return Diagnosis(code="no-error", category="code", message="it ended well")
    last = response.progress[-1:] or response.error_lines[-1:]
    if response.ended == "out-of-memory":
        return found("out-of-memory", "the memory limit was reached")
    if response.ended == "timeout":
        what = "it was making progress until then" if response.started else "it showed no progress"
        return found("timeout", f"the time limit was reached after {response.seconds:.0f} s; {what}")
    if response.ended == "interrupted":
        return found("interrupted", "it was interrupted")
    if response.ended != "signalled":
        return None
    names = {11: "segmentation fault", 4: "illegal instruction", 6: "abort", 7: "bus error", 8: "arithmetic error"}
    traced = any(line.lstrip().startswith("Traceback (most recent") for line in response.error_lines)
    if response.signal in names and not traced:
        return found("crash", f"the program crashed: {names[response.signal]}", "code")
    ours = any(" limit of " in f" {line}" for line in response.error_lines[-1:])
    if response.signal in (9, 15) and not ours:
        return found("killed", f"it was ended by another process with signal {response.signal}")
    return None


def _whole(response: Response) -> str:
    """Everything that was kept, the lines that were recognised as errors last."""
    return "\n".join([response.stdout, response.stderr, *response.error_lines])[-MAX_TEXT:]


def _final(whole: str, response: Response) -> str:
    """From the last exception on; without one the error lines, else the last lines."""
    lines = [line.rstrip() for line in [*response.stderr.splitlines(), *response.error_lines]]
    if not any(_EXCEPTION.match(line) for line in lines):
        lines = [line.rstrip() for line in whole.splitlines()]
    last = max((number for number, line in enumerate(lines) if _EXCEPTION.match(line)), default=None)
    if last is not None:
        return "\n".join(lines[last : last + FINAL_LINES])
    return "\n".join([*lines[-FINAL_LINES:], *response.error_lines])


def _diagnosis(category: Category, rule: Rule, match: Match, whole: str) -> Diagnosis:
    groups = {name: value or "" for name, value in match.groupdict().items()}
    subject = next((groups[name] for name in _SUBJECTS if groups.get(name)), "").strip().rstrip(".,;:")
    line = _line_of(match)
    values = defaultdict(str, groups, subject=subject, line=line, host=_host_of(whole))
    fix = rule.fix(subject) if rule.fix else None
    message = rule.message.format_map(values).strip()
    if fix is not None and fix.kind == "system":
        message += f" (Debian package {', '.join(fix.arguments)})"
    return Diagnosis(
        code=rule.code,
        category=category,
        message=" ".join(message.split())[:500],
        subject=subject,
        evidence=_evidence(match, whole),
        fix=fix,
    )


def _line_of(match: Match) -> str:
    text = match.string
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.start())
    return text[start : end if end >= 0 else None].strip()[:300]


def _evidence(match: Match, whole: str) -> tuple[str, ...]:
    lines = [line.rstrip()[:300] for line in match[0].splitlines() if line.strip()]
    return tuple(dict.fromkeys([*lines[:2], *lines[-2:], _line_of(match)]))[:MAX_EVIDENCE]


def _host_of(whole: str) -> str:
    """The last server that the output names."""
    found = re.findall(r"(?:https?|ftp)://([\w.-]+)|host='([\w.-]+)'|[Cc]ould not resolve host: ([\w.-]+)", whole)
    hosts = [next(filter(None, groups)) for groups in found]
    return hosts[-1] if hosts else "a server"


def _unknown(response: Response, last: str) -> str:
    how = f"signal {response.signal}" if response.ended == "signalled" else f"exit status {response.exit_code}"
    reason = response.failed[0] if response.failed else f"it ended with {how}"
    return reason + (f"; the last line was: {last.strip()[:200]}" if last else " and said nothing")
