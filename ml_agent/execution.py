"""From a sound draft to what it did: set up, run, collect, diagnose, repair."""

import posixpath
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path, PurePosixPath
from threading import Thread

import msgspec

from ml_agent.account import entry_of
from ml_agent.delivery.doubts import doubts_of
from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement
from ml_agent.delivery.expected import expectations, with_answer
from ml_agent.delivery.judge import RunOutputs, judge, looks, places_of, was_there
from ml_agent.draft import Doubt, Draft
from ml_agent.endings import DELIVERED, level_seen
from ml_agent.errors import AgentError
from ml_agent.inputs import inputs_of
from ml_agent.model.thread import Picture
from ml_agent.named_paths import named_paths
from ml_agent.navigator import Workspace
from ml_agent.outputs import SYSTEM, collect, made_since
from ml_agent.pictures import pictures_of
from ml_agent.reached import shortfall
from ml_agent.runs import STAGED, RunFolder
from ml_agent.sandbox.contract import Command, OnOutput, RecordedSandbox, Response, Sandbox, recorded
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.diagnosis.model import Category, Rule
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.files import content_size, entries
from ml_agent.sandbox.inner_path import leads_out
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.repair_rules import next_repair
from ml_agent.sandbox.session import Installed, Session, SessionRecord
from ml_agent.sandbox.setup.declared import read_declared
from ml_agent.sandbox.setup.uv import name_of
from ml_agent.sandbox.steps import KeptSteps
from ml_agent.sandbox.task import Source, Task
from ml_agent.settings import Settings
from ml_agent.staging import stage
from ml_agent.state import Evidence
from ml_agent.tools import plugins
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.foreign_files import exists, is_dir
from ml_agent.tools.python_api.requirements import package_requires
from ml_agent.tools.versions import commit_date
from ml_agent.trajectory import Emit

MOST_TOLD = 200
"""Files that an outcome names."""
ANSWER = "ml_agent_answer.py"
"""Python answers run as a file of this name in the task's folder, so that imports resolve as for the repository's own scripts."""
_MOMENT = re.compile(r"\d+\.\d+")
MUCH = 200 * 1024**2
"""Bytes; to copy more takes long enough that it should be said."""


ABOUT_SECONDS = 15.0
"""How long a first message waits for an environment that is being made."""
MOST_DECLARED = 25
"""Names of packages that are told while they are being installed."""
PROBE_SECONDS = 60.0
PROBE_CHARACTERS = 4_000
_REDIRECTED = re.compile(r"(?<![<>])>>?[ \t]*['\"]?([\w./-]+/[\w.-]+)")
"""A file below a folder that a shell writes."""
LENT_BYTES = 100 * 1024**2
"""Of the user's files that one probe may have."""


class FileExpectations(msgspec.Struct, frozen=True, kw_only=True):
    """What the request says of a run's files."""

    expected: tuple[Expectation, ...] = ()
    """What should come out."""
    inputs: tuple[str, ...] = ()
    """What goes in: relative to `folder` there, and to the folder of the run."""
    folder: Path = Path()
    """Of the user."""
    instruction: str = ""


_DOUBTED = {
    "request": "the request may ask for this: {}",
    "before": "the first run expected this file, the correction names another: {}",
}
"""What is said of what is not there and need not be."""
_LAST_LINES, _LONGEST_LINE = 3, 200
"""Of what a program said, and characters of one."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an execution did, as far as the state needs it; the full log is on disk."""

    evidence: Evidence
    summary: str
    command: str
    response: Response
    shortfall: str = ""
    """Why it did nothing of the task although it ended well."""
    judgements: tuple[Judgement, ...] = ()
    """What was expected, with what was seen of it; none where the run was ended before its end."""
    made: tuple[CreatedFile, ...] = ()
    """Files that it made or changed."""
    looks: tuple[Judgement, ...] = ()
    """Some of them that nobody expected, with what is seen of them."""
    doubts: tuple[Doubt, ...] = ()
    """What is worth a question although it ended with 0."""
    told: str = ""
    """What came out, as the author of the answer says."""
    outputs: tuple[str, ...] = ()
    """Those of them that were brought out."""
    pictures: tuple[Picture, ...] = ()
    """Small copies of some, for a model that takes pictures."""
    outputs_in: str = ""
    """Name of the folder in the run's folder where those lie until the run is concluded."""
    stayed: tuple[CreatedFile, ...] = ()
    """Those that are too many or too large, or such as the user's tools obey unasked."""
    environment: str = ""
    """How it was made, in words."""
    left_out: dict[str, str] = {}
    """Requirements that could not be installed, with the reasons."""
    sandbox: str = ""
    isolated: bool = True
    inputs: tuple[str, ...] = ()
    """Files of the user's that were put where it ran: relative to that folder, and to `inputs_from`."""
    inputs_from: str = ""


