"""Checks bash against a repository: scripts, folders, options, values and files, without running anything."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.tools.check.inputs import Surroundings, check_inputs
from ml_agent.tools.check.modules import check_missing_module, check_module_path
from ml_agent.tools.check.places import is_literal, locate
from ml_agent.tools.check.programs import (
    INSTALLS,
    MAKES_FILES,
    MAKES_SCRIPT,
    cannot_tell,
    defined_names,
    may_be_started,
    unknown_program,
    unread,
)
from ml_agent.tools.check.python import check_given_code
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.check.subcommands import check_subcommand
from ml_agent.tools.check.syntax import check_prompts, check_syntax, unreadable
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import MAX_NESTING, CommandLine, change_folder, parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.foreign_files import is_dir
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.launchers import SHELLS, SOURCES
from ml_agent.tools.remotes import say_absent, submodule_of
from ml_agent.tools.signatures.known_classes import known_launcher
from ml_agent.tools.signatures.model import Signature

PLUGIN_FAILED = "plugin-failed"
NOT_A_COMMAND = re.compile(r"^-{1,2}[A-Za-z]")


def check_command(text: str, index: RepoIndex, workdir: str = ".", here: Path | None = None) -> list[Finding]:
    """What keeps bash text from running; [] where nothing is wrong.

    An error is certain: the command fails or does not do what it says. A warning may be all right.

    Args:
        text: one or more commands.
        index: the repository.
        workdir: folder relative to the repository in which the text runs.
        here: the repository on the user's own machine, where files that it does not list, and those outside it, count as well.
    """
    refusal = unreadable(text)
    if refusal is not None:
        return [refusal]
    line = parse_command(text)
    if not line.invocations and all(row.lstrip()[:1] in ("", "#") for row in text.splitlines()):
        return [cannot_tell("#", "there are only comments, and no command")]
    check = _Check(index, posixpath.normpath(workdir or "."))
    check.here = here
    check.defined = defined_names(text)
    check.run(line)
    check.findings += check_prompts(text, line.invocations)
    why = explain_missing(check.findings, check.repository.absent, check.workdir, line.invocations)
    # what a line that is cut off seems to say is not what was meant
    found = [one for one in check.findings if one.code == "syntax"] if line.error else [*check.findings, *why]
    return list(dict.fromkeys(found))


class _Check:
    """Goes through the invocations of a command line."""

    def __init__(self, index: RepoIndex, workdir: str) -> None:
        self.workdir, self.index = workdir, index
        self.repository = checked_repository(index)
        self.tree = self.repository.tree
        self.reader = self.repository.reader
        self.findings: list[Finding] = []
        self.here: Path | None = None
        """The repository on the user's own machine."""
        self.made: set[str] = set()
        """Paths that an earlier command creates."""
        self.folders_made: set[str] = set()
        self.anything_made = False
        """An earlier command may have created any file."""
        self.script_made = False
        """An earlier command may have created a script."""
        self.rights_given = False
        """An earlier command may have made a file executable."""
        self.depth = 0
        """How many shells stand around the text."""
        self.defined: frozenset[str] = frozenset()
        """Functions and aliases of the text."""
        self.named: set[str] = set()
        """Programs that something was said about, once."""

    def note(self, code: str, message: str, subject: str = "", suggestion: str = "", *, sure: bool = True) -> None:
        """Add a finding."""
        severity: Severity = "error" if sure else "warning"
        self.findings.append(
            Finding(code=code, message=message, severity=severity, subject=subject, suggestion=suggestion)
        )

    def run(self, line: CommandLine) -> None:
        """Check every invocation in order."""
        if line.error:
            self.note("syntax", f"bash cannot read this: {line.error}")
        for comment in line.comments:
            if re.search(r"(?:^|\s)--?\w", comment):
                self.note("value-not-used", f"bash ignores what follows #: {comment[:80]}", "#", sure=False)
        checked_folders: set[str] = set()
        for invocation in line.invocations:
            before = len(self.findings)
            folder = self._folder(invocation, checked_folders)
            self._invocation(invocation, folder)
            self.findings[before:] = [msgspec.structs.replace(f, at=invocation.line) for f in self.findings[before:]]
            self._remember(invocation, folder)

    def _folder(self, invocation: Invocation, seen: set[str]) -> str | None:
        """The folder of the repository in which it runs; None where that is not known."""
        if invocation.folder == "":
            return None
        folder = self._place(self.workdir, invocation.folder)
        if folder is None:
            if invocation.folder not in seen:
                self.note(
                    "outside-tree", f"cd {invocation.folder} leaves the repository", invocation.folder, sure=False
                )
            seen.add(invocation.folder)
            return None
        known = self.tree.folders | self.folders_made
        if folder in known or is_dir(self.index.root / folder):  # an empty one holds no file
            return folder
        if folder in seen or not is_literal(invocation.folder):
            return None
        seen.add(folder)
        cloned = next((m for m in self.made if folder == m or folder.startswith(m + "/")), None)
        if cloned is not None:
            inner = posixpath.relpath(folder, cloned)
            path = locate(inner, invocation.name)
            return inner if inner in self.tree.folders and path in self.tree.files else None
        suggestion = self.tree.suggest_folder(folder, self.workdir)
        self.note(
            "no-such-file", f"there is no folder {invocation.folder} to change to", invocation.folder, suggestion,
            sure=not self.anything_made,
        )  # fmt: skip
        return None

    def _place(self, folder: str | None, word: str) -> str | None:
        """The path of a word, also where it begins with the repository's own; None where it is not known or elsewhere."""
        if word.startswith("/"):
            return locate(".", posixpath.relpath(word, self.index.root))
        return locate(folder, word) if folder is not None else None

    def _remember(self, invocation: Invocation, folder: str | None) -> None:
        """What an invocation may create for the later ones."""
        name = posixpath.basename(invocation.name or invocation.program)
        own = invocation.target in ("script", "module", "shell", "code") or name in self.repository.consoles
        if name in MAKES_FILES or own:
            self.anything_made = True
        unseen = invocation.target == "code" or unread(invocation, self.repository.consoles) is not None
        self.script_made |= name in MAKES_SCRIPT or unseen
        self.rights_given |= name in ("chmod", "install")
        for operator, target in invocation.redirects:
            if ">" in operator and folder is not None:
                self.made.add(locate(folder, target) or target)
        if name == "mkdir" and folder is not None:
            for path in filter(None, (locate(folder, word) for word in invocation.words)):
                self.folders_made |= {path, *map(str, PurePosixPath(path).parents)}
        if name == "git" and invocation.words[:1] == ("clone",):
            places = [w for w in invocation.words[1:] if not w.startswith("-")]
            target = places[-1].rstrip("/").rpartition("/")[2].removesuffix(".git") if places else ""
            if target:
                self.made.add(locate(folder or self.workdir, target) or target)

    def _invocation(self, invocation: Invocation, folder: str | None) -> None:
        self._reads(invocation, folder)
        self.findings += check_launcher(invocation)
        not_seen = unread(invocation, self.repository.consoles)
        self.findings += [not_seen] if not_seen is not None else []
        if NOT_A_COMMAND.match(invocation.program):
            self.note(
                "syntax",
                f"{invocation.program} starts a new command: the previous line does not end with a backslash",
                invocation.program,
            )
        elif invocation.program[:1] in ("!", "%"):
            self.note(
                "syntax",
                f"{invocation.program} is notebook syntax, not bash",
                invocation.program,
                invocation.program[1:],
            )
        elif invocation.program == invocation.name and invocation.program in self.repository.consoles:
            self._console(invocation, folder)
        elif invocation.target in ("script", "shell"):
            self._script(invocation, folder)
        elif invocation.target == "module":
            self._module(invocation, folder)
        elif invocation.target == "code":
            self._code(invocation, folder)
        elif invocation.program == "eval":
            self._inside(invocation, " ".join(invocation.words))
        else:
            self._console(invocation, folder)

    def _reads(self, invocation: Invocation, folder: str | None) -> None:
        """Files that it takes its input from; bash reads `<placeholder>` so."""
        for operator, name in invocation.redirects:
            path = locate(folder, name) if operator == "<" and folder is not None and is_literal(name) else None
            if path is not None and not self.tree.has(path) and path not in self.made:
                message = f"input is taken from {name}, which does not exist"
                self.note("no-such-file", message, name, sure=not self.anything_made)

    def _script(self, invocation: Invocation, folder: str | None) -> None:
        name = invocation.name
        if not name or name == "-" or not is_literal(name):
            if "<" in name or "{" in name:
                self.note("no-such-file", f"{name} is a placeholder", name)
            elif name not in ("", "-"):
                self._lost(invocation)
            return
        path = self._place(folder, name)
        if path is None and folder is None:
            self._lost(invocation)
            return
        if path in self.made and path not in self.tree.files:
            self.findings.append(cannot_tell(name, f"which options {name} takes: the text itself writes it"))
            return
        if path is None or not {path, f"{path}/__main__.py"} & self.tree.files:
            self._missing_script(invocation, folder or ".", path)
            return
        if path in self.tree.folders:
            path = f"{path}/__main__.py"
        if invocation.program == name and not self.rights_given and not may_be_started(self.index.root, path):
            self.note(
                "not-executable", f"{name} is not executable, so it cannot be started by its name", name, sure=False
            )
        if self._is_unreadable(path, invocation):
            return
        signatures = self.reader.tested(path)
        if not signatures:
            self._no_entry_point(path, name, folder or ".")
            return
        self._relative_imports(path, name)
        self._call(signatures, invocation, folder)

    def _lost(self, invocation: Invocation) -> None:
        """Say that a script is not known here, unless its folder is already said to be missing."""
        missing = any(one.code == "no-such-file" and one.subject == invocation.folder for one in self.findings)
        if not missing and invocation.program not in SOURCES:
            message = f"which options {invocation.name} takes: nothing here shows where it lies"
            self.findings.append(cannot_tell(invocation.name, message))

    def _is_unreadable(self, path: str, invocation: Invocation) -> bool:
        """Whether Python 3 surely cannot read a file; notes that, also where it is not sure."""
        found = check_syntax(self.reader.sources, path, invocation, sure=not self.anything_made)
        self.findings += found
        return any(finding.severity == "error" for finding in found)

    def _missing_script(self, invocation: Invocation, folder: str, path: str | None) -> None:
        """A script that is not there."""
        name = invocation.name
        wanted = path or name.lstrip("/")
        absent = submodule_of([wanted], self.repository.absent)
        suggestion = "" if absent else self.tree.suggest(wanted, folder, self.repository.entry_points(wanted))
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        known = path is not None and path not in self.made and not self.script_made
        sure = known and invocation.program not in ("source", ".")  # a virtual environment is made beforehand
        self.note("no-such-file", f"there is no {name} in {folder}{hint}", name, suggestion, sure=sure)

    def _no_entry_point(self, path: str, name: str, folder: str) -> None:
        """A file that only defines things does nothing when it is run."""
        if path.endswith(".py") and self.reader.sources.text(path) is None:
            self._open(path, self.reader.may_read_arguments(path), name)
        elif decorator := self.reader.decorator(path):
            self._open(path, f"@{decorator} may run a function of it (to add a library: docs/extending.md)", name)
        elif path.endswith(".py"):
            does_nothing = self.reader.only_defines(path)
            others = self.repository.entry_points(path)
            suggestion = posixpath.relpath(others[0], folder) if len(others) == 1 else ""
            hint = f"; did you mean {suggestion}?" if suggestion else ""
            message = f"{name} only defines functions and classes: running it does nothing{hint}"
            self.note("not-an-entry-point", message, name, suggestion, sure=does_nothing)

    def _open(self, path: str, why: str, subject: str) -> None:
        self.findings.append(cannot_tell(subject, f"which options {path} takes: {why}"))

    def _relative_imports(self, path: str, name: str) -> None:
        """A script that imports relative to its package only runs as a module."""
        line = self.reader.relative_import(path)
        if line:
            module = path.removesuffix(".py").replace("/", ".")
            message = f"{name} imports relative to its package; run it as python -m {module}"
            self.findings.append(
                Finding(
                    code="no-such-module", message=message, subject=name, suggestion=f"-m {module}", path=path, line=line
                )
            )  # fmt: skip

    def _call(self, signatures: Sequence[Signature], invocation: Invocation, folder: str | None) -> None:
        """Options and values."""
        signature = choose(signatures, invocation.words)
        if signature is not None and self._installs(signature.path):
            return
        if failed := _failure(signatures):
            self.findings.append(failed)
            return
        if signature is None:
            self.findings += check_subcommand(signatures, invocation)
            return
        stray = [w for w in invocation.words if w and not w.strip()]
        if stray:
            self.note("syntax", "a backslash followed by a blank does not continue the line", "\\ ")
        if signature.framework == "none" and invocation.words:
            self._reads_nothing(signature, invocation)
            return
        words = [w for w in invocation.words if not w or w.strip()]
        call = parse_call(signature, words)
        configured = self.reader.configured(signature, call.values, folder or ".")
        if configured is not signature:
            call = parse_call(configured, words)
        self.findings += call.findings
        created = None if self.anything_made else self.made
        if folder is not None:
            here = self.here / folder if self.here else None
            around = Surroundings(self.repository, folder, created, here)
            self.findings += check_inputs(signature, call.values, around)

    def _installs(self, path: str) -> bool:
        """Whether a file is a setup file: the packaging library reads its words."""
        return posixpath.basename(path) == "setup.py" and bool(INSTALLS.search(self.reader.sources.text(path) or ""))

    def _reads_nothing(self, signature: Signature, invocation: Invocation) -> None:
        """Words for a file that makes no parser and does not look at sys.argv."""
        words = " ".join(invocation.words)[:60]
        elsewhere = self.reader.may_read_arguments(signature.path)
        if elsewhere:
            self._open(signature.path, elsewhere, invocation.words[0])
            return
        message = f"{signature.path} reads no arguments: {words}"
        self.note("too-many-arguments", message, invocation.words[0], sure=False)

    def _module(self, invocation: Invocation, folder: str | None) -> None:
        """python -m package.module."""
        if "/" in invocation.name and is_literal(invocation.name):
            self.findings.append(check_module_path(invocation.name))
        if not re.fullmatch(r"[\w.]+", invocation.name):
            return
        if folder is None:
            inside = invocation.name.replace(".", "/")
            if any(f"/{path}".endswith((f"/{inside}.py", f"/{inside}/__main__.py")) for path in self.tree.files):
                self._lost(invocation)
            return
        path = self.repository.module_file(invocation.name, folder)
        if path is None:
            sure = not self.script_made
            self.findings += check_missing_module(self.repository, invocation.name, folder, sure=sure)
            return
        if self._is_unreadable(path, invocation):
            return
        signatures = self.reader.module(path, invocation.name)
        if signatures:
            self._call(signatures, invocation, folder)
        else:
            self._no_entry_point(path, invocation.name, folder)

    def _code(self, invocation: Invocation, folder: str | None) -> None:
        """What stands behind -c: a script of the shell, or Python."""
        if posixpath.basename(invocation.program) in SHELLS:
            self._inside(invocation, invocation.name)
            return
        sure = not self.anything_made
        self.findings += check_given_code(invocation.name, self.index, folder, sure=sure)

    def _inside(self, outer: Invocation, text: str) -> None:
        """The text that a shell is given as a script; it runs in the folder of the shell."""
        if self.depth >= MAX_NESTING or not text:
            return
        line = parse_command(text)
        moved = [
            msgspec.structs.replace(i, folder=change_folder(outer.folder, [i.folder]) if i.folder else "")
            for i in line.invocations
        ]
        self.depth += 1
        self.defined |= defined_names(text)
        self.run(msgspec.structs.replace(line, invocations=tuple(moved)))
        self.depth -= 1

    def _console(self, invocation: Invocation, folder: str | None) -> None:
        consoles = self.repository.consoles
        name = posixpath.basename(invocation.program)
        if name in consoles:
            self._call(consoles[name], invocation, folder)
            return
        path = locate(folder, invocation.program) if folder is not None and is_literal(invocation.program) else None
        if "/" in invocation.program and path is not None:
            self._program_file(invocation.program, path)
            return
        finding = unknown_program(invocation.program, self.repository, self.defined)
        if finding is not None and invocation.program not in self.named:
            self.findings.append(finding)
        self.named.add(invocation.program)

    def _program_file(self, program: str, path: str) -> None:
        """A program that is called by its path in the repository."""
        if path in self.tree.files:
            self.findings.append(cannot_tell(program, f"which options {program} takes"))
        else:
            self.note("no-such-file", f"there is no {program}", program, sure=not self.anything_made)


def _failure(signatures: Sequence[Signature]) -> Finding | None:
    """That the installed package which reads the options of an entry point failed; None where none did."""
    for unseen in (unseen for signature in signatures for unseen in signature.unseen if unseen.origin == "package"):
        message = f"which options {unseen.path} takes: {unseen.name}"
        return Finding(code=PLUGIN_FAILED, message=message, severity="unsure", path=unseen.path)
    return None


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


OWN_OPTIONS = frozenset({"unknown-option", "bad-choice", "bad-type", "missing-value"})


def check_launcher(invocation: Invocation) -> list[Finding]:
    """What is wrong with the options of the launcher that starts a script; [] where it is not known or there is none."""
    signature = known_launcher(invocation.launcher) if invocation.launcher else None
    if signature is None:
        return []
    found = parse_call(signature, invocation.launched).findings
    return [f for f in found if f.code in OWN_OPTIONS and f.severity != "unsure"]
