"""Long steps run once: what a later command begins with is kept, and nothing is where a new shell could not have it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.steps import KeptSteps, marked, steps_of
from ml_agent.sandbox.task import Source, Task

Make = Callable[..., Sandbox]
SLOW = """import os, pathlib, sys, time
print("slow step")
count = pathlib.Path("count.txt")
count.write_text(str(int(count.read_text()) + 1))
pathlib.Path("old.txt").unlink()
pathlib.Path("data").mkdir()
pathlib.Path("data/made.txt").write_text("made")
pathlib.Path.home().joinpath("cache").write_text("cached")
os.rename("was", "is")
pathlib.Path("plain").unlink()
pathlib.Path("plain").mkdir()
os.symlink("/etc/hostname", "data/out")
time.sleep(1.1)
"""
LAST = "import pathlib, sys\nprint(pathlib.Path('data/made.txt').read_text(), pathlib.Path.home().joinpath('cache').read_text())\nsys.exit(int(sys.argv[1]))\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("python a.py\npython b.py\n", 2),
        ("cd sub && export X=1 && python a.py --x $X && python b.py | tee log", 4),
        ("cat > h.py <<'EOF'\nimport x; (f((1)))\nEOF\npython h.py; python b.py", 3),
        ("python a.py # first\n\n# then\npython b.py || python c.py", 2),
        ("set -e\nmkdir -p out\nX=1 python a.py \\\n  --y 2\npython b.py", 4),
        ("python server.py &\npython b.py", 0),
        ("for x in 1 2; do python a.py; done\npython b.py", 0),
        ("source env.sh\npython b.py", 0),
        ("cd $(python where.py)\npython b.py", 0),
        ("python a.py\necho $?", 0),
        ("f() { python a.py; }\nf", 0),
        ("(cd x; python a.py)\npython b.py", 0),
        ("cd x || exit 1\npython b.py", 0),
        ("eval 'X=1'\npython b.py", 0),
        ("python 'a.py", 0),
    ],
)
def test_a_command_is_cut_where_a_step_leaves_files_only(text: str, number: int) -> None:
    assert len(steps_of(text)) == number


def test_what_sets_the_shell_up_is_done_again() -> None:
    steps = steps_of("cd sub && export X=1\npython a.py && python b.py")
    assert marked(steps, 3, 5) == "cd sub\nexport X=1\npython b.py"
    assert marked(steps, 2, 5) == "cd sub\nexport X=1\npython a.py && __ml_agent_step 3 5 && python b.py"


@pytest.fixture
def session(isolated_kind: str, make: Make, tmp_path: Path) -> Iterator[Session]:
    """A repository with a slow step, in a sandbox that keeps commands apart from the host."""
    root, kept = tmp_path / "repository", tmp_path / "kept"
    root.mkdir()
    kept.mkdir()
    files = {"slow.py": SLOW, "last.py": LAST, "count.txt": "0", "old.txt": "old"}
    (root / "was").mkdir()
    (root / "was/inside.txt").write_text("inside")
    files["plain"] = ""
    for name, content in files.items():
        (root / name).write_text(content)
    made = Session(make(isolated_kind, network="install"), Source(root=root, version="v1"))
    made.steps = KeptSteps(kept, seconds=1)
    yield made
    made.close()


def test_a_sandbox_without_a_boundary_keeps_nothing(make: Make, tmp_path: Path) -> None:
    """There `/workspace` and what a blank in the home's path cuts off would be the user's own."""
    sandbox = make("process")
    done = KeptSteps(tmp_path, seconds=0).run(sandbox, Command(text="true\necho two", timeout=60), None, None)
    assert done.stdout == "two\n" and not list(tmp_path.glob("*.tar"))
    assert not sandbox.run(Command(text='[ -e "$HOME/.ml-agent/clean" ]', timeout=60)).ok


def run(session: Session, text: str, **more: object) -> Response:
    return session.run(Task(text=text, timeout=60, **more))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_later_command_goes_on_behind_the_long_step_that_it_begins_with(session: Session) -> None:
    first = run(session, "set -euf\nexport A=1 IFS=,\npython slow.py\npython last.py 3")
    assert (first.exit_code, first.kept) == (3, "")
    second = run(
        session, "set -euf\nexport A=1 IFS=,\npython slow.py && python last.py 0\ntest -d plain && ls -a >again.txt"
    )
    assert second.ok
    assert second.kept.startswith("step 1 kept")
    assert second.stdout == "slow step\nmade cached\n"
    assert second.seen is not None
    assert second.seen.programs == ("slow.py", "last.py")
    assert second.seconds > 1.1
    assert session.sandbox.get("count.txt") == b"1"
    assert session.sandbox.get("data/made.txt") == b"made"
    assert session.sandbox.get("is/inside.txt") == b"inside"
    assert b".ml-agent" not in session.sandbox.get("again.txt")
    for gone in ("old.txt", "was/inside.txt", ".ml-agent-kept", "data/out"):
        with pytest.raises(FileNotFoundError):
            session.sandbox.get(gone)


@pytest.mark.slow
@pytest.mark.parametrize("isolated_kind", ["bubblewrap"])
def test_what_is_not_the_same_begins_clean(session: Session) -> None:
    run(session, "export A=1\npython slow.py\npython last.py 3")
    other = run(session, "export A=2\npython slow.py\npython last.py 0", environment={"B": "1"})
    assert other.ok
    assert other.kept == ""
    assert session.sandbox.get("count.txt") == b"1"
    last = run(session, "export A=2\npython slow.py\npython last.py 0")
    assert last.ok
    assert last.kept == ""
    session.laid = "other input files"
    assert run(session, "export A=2\npython slow.py\npython last.py 0").kept == ""
    assert run(session, "export A=2\npython slow.py\npython last.py 0").kept


LEFT = {
    "a file elsewhere": 'python -c \'import time; time.sleep(1.1); open("/tmp/elsewhere", "w")\'',
    "a process": "setsid sh -c 'sleep 30 >/dev/null 2>&1 & disown' \nset -f; sleep 1.1",
    "many files": 'python -c \'import time; time.sleep(1.1); [open(f"f{n}", "w") for n in range(20_001)]\'',
    "a large file": 'python -c \'import time; time.sleep(1.1); open("large", "wb").write(bytes(300_000_000))\'',
    "a folder that nobody may read": 'python -c \'import os; os.mkfifo(".ml-agent-kept"); os.mkdir("locked", 0)\'; sleep 1.1',
    "a failure": "ls nowhere; sleep 1.1",
}


@pytest.mark.slow
def test_what_cannot_be_kept_whole_is_made_again(session: Session) -> None:
    for what, leaves in LEFT.items():
        first = run(session, f"{leaves}\npython -c 'raise SystemExit(3)'")
        second = run(session, f"{leaves}\necho done")
        assert (first.exit_code, second.exit_code, second.kept, second.stdout) == (3, 0, "", "done\n"), what