def added_rules() -> tuple[tuple[Category, Rule], ...]:
    """The rules of diagnosis that installed packages add. Raises PluginError."""
    return tuple(rule for rules in plugins.everything(plugins.DIAGNOSIS).values() for rule in rules)


class Executor:
    """Runs drafts in one sandbox, which is made at the first and kept until `close`."""

    limited: Sandbox | None = None
    """The same sandbox within the run's wall time, for set-up, repairs and runs; what was made by its end is brought out all the same."""

    def __init__(
        self, sandbox: Sandbox, settings: Settings, folder: RunFolder, emit: Emit, on_output: OnOutput
    ) -> None:
        self._sandbox, self._settings, self._folder = sandbox, settings, folder
        self._emit, self._on_output = emit, on_output
        self._session: Session | None = None
        self._source: Source | None = None
        """The repository as it lies on the host; the session has what of it may be seen in a sandbox."""
        self._closing = False
        self._beginning: Thread | None = None
        self._said = ""
        """The last line about the set-up."""
        self._shows = settings.shows_pictures

    def begin(self, workspace: Workspace) -> None:
        """Make the environment that the repository declares in the background; whatever needs it waits for it."""
        session = self._session_for(workspace)

        def make() -> None:
            try:
                session.prepare()
            except (SandboxError, AgentError):
                pass  # whoever needs it meets the same
            except Exception:
                if not self._closing:  # a sandbox that is taken away under its set-up fails anyhow
                    raise

        self._beginning = Thread(target=make, name="environment", daemon=True)
        self._beginning.start()

    def about(self, workspace: Workspace) -> tuple[str, ...]:
        """At most three lines about the environment: Python, how it came about, what failed; or that it is still being made."""
        if self._session is None:
            self.begin(workspace)
        return recorded(self._sandbox, "about", partial(self._about, workspace), tuple[str, ...])

    def _about(self, workspace: Workspace) -> tuple[str, ...]:
        if self._beginning is not None:
            self._beginning.join(ABOUT_SECONDS)
            if self._beginning.is_alive():
                declared = ", ".join(self._declared(workspace)[:MOST_DECLARED])
                waits = f"still being prepared ({self._said}); steps that need it wait for it"
                return (waits, *([f"the repository declares {declared}"] if declared else []))
        return self._session_for(workspace).summary()

    def _declared(self, workspace: Workspace) -> list[str]:
        """Names of what the repository says that it needs."""
        root = workspace.index.root
        declared = read_declared(root, root / workspace.path)
        lines = [*declared.lines, *(package_requires(root / declared.project) if declared.project else [])]
        return list(dict.fromkeys(map(name_of, lines)))

    def install(self, workspace: Workspace, words: Sequence[str], why: str, system: Sequence[str] = ()) -> Installed:
        """What a model asks for, in one resolution with what the repository declares. Raises SandboxError."""
        return self._session_for(workspace).install(words, why, system)

    def trouble(self, workspace: Workspace) -> tuple[str, ...]:
        """The last meaningful lines of what failed while the environment was made."""
        return self._session_for(workspace).trouble()

    def run(
        self, workspace: Workspace, draft: Draft, repairs: Sequence[Repair], wanted: FileExpectations | None = None
    ) -> Outcome:
        """Set up what the draft needs, with the repairs taken so far, run it, and see whether what is expected came out.

        Raises SandboxUnavailableError, SandboxLostError. A failing program is an Outcome.
        """
        session, task, wanted = self._session_for(workspace), self._task(draft), wanted or FileExpectations()
        session.prepare(task)
        session.lay(partial(self._put, draft, wanted))
        session.laid = draft.kind == "python" and draft.text, _marks(wanted)
        session.settle(task, repairs)
        began = self._now()
        response = session.run(task, repairs)
        made = made_since(self._sandbox, began)
        scene = self.scene(draft, response, made)
        judgements, others = _judged(wanted.expected, scene, response)
        lacks = shortfall(draft, wanted.instruction, response, scene, workspace.index)
        own = self._folder.new_outputs()
        outputs, stayed = collect(self._sandbox, made, own, judgements)
        brought = [one for one in made if one.path in outputs]
        doubts = doubts_of(response, (*judgements, *others), brought, session.source.root, own)
        doubts += tuple(_unused(draft, made)) if response.ok else ()
        return Outcome(
            evidence=level_seen(response, judgements, lacks),
            summary=summary_of(response, judgements, lacks),
            shortfall=lacks,
            command=task.text,
            response=response,
            judgements=judgements,
            made=made[:MOST_TOLD],
            looks=others,
            doubts=doubts,
            pictures=pictures_of(self._sandbox, outputs, own) if self._shows and response.ok else (),
            outputs=outputs,
            outputs_in=own.name,
            stayed=stayed[:MOST_TOLD],
            left_out=session.left_out(),
            environment=session.made_as(),
            sandbox=self._sandbox.name,
            isolated=self._sandbox.isolated,
            inputs=wanted.inputs,
            inputs_from=str(wanted.folder),
        )

    def probe(self, workspace: Workspace, command: str) -> str:
        """What a command says in the task's folder, where an answer would begin; nothing of it is there for another probe or an answer.

        The files of the user's that a run of the command would have are there, too, as far as they are small. Sets up the sandbox where
        that was not done yet. Raises SandboxUnavailableError, SandboxLostError.
        """
        session, lent = self._session_for(workspace), self._lent(workspace, command)
        task = Task(text=command, folder=workspace.path, timeout=PROBE_SECONDS)
        session.prepare(task)
        session.lay(partial(self._put_inputs, workspace.path, Path.cwd(), lent))
        response = session.probe(task)
        said = f"{response.stdout}{response.stderr}".strip()
        ended = "" if response.ok else f"\n({response.ended}, exit status {response.exit_code})"
        return (said if len(said) <= PROBE_CHARACTERS else f"{said[:PROBE_CHARACTERS]}\n... (cut)") + ended

    def _now(self) -> str:
        """The present moment by the sandbox's clock."""
        said = self._sandbox.run(Command(text=f"{SYSTEM}date +%s.%N", timeout=60)).stdout.strip()
        return said if _MOMENT.fullmatch(said) else "0.0"

    def _lent(self, workspace: Workspace, command: str) -> list[str]:
        """The user's files that a run of a command would have, as far as they are small, relative to his folder; none where a coding agent asks."""
        if not (self._folder.config().get("job") or {}).get("show_inputs"):
            return []
        draft = Draft(kind="bash", text=command, workdir=workspace.path, source="llm")
        draft = msgspec.structs.replace(draft, entry=entry_of(draft, workspace))
        instruction, arguments = self._words
        named, folder = named_paths(instruction, [str(value) for _, value in arguments]), Path.cwd()
        taken = inputs_of(named, draft, workspace.index, folder).taken
        sizes = accumulate(content_size(folder / path) for path in taken)
        return [path for path, size in zip(taken, sizes, strict=True) if size <= LENT_BYTES]

    def scene(self, draft: Draft, response: Response, made: tuple[CreatedFile, ...]) -> RunOutputs:
        """What a run left behind in the sandbox, for judging."""
        own = posixpath.normpath(posixpath.join(draft.workdir, ANSWER))
        root = self._session.source.root if self._session is not None else Path()
        return RunOutputs(
            made=made,
            read=self._sandbox.get,
            workdir=draft.workdir,
            stdout=response.stdout,
            own=frozenset({own}),
            written=frozenset(_written(draft, response)),
            known=lambda path: exists(root / path),
        )

    def diagnose(self, workspace: Workspace, draft: Draft, outcome: Outcome, repairs: Sequence[Repair]) -> Diagnosis:
        """What kind of failure it was, with what the repository's files say of it."""
        return self._session_for(workspace).diagnose(outcome.response, self._task(draft), repairs)

    def repair(
        self, workspace: Workspace, draft: Draft, diagnosis: Diagnosis, repairs: Sequence[Repair]
    ) -> Repair | None:
        """The next change to the environment that may help, or None."""
        scene = self._session_for(workspace).scene(self._task(draft), repairs)
        chosen = any(one.kind == "install" for one in draft.set_up)
        return next_repair(diagnosis, repairs, msgspec.structs.replace(scene, chosen=chosen))

    def record(self, source: Source, draft: Draft, repairs: Sequence[Repair]) -> SessionRecord:
        """What was done for this draft, so that it can be done again elsewhere."""
        task = self._task(draft)
        if self._session is None or self._source != source:
            return SessionRecord(source=source, task=task)
        return msgspec.structs.replace(self._session.record(task, repairs), source=source)

    def close(self) -> None:
        """Remove the sandbox; repeatable."""
        self._closing = True
        if self._session is not None:
            self._session.close()
            while self._beginning is not None and self._beginning.is_alive():
                self._beginning.join(5)
                self._sandbox.stop()  # it may just have been started
            self._session = self._beginning = None
        self._closing = False
        self._folder.remove_staged()

    def _session_for(self, workspace: Workspace) -> Session:
        source = source_of(workspace.index.root, workspace.index.version, workspace.candidate.url)
        if self._source == source and self._beginning is not None:
            self._beginning.join()
            self._beginning = None
        if self._session is None or self._source != source:
            self.close()
            self._source, root = source, self._stage(source.root)
            if (size := content_size(root)) >= MUCH:
                self._note(f"copying {size / 1024**3:.1f} GB into the sandbox")
            self._session = Session(
                self.limited or self._sandbox, msgspec.structs.replace(source, root=root), self._on_output, self._note
            )
            self._session.rules = added_rules()
            if not isinstance(self._sandbox, RecordedSandbox):  # a recording holds each run whole
                self._session.steps = KeptSteps(Path(tempfile.mkdtemp(prefix=STAGED, dir=self._folder.path)))
        return self._session

    def _stage(self, root: Path) -> Path:
        """What of the repository goes into the sandbox: all of a clone of ours, of a folder of the user's what may be seen."""
        if root.is_relative_to(self._settings.cache_dir.resolve()):
            return root
        target = Path(tempfile.mkdtemp(prefix=STAGED, dir=self._folder.path)) / root.name
        instruction, arguments = self._words
        if left := stage(root, target, " ".join([instruction, *map(str, arguments)])):
            self._note(f"{left} files that git ignores or that are named like secrets are not copied into the sandbox")
        return target

    def _note(self, line: str) -> None:
        self._said = line
        self._emit("setup", line=line)
        self._on_output(line + "\n")

    def _task(self, draft: Draft) -> Task:
        probe = self._settings.probe_seconds if self._settings.run == "probe" else None
        instruction, arguments = self._words
        named = frozenset(one.path for one in named_paths(instruction, [str(value) for _, value in arguments]))
        folders = folders_written(draft, instruction, self._source.root) if self._source is not None else ()
        return msgspec.structs.replace(
            task_of(draft), timeout=self._settings.timeout, probe_seconds=probe, named=named, folders=folders
        )

    @cached_property
    def _words(self) -> tuple[str, list[list[str]]]:
        """The user's own: his sentence, and the names and values that he gave beside it."""
        job = self._folder.config().get("job") or {}
        return str(job.get("instruction", "")), list(job.get("arguments", ()))

    def _put(self, draft: Draft, wanted: FileExpectations) -> None:
        """The answer's code, and the files of the user's, to where it runs."""
        if draft.kind == "python":
            self._put_code(draft)
        self._put_inputs(draft.workdir, wanted.folder, wanted.inputs)

    def _put_inputs(self, folder: str, home: Path, paths: Sequence[str]) -> None:
        for path in paths:
            self._sandbox.put(home / path, f"{folder}/{path}")

    def _put_code(self, draft: Draft) -> None:
        with tempfile.TemporaryDirectory(prefix=STAGED, dir=self._folder.path) as folder:
            file = Path(folder) / ANSWER
            file.write_text(draft.text, encoding="utf-8")
            self._sandbox.put(file, f"{draft.workdir}/{ANSWER}")


