"""Form D: agents at work on delivery rows, their own word beside the judge's; runs that are cut and gone on with; the report."""

import hashlib
import io
import os
import shutil
import signal
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.engines.dask import dask_engine
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.form_d.rows import FOLDER, Row, bring_repository, load_rows
from ml_agent.benchmarks.form_d.run import KEPT, Delivery, Plan, pick_rows, run
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.report import Comparison, compare, of_deliveries, write_report
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.model import SubjectRun
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.work import Agent, Assignment, OwnAgent, PeerAgent, Terms
from ml_agent.model.budget import Limits, Price
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Sandbox
from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.image.build import present_image
from tests.servers.dask_cluster import dask_cluster
from tests.servers.model_server import Answer, ModelServer, Response, Seen, completion

HERE = Place(sandbox="local", unisolated=True)


class Copier:
    """Delivers what lies in expected/; of some rows a wrong output. Ends its process where a file says so."""

    label = "copier 1"

    def __init__(self, wrong: dict[str, str], claims: dict[str, bool], deadly: Path | None = None) -> None:
        self.wrong, self.claims, self.deadly = wrong, claims, deadly

    def mounts(self) -> tuple[Path, ...]:
        return ()

    def solve(self, job: Assignment, terms: Terms, sandbox: Sandbox | None, records: Path) -> SubjectRun:
        assert sandbox is not None and (job.root / "inputs").is_dir() and (job.root / "README").is_file()
        name = job.folder
        if self.deadly is not None and self.deadly.name == name and self.deadly.exists():
            self.deadly.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        sandbox.put(FOLDER / "expected" / name, f"{name}/outputs")
        if name in self.wrong:
            sandbox.put(FOLDER / "wrong" / name / self.wrong[name], f"{name}/outputs")
        usage = Usage(seconds=2.0, calls=3, prompt_tokens=900, cached_tokens=500, completion_tokens=100, usd=None)
        return SubjectRun(ended="finished", usage=usage, claim=self.claims.get(name))


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """This environment, which has what judges need."""
    folder = tmp_path_factory.mktemp("judge")
    (folder / "venv").symlink_to(sys.prefix)
    return Installed(folder=folder, version="1", python="3.11", prefix=Path(sys.base_prefix), fingerprint="")


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The least agent, installed."""
    return LeastAgent().install(tmp_path_factory.mktemp("agents"))


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    """Three rows whose repositories hold a README alone."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("package-1/README")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"Read"))
    sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / sha256).write_bytes(packed.getvalue())
    return [msgspec.structs.replace(load_rows()[name], sha256=sha256) for name in ("easyai", "chempy", "brainpy")]


@pytest.fixture
def plan(tmp_path: Path, judge: Installed) -> Plan:
    terms = Terms(endpoint=Endpoint(model="scripted"), place=HERE, limits=Limits(calls=5, seconds=60.0), tries=2)
    archives, out, agent = tmp_path / "archives", tmp_path / "out", Copier({"chempy": "twice-as-many"}, {})
    return Plan(archives=archives, out=out, agent=agent, terms=terms, judge=judge)


def changed(plan: Plan, agent: Agent | None = None, **terms: object) -> Plan:
    return msgspec.structs.replace(plan, agent=agent or plan.agent, terms=msgspec.structs.replace(plan.terms, **terms))


def lines_of(plan: Plan) -> list[str]:
    return (plan.out / KEPT).read_text().splitlines()


