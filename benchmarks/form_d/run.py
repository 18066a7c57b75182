"""Form D: an agent delivers files in a sandbox, then the row's judge looks in another one at nothing but what came out.

`run` takes rows (`rows`, `pick_rows`) and gives a `Delivery` for each. A row's repository is unpacked, its inputs are made (`inputs`), the agent
works, its folder outputs/ is brought out, and `judges` runs apart from all that, so that nothing of the agent's run can reach it.
"""

import functools
import io
import operator
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from docker.errors import DockerException, ImageNotFound
from requests.exceptions import RequestException

from ml_agent.benchmarks import work
from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.form_d.inputs import make_inputs
from ml_agent.benchmarks.form_d.rows import FOLDER, Row, bring_repository, load_rows
from ml_agent.benchmarks.results import RowResult, carry_on
from ml_agent.benchmarks.subjects.install import Installed, Needs
from ml_agent.benchmarks.subjects.places import Place, index_variables, open_place
from ml_agent.benchmarks.work import CLAIM, SCRIPT, Assignment, OwnAgent, accounted, at_work, with_tries
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy, Sandbox
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.docker_sandbox import DockerSandbox, install_packages
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.image.build import ensure_image
from ml_agent.sandbox.interpreters import find_interpreters
from ml_agent.sandbox.owner import KIND, LABEL
from ml_agent.sandbox.temporary import lent
from ml_agent.sandbox.unpack import unpack_tar
from ml_agent.sandbox.uv_program import uv_program

KEPT = "deliveries.jsonl"
JUDGE = Needs(
    requirements=("numpy>=2.0", "pillow>=11.0"),
    pythons=((3, 12), (3, 11), (3, 13)),
    check="import numpy, PIL; print(f'(numpy {numpy.__version__})')",
)
"""What judges run with."""
PACKAGES = ("build-essential", "python3-dev")
"""What the image of every agent has besides the project's own: some repositories need a C compiler."""
IMAGE_SECONDS, SCRIPT_SECONDS, JUDGE_SECONDS = 900.0, 900.0, 120.0
AROUND_SECONDS = 600.0
"""What bringing a repository, starting sandboxes and an agent's own slowness to end may take besides."""
MESSAGE = 400
"""Characters that are kept of what a judge says."""
MOST_BYTES = 64 * 1024**2
"""Of the outputs; more is not brought out."""
_PACK = "tar -czf {0} -C {1} outputs && [ $(stat -c %s {0}) -le {2} ]"


class Delivery(RowResult, frozen=True, kw_only=True):
    """What came of a row."""

    repository: str = ""
    field: str = ""
    request: str = ""
    """What the row is, for a report."""
    delivered: bool = False
    refusal: str = ""
    """Why not, in the judge's words."""

    @property
    def trouble(self) -> str:
        """Why it is not as it should be."""
        return self.infrastructure or self.refusal


class Plan(work.Plan, frozen=True, kw_only=True):
    """Who does rows, what they need, and where results go."""

    archives: Path
    """Source distributions by their sha256; what is missing is downloaded."""
    judge: Installed
    """The environment of the judges."""
    file: str = KEPT


def pick_rows(source: str) -> tuple[Row, ...]:
    """The rows of `delivery` or of a folder that `bench make --form D` wrote; only some: `delivery:NAME,NAME`.

    BenchError names what there is.
    """
    head, _, listed = source.partition(":")
    folder = FOLDER if head == "delivery" else Path(head)
    if not (folder / "rows.toml").is_file():
        raise BenchError(
            f"--tasks: form D has no rows called {source}; give `delivery`, or a folder that `bench make --form D` wrote"
        )
    rows = load_rows(folder.absolute())
    names = [name.strip() for name in listed.split(",")] if listed else list(rows)
    if unknown := [name for name in names if name not in rows]:
        raise BenchError(
            f"--tasks: form D has no rows called {', '.join(unknown)}; give `{head}`, or `{head}:` and names of {', '.join(rows)}"
        )
    return tuple(rows[name] for name in dict.fromkeys(names))