def _judged(
    expected: Sequence[Expectation], scene: RunOutputs, response: Response
) -> tuple[tuple[Judgement, ...], tuple[Judgement, ...]]:
    """What was expected with what was seen of it, where the run ended well; and a look at other files, where it ended.

    What need not be there is left out where it is not; where the sentence seemed to name it, that is a doubt.
    """
    judgements = judge(expected, scene) if response.ok else ()
    kept = [one for one in judgements if one.expectation.must or one.verdict != "missing"]
    declared = any(one.source == "model" for one in expected)
    unseen = [
        msgspec.structs.replace(
            one, doubts=(_DOUBTED[one.expectation.source].format(one.said),), path=one.expectation.path
        )
        for one in judgements
        if one not in kept
        and one.expectation.source in _DOUBTED
        # an input: the answer's author says what comes out
        and not (one.expectation.source == "request" and declared and was_there(one.expectation, scene))
    ]
    return tuple(kept), (*unseen, *looks(judgements, scene)) if response.ended == "exited" else ()


def _marks(wanted: FileExpectations) -> list[tuple[str, int, int]]:
    """What tells the user's files as they are now from others."""
    places = [wanted.folder / path for path in wanted.inputs]
    inside = (path for place in places if place.is_dir() for path, _ in entries(place))
    seen = [(str(path), path.lstat()) for path in (*(place.resolve() for place in places), *inside)]
    return [(path, status.st_mtime_ns, status.st_size) for path, status in seen]


