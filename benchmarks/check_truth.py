"""How often `ml-agent check` is wrong: README commands and broken copies of them, with the repository's real parser as judge.

    python -m benchmarks.check_truth DIR... [--most 12] [--jobs 2] [--show OUTCOME]

DIR is a repository or a folder of repositories. A documented command should have no finding; a copy with one thing wrong (an option misspelt, a
value of another type, …) should have one. Whether it really works is asked of the program itself, which runs under stubs up to the end of
its command line (`observation`). Printed are the shares of each outcome.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

from ml_agent.benchmarks.observation import observe
from ml_agent.benchmarks.repositories import repositories_in
from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.python import check_python
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.commandline.calls import Call, find_calls
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.lexer import quote
from ml_agent.tools.commandline.reader import Argument
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.findings import Finding
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.versions import local_version

Mutation = Literal[
    "", "unknown-option", "wrong-choice", "wrong-type", "missing-required", "misspelt-script", "misspelt-console",
    "wrong-keyword",
]  # fmt: skip
DOCUMENTS = (".md", ".rst", ".txt", ".ipynb", ".html")
_PLACEHOLDER = re.compile(r"<(?![<(&=\d])\s*[\w][\w ./:|-]*>|(?<![$\w'\"]){[A-Za-z_][\w ,/-]*}")
_CUT = re.compile(r"(?:^|\s)(?:\.\.\.|…|\[\.\.\.\])(?:\s|$)|\[(?:OPTIONS|options|--?\w)")
"""Words for something that is left out: no command to run."""
_SUFFIX = re.compile(r"\.(?:py|sh|bash)$")
Outcome = Literal[
    "right", "false error", "false warning", "cannot tell", "refused", "caught", "warned", "missed", "untold", "undecided",
]  # fmt: skip


OF_DOCUMENTED: Mapping[str, Outcome] = {"error": "false error", "warning": "false warning", "unsure": "cannot tell"}
OF_BROKEN: Mapping[str, Outcome] = {"error": "caught", "warning": "warned", "unsure": "untold"}
"""What the worst finding makes of a text."""


Opinion = Literal["accepted", "refused", "silent"]
_SAYS_NOTHING = frozenset({"nothing-runs", "no-such-command"})
"""No Python program of the repository was started."""
_OF_THE_WORDS = frozenset({
    "unknown-option", "bad-choice", "missing-required", "missing-value", "bad-type", "conflict", "usage", "flags",
    "rejected-by-hand", "bad-value", "no-such-file", "no-such-module", "no-such-name", "bad-call", "syntax",
    "options-ignored",
})  # fmt: skip
"""Why a program may refuse what it was given."""
RIGHT: tuple[Outcome, ...] = ("right", "false error", "false warning", "cannot tell")
BROKEN: tuple[Outcome, ...] = ("caught", "warned", "missed", "untold")
WORTH_READING = ("false error", "false warning", "warned", "missed")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One command or one piece of Python to check."""

    root: Path
    text: str
    folder: str
    """Where it runs, relative to the repository."""
    kind: Literal["bash", "python"]
    mutation: Mutation = ""
    """What is wrong with it; "" for a text of the documents."""
    place: str = ""
    """FILE:LINE of the document."""