def run(rows: Sequence[Row], plan: Plan, engine: Engine) -> list[Delivery]:
    """Do every row that has no result that counts yet; the result of each, in order. BenchError where results cannot be kept."""
    plan.archives.mkdir(parents=True, exist_ok=True)
    terms = plan.terms
    longest = None  # seconds after which a row's process is ended, whatever it hangs in
    if terms.limits.seconds is not None:
        longest = terms.tries * (terms.limits.seconds + SCRIPT_SECONDS + JUDGE_SECONDS + AROUND_SECONDS)
    do, lost = functools.partial(do_row, plan=plan), functools.partial(_lost, plan=plan)
    return carry_on(
        plan.series(Delivery),
        Work(carry_out=do, lost=lost, label=operator.attrgetter("name"), seconds=longest),
        rows,
        engine,
    )


def _lost(row: Row, reason: str, plan: Plan) -> Delivery:
    return msgspec.structs.replace(_first(row, plan), infrastructure=reason)


def _first(row: Row, plan: Plan) -> Delivery:
    """What there is of a row before anything was done."""
    return Delivery(
        row=row.name, agent=plan.agent.label, repository=row.source, field=row.field, request=row.instruction
    )


def do_row(row: Row, plan: Plan) -> Delivery:
    """Do a row: the agent at work in its repository, which holds inputs/, then the judge on what came out."""
    records = plan.out.absolute() / "records" / plan.agent.label.replace(" ", "-") / row.name

    def attempt(done: Delivery, folder: Path) -> Delivery:
        with lent("row") as place:
            root = place / row.name
            bring_repository(row, root, plan.archives.absolute())
            if row.inputs:
                make_inputs(row.name, place / "inputs")
                shutil.copytree(place / "inputs", root / "inputs")
            (root / "outputs").mkdir(exist_ok=True)
            done = _work(row, root, plan, folder, done)
            if done.infrastructure:
                return done
            refusal = judge_apart(row, place / "inputs", folder, plan)
            return msgspec.structs.replace(done, delivered=not refusal, refusal=refusal)

    return with_tries(_first(row, plan), plan.terms, records, attempt)


def _work(row: Row, root: Path, plan: Plan, records: Path, done: Delivery) -> Delivery:
    """Let the agent work; what came out lies in `records`/outputs."""
    seen = Visible(instruction=row.instruction, github="", path=".")
    job = Assignment(seen=seen, root=root, told=lambda _folder: told(row), writes=(SCRIPT, CLAIM), name=row.name)
    if isinstance(plan.agent, OwnAgent):
        run = plan.agent.solve(job, plan.terms, None, records)
        made, outputs = records / "run" / "outputs" / "outputs", records / "outputs"
        shutil.copytree(made, outputs, symlinks=True) if made.is_dir() else outputs.mkdir()
        return accounted(done, run)
    with at_work(plan.agent, job, plan.terms, records) as (run, sandbox):
        if SCRIPT in run.files:  # who cannot run commands leaves a script
            text = f'[ -n "$(ls -A outputs)" ] || bash {SCRIPT}'
            sandbox.run(Command(text=text, folder=job.folder, timeout=SCRIPT_SECONDS, environment=index_variables()))
        bring_out(sandbox, job.folder, records)
        return accounted(done, run)


def told(row: Row) -> str:
    """All that another agent is told of a row."""
    held = " Its folder inputs/ holds the input files." if row.inputs else ""
    pythons = [str(one.executable) for one in find_interpreters() if not one.prefix.is_relative_to("/usr")]
    return (
        f"{row.instruction}\n\n"
        f"You are in the source repository of {row.repository}.{held} Leave the results"
        f" as {', '.join(row.outputs)}. Packages can be installed from the package index, with pip or with {uv_program()}; there"
        f" are these interpreters besides python3: {', '.join(pythons) or 'none'}. Who cannot run commands leaves a script"
        f" {SCRIPT} here, which is run where outputs/ is empty at the end. Last of all write one word into {CLAIM}: `done` where"
        " every result is there and right as far as you have seen, otherwise `failed`.\n"
    )


