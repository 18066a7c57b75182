"""What one draft made is not there for the next, which is judged by what it makes itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.delivery.expectation import CreatedFile, Expectation
from ml_agent.delivery.judge import RunOutputs, judge
from ml_agent.leftovers import Leftovers
from ml_agent.outputs import made_since
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.sandbox.local import ProcessSandbox


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository/data").mkdir(parents=True)
    (tmp_path / "repository/data/a.txt").write_text("as it was\n")
    return tmp_path / "repository"


@pytest.fixture
def sandbox(root: Path, tmp_path: Path) -> Iterator[ProcessSandbox]:
    place = ProcessSandbox(Policy(), tmp_path / "logs")
    place.start()
    place.put(root, ".")
    yield place
    place.stop()


def run(sandbox: ProcessSandbox, left: Leftovers, text: str) -> None:
    began = left.begin()
    sandbox.run(Command(text=text))
    left.note(made_since(sandbox, began))


def there(sandbox: ProcessSandbox) -> set[str]:
    return set(sandbox.run(Command(text="find . -mindepth 1 -printf '%P\\n'")).stdout.split())


def test_the_next_draft_begins_with_the_repository_and_what_was_set_up(sandbox: ProcessSandbox, root: Path) -> None:
    left = Leftovers(sandbox)
    left.clear("one", root)
    run(sandbox, left, "mkdir out; echo 1 >out/best.json; echo changed >data/a.txt; echo x >'a b.txt'")
    left.clear("one", root)
    assert "out/best.json" in there(sandbox), "a draft that is run again after a repair finds what it loaded"
    sandbox.run(Command(text="mkdir results"))  # a repair
    run(sandbox, left, "echo 2 >second.txt")
    left.clear("two", root)
    assert there(sandbox) == {"data", "data/a.txt", "results"}
    assert sandbox.get("data/a.txt") == b"as it was\n"
    run(sandbox, left, "echo 3 >third.txt")
    left.clear("two", root)
    assert "third.txt" in there(sandbox)


def test_what_an_earlier_run_left_was_not_there_before() -> None:
    wanted = (Expectation(kind="json", path="best.json"), Expectation(kind="json", path="old.json"))
    scene = RunOutputs(
        made=(CreatedFile(path="other.txt", size=1),),
        read=lambda _path, _most: b"{}",
        known=lambda path: path == "old.json",
    )
    assert [one.said for one in judge(wanted, scene)] == [
        "best.json was not written",
        "old.json was there before and was not written",
    ]


@pytest.mark.parametrize("link", ["secrets", "secrets/inner"])
def test_nothing_behind_a_link_of_the_repository_comes_into_the_sandbox(
    link: str, sandbox: ProcessSandbox, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    for place in (outside / "key.txt", outside / "inner/key.txt"):
        place.write_text("canary")
    (root / "secrets").symlink_to(outside)
    left = Leftovers(sandbox)
    left.clear("one", root)
    run(sandbox, left, f"mkdir -p {link}; echo mine >{link}/key.txt")
    left.clear("two", root)
    assert "canary" not in sandbox.run(Command(text="grep -r . . || :")).stdout
