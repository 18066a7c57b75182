"""Bad input ends in one line with the right exit code, soon, and nothing is lost."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.sandbox.diagnosis import Diagnosis, RunLocation
from ml_agent.sandbox.diagnosis.refine import REFINERS, refine
from ml_agent.tools.check.host_bash import bash_risks
from ml_agent.tools.check.host_scope import HostScope
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.requirements import wanted_by, wanted_python
from tests.processor_time import is_within, within

README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
ONE_LINE = "Bad input ends in one line and the right exit code, within seconds."
READS = "A repository's files cannot hang a reader, fill the memory or lead it out of the repository."


def run(*words: str | bytes, env: dict[str, str] | None = None, cwd: Path | None = None) -> tuple[int, str, str, float]:
    """Exit code, output, errors and processor seconds of the command line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", *words], capture_output=True, timeout=300, check=False, cwd=cwd,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), spent


def write(root: Path, name: str, text: str | bytes) -> None:
    (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def sparse(root: Path) -> None:
    with (root / "requirements.txt").open("wb") as file:
        file.truncate(2**30)


def nested(root: Path) -> None:
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("n" * 100, dir_fd=descriptor)
        below = os.open("n" * 100, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)


def links(root: Path, targets: Mapping[str, str]) -> None:
    for name, target in targets.items():
        (root / name).symlink_to(target)


def pipes(root: Path) -> None:
    for name in ("requirements.txt", "setup.py", "run.sh", "environment.yml"):
        os.mkfifo(root / name)


HARMS: dict[str, Callable[[Path], object]] = {
    "one line of 2 MB": lambda root: write(root, "run.sh", "python fit.py " + "a" * 2_000_000 + " $(x" * 1000),
    "quotes without end": lambda root: write(root, "run.sh", "python fit.py " + '"$(' * 60_000),
    "sparse requirements": sparse,
    "links to memory": lambda root: links(
        root, dict.fromkeys(("requirements.txt", "setup.py", "Pipfile", "setup.cfg"), "/proc/self/mem")
    ),
    "an endless device": lambda root: links(root, dict.fromkeys(("requirements.txt", "train.py"), "/dev/zero")),
    "pipes": pipes,
    "a number for a project": lambda root: write(root, "pyproject.toml", "project = 3\ntool = 4\n"),
    "odd types": lambda root: write(
        root, "pyproject.toml", "[project]\ndependencies = 'x'\nscripts = [1]\n[tool]\npoetry = 1\n"
    ),
    "a Pipfile of lists": lambda root: write(root, "Pipfile", "packages = [1, 2]\n"),
    "deep YAML": lambda root: write(root, "environment.yml", "a: " + "[" * 5000 + "]" * 5000),
    "a bomb in YAML": lambda root: write(
        root,
        "environment.yml",
        "a: &a [x,x]\n"
        + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True))
        + "dependencies: *l\n",
    ),
    "deep JSON": lambda root: write(root, "config.json", "[" * 100_000),
    "400 folders deep": nested,
    "deep Python": lambda root: write(root, "a.py", "x = " + "(" * 5000 + ")" * 5000),
    "a long sum": lambda root: write(root, "a.py", "+".join(["1"] * 50_000)),
    "a setup.py of sums": lambda root: write(
        root, "setup.py", "setup(install_requires=" + "+".join(["[]"] * 20_000) + ")"
    ),
    "notebooks of numbers": lambda root: write(
        root, "a.ipynb", '{"cells": [{"cell_type": "code", "source": 5}, 3, null]}'
    ),
    "not UTF-8": lambda root: write(root, "README.rst", b"a\0b\xff\xfe"),
    "a name that is not UTF-8": lambda root: write(root, os.fsdecode(b"\xff\xfe.py"), "x = 1\n"),
    "a name with a line break": lambda root: write(root, "new\nline.py", "x = 1\n"),
    "loops of links": lambda root: links(root, {"self": ".", "a": "b", "b": "a"}),
    "many brackets": lambda root: write(root, "MORE.md", "[" * 50_000 + "\n" + "> " * 5000),
    "nested tags": lambda root: write(root, "README.html", "<div>" * 20_000),
    "requirements of elsewhere": lambda root: write(
        root, "requirements.txt", "-r ../../../../etc/passwd\n-r /etc/passwd\n"
    ),
    "requirements in a circle": lambda root: write(root, "requirements.txt", "-r requirements.txt\n" * 1000),
}


