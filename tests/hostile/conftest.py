"""Attacks, each with what we promise and what holds it; canaries stand where nothing hostile may reach.

Every test of this folder is `hostile`. A test names itself with `@pytest.mark.promise("what holds for users", by="what holds
it")`, or by its function's name and its module's HELD_BY; the summary prints one line a case. The fixture `canaries` puts a secret into environment, home and cache, and a file on the host.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.sandbox.conftest import isolated_kind, make, own_cache

__all__ = ["isolated_kind", "make", "own_cache"]
HERE = Path(__file__).parent
COLUMNS = ("case", "promise", "held by")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in this folder; note what each attack is about."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.hostile)
        if item.get_closest_marker("hostile"):
            item.user_properties.append(("promise", _promise(item)))


def _promise(item: pytest.Item) -> tuple[str, str]:
    """By the marker; else the test's name is the promise, and the module's HELD_BY, or what it tests, holds it."""
    mark = item.get_closest_marker("promise")
    if mark is not None:
        return mark.args[0], mark.kwargs["by"]
    name = getattr(item, "originalname", item.name).removeprefix("test_").replace("_", " ")
    return f"{name}.".capitalize(), getattr(getattr(item, "module", None), "HELD_BY", "sandbox")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line a case: held, NOT HELD or not tried; its promise; what holds it."""
    rows = []
    for outcome, word in (("passed", "held"), ("failed", "NOT HELD"), ("error", "NOT HELD"), ("skipped", "not tried")):
        for report in terminalreporter.stats.get(outcome, []):
            said = dict(getattr(report, "user_properties", [])).get("promise")
            if said:
                rows.append((word, report.nodeid.rpartition("/")[2], *said))
    if rows:
        terminalreporter.section("hostile")
        for word, case, promise, holder in sorted(rows, key=lambda row: row[1:]):
            terminalreporter.write_line(f"{word:9}  {case}\n           {promise}\n           held by {holder}")
        held = sum(row[0] == "held" for row in rows)
        terminalreporter.write_line(f"{held} of {len(rows)} cases held")


class Canaries(NamedTuple):
    """Secrets that must stay where they are."""

    secret: str
    home: Path
    file: Path
    """A file of the host outside every repository, sandbox and cache."""
    environment: Mapping[str, str]
    """For programs of ours, with the secret in every place where users keep one."""

    def leaked_into(self, *places: Path | str | bytes) -> list[str]:
        """Texts, files or folders that hold the secret."""
        return [str(place)[:200] for place in places if any(self.secret.encode() in part for part in _parts(place))]


def _parts(place: Path | str | bytes) -> Iterator[bytes]:
    if isinstance(place, bytes):
        yield place
    elif isinstance(place, str):
        yield place.encode("utf-8", "surrogateescape")
    elif place.is_dir():
        for path in place.rglob("*"):
            yield os.fsencode(path.name)
            if path.is_file() and not path.is_symlink():
                yield path.read_bytes()
    elif place.exists():
        yield place.read_bytes()


@pytest.fixture
def canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canaries]:
    """Secrets in environment, home and cache, and a file of the host that nothing changes; checked at the end."""
    secret = f"canary-{secrets.token_hex(12)}"
    home = tmp_path / "home"
    for name in (".netrc", ".ssh/id_rsa", ".pypirc", ".config/gh/hosts.yml", ".aws/credentials"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"{secret}\n")
    (tmp_path / "cache").mkdir(exist_ok=True)
    (tmp_path / "cache/canary").write_text(secret)
    file = tmp_path / "host-file"
    file.write_text("untouched\n")
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "ML_AGENT_TEST_SECRET"):
        monkeypatch.setenv(name, secret)
    monkeypatch.setenv("HOME", str(home))
    yield Canaries(secret, home, file, dict(os.environ))
    assert file.read_text() == "untouched\n", "a file of the host was changed"
    assert sorted(path.name for path in home.iterdir()) == [".aws", ".config", ".netrc", ".pypirc", ".ssh"], (
        "home was changed"
    )


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Path]:
    """A program that leaves a trace when it is run; it must not be."""
    sprung = tmp_path / "sprung"
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\n/usr/bin/env > {sprung}\ncat\n")
    program.chmod(0o755)
    yield program
    assert not sprung.exists(), f"a program that a repository names was run:\n{sprung.read_text()[:300]}"


def ml_agent(
    *arguments: str, environment: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 300
) -> "subprocess.CompletedProcess[str]":
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ml_agent", *arguments],
        capture_output=True, text=True, errors="replace", timeout=timeout, check=False, env=environment, cwd=cwd,
    )  # fmt: skip