def bring_out(sandbox: Sandbox, folder: str, records: Path) -> None:
    """Copy the folder outputs/ of the repository to `records`; what cannot be brought out stays where it was."""
    packed, target = ".outputs.tgz", records / "outputs"
    target.mkdir(parents=True, exist_ok=True)
    if not sandbox.run(Command(text=_PACK.format(packed, shlex.quote(folder), MOST_BYTES))).ok:
        return
    try:
        archive = io.BytesIO(sandbox.get(packed, MOST_BYTES))
        unpack_tar(archive, records, lambda name: PurePosixPath(name).parts[:1] == ("outputs",), 4 * MOST_BYTES)
    except ValueError as error:
        (records / "outputs.error").write_text(f"{error}\n", encoding="utf-8")


def judge_apart(row: Row, inputs: Path, records: Path, plan: Plan) -> str:
    """Run the row's judge in a sandbox without network that holds the inputs as they were made and what came out.

    Says why the outputs are refused, "" where they are right. Raises SandboxError.
    """
    apart = msgspec.structs.replace(plan.terms.place, policy=Policy(network="none"))
    sandbox = open_place(apart, records / "judge", plan.judge.mounts())
    sandbox.start()
    try:
        sandbox.put(FOLDER / "judges.py", "judges.py")
        for name in ("rows.toml", f"expected/{row.name}"):
            sandbox.put(row.folder / name, name)
        if row.inputs:
            sandbox.put(inputs, "inputs")
        sandbox.run(Command(text="mkdir -p inputs outputs"))
        sandbox.put(records / "outputs", "outputs")
        python = shlex.quote(str(plan.judge.venv / "bin/python"))
        text = f"{python} -I judges.py {row.name} inputs outputs"
        response = sandbox.run(Command(text=text, timeout=JUDGE_SECONDS))
    finally:
        sandbox.stop()
    if response.ok:
        return ""
    said = [line for line in (response.stdout + "\n" + response.stderr).splitlines() if line.strip()]
    return (said[-1] if said else f"the judge ended: {response.ended}")[:MESSAGE]


def with_compiler(place: Place) -> Place:
    """The place with an image that has a C compiler where it is Docker's and names none; it is made where it is missing.

    Raises SandboxUnavailableError.
    """
    picked = choose(place.sandbox, place.policy, Path(tempfile.gettempdir()), place.unisolated)
    if place.image or not isinstance(picked, DockerSandbox):
        return place
    with closing(connect()) as client:
        base = ensure_image(client)
        name = f"ml-agent-bench:{base.rpartition(':')[2]}"
        try:
            client.images.get(name)
        except ImageNotFound:
            response = install_packages(client, (base, name), PACKAGES, {LABEL: "1", KIND: "base"}, IMAGE_SECONDS)
            if not response.ok:
                raise SandboxUnavailableError(f"no compiler can be installed into {base}: {response.why}") from None
        except (DockerException, RequestException) as error:
            raise SandboxUnavailableError(f"the container engine does not answer: {error}") from error
    return msgspec.structs.replace(place, image=name)


def summarise(rows: Sequence[Delivery]) -> dict[str, Any]:
    """How many rows counted, what came of them, and where the agent's own word was wrong."""
    counted = [row for row in rows if not row.infrastructure]
    return {
        "rows": len(rows),
        "without_result": len(rows) - len(counted),
        "delivered": sum(row.delivered for row in counted),
        "false_claims": sum(row.claim is True and not row.delivered for row in counted),
        "right_results_called_failed": sum(row.claim is False and row.delivered for row in counted),
    }