def _written(draft: Draft, response: Response) -> Iterator[str]:
    """What the answer writes from its own text, by a here-document, and programs that ran; from the repository's root."""
    if response.seen is not None:
        yield from response.seen.programs
    for call in parse_command(draft.text).invocations if draft.kind == "bash" else ():
        if call.program == "cat" and not call.words:
            for operator, target in call.redirects:
                yield from places_of(posixpath.join(call.folder, target), draft.workdir) if ">" in operator else ()


def _unused(draft: Draft, made: Sequence[CreatedFile]) -> Iterator[Doubt]:
    """What the sentence spells out and the answer does not hold as it stands, unless a file of that name came out."""
    for value in draft.unused if draft.outputs else ():
        if not any(f"/{one.path}".endswith(f"/{value}") for one in made):
            yield Doubt(doubt=f"the request names {value!r}, which the answer does not contain")


def source_of(root: Path, version: str, url: str) -> Source:
    """The repository as the sandbox gets it."""
    return Source(root=root, version=version, url=url, date=commit_date(root))


def task_of(draft: Draft) -> Task:
    """What is run for a draft."""
    if draft.kind == "python":
        return Task(text=f"python {shlex.quote(ANSWER)}", folder=draft.workdir, code=draft.text)
    return Task(text=draft.text, folder=draft.workdir, entry=draft.entry)


