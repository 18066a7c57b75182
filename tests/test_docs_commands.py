"""Every command of docs/ that needs no model, no host and no other machine is run, the others' words are looked up.

What stands in a block is run as printed, page by page in one folder. What cannot be is named in ONLY_READ with the reason; of that,
and of commands inside sentences, modules, scripts, targets and options must be there.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.samples import repository_path

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:python -m |bash |make |scripts/)[^`]+)`")

STANDS_FOR = (
    ("--tasks wild --repos repos --limit", "--tasks rows.jsonl --repos repos --limit"),
    ("super-dainiu/ml-bench:id_train", "rows.jsonl"),
    ("super-dainiu/ml-bench:full", "rows.jsonl"),
    (
        "bench repos --tasks rows.jsonl --repos repos",
        "bench repos --mirrors mirrors --commit planar-nets=HEAD --tasks rows.jsonl --repos fetched",
    ),
    ("./my-project --out", "./my-project --rows 3 --out"),
    ("--repos DIR", "--repos repos"),
    ("path/to/repository", "repos/planar-nets"),
    ("--repo planar-nets", "--repo repos/planar-nets"),
    ("--repositories DIR", "--repositories repos"),
    (" benchmarks/written/", f" {ROOT}/benchmarks/written/"),
)
"""What is the reader's own, and what lies on another machine."""
ONLY_READ = {
    "pip install": "installs the program",
    "--model NAME": "asks a model",
    "bench report outputs/": "tells of runs of agents, which are not made here",
    "bench run --form": "an agent works in a sandbox; tests/benchmarks run it",
    "agents install": "installs from the package index",
    "--engine dask": "needs a scheduler on another machine; tests/benchmarks/test_engines.py has one here",
    "dask ": "starts servers for other machines",
    "benchmarks.fit": "a synopsis; it fits for an hour",
}
"""Commands that are not run here, by a part of them, with the reason."""


def lines(page: Path) -> Iterator[str]:
    """The commands that stand in a page's blocks, without their comments."""
    blocks = _FENCE.findall(page.read_text(encoding="utf-8"))
    for block in (text for language, text in blocks if language in ("", "bash", "console")):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.split(r"\s+# ", line)[0].strip():
                yield command


def reason(command: str) -> str:
    """Why a command is not run here; empty where it is."""
    return next((why for part, why in ONLY_READ.items() if part in command), "")


def row(number: int, rate: str) -> dict[str, Any]:
    return {
        "github_id": 1, "id": number, "github": "https://github.com/some/planar-nets", "path": "./", "arguments": f"{{'lr': '{rate}'}}",
        "instruction": f"Train the perceptron with a learning rate of {rate}.",
        "type": "Bash Script", "prefix_code": "", "output": f"python train/fit_mlp.py --lr {rate}",
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rows, the repository that they are about with its mirror, and what agents and models left elsewhere."""
    rows = [row(1, "0.05"), row(2, "0.5")]
    work = shutil.copytree(repository_path("planar-nets"), tmp_path / "repos/planar-nets")
    as_somebody = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    copy = shutil.copytree(work, tmp_path / "work")
    shutil.copytree(work, tmp_path / "my-project")
    for words in (("init", "-q"), ("add", "-A"), (*as_somebody, "commit", "-q", "-m", "x")):
        subprocess.run(["git", *words], cwd=copy, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(copy), str(tmp_path / "mirrors/some+planar-nets")], check=True)
    for name in ("rows", "ten"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    answers = [{"github_id": 1, "id": one["id"], "output": [one["output"]]} for one in rows]
    for name in ("tuned", "with", "model"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    (tmp_path / "tasks.txt").write_text("cluster 600 points into 4 groups\n")
    return tmp_path


LONG = ("bench", "first-run", "how-to")
"""Pages whose commands take longer than five seconds."""
RUN = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in LONG else [])
    for page in PAGES
    if not all(map(reason, lines(page)))
]


@pytest.mark.parametrize("page", RUN)
def test_what_stands_in_blocks_runs(page: Path, folder: Path) -> None:
    for command in lines(page):
        if reason(command):
            continue
        given = " ".join(command.split())
        for printed, meant in STANDS_FOR:
            given = given.replace(printed, meant)
        program, *words = shlex.split(given)
        call = [sys.executable, *(["-m", "ml_agent", *words] if program == "ml-agent" else words)]
        if program in ("while", "mkdir") or " > " in given:  # the shell around the program
            call = ["bash", "-ec", given.replace("ml-agent", f"{sys.executable} -m ml_agent")]
        assert program in ("ml-agent", "python", "while", "mkdir"), (
            f"{page.name}: {command}: neither run nor named in ONLY_READ"
        )
        done = subprocess.run(
            call, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{given}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{given}\n{done.stderr}"


def named() -> Iterator[tuple[str, str]]:
    """Commands inside sentences, and those of blocks that are not run; `ml-agent` itself is read in test_documentation.py and test_named_options.py."""
    for page in PAGES:
        text = _FENCE.sub("", page.read_text(encoding="utf-8"))
        for command in (*_INLINE.findall(text), *filter(reason, lines(page))):
            if "python " in command or "scripts/" in command or command.startswith("make "):
                yield page.name, command


@pytest.mark.parametrize(("page", "command"), list(named()))
def test_what_is_named_is_there(page: str, command: str) -> None:
    if command.startswith("make "):
        asked = subprocess.run(
            ["make", "-n", *shlex.split(command)[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert asked.returncode == 0, asked.stderr
        return
    found = re.search(r"python -m (\S+)|(scripts/\S+)", command)
    assert found is not None, command
    source = source_of(found[1]) if found[1] else (ROOT / found[2]).read_text(encoding="utf-8")
    settings = re.findall(r"(--[a-z-]+)" if ".py" in command or found[1] else r"\b([A-Z_]+)=", command)
    assert [name for name in settings if not re.search(rf"{name}\b", source)] == [], f"{page}: {command}"


def source_of(module: str) -> str:
    """The text of what is run by `python -m`: a package with all its modules, or one module."""
    path = ROOT / module.replace(".", "/")
    if (path / "__main__.py").exists():
        return "\n".join(one.read_text(encoding="utf-8") for one in path.glob("*.py"))
    text = path.with_suffix(".py").read_text(encoding="utf-8")
    assert '__name__ == "__main__"' in text, f"{module} is no program"
    return text


def test_every_reason_is_that_of_a_command() -> None:
    every = [command for page in PAGES for command in lines(page)]
    assert [part for part in ONLY_READ if not any(part in command for command in every)] == []