def test_the_agents_word_stands_beside_the_judges_whatever_is_killed(
    plan: Plan, rows: list[Row], tmp_path: Path
) -> None:
    deadly = tmp_path / "chempy"
    deadly.touch()
    whole = changed(
        plan, Copier({"chempy": "twice-as-many"}, {"easyai": True, "chempy": True, "brainpy": False}, deadly)
    )
    right, false_claim, refused = run(rows, whole, LocalEngine(2))
    assert not deadly.exists(), "a killed worker costs nothing"
    assert (right.delivered, right.claim, right.refusal) == (True, True, "")
    assert (false_claim.delivered, false_claim.claim) == (False, True) and "coefficients" in false_claim.refusal
    assert (refused.delivered, refused.claim) == (True, False)
    first, *rest = lines_of(plan)
    (plan.out / KEPT).write_text("\n".join([first, *rest[:-1], first[:40]]))  # as a kill leaves it
    again = run(rows, whole, LocalEngine(1))
    assert again == [right, false_claim, refused] and len(lines_of(plan)) == 3, "one row was done again"
    assert lines_of(plan)[0] == first, "what is done stays"
    see_side_by_side(plan, rows)


@pytest.mark.slow
def test_a_cluster_loses_nothing_when_a_process_dies(plan: Plan, rows: list[Row], tmp_path: Path) -> None:
    """A scheduler and two workers, as processes of this machine."""
    deadly = tmp_path / "chempy"
    deadly.touch()
    with dask_cluster() as address, dask_engine(address) as engine:
        done = run(rows, changed(plan, Copier({}, {}, deadly)), engine)
    assert all(one.delivered for one in done) and not deadly.exists() and len(lines_of(plan)) == 3


def scripted(plan: Plan, server: ModelServer, installed: Installed, seconds: float = 60.0) -> Plan:
    endpoint = Endpoint(model="scripted", base_url=server.url)
    return changed(plan, PeerAgent(LeastAgent(), installed), endpoint=endpoint, limits=Limits(calls=5, seconds=seconds))


@pytest.mark.slow
def test_a_real_agent_and_one_that_hangs(plan: Plan, rows: list[Row], least: Installed) -> None:
    verdicts = (FOLDER / "expected/easyai/verdicts.csv").read_text()
    isotopes = (FOLDER / "expected/brainpy/isotopes.csv").read_text()

    def brain(seen: Seen) -> Answer:
        if "Nim" in seen.text:
            return Answer("bash", {"command": f"cat > outputs/verdicts.csv <<'X'\n{verdicts}X\necho done > claim.txt"})
        if "isotopic" in seen.text:
            text = f"cat > run.sh <<'X'\ncat > outputs/isotopes.csv <<'Y'\n{isotopes}Y\nX\necho failed > claim.txt"
            return Answer("bash", {"command": text})
        return Answer("bash", {"command": "sleep 500"})

    def ends(seen: Seen, answer: Answer) -> Response | None:
        tool_said = any(message.get("role") == "tool" for message in seen.body["messages"])
        return completion({"content": "That is all."}, seen) if tool_said else None

    easyai, chempy, brainpy = rows
    with ModelServer(brain=brain, misbehaviour=ends) as server:
        right, by_script = run([easyai, brainpy], scripted(plan, server, least), LocalEngine(2))
        (hung,) = run([chempy], scripted(plan, server, least, 5.0), LocalEngine(1))
    assert (right.delivered, right.claim, right.ended, right.usage.calls) == (True, True, "finished", 2), right
    assert right.usage.prompt_tokens > 100
    assert (hung.delivered, hung.claim, hung.infrastructure) == (False, None, ""), hung
    assert hung.ended in ("timeout", "budget")
    assert "balanced.csv" in hung.refusal
    assert (by_script.delivered, by_script.claim) == (True, False), "a script is run where nothing came out"


@pytest.mark.slow
def test_trouble_of_the_endpoint_counts_for_nobody_and_is_tried_again(
    plan: Plan, rows: list[Row], least: Installed
) -> None:
    with ModelServer(misbehaviour=lambda seen, answer: Response(body=b"{}", status=503)) as server:
        lost = run(rows[:1], scripted(plan, server, least), LocalEngine(1))
        assert all(one.infrastructure and one.tries == 2 and not one.delivered for one in lost)
        number = len(server.requests)
        run(rows[:1], changed(scripted(plan, server, least), tries=1), LocalEngine(1))
        assert len(server.requests) > number, "such rows are done again"
    with pytest.raises(BenchError, match="no row has a result from every"):
        side_by_side(plan)