def documented(index: RepoIndex, most: int) -> list[Case]:
    """The commands and Python blocks that documents show, each once, evenly drawn where there are more than `most` of a kind.

    A command counts where it calls a script, a module or a console script of the repository, with nothing left to fill in.
    """
    found: dict[tuple[str, str], Case] = {}
    consoles = checked_repository(index).consoles
    for example in index.examples:
        text = example.text
        if not example.path.endswith(DOCUMENTS) or _CUT.search(text) or _PLACEHOLDER.search(text) or len(text) > 4000:
            continue
        if example.kind == "bash" and (not _is_ours(text, consoles) or (len(text.split()) == 1 and "/" in text)):
            continue
        if example.kind == "python" and not (example.imports_own and _does_something(text)):
            continue
        place = f"{example.path}:{example.line}"
        case = Case(root=index.root, text=text, folder=example.workdir, kind=example.kind, place=place)
        found.setdefault((text, example.workdir), case)
    commands = [case for case in found.values() if case.kind == "bash"]
    code = [case for case in found.values() if case.kind == "python"]
    return [*_draw(commands, most), *_draw(code, most // 2)]


def _does_something(code: str) -> bool:
    """Whether Python does more than import and define: fragments that show a class are no programs."""
    tree = parse_python(code)
    defines = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return tree is not None and any(not isinstance(node, defines) for node in tree.body)


def _is_ours(text: str, consoles: Collection[str]) -> bool:
    return any(
        call.target in ("script", "shell") or _is_module(call) or call.name in consoles
        for call in parse_command(text).invocations
    )


def _is_module(invocation: Invocation) -> bool:
    return invocation.target == "module" and invocation.name.partition(".")[0] not in ("pip", "venv", "torch", "spacy")


def _draw(cases: Sequence[Case], most: int) -> list[Case]:
    if len(cases) <= most:
        return list(cases)
    return [cases[round(n * (len(cases) - 1) / max(1, most - 1))] for n in range(most)]


def mutated(case: Case, index: RepoIndex) -> Iterator[Case]:
    """The case with one thing wrong, once for each kind of fault that applies."""
    for mutation, text in _mutants(case, index).items():
        if text is not None and text != case.text:
            yield msgspec.structs.replace(case, text=text, mutation=mutation)


def _mutants(case: Case, index: RepoIndex) -> dict[Mutation, str | None]:
    if case.kind == "python":
        return {"wrong-keyword": wrong_keyword(case.text, index)}
    repository = checked_repository(index)
    calls = find_calls(case.text, lambda invocation: repository.signatures(invocation, case.folder))
    call = next((call for call in calls if call.signature is not None), None)
    if call is None:
        return {}
    choices = _spoilt(call, lambda option: bool(option.choices), "no_such_choice")
    numbers = _spoilt(
        call,
        lambda option: option.type in ("int", "float") and option.nargs != "0" and not option.choices,
        "many",
    )
    return {
        "unknown-option": unknown_option(call), "wrong-choice": choices, "wrong-type": numbers,
        "missing-required": missing_required(call), **misspelt(call),
    }  # fmt: skip


def misspelling(word: str) -> str:
    """A word with two letters in the wrong order; where that changes nothing, with one letter too many."""
    for at in range(len(word) // 2, 0, -1):
        if word[at - 1 : at + 1].isalpha() and word[at - 1] != word[at]:
            return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    return word + "x"


def unknown_option(call: Call) -> str | None:
    """The last long option, or setting, misspelt; without one, an option that nobody has."""
    for at in range(len(call.arguments) - 1, -1, -1):
        part = call.arguments[at]
        if (part.kind == "option" and part.flag.startswith("--") and len(part.flag) > 4) or part.kind == "override":
            misspelt = msgspec.structs.replace(part, flag=misspelling(part.flag))
            return with_words(call, part.start, part.stop, misspelt.words())
    if call.signature is None or call.signature.syntax not in ("argparse", "absl", "click"):
        return None
    end = len(call.spans) - 1
    return with_words(call, end, end, ("--frobnicate", "3"))


def with_words(call: Call, start: int, stop: int, words: Sequence[str]) -> str:
    """The text with other words in the place of those from `start` to before `stop`."""
    old = call.spans[start + 1 : stop + 1]
    end = old[-1].end if old else call.spans[start].end
    begin = (old[0].start if words else old[0].gap) if old else end
    new = " ".join(map(quote, words))
    return call.source[:begin] + ("" if old or not new else " ") + new + call.source[end:]


def with_entry(call: Call, raw: str) -> str:
    """The text with another script, module or program."""
    return call.source[: call.spans[0].start] + raw + call.source[call.spans[0].end :]


def _spoilt(call: Call, fits: Callable[[Option], bool], value: str) -> str | None:
    """The call with a bad value in the first given option that fits, else in the first that could be given."""
    options = [option for option in (call.signature.options if call.signature else ()) if fits(option)]
    given = {part.dest for part in call.arguments}
    for option in sorted(options, key=lambda option: option.dest not in given):
        count = int(option.nargs) if option.nargs and option.nargs.isdigit() else 1
        part = next((one for one in call.arguments if one.dest == option.dest), None)
        if part is not None and not part.glued:
            spoilt = msgspec.structs.replace(part, values=(value,) * count)
            return with_words(call, part.start, part.stop, spoilt.words())
        if part is None and option.flags:
            at = next((one.start for one in call.arguments if one.kind == "dashes"), len(call.spans) - 1)
            added = Argument(flag=option.flags[-1], values=(value,) * count, start=at, stop=at)
            return with_words(call, at, at, added.words())
    return None


def missing_required(call: Call) -> str | None:
    """The call without the first required option that is given."""
    required = [option.dest for option in (call.signature.options if call.signature else ()) if option.required]
    for option in required:
        given = [part for part in call.arguments if part.dest == option]
        if given:
            text = call.source
            for part in sorted(given, key=lambda part: -part.start):
                text = with_words(msgspec.structs.replace(call, source=text), part.start, part.stop, ())
            return text
    return None


def misspelt(call: Call) -> dict[Mutation, str | None]:
    """The call of a script, a module or a console script whose name is misspelt."""
    target, raw = call.invocation.target, call.entry
    if target in ("script", "shell", "module"):
        suffix = _SUFFIX.search(raw)
        stem = raw[: suffix.start()] if suffix else raw
        head, sign, name = re.split(r"([/.])(?=[^/.]*$)", stem) if re.search(r"[/.]", stem) else ("", "", stem)
        if len(name) < 3 or not re.fullmatch(r"[\w-]+", name):
            return {}
        changed = f"{head}{sign}{misspelling(name)}{suffix[0] if suffix else ''}"
        return {"misspelt-script": with_entry(call, changed)}
    if target == "console" and call.signature is not None and call.signature.kind == "console":
        return {"misspelt-console": with_entry(call, misspelling(raw))}
    return {}


def wrong_keyword(text: str, index: RepoIndex) -> str | None:
    """Python in which the last call of the repository's own API has a misspelt keyword."""
    tree = parse_python(text)
    if tree is None:
        return None
    own = _own_names(tree, index)
    for node in reversed([n for n in ast.walk(tree) if isinstance(n, ast.Call)]):
        if not isinstance(node.func, ast.Name) or node.func.id not in own:
            continue
        for keyword in reversed(node.keywords):
            if keyword.arg is not None and len(keyword.arg) > 2:
                keyword.arg = misspelling(keyword.arg)
                return ast.unparse(tree)
    return None


def _own_names(tree: ast.Module, index: RepoIndex) -> set[str]:
    """Names that the code imports from the repository and that it does not bind again."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if isinstance(index.api.resolve(f"{node.module}.{alias.name}", "."), ApiObject):
                    found.add(alias.asname or alias.name)
    return found


def _lacks_a_name(code: str) -> bool:
    """Whether pyflakes finds a name that nothing binds: a fragment that needs what stands around it."""
    tree = parse_python(code)
    return tree is not None and any(isinstance(message, UndefinedName) for message in Checker(tree).messages)


def _only_defines(file: Path) -> bool:
    """Whether a program that ran to its end holds nothing but imports, definitions and texts: it did nothing."""
    tree = parse_python(file.read_bytes()) if file.suffix == ".py" and file.is_file() else None
    body = tree.body if tree is not None else []
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


def run(root: Path, most: int, jobs: int) -> list[CheckedCase]:
    """All cases of one repository: so many commands of its documents, half as many Python blocks, and what is broken of them."""
    root = root.resolve()
    index = RepoIndex.open(root, local_version(root))
    shown = documented(index, most)
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda case: _check(case, index), shown))
        sound = [one.case for one in found if one.ruling.opinion != "refused"]
        broken = [other for case in sound for other in mutated(case, index)]
        found += pool.map(lambda case: _check(case, index), broken)
    return found


def _check(case: Case, index: RepoIndex) -> CheckedCase:
    check = check_command if case.kind == "bash" else check_python
    with index.lock:  # one index is read by one thread; only the programs run side by side
        findings: Sequence[Finding] = check(case.text, index, case.folder)
    return CheckedCase(case=case, findings=tuple(findings), ruling=judge(case))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print shares for each repository and in all; with --show the texts that came out so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument(
        "--most", type=int, default=12, help="commands of a repository (12), and half as many Python blocks"
    )
    parser.add_argument("--jobs", type=int, default=2, help="programs run side by side (2)")
    parser.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="OUTCOME",
        help="print these texts; `wrong`: all that count against the check",
    )
    options = parser.parse_args(arguments)
    shown = {*options.show, *(WORTH_READING if "wrong" in options.show else ())}
    found = {}
    for root in repositories_in(options.folders):
        found[root.name] = run(root, options.most, options.jobs)
        for one in found[root.name]:
            if one.outcome in shown:
                _show(root.name, one)
        print(f"{root.name}: {len(found[root.name])} texts", file=sys.stderr, flush=True)
    print("\n".join(lines(found)))


def _show(name: str, one: CheckedCase) -> None:
    case = one.case
    print(f"\n== {one.outcome}: {name} {case.place} {case.mutation} (in {case.folder})\n{case.text}")
    for finding in one.findings:
        print(f"   check: {finding.severity} {finding.code}: {finding.message}")
    print(f"   judge: {one.ruling.opinion} {one.ruling.why[:300]}", flush=True)


def lines(found: dict[str, list[CheckedCase]]) -> list[str]:
    """One line a repository, one for all, and one a kind of fault."""
    cases = [case for several in found.values() for case in several]
    rows = {**found, "ALL": cases}
    for mutation in sorted({case.case.mutation for case in cases} - {""}):
        rows[mutation] = [case for case in cases if case.case.mutation == mutation]
    heads = ("documented", *RIGHT[1:], "refused", "broken", *BROKEN, "undecided")
    cells = {name: _cells(Counter(case.outcome for case in several)) for name, several in rows.items()}
    return ["".join(f"{cell:>15}" for cell in ("", "", *heads))[6:]] + [
        f"{name[:24]:24}" + "".join(f"{cell:>15}" for cell in several) for name, several in cells.items()
    ]


def _cells(counts: Counter[Outcome]) -> list[str]:
    def shares(names: Sequence[Outcome], shown: Sequence[Outcome]) -> list[str]:
        whole = sum(counts[name] for name in names)
        return [str(whole), *(f"{counts[n]} {100 * counts[n] / whole:.1f}%" if whole else "-" for n in shown)]

    return [*shares(RIGHT, RIGHT[1:]), str(counts["refused"]), *shares(BROKEN, BROKEN), str(counts["undecided"])]


if __name__ == "__main__":
    main()
