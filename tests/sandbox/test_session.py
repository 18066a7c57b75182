"""A repository in a sandbox: set up from wheels on this machine, repaired, recorded, reproduced. No network."""

import json
import secrets
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.benchmarks.setup_bench import prove
from ml_agent.replay.tape import Tape
from ml_agent.replay.transport import on_tape
from ml_agent.sandbox.artifacts import artifacts
from ml_agent.sandbox.contract import Limits, Sandbox
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from tests.sandbox.dated_index import dated_index
from tests.wheels import make_wheel

Make = Callable[..., Sandbox]


def wheel(folder: Path, name: str, version: str, code: str, requires: str = "") -> None:
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    make_wheel(folder, name, version, {f"{name.replace('-', '_')}/__init__.py": code}, needs)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all there is to install from."""
    folder = tmp_path / "wheels"
    wheel(folder, "alpha", "1.0", "old = 1\n")
    wheel(folder, "alpha", "2.0", "new = 2\n")
    wheel(folder, "beta-tools", "1.0", "import alpha\nvalue = getattr(alpha, 'old', None)\n", "alpha")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    return folder


def repository(tmp_path: Path, **files: str) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    for name, text in files.items():
        (root / (name.replace("_dot_", "."))).write_text(text)
    return root


@pytest.mark.slow
def test_an_environment_is_made_kept_and_taken_again(kind: str, make: Make, index: Path, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        run_dot_py="import beta_tools, json\njson.dump(beta_tools.value, open('out.json', 'w'))\n",
        requirements_dot_txt="beta-tools==1.0\nalpha==1.0\n",
    )
    notes: list[str] = []
    for attempt, network in enumerate(("install", "install", "none") if kind != "process" else ("install",)):
        sandbox = make(kind, network=network)
        sandbox.stop()
        session = Session(sandbox, Source(root=root, version="v1"), note=notes.append)
        proof = prove(session, Task(text="python run.py", timeout=240))
        assert proof.ok, proof.response
        assert json.loads(sandbox.get("out.json")) == 1
        assert set(session.record(Task(text="python run.py")).locked) == {"alpha==1.0", "beta-tools==1.0"}
        session.close()
        assert sum("cached environment" in note for note in notes) == attempt


@pytest.mark.slow
def test_a_recorded_run_installs_and_is_played_back_without_a_sandbox(make: Make, index: Path, tmp_path: Path) -> None:
    root = repository(tmp_path, run_dot_py="import alpha\nprint(dir(alpha))\n", requirements_dot_txt="alpha==1.0\n")

    def said(tape: Tape, inner: Sandbox | None) -> tuple[object, ...]:
        session = Session(on_tape(tape, inner, tmp_path / "logs"), Source(root=root, version="v1"))
        session.prepare()
        proof = prove(session, Task(text="python run.py", timeout=240))
        assert proof.ok, proof.response
        found = (proof.response.stdout, session.summary(), session.record(Task(text="python run.py")).locked)
        session.close()
        return found

    recorded = said(Tape(tmp_path / "tape", "record"), make("bubblewrap", network="install"))
    assert recorded[2] == ("alpha==1.0",)
    assert said(Tape(tmp_path / "tape", "replay"), None) == recorded
    forged = next(path for path in (tmp_path / "tape").rglob("*") if path.is_file() and b'"taken"' in path.read_bytes())
    entry = json.loads(forged.read_text())
    entry["result"]["system"] = ["libgl1", "x; touch forged", "libc6-"]
    entry["result"]["environment"]["project"] = "../forged"
    forged.write_text(json.dumps(entry))
    session = Session(
        on_tape(Tape(tmp_path / "tape", "replay"), None, tmp_path / "logs"), Source(root=root, version="v1")
    )
    session.prepare()
    written = "".join(artifacts(session.record(Task(text="python run.py"))).values())
    assert "libgl1" in written and "forged" not in written and "libc6-" not in written


@pytest.mark.slow
def test_what_a_model_asks_for_is_installed_and_can_be_done_again(make: Make, index: Path, tmp_path: Path) -> None:
    root = repository(tmp_path, run_dot_py="import beta_tools\nprint(beta_tools.value)\n")
    task, source = Task(text="python run.py"), Source(root=root)
    session = Session(make("bubblewrap", network="install"), source)
    other = session.install(["alpha @ https://example.org/alpha.whl"], "it is newer")
    assert not other.ok and other.said[0].startswith("only the package index can be reached")
    for words in (["beta-tools", "alpha>7"], ["--index-url https://example.org"], ["-r /etc/passwd"], ["--python 2.7"]):
        refused = session.install(words, "it is imported")
        assert not refused.ok and not refused.repairs and refused.said
    assert session.record(task).locked == (), "it is as it was"
    done = session.install(["beta-tools", "alpha<2", "-e ."], "it is imported")
    assert done.ok and any("alpha==1.0" in line for line in done.said)
    session.close()
    again = Session(make("bubblewrap", network="install"), source)
    assert again.run(task, done.repairs).stdout == "1\n"
    assert set(again.record(task, done.repairs).locked) == {"alpha==1.0", "beta-tools==1.0"}


@pytest.mark.slow
def test_what_fails_of_an_installation_is_said_and_nothing_else_is_lost(
    make: Make, index: Path, tmp_path: Path
) -> None:
    root = repository(tmp_path, run_dot_py="import alpha\n", setup_dot_py="raise SystemExit('no compiler for this')\n")
    (root / "docs").mkdir()
    (root / "docs" / "requirements.txt").write_text("alpha==1.0\n")
    notes: list[str] = []
    session = Session(make("bubblewrap", network="install"), Source(root=root), note=notes.append)
    task = Task(text="python run.py", timeout=240)
    session.prepare(task)
    assert session.record(task).locked == ("alpha==1.0",), "what the answer imports and other files declare"
    assert not session.install(["beta-tools", "gamma"], "it is imported").ok
    assert session.record(task).locked == ("alpha==1.0",), "it is as it was"
    assert not session.install(["-e ."], "it is imported").ok
    done = session.install(["beta-tools", "-e ."], "it is imported")
    assert done.ok and "own package is not installed: " in done.failed[0]
    before = session.record(task).locked
    assert {pin.partition("==")[0] for pin in before} == {"alpha", "beta-tools"}
    lacking = Repair(kind="install", arguments=("alpha==1.0",), module="gamma")
    assert not session.apply(lacking, task) and notes[-1].startswith("not repaired: import gamma: ModuleNotFound")
    assert session.record(task).locked == before


@pytest.mark.slow
def test_a_version_of_the_index_in_place_of_the_repositorys_own_code_is_said(
    make: Make, index: Path, tmp_path: Path
) -> None:
    root = repository(
        tmp_path,
        run_dot_py="import alpha\nprint(alpha.new)\n",
        setup_dot_cfg="[metadata]\nname = alpha\n",
        setup_dot_py="raise SystemExit('no compiler for this')\n",
    )
    session = Session(make("bubblewrap", network="install"), Source(root=root))
    task = Task(text="python run.py", timeout=240)
    assert not session.run(task).ok and session.record(task).locked == (), "never without a word"
    assert session.run(task, [Repair(kind="install", arguments=("alpha",), module="alpha")]).ok
    said = "alpha 2.0 of the package index in place of the repository's own code"
    assert said in session.made_as() and any(said in line for line in session.summary())


@pytest.mark.slow
def test_a_full_disk_ends_the_set_up_at_once(make: Make, index: Path, tmp_path: Path) -> None:
    wheel(index, "vast", "1.0", f"# {secrets.token_hex(8 * 1024**2)}\n")
    root = repository(tmp_path, run_dot_py="import vast\n", requirements_dot_txt="vast==1.0\n")
    notes: list[str] = []
    limits = Limits(memory_bytes=512 * 1024**2, pids=100, disk_bytes=4 * 1024**2)
    session = Session(
        make("bubblewrap", network="install", limits=limits), Source(root=root, date="2019-01-01"), note=notes.append
    )
    proof = prove(session, Task(text="python run.py", timeout=240))
    assert proof.diagnosis.code == "missing-module"
    left = [note for note in notes if note.startswith("left: ")]
    assert len(left) == 1 and "no room left on the disk" in left[0] and "ml-agent clean --images" in left[0]
    assert not session.install(["alpha"], "it may help").ok and len([one for one in notes if "left: " in one]) == 1


@pytest.mark.slow
def test_what_cannot_be_had_is_left_out_and_said(make: Make, index: Path, tmp_path: Path) -> None:
    root = repository(
        tmp_path, run_dot_py="import beta_tools\nimport gamma_missing\n", requirements_dot_txt="beta-tools==7.0\n"
    )
    session = Session(make("bubblewrap", network="install"), Source(root=root))
    proof = prove(session, Task(text="python run.py", timeout=240))
    assert not proof.ok
    assert (proof.diagnosis.code, proof.diagnosis.subject) == ("missing-module", "gamma_missing")
    assert "beta-tools==7.0" in session.left_out() and "gamma-missing" not in str(session.left_out())


def test_a_wheel_whose_requirements_only_old_installers_read_is_installed(
    make: Make, index: Path, tmp_path: Path
) -> None:
    wheel(index, "gamma", "2018.7", "value = 7\n")
    wheel(index, "delta", "0.23.4", "from gamma import value\n", "gamma (>=2011k)")
    root = repository(tmp_path, run_dot_py="import delta\nprint(delta.value)\n", requirements_dot_txt="delta<1\n")
    session, task = Session(make("process", network="install"), Source(root=root)), Task(text="python run.py")
    assert session.run(task).stdout == "7\n"
    assert set(session.record(task).locked) == {"delta==0.23.4", "gamma==2018.7"}
    assert session.left_out() == {}


def test_no_network_no_installation(make: Make, index: Path, tmp_path: Path) -> None:
    root = repository(tmp_path, run_dot_py="import alpha\n", requirements_dot_txt="alpha\n")
    session = Session(make("bubblewrap", network="none"), Source(root=root))
    proof = prove(session, Task(text="python run.py", timeout=240))
    assert proof.diagnosis.code == "missing-module"
    assert session.left_out() == {"alpha": "the network policy is none"}


def test_an_error_that_went_into_a_file_is_seen_and_folders_are_made(make: Make, tmp_path: Path) -> None:
    root = repository(tmp_path, run_dot_py="import os\nprint(os.listdir('.'))\nimport absent_module\n")
    session = Session(make("process"), Source(root=root))
    for text in ("python run.py > logs/a.txt 2>&1", "python run.py &> logs/a.txt", "python run.py 2>logs/a.txt"):
        task = Task(text=text, folders=("logs",))
        response = session.run(task)
        assert "logs" in session.sandbox.get("logs/a.txt").decode() + response.stdout
        assert session.diagnose(response, task).subject == "absent_module"
    script = artifacts(session.record(task))["reproduce.sh"]
    assert "mkdir -p -- logs\n" in script


@pytest.mark.slow
def test_libraries_of_one_day_and_what_only_they_need(
    make: Make, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(index, "alpha", "1.0", "import gamma\nold = gamma.old\n", "gamma")
    wheel(index, "gamma", "1.0", "old = 1\n")
    wheel(index, "gamma", "2.0", "")
    days = {"alpha-1.0": "2019-01-01", "alpha-2.0": "2024-01-01", "beta_tools-1.0": "2018-01-01", "gamma-1.0": "2019-01-01", "gamma-2.0": "2025-01-01"}  # fmt: skip
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    root = repository(
        tmp_path,
        run_dot_py="import beta_tools, os\nprint(beta_tools.value, *os.listdir('made'))\n",
        requirements_dot_txt="beta-tools\n",
    )
    with dated_index(index, {f"{name}-py3-none-any.whl": day for name, day in days.items()}) as address:
        monkeypatch.setenv("PIP_INDEX_URL", address)
        session, task = Session(make("process", network="install"), Source(root=root)), Task(text="python run.py")
        made = Repair(kind="made", arguments=("made",))
        session.run(task, [made])
        assert set(session.record(task).locked) == {"alpha==2.0", "beta-tools==1.0"}
        python = ".".join(map(str, session.scene(task).python))
        repair = Repair(kind="install", arguments=("--exclude-newer 2020-01-01", f"--python {python}"))
        assert session.run(task, [made, repair]).stdout == "1\n", "earlier repairs are done again"
        assert "2020-01-01" in session.made_as()
    assert set(session.record(task).locked) == {"alpha==1.0", "beta-tools==1.0", "gamma==1.0"}


@pytest.mark.slow
def test_the_code_of_an_answer_is_reproduced(make: Make, tmp_path: Path) -> None:
    root = repository(tmp_path, helper_dot_py="VALUE = 7\n")
    session = Session(make("process"), Source(root=root))
    task = Task(text="python answer.py", code="import helper\nprint('value', helper.VALUE, \"it's $HOME\")\n")
    session.prepare(task)
    script = tmp_path / "reproduce.sh"
    script.write_text(artifacts(session.record(task))["reproduce.sh"])
    done = subprocess.run(
        ["bash", str(script), str(tmp_path / "again")], capture_output=True, text=True, check=True, timeout=240
    )
    assert done.stdout == "value 7 it's $HOME\n"


@pytest.mark.docker
def test_the_dockerfile_builds_and_runs(make: Make, index: Path, tmp_path: Path) -> None:
    import docker

    from ml_agent.sandbox.image import ensure_image

    root = repository(tmp_path, run_dot_py="import json, os\nprint('ran', os.environ['DATA'])\n")
    session = Session(make("bubblewrap"), Source(root=root))
    task = Task(text="python run.py", environment={"DATA": "a $b"})
    session.prepare(task)
    text = artifacts(session.record(task))["Dockerfile"]
    lines = [line for line in text.splitlines() if "apt-get" not in line]  # no network in this test
    (root / "Dockerfile").write_text(
        "\n".join(lines).replace("USER root", "USER root\nRUN ln -sf python3 /usr/bin/python")
    )
    client = docker.from_env()
    image, _ = client.images.build(
        path=str(root),
        buildargs={"BASE": ensure_image(client)},
        rm=True,
        network_mode="none",
        labels={"ml-agent-test": "1"},
    )
    try:
        assert client.containers.run(image, remove=True, network_mode="none") == b"ran a $b\n"
    finally:
        client.images.remove(str(image.id), force=True)
        client.close()
