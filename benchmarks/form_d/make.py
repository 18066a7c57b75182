"""Makes delivery rows of any repository: its documented examples that come out the same twice, judged by what came out.

`make_deliveries` takes a repository and writes rows into a folder as they are made: rows.toml (what is asked, and which files are compared),
expected/ROW (what the example wrote and printed), references/ROW.sh (what was installed and run), archives/ (the repository). An example is run
until it works, repaired as in any run of ML-Agent, then twice more where nothing ran before; only files that are alike both times are asked for.
"""

import hashlib
import io
import json
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath

import msgspec

from ml_agent.benchmarks.form_d.judges import FAULTS, compare_texts
from ml_agent.benchmarks.form_d.rows import ARCHIVES, Row, bring_repository, load_rows
from ml_agent.benchmarks.make import RowSource, request, seeds
from ml_agent.benchmarks.setup_bench import prove
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.outputs import collect, made_since
from ml_agent.sandbox.artifacts import own_package, run_lines
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.errors import SandboxError
from ml_agent.sandbox.files import write_tar
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.session import Session, SessionRecord
from ml_agent.sandbox.task import Source, Task
from ml_agent.sandbox.temporary import lent
from ml_agent.staging import stage
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.usage.entry import Example
from ml_agent.tools.versions import commit_date, local_version

CODE, PRINTED = "documented_example.py", "printed.txt"
SECONDS = 300.0
"""For one run of an example."""
TRIES = 4
"""Examples that are run for each row that is wanted."""
MOST_PRINTED = 100_000
MOST_FILES = 8
"""That a row asks for; an example that writes more is none."""
TOLERANCE = "0.1%"
"""Of numbers: the same versions compute a little differently on another processor."""
_STRANGE = re.compile(r"[^a-z0-9]+")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A documented example as it can be run and asked for."""

    task: Task
    asked: str
    why: str
    """Its place in a document."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted, and where."""

    out: Path
    """Folder of the rows; those that it holds already are not made again."""
    cache: Path
    """Where indexes of repositories are kept."""
    rows: int = 24
    """Of one repository, at most."""
    place: Place = Place(policy=Policy())


def candidates(index: RepoIndex) -> Iterator[Candidate]:
    """Commands that say all that their program gets, then Python that imports the repository's own code."""
    for seed in seeds(index):
        options = {option.dest: option for option in seed.signature.options if option.dest in seed.shown}
        example = seed.example
        text = "\n".join([*example.setup, example.text])
        task = Task(text=text, folder=example.workdir or ".", entry=example.entry, timeout=SECONDS)
        asked = f"{_said(example)} {request(seed.signature, options, seed.shown)}"
        yield Candidate(task=task, asked=asked, why=f"{example.path}:{example.line}")
    blocks = [one for one in index.examples if one.kind == "python" and one.imports_own]
    places = Counter(map(_said, blocks))
    for block in blocks:
        if places[_said(block)] == 1:  # else nobody can tell which is meant
            folder = block.workdir or "."
            task = Task(text=f"python {CODE}", folder=folder, code=block.text, timeout=SECONDS)
            asked = f"{_said(block)} Run that example as it stands."
            yield Candidate(task=task, asked=asked, why=f"{block.path}:{block.line}")


def _said(example: Example) -> str:
    """The document's words for an example."""
    under = f' under "{example.headings[-1]}"' if example.headings else ""
    words = " ".join(example.introduction.split())
    return f"{example.path} has an example{under}{f', after the words: {words}' if words else '.'}"


def make_deliveries(source: RowSource, order: Order, say: Callable[[str], None]) -> tuple[list[Row], Counter[str]]:
    """The rows of a repository, and how many examples gave none, by reason. What is done stays done.

    Raises SandboxUnavailableError, OSError where nothing can be written.
    """
    order.out.mkdir(parents=True, exist_ok=True)
    (order.out / "rows.toml").touch()
    rows = [row for row in load_rows(order.out).values() if row.source == _address(source)]
    refused: Counter[str] = Counter()
    index = RepoIndex.open(source.root, local_version(source.root), order.cache)
    with lent("rows") as place:
        bare = _bare_row(source, order.out, place)
        root = place / source.name
        bring_repository(bare, root, order.out / ARCHIVES)
        origin = Source(root=root, version=bare.sha256, date=commit_date(source.root))
        sandbox = choose(order.place.sandbox, order.place.policy, place / "logs", order.place.unisolated)
        with closing(Session(sandbox, origin, note=say)) as session:
            for number, one in enumerate(candidates(index), 1):
                if len(rows) >= order.rows or number > TRIES * order.rows:
                    break
                if one.why in {row.why for row in rows}:
                    continue
                row = msgspec.structs.replace(bare, name=f"{bare.name}-{len(rows) + 1}", why=one.why)
                try:
                    rows.append(_row(one, row, session, place / f"runs-{number}"))
                except (SandboxError, ValueError) as reason:
                    refused[str(reason).partition(": ")[0][:80]] += 1
                    say(f"{one.why}: no row: {reason}")
                else:
                    say(f"{one.why}: row {row.name}")
    return rows, refused


def _address(source: RowSource) -> str:
    return f"{source.github}@{source.commit or local_version(source.root)}"


