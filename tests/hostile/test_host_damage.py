"""A full or read-only disk, files damaged, cut or of another time: said in one line, and never a wrong answer."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ml_agent.errors import RunLockedError, UsageError
from ml_agent.files import locked, whole_lines, write_atomically
from ml_agent.runs import RunFolder, new_run
from ml_agent.sandbox.cleanup import reap
from ml_agent.sandbox.local_place import OWNER_FILE, make_place, places
from ml_agent.tools.atomic import unfinished_name
from tests.servers.git_folders import write_files

HELD_BY = "tools.atomic, ml_agent.files, ml_agent.runs: whole files, checked when read"
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
ANSWER = "python fit.py --lr 0.25"
ROW = {
    "github_id": 1, "github": "https://github.com/a/fitting", "path": ".", "instruction": "fit the model with lr 0.25",
    "type": "Bash Script", "output": ANSWER, "arguments": {"lr": "0.25"}, "oracle": "",
}  # fmt: skip
DEAD = 2**22 + 1
"""No process has a number above the kernel's greatest."""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def noise(path: Path) -> None:
    path.write_bytes(bytes((n * 7919) % 256 for n in range(max(path.stat().st_size, 100))))


def turned(path: Path) -> None:
    """One byte in the middle is another."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x41
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def unreadable(path: Path) -> None:
    """A link to itself: nobody can read it, not even root."""
    path.unlink()
    path.symlink_to(path.name)


def a_pipe(path: Path) -> None:
    """Nobody ever writes to it: whoever opens it to read waits for ever."""
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


HARMS: dict[str, Callable[[Path], None]] = {
    "cut": cut, "emptied": emptied, "noise": noise, "one byte": turned, "a folder": a_folder, "unreadable": unreadable,
    "a pipe": a_pipe, "endless": endless,
}  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repos/fitting"
    write_files(root, {"fit.py": SCRIPT, "README.md": README})
    return root


def ml_agent(*words: str, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "ml_agent", *words],
        capture_output=True, text=True, errors="replace", timeout=300, check=False, cwd=cwd, env={**os.environ, **more},
    )  # fmt: skip


def solve(repository: Path, out: Path) -> "subprocess.CompletedProcess[str]":
    words = [
        "solve",
        "fit the model with lr 0.25",
        "--repo",
        str(repository),
        "--run",
        "none",
        "--quiet",
        "--out",
        str(out),
    ]
    return ml_agent(*words, cwd=repository.parent.parent)


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_cache_changes_no_answer(harm: str, repository: Path, tmp_path: Path) -> None:
    """Every file of the cache at once: indexes, single files, ranks of tokens, the list of runs, what is known of endpoints."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/endpoints.json").write_text("{}")
    assert solve(repository, tmp_path / "one").returncode == 0
    for path in [one for one in (tmp_path / "cache").rglob("*") if one.is_file() and one.name != "run.key"]:
        HARMS[harm](path)
    done = solve(repository, tmp_path / "two")
    assert done.returncode == 0 and done.stdout.strip() == ANSWER, done.stderr
    assert "Traceback" not in done.stderr
    assert ml_agent("runs", "list", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize(
    "name", ["config.json", "run.json", "checkpoints.sqlite", "trajectory.jsonl", "../cache/run.key"]
)
def test_a_damaged_run_is_gone_on_with_rightly_or_not_at_all(
    harm: str, name: str, repository: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert solve(repository, out).returncode == 0
    if name in ("checkpoints.sqlite", "trajectory.jsonl"):
        (out / "run.json").unlink()
    HARMS[harm](out / name)
    done = ml_agent("resume", str(out), "--quiet", cwd=tmp_path)
    lines = done.stderr.strip().splitlines()
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    if done.returncode == 0:
        assert done.stdout.strip() == ANSWER
    else:
        assert done.returncode in (2, 3) and len(lines) == 1 and done.stdout == "", done.stderr


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_row_is_made_again(harm: str, repository: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({**ROW, "id": n}) + "\n" for n in range(1, 4)))
    words = [
        "bench",
        "predict",
        "--tasks",
        str(rows),
        "--repos",
        str(repository.parent),
        "--jobs",
        "1",
        "--out",
        "out.jsonl",
    ]
    assert ml_agent(*words, cwd=tmp_path).returncode == 0
    kept = tmp_path / "out.jsonl.rows/results.jsonl"
    assert len(kept.read_text().splitlines()) == 3
    HARMS[harm](kept)
    emptied(tmp_path / "out.jsonl")
    done = ml_agent(*words, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    whole = [(one["id"], one["output"]) for one in found]
    expected = [(n, [ANSWER + " "]) for n in range(1, 4)]
    shown = [(n, [text.strip() for text in texts]) for n, texts in whole]
    assert all(pair in [(n, [t.strip() for t in ts]) for n, ts in expected] for pair in shown)
    assert len(found) == 3 or done.returncode != 0, "a row that cannot be kept is said to be missing"


@pytest.mark.parametrize("seconds", [4102444800, 0], ids=["in the future", "of 1970"])
def test_times_of_files_decide_nothing(seconds: int, repository: Path, tmp_path: Path) -> None:
    assert solve(repository, tmp_path / "one").returncode == 0
    (tmp_path / "one/run.json").unlink()
    for path in [*tmp_path.rglob("*")]:
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    assert ml_agent("resume", str(tmp_path / "one"), "--quiet", cwd=tmp_path).stdout.strip() == ANSWER
    (repository / "fit.py").write_text(SCRIPT.replace("--lr", "--rate"))
    os.utime(repository / "fit.py", (seconds, seconds))
    assert "--rate 0.25" in solve(repository, tmp_path / "two").stdout
    assert ml_agent("runs", "list", cwd=tmp_path).returncode == 0 and ml_agent("clean", cwd=tmp_path).returncode == 0


def _in_small_disk(script: str, tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """Run a script where `$disk` is a file system in memory of a megabyte, in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    disk = tmp_path / "disk"
    disk.mkdir()
    root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    mount = f"disk={disk}; mount -t tmpfs -o size=1m none $disk || exit 99; ml_agent='{sys.executable} -m ml_agent'\n"
    done = subprocess.run(
        ["unshare", *root, "--mount", "bash", "-c", mount + script],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    if done.returncode == 99 or "unshare failed" in done.stderr:
        pytest.skip("no mount namespace here")
    return done


@pytest.mark.parametrize("free", [0, 8, 40, 120, 400])
def test_a_full_disk_is_said_and_gone_on_from(free: int, repository: Path, tmp_path: Path) -> None:
    """The run folder's disk has `free` kB left; then there is room again."""
    script = f"""
        dd if=/dev/zero of=$disk/filler bs=1k count={1024 - free - 8} 2>/dev/null; mkdir $disk/out 2>/dev/null
        $ml_agent solve "fit the model with lr 0.25" --repo {repository} --run none --quiet --out $disk/out > said 2> problem
        echo "$? $(wc -l < problem)" > code
        rm -f $disk/filler; find $disk -name '*.part' | wc -l > parts
        if [ -e $disk/out/config.json ]; then $ml_agent resume $disk/out --quiet
        else $ml_agent solve "fit the model with lr 0.25" --repo {repository} --run none --quiet --out $disk/out; fi
    """
    done = _in_small_disk(script, tmp_path)
    code, lines = map(int, (tmp_path / "code").read_text().split())
    problem = (tmp_path / "problem").read_text()
    assert code in (0, 3) and lines <= 1 and "Traceback" not in problem, problem
    assert (tmp_path / "said").read_text().strip() == (ANSWER if code == 0 else "")
    assert (tmp_path / "parts").read_text().strip() == "0"
    assert done.stdout.strip() == ANSWER, done.stderr


def test_a_read_only_folder_is_said(repository: Path, tmp_path: Path) -> None:
    script = f"""
        mkdir $disk/out; mount -o remount,ro $disk
        for words in "solve x --repo {repository} --run none --quiet --out $disk/out" \\
          "bench predict --tasks {tmp_path}/rows.jsonl --repos {repository.parent} --jobs 1 --out $disk/p.jsonl" \\
          "bench make {repository} --out $disk/m.jsonl"; do
          $ml_agent $words; echo "code $?" >&2
        done
    """
    (tmp_path / "rows.jsonl").write_text(json.dumps({**ROW, "id": 1}) + "\n")
    done = _in_small_disk(script, tmp_path)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 6 and done.stdout == "", done.stderr
    assert set(lines[1::2]) <= {"code 2", "code 3"} and all("Read-only" in line for line in lines[::2]), done.stderr


def test_two_processes_never_write_the_same_results(tmp_path: Path, repository: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({**ROW, "id": 1}) + "\n")
    tries: Mapping[str, tuple[Path, list[str]]] = {
        "bench predict": (tmp_path / "p.jsonl.rows/.lock", ["--tasks", str(rows), "--repos", str(repository.parent), "--out", "p.jsonl"]),
    }  # fmt: skip
    for command, (lock, words) in tries.items():
        lock.parent.mkdir(exist_ok=True)
        with locked(lock):
            done = ml_agent(*command.split(), *words, cwd=tmp_path)
        assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, (command, done.stderr)
        assert "another process" in done.stderr
    folder = RunFolder(tmp_path)
    with folder.locked(), pytest.raises(RunLockedError), folder.locked():
        pass


def test_of_many_starts_in_one_folder_one_has_it(tmp_path: Path) -> None:
    def start(number: int) -> int | None:
        try:
            new_run(tmp_path, tmp_path / "out", {"number": number})
        except UsageError:
            return None
        return number

    with ThreadPoolExecutor(16) as pool:
        for _ in range(20):
            won = [number for number in pool.map(start, range(16)) if number is not None]
            assert len(won) == 1 and RunFolder(tmp_path / "out").config()["number"] == won[0]
            shutil.rmtree(tmp_path / "out")


def test_what_killed_writers_left_is_removed_and_living_ones_keep_theirs(tmp_path: Path) -> None:
    living = unfinished_name(tmp_path / "a.json")
    living.write_text("half")
    dead = tmp_path / f".a.json.{DEAD}-0123abcd.part"
    dead.write_text("half")
    (tmp_path / ".a.json.mine").write_text("the user's")
    subprocess.run(
        [sys.executable, "-c", f"from pathlib import Path; from ml_agent.files import write_atomically as w; w(Path({str(tmp_path)!r}) / 'b', 'x')"],
        check=True,
    )  # fmt: skip
    assert living.exists() and not dead.exists() and (tmp_path / ".a.json.mine").exists()


def test_a_place_that_lost_its_owner_to_a_kill_is_removed(tmp_path: Path) -> None:
    mine = make_place("run", "sandbox")
    lost = places() / f"sandbox-{DEAD}-x"
    shutil.copytree(mine, lost)
    (lost / OWNER_FILE).unlink()
    foreign = places() / "somebody"
    foreign.mkdir()
    reap()
    assert mine.is_dir() and foreign.is_dir() and not lost.exists()


@pytest.mark.parametrize(
    ("text", "kept"), [("a\nb\n", "a\nb\n"), ("a\nb", "a\n"), ("b", ""), ("", ""), ("a\n" + "b" * 200_000, "a\n")]
)
def test_a_line_that_was_cut_takes_no_other_along(text: str, kept: str, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    write_atomically(path, text)
    whole_lines(path)
    assert path.read_text() == kept