def test_our_own_agent_without_a_model(plan: Plan, rows: list[Row]) -> None:
    (done,) = run(rows[:1], changed(plan, OwnAgent("offline")), LocalEngine(1))
    assert not done.infrastructure and not done.delivered and done.claim is False and done.usage.calls == 0
    assert done.refusal and done.error


def test_rows_are_picked_by_name() -> None:
    assert [row.name for row in pick_rows("delivery:gym, auditok")] == ["gym", "auditok"]
    assert len(pick_rows("delivery")) == 30
    for source in ("wild", "delivery:nobody"):
        with pytest.raises(BenchError, match="form D has no rows"):
            pick_rows(source)


def test_an_archive_of_another_content_is_not_unpacked(plan: Plan, rows: list[Row]) -> None:
    row = msgspec.structs.replace(rows[0], sha256="0" * 64)
    (plan.archives / row.sha256).write_bytes(b"other")
    with pytest.raises(ValueError, match="remove it and run"):
        bring_repository(row, plan.out / "repository", plan.archives)


def side_by_side(plan: Plan, price: Price | None = None) -> Comparison:
    return compare(of_deliveries(plan.out), price)


def see_side_by_side(plan: Plan, rows: list[Row]) -> None:
    """The report on a finished run and on another agent's."""
    other = [Delivery(row=row.name, agent="other 2", model="m", delivered=True, ended="finished") for row in rows]
    lost = Delivery(row="gym", agent="other 2", model="m", infrastructure="the <image> is missing")
    with (plan.out / KEPT).open("ab") as file:
        file.writelines(msgspec.json.encode(one) + b"\n" for one in [*other, lost])
    comparison = side_by_side(plan, Price(input=2.0, output=10.0, cached=0.2))
    names = [one.name for one in comparison.subjects]
    assert names == ["copier 1 (scripted)", "other 2 (m)"]
    copier, second = (dict(zip(comparison.head, line, strict=True)) for line in comparison.table)
    assert copier["delivered"].startswith("66.7 %") and copier["false claims"].startswith("33.3 %")
    assert copier["right results called failed"].startswith("33.3 %") and copier["no claim"] == "0"
    assert copier["prompt tokens"].startswith("400.0 (") or copier["prompt tokens"].startswith("400 (")
    assert copier["cached tokens"].startswith("500")
    assert copier["USD"] == "0.0019" and copier["USD a right row"] in ("0.0028", "0.0029")
    assert second["no claim"] == "3"
    page = write_report(comparison, plan.out).read_text()
    assert "copier 1 (scripted)" in page and "other coefficients" in page and "the <image> is missing" not in page
    assert page.count("<circle") == 1 and "the &lt;image&gt; is missing" in page


@pytest.fixture
def new_image() -> Iterator[str]:
    """The name of an image that is not there yet; it is removed at the end."""
    name = f"ml-agent-test-form-d:{os.getpid()}"
    yield name
    with closing(connect()) as client:
        client.images.remove(name, force=True)


@pytest.mark.slow
def test_a_missing_image_is_told_and_the_run_goes_on_once_it_is_there(
    plan: Plan, rows: list[Row], new_image: str
) -> None:
    """In containers, which show the judge's own environment."""
    plan = changed(plan, place=Place(sandbox="docker", image=new_image))
    plan = msgspec.structs.replace(plan, judge=_whole(plan.judge))
    lost = run(rows, plan, LocalEngine(1))
    assert all("is missing" in one.infrastructure for one in lost)
    with closing(connect()) as client:
        client.images.get(present_image(client) or "").tag(*new_image.split(":"))
    done = run(rows, plan, LocalEngine(1))
    assert [one.delivered for one in done] == [True, False, True]


def _whole(judge: Installed) -> Installed:
    """The same in a folder of its own: a container shows no link's target."""
    venv = judge.folder / "whole" / "venv"
    if not venv.is_dir():
        shutil.copytree(sys.prefix, venv, symlinks=True)
    return msgspec.structs.replace(judge, folder=venv.parent)