@pytest.mark.promise(READS, by="tools.files, tools.reading, tools.foreign_files: limits on each read")
@pytest.mark.parametrize("harm", HARMS)
def test_hostile_files_are_read_within_limits(harm: str, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    write(root, "README.md", README)
    write(root, "fit.py", SCRIPT)
    HARMS[harm](root)
    within(8, lambda: _read(root))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1_500_000


def _read(root: Path) -> None:
    index = RepoIndex.open(root, "x")
    assert "fit.py" in index.signatures and index.passages and index.examples is not None
    wanted, python = wanted_by(root, root), wanted_python(root)
    assert not any("root" in one.text for one in wanted) and isinstance(python, str)


@pytest.mark.promise(
    "A text of bash cannot hang whoever reads it.", by="tools.commandline.lexer: a limit on what is never closed"
)
@pytest.mark.parametrize("unit", ['"$(', "$(", "`", "'", "${", "<<E ", "a=(", "{ ", "if ", "\\", '"`', "((", "#"])
def test_bash_without_an_end(unit: str) -> None:
    text = "a " + unit * (180_000 // len(unit))
    within(8, lambda: (parse_command(text), bash_risks(text[:10_000], HostScope())))


USAGE: dict[str, list[str | bytes]] = {
    "no instruction": ["solve"], "an empty instruction": ["solve", ""], "an unknown option": ["solve", "x", "--no-such"],
    "an unknown command": ["sollve"], "not UTF-8": ["solve", b"\xff\xfe"], "a wrong mode": ["solve", "x", "--run", "fast"],
    "a wrong time": ["solve", "x", "--timeout", "-5"], "no number": ["solve", "x", "--timeout", "nan"],
    "no folder": ["explain", "/no/such/folder"], "a file": ["explain", "/etc/passwd"], "a NUL": ["explain", "a%00b"],
    "wrong cards": ["solve", "x", "--gpus", "0;rm"], "no catalogue": ["solve", "x", "--catalog", "/no/such"],
    "a catalogue of memory": ["solve", "x", "--catalog", "/proc/self/mem"], "an endless catalogue": ["solve", "x", "--catalog", "/dev/zero"],
    "an option for a name": ["solve", "x", "--repo=--upload-pack=x"], "a helper": ["solve", "x", "--repo", "ext::sh -c x"],
    "a wrong commit": ["solve", "x", "--repo", ".", "--commit=-rf"], "outside": ["solve", "x", "--repo", ".", "--path", "../.."],
    "no run": ["resume", "nothing"], "no row": ["runs", "show", "../.."], "attempts": ["solve", "x", "--max-attempts", "0"],
    "no pair": ["solve", "x", "--arg", "novalue"], "two tapes": ["solve", "x", "--record", "a", "--replay", "b"],
    "an empty command": ["check", " ", "--repo", "."],
}  # fmt: skip


@pytest.mark.promise(ONE_LINE, by="ml_agent.cli, ml_agent.errors")
@pytest.mark.parametrize("case", USAGE)
def test_bad_words_end_in_one_line(case: str, tmp_path: Path) -> None:
    words = [*USAGE[case], "--quiet"] if USAGE[case][:2] == ["solve", "x"] else USAGE[case]  # no progress lines
    code, out, err, spent = run(*words, cwd=tmp_path)
    assert code in (2, 3), (code, err)
    assert out == "" and "Traceback" not in err
    assert len(err.strip().splitlines()) <= 1, err
    assert is_within(spent, 5)


@pytest.mark.promise("A cache that cannot be written costs only the cache.", by="ml_agent.runs, tools.content_cache")
def test_a_read_only_cache(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    write(root, "README.md", README)
    write(root, "fit.py", SCRIPT)
    (tmp_path / "blocked").write_text("a file where the cache should be")
    code, out, err, _ = run(
        "solve", "fit with lr 0.25", "--repo", str(root), "--run", "none", "--json",
        env={"ML_AGENT_CACHE_DIR": str(tmp_path / "blocked/cache")},
    )  # fmt: skip
    assert code == 0 and json.loads(out)["answer"]["text"].startswith("python fit.py --lr 0.25"), err
    assert err.count("ML_AGENT_CACHE_DIR") == 1 and err.count(" cannot be written") == 1, "one line says it"


def _missing(root: Path, subject: str, code: str) -> str:
    """What is said of a failure after the repository's files were looked at."""
    found = Diagnosis(code=code, category="data", message=f"{subject} is missing", subject=subject)
    return refine(found, RunLocation(root=root)).message


@pytest.mark.promise("A diagnosis quotes files of the repository alone.", by="ml_agent.tools.foreign_files")
def test_a_link_in_place_of_a_readme_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "home/user").mkdir(parents=True)
    (tmp_path / "home/user/.netrc").write_text("machine host login me password hunter2\n")
    root = tmp_path / "clones/it/tree"
    root.mkdir(parents=True)
    (root / "README.md").symlink_to(tmp_path / "home/user/.netrc")
    assert "hunter2" not in _missing(root, "password", "missing-file")


@pytest.mark.promise(READS, by="ml_agent.sandbox.diagnosis.refine")
@pytest.mark.parametrize("code", sorted(REFINERS))
def test_a_failure_is_looked_up_within_limits(code: str, tmp_path: Path) -> None:
    """Links to a pipe, a README of a gigabyte, a submodule whose folder is the whole disk."""
    root = tmp_path / "tree"
    root.mkdir()
    os.mkfifo(tmp_path / "pipe")
    (root / "weights.bin").symlink_to(tmp_path / "pipe")
    (root / "setup.cfg").symlink_to(tmp_path / "pipe")
    with (root / "README.md").open("wb") as file:
        file.truncate(2**30)
    (root / ".gitmodules").write_text('[submodule "x"]\n  path = /\n[submodule "y"]\n  path = ../..\n')
    assert within(2, lambda: _missing(root, "y", code))
