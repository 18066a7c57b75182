"""Checks every case and holds the verdict against what the program itself says: its own parser, run under stubs."""

import ast
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

from ml_agent.benchmarks.check_truth.cases import Case, documented, mutated
from ml_agent.benchmarks.observation import observe
from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.python import check_python
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import read_python
from ml_agent.tools.versions import local_version

Outcome = Literal[
    "right",
    "false error",
    "false warning",
    "cannot tell",
    "refused",
    "caught",
    "warned",
    "missed",
    "untold",
    "undecided",
]


OF_DOCUMENTED: Mapping[str, Outcome] = {"error": "false error", "warning": "false warning", "unsure": "cannot tell"}
OF_BROKEN: Mapping[str, Outcome] = {"error": "caught", "warning": "warned", "unsure": "untold"}
"""What the worst finding makes of a text."""


Opinion = Literal["accepted", "refused", "silent"]
_SAYS_NOTHING = frozenset({"nothing-runs", "no-such-command"})
"""No Python program of the repository was started."""
_OF_THE_WORDS = frozenset({
    "unknown-option", "bad-choice", "missing-required", "missing-value", "bad-type", "conflict", "usage", "flags",
    "rejected-by-hand", "bad-value", "unknown-key", "no-such-file", "no-such-module", "no-such-name", "bad-call", "syntax",
    "options-ignored",
})  # fmt: skip
"""Why a program may refuse what it was given."""


def _lacks_a_name(code: str) -> bool:
    """Whether pyflakes finds a name that nothing binds: a fragment that needs what stands around it."""
    try:
        messages = Checker(read_python(code)).messages
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(message, UndefinedName) for message in messages)


def _only_defines(file: Path) -> bool:
    """Whether a program that ran to its end holds nothing but imports, definitions and texts: it did nothing."""
    try:
        body = read_python(file.read_bytes()).body if file.suffix == ".py" else []
    except (OSError, SyntaxError, ValueError):
        return False
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = [node for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    return bool(body) and all(isinstance(node, quiet) or node in texts for node in body)


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a case when it was run."""

    opinion: Opinion
    """accepted: a parser read all words. refused: it ended for what it was given. silent: it ended before, or was not run."""
    why: str = ""


def judge(case: Case) -> Ruling:
    """Run a case under stubs; kept on disk, since the check changes more often than the repositories."""
    if case.mutation == "misspelt-console":
        return Ruling(opinion="refused", why="no such program")
    seen = observe(case.text, case.root, case.folder)
    why = f"{seen.failure}: {seen.message}"
    if case.kind == "bash" and seen.failure in _SAYS_NOTHING and "No such file" in seen.message:
        return Ruling(opinion="refused", why=why)
    incomplete = case.kind == "python" and (seen.failure == "undefined-name" or _lacks_a_name(case.text))
    if seen.failure in _OF_THE_WORDS or incomplete:
        return Ruling(opinion="refused", why=why)
    if seen.failure and seen.failure not in _SAYS_NOTHING:
        return Ruling(opinion="silent", why=why)
    idle = next((p.file for p in seen.programs if p.words and not p.parsed and _only_defines(case.root / p.file)), "")
    if idle and not case.mutation:
        return Ruling(opinion="refused", why=f"nothing-runs: {idle} only defines things, and takes no words")
    parsed = any(program.parsed for program in seen.programs) or (case.kind == "python" and not seen.failure)
    if case.mutation == "misspelt-script" and seen.failure in _SAYS_NOTHING:
        return Ruling(opinion="refused", why=why)  # a shell script that is not there
    return Ruling(opinion="accepted" if parsed else "silent", why=why if seen.failure else "")


class CheckedCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case with what the check and the judge said."""

    case: Case
    findings: tuple[Finding, ...]
    ruling: Ruling

    @property
    def severities(self) -> set[str]:
        """Of what the check found; that an input is not in the repository is true of data that is fetched later."""
        return {f.severity for f in self.findings if f.severity != "warning" or f.code != "no-such-file"}

    @property
    def outcome(self) -> Outcome:
        """Of a documented text: right, false error, false warning, cannot tell, or refused by the program itself.

        Of a broken one: caught, warned, missed, untold (the check says that it cannot tell), or undecided: the program
        accepts it, or was not brought to read its words.
        """
        found = self.severities
        if not self.case.mutation:
            if self.ruling.opinion == "refused":
                return "refused"
            return next((outcome for severity, outcome in OF_DOCUMENTED.items() if severity in found), "right")
        if self.ruling.opinion != "refused":
            return "undecided"
        return next((outcome for severity, outcome in OF_BROKEN.items() if severity in found), "missed")


def run(root: Path, most: int, jobs: int, cache: Path | None = None) -> list[CheckedCase]:
    """All cases of one repository.

    Args:
        root: the repository's folder.
        most: commands of its documents; half as many Python blocks.
        jobs: programs that are run side by side.
        cache: folder of the indexes.
    """
    root = root.resolve()
    index = RepoIndex.open(root, local_version(root), cache)
    shown = documented(index, most)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda case: _check(case, index), shown))
        sound = [one.case for one in found if one.ruling.opinion != "refused"]
        broken = [other for case in sound for other in mutated(case, index)]
        found += pool.map(lambda case: _check(case, index), broken)
    return found


def _check(case: Case, index: RepoIndex) -> CheckedCase:
    check = check_command if case.kind == "bash" else check_python
    findings: Iterable[Finding] = check(case.text, index, case.folder)
    return CheckedCase(case=case, findings=tuple(findings), ruling=judge(case))