def _bare_row(source: RowSource, out: Path, place: Path) -> Row:
    """What all rows of a repository share; its archive lies in the folder of archives afterwards."""
    stage(source.root, place / "staged")
    packed = io.BytesIO()
    write_tar(place / "staged", safe_relative(source.name), packed, 0)
    sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
    (out / ARCHIVES).mkdir(exist_ok=True)
    (out / ARCHIVES / sha256).write_bytes(packed.getvalue())
    name = _STRANGE.sub("-", source.name.lower()).strip("-")
    return Row(
        name=name,
        folder=out,
        source=_address(source),
        sha256=sha256,
        field="",
        instruction="",
        outputs=[],
        inputs=False,
    )


def _row(one: Candidate, row: Row, session: Session, place: Path) -> Row:
    """Run the example until it works, then twice more, and write the row. ValueError says why there is none."""
    session.prepare(one.task)
    session.lay(partial(_put_code, session, one.task, place))
    proof = prove(session, one.task)
    if not proof.ok:
        raise ValueError(f"the example does not run: {proof.diagnosis.message}")
    first, second = place / "first", place / "second"
    for folder in (first, second):
        _run(session, one.task, proof.repairs, folder)
    kept = _alike(first, second, session.sandbox.run(Command(text="pwd")).stdout.strip())
    if not kept:
        raise ValueError("the example prints and writes nothing, or not the same when it is run twice")
    if len(kept) > MOST_FILES:
        raise ValueError(f"the example writes more than {MOST_FILES} files")
    record = session.record(one.task, proof.repairs)
    row = msgspec.structs.replace(
        row,
        instruction=f"{one.asked} {_where(kept)}",
        outputs=[f"outputs/{name}" for name in kept],
        python=record.python,
        checks=[{"file": name, "same": TOLERANCE} for name in kept],
    )
    _write(row, reference(record, kept), first)
    return row


def _put_code(session: Session, task: Task, place: Path) -> None:
    """Lay a Python example where it runs."""
    if task.code:
        place.mkdir(parents=True, exist_ok=True)
        (place / CODE).write_text(task.code, encoding="utf-8")
        session.sandbox.put(place / CODE, str(PurePosixPath(task.folder, CODE)))


def _run(session: Session, task: Task, repairs: Sequence[Repair], folder: Path) -> None:
    """Run the example where nothing ran before; the files that it makes and what it prints lie in `folder`."""
    session.lay(partial(_put_code, session, task, folder.parent))
    session.settle(task, repairs)
    began = session.sandbox.run(Command(text="date +%s.%N")).stdout.strip()
    response = session.run(task, repairs)
    if not response.ok:
        raise ValueError(f"the example fails when it is run again: {response.why}")
    folder.mkdir(parents=True)
    collect(session.sandbox, made_since(session.sandbox, began), folder)
    if response.stdout.strip() and len(response.stdout) < MOST_PRINTED:
        (folder / PRINTED).write_text(response.stdout, encoding="utf-8")


def _alike(first: Path, second: Path, workspace: str) -> list[str]:
    """The files that came out the same both times, and do not say where they were made."""
    kept = []
    for path in sorted(one for one in first.rglob("*") if one.is_file() and one.name != CODE):
        name = path.relative_to(first).as_posix()
        try:
            compare_texts(second / name, path, TOLERANCE)
        except FAULTS:
            continue
        if path.stat().st_size and workspace.encode() not in path.read_bytes():
            kept.append(name)
    return kept


def _where(kept: Sequence[str]) -> str:
    written = [name for name in kept if name != PRINTED]
    asked = [f"what it prints as outputs/{PRINTED}"] if PRINTED in kept else []
    asked += [f"the file {name} that it writes as outputs/{name}" for name in written]
    return f"Save {', '.join(asked)}."


def reference(record: SessionRecord, kept: Sequence[str]) -> str:
    """A script that delivers the row in a new environment: what was installed, what was run, and where its files go."""
    pins = " ".join(map(shlex.quote, ("pip", *record.locked)))
    copies = [
        f"mkdir -p {shlex.quote(str(PurePosixPath('outputs', name).parent))}\ncp {shlex.quote(name)} "
        f"{shlex.quote(f'outputs/{name}')}"
        for name in kept
        if name != PRINTED
    ]
    lines = [
        "root=$PWD",
        f"uv pip install -q --no-deps {pins}",
        *own_package(record, '"$root"'),
    ]
    lines += ["{", *run_lines(record, '"$root"'), f"}} > outputs/{PRINTED}", 'cd "$root"', *copies]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """A text, a truth value or a list of texts: as JSON, but characters beyond 16 bits, of which JSON makes two, as they are."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(row: Row, script: str, delivered: Path) -> None:
    """Add a row to the folder: what was delivered, the reference, last of all the row itself."""
    target = row.folder / "expected" / row.name
    for output in row.outputs:
        name = output.removeprefix("outputs/")
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(delivered / name, target / name)
    (row.folder / "references").mkdir(exist_ok=True)
    (row.folder / "references" / f"{row.name}.sh").write_text(script, encoding="utf-8")
    names = ("source", "sha256", "field", "instruction", "outputs", "python", "inputs", "why")
    lines = [f"{name} = {_toml(getattr(row, name))}" for name in names]
    checks = ", ".join(f"{{ file = {_toml(one['file'])}, same = {_toml(one['same'])} }}" for one in row.checks)
    with (row.folder / "rows.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join([f"[{row.name}]", *lines, f"checks = [{checks}]"]) + "\n\n")