def folders_written(draft: Draft, instruction: str, root: Path) -> tuple[str, ...]:
    """Folders that are not there, or empty and so in no checkout, of files that the answer itself names and that come out; relative to
    where it runs.

    A folder that it names alone is left to the program: some refuse one that is there.
    """
    wanted = with_answer(expectations(instruction, ()), draft.outputs)
    said = [(one.path, rf"{re.escape(one.path)}(?![\w/-])") for one in wanted]
    said += [(one.path, re.escape(f"{posixpath.dirname(one.path)}/")) for one in draft.outputs]
    named = [path for path, text in said if re.search(rf"(?<![\w./-]){text}", draft.text)]
    if draft.kind == "bash":
        named += _REDIRECTED.findall(draft.text)
    folders = dict.fromkeys(posixpath.dirname(posixpath.normpath(path)) for path in named if path and "*" not in path)
    return tuple(
        folder
        for folder in folders
        if folder
        and not leads_out(PurePosixPath(draft.workdir, folder))
        and not _holds_anything(root / draft.workdir / folder)
    )


def _holds_anything(place: Path) -> bool:
    return exists(place) and not (is_dir(place) and not any(place.iterdir()))


def told_of(outcome: Outcome) -> str:
    """How a run ended, in what environment, and what the program said last."""
    response = outcome.response
    said = [line.strip() for line in (response.stdout or response.stderr).splitlines() if line.strip()]
    environment = [f"environment: {outcome.environment}"] if outcome.environment else []
    return "\n".join([outcome.summary, *environment, *(f"| {line[:_LONGEST_LINE]}" for line in said[-_LAST_LINES:])])


def summary_of(response: Response, judgements: Sequence[Judgement] = (), shortfall: str = "") -> str:
    """One line: how it ended."""
    if response.ok:
        lacking = [one.said for one in judgements if one.verdict not in DELIVERED]
        wrong = "; ".join([shortfall, *lacking] if shortfall else lacking)
        rest = f", but {wrong}" if wrong else ""
        kept = f" ({response.kept})" if response.kept else ""
        return f"ran to the end in {response.seconds:.1f} s{kept}{rest}"
    if response.ended == "probe":
        return f"healthy for {response.seconds:.0f} s: {response.progress[-1] if response.progress else 'output seen'}"
    last = f": {response.error_lines[-1]}" if response.error_lines else ""
    how = f"exit status {response.exit_code}" if response.ended == "exited" else response.ended
    how = response.failed[0] if response.failed else how
    return f"{how} after {response.seconds:.1f} s{last}"
