"""What a watched command is seen to do: programs of the repository, and how each ended, whatever the shell's last status."""

import base64
import gzip
import time
from collections.abc import Iterator

import pytest

from ml_agent.sandbox.contract import Command, Policy, Response
from ml_agent.sandbox.local import ProcessSandbox
from ml_agent.sandbox.witness import notes
from ml_agent.sandbox.witness.notes import NOT_ENDED, judge
from ml_agent.sandbox.witness.watch import MOST_BYTES, run_watched, unpack

SCORE = """
import argparse, sys, time, numbers_here
parser = argparse.ArgumentParser()
parser.add_argument("--top", type=int, default=1)
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--out", default="out.txt")
args = parser.parse_args()
time.sleep(args.sleep)
open(args.out, "w").write(str(args.top))
try:
    sys.exit(3)
except SystemExit:
    print("caught")
"""
FILES = {
    "score.py": SCORE,
    "numbers_here.py": "ONE = 1\n",
    "direct.py": "raise SystemExit(4)\n",
    "run.sh": "python score.py --wrong\necho done\n",
    "broken.sh": "exit 3\n",
    "whole.sh": "trap 'echo bye' EXIT\npython score.py\n",
    "kept.py": "import time\ntime.sleep(0.4)\nprint('kept')\nraise SystemExit(0)\n",
    "quits.py": "print('x')\nexit(5)\n",
    "package/__init__.py": "",
    "package/late.py": "import time\ntime.sleep(0.4)\nprint('late')\nraise SystemExit('no data')\n",
    "parent.py": "import subprocess, sys\nsubprocess.run([sys.executable, 'score.py', '--wrong'], capture_output=True)\n",
    "plain.sh": "python direct.py\necho done\n",
    "talks.sh": "while true; do echo y; done\n",
    "hangs_up.sh": "trap - EXIT; kill -PIPE $$\n",
    "talks.py": "import signal, sys\nif '--pipe' in sys.argv: raise BrokenPipeError(32, 'Broken pipe')\n"
    "if '--default' in sys.argv: signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
    "try:\n  for n in range(20000): print('yes', flush=True)\n"
    "except BrokenPipeError:\n  if '--wrong' in sys.argv: raise SystemExit(7)\n  raise\n",
    "loud.py": "import subprocess, sys\nsubprocess.run([sys.executable, 'score.py', '--out', 'no/out'])\n",
}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessSandbox]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    place = ProcessSandbox(Policy(), tmp_path_factory.mktemp("logs"))
    place.start()
    place.put(root, ".")
    yield place
    place.stop()


def run(sandbox: ProcessSandbox, text: str) -> Response:
    return run_watched(sandbox, Command(text=text))


SWALLOWED = {
    "python score.py --out no/out.txt || true": "score.py ended with FileNotFoundError: ",
    "python score.py --wrong; echo done": "score.py ended with exit status 2",
    "python score.py --wrong 2>&1 | tail -n 1": "score.py ended with exit status 2",
    "timeout 2 python score.py --sleep 60 | cat; true": "score.py ended with exit status 124",
    "(python score.py --wrong); python score.py": "score.py ended with exit status 2",
    "x=$(python score.py --wrong); echo $x": "score.py ended with exit status 2",
    "sh -c 'python score.py --wrong || true'": "score.py ended with exit status 2",
    "bash run.sh": "score.py ended with exit status 2",
    "bash broken.sh || true": "broken.sh ended with exit status 3",
    "python -c 'import numbers_here; numbers_here.two' || true": "-c ended with AttributeError: ",
    "python direct.py | cat": "direct.py ended with exit status 4",
    "python direct.py 2>&1 | tee log.txt | tail -n 1": "direct.py ended with exit status 4",
    "python quits.py | while read line; do echo $line; done": "quits.py ended with exit status 5",
    "python -m package.late 2>&1 | cat": "-m package.late ended with exit status 1",
    "python score.py --sleep 60 & sleep 2; kill $!; wait": "score.py ended with exit status 143",
    "trap 'echo bye' EXIT; python score.py --sleep 60 & sleep 0.5": f"score.py {NOT_ENDED}",
    "python score.py --out no/out.txt > log.txt 2>&1 &": "score.py ended with FileNotFoundError: ",
    "setsid python score.py --sleep 0.3 --out no/out.txt &": "score.py ended with FileNotFoundError: ",
    "nohup python direct.py > log.txt 2>&1 & wait": "direct.py ended with exit status 4",
    "set -e; for i in 1 2; do python direct.py & done; wait; echo done": "direct.py ended with exit status 4",
    "sh -c 'python direct.py; true'": "direct.py ended with exit status 4",
    "(python direct.py &); true": "direct.py ended with exit status 4",
    "setsid python direct.py &": "direct.py ended with exit status 4",
    "python talks.py --wrong | head -n 1": "talks.py ended with exit status 7",
    "sh -c 'python talks.py --pipe' | cat": "talks.py ended with BrokenPipeError: ",
    "bash hangs_up.sh || true": "hangs_up.sh ended with exit status 141",
    "python score.py --wrong || true; python score.py": "score.py ended with exit status 2",
    "python direct.py || python score.py": "direct.py ended with exit status 4",
    '[ "$(python direct.py)" = x ] || true': "direct.py ended with exit status 4",
    "x=$(timeout -s KILL 1 python score.py --sleep 60) || true": "score.py ended with exit status 137",
    "bash -lc 'python direct.py | cat'": "direct.py ended with exit status 4",
    "python loud.py": "score.py ended with FileNotFoundError: ",
}
WELL = (
    "python score.py",
    "test -d results || mkdir results && python score.py",
    "ls nowhere; python score.py",
    "python score.py | grep nothing || true",
    "python kept.py | grep nothing; python score.py",
    "for i in 1 2; do python kept.py | grep -q nothing; done; python score.py | cat",
    "python score.py --sleep 0.3 &",
    "nohup python score.py --sleep 0.3 > log.txt 2>&1 & echo $!",
    "mkfifo /tmp/pipe; (read -rt 0.3 <>/tmp/pipe; python score.py) &",
    "sleep 60 & python score.py",
    "python score.py & wait $!",
    "bash whole.sh",
    "python score.py & python kept.py & wait -n; wait",
    "python score.py --sleep 60 & sleep 0.4; python score.py; kill $!; wait",
    "python parent.py",
    "bash -lc 'python score.py' && sh -lc 'python score.py'",
    "python talks.py | head -n 1; python score.py",
    "python talks.py --default | head -n 1; python score.py",
    "bash talks.sh | head -n 1; python score.py",
    "python score.py --wrong || python score.py",
    "python  score.py --wrong 2>/dev/null ||\\\n python score.py --top 3 | cat",
    'if [ "$(python score.py)" = x ]; then echo same; fi',
    "[[ $(python score.py) == x ]] || echo other",
    "set -eux; python score.py; set +x",
)


@pytest.mark.parametrize("text", SWALLOWED)
def test_a_program_that_failed_is_seen_behind_a_good_status(sandbox: ProcessSandbox, text: str) -> None:
    response = run(sandbox, text)
    assert (response.ended, response.exit_code, response.ok) == ("exited", 0, False)
    assert response.failed[0].startswith(SWALLOWED[text])


@pytest.mark.parametrize("text", WELL)
def test_what_may_fail_and_what_did_not_is_no_failure(sandbox: ProcessSandbox, text: str) -> None:
    response = run(sandbox, text)
    assert response.ok and response.failed == ()
    assert (response.seen is not None and "score.py" in response.seen.programs) or "parent.py" in text


def test_what_may_be_a_server_is_waited_for_a_while_only(sandbox: ProcessSandbox) -> None:
    began = time.monotonic()
    response = run(sandbox, "python score.py --sleep 60 & sleep 0.4; python score.py")
    assert response.seen is not None and response.ok and response.seen.failed == () and time.monotonic() - began < 30


def test_what_is_left_in_the_background_is_waited_for_within_the_time(sandbox: ProcessSandbox) -> None:
    response = run(sandbox, "python kept.py &\nexit 3")
    assert (response.stdout, response.exit_code) == ("kept\n", 3)
    assert run(sandbox, "setsid -f python -m package.late; set -euf").stdout == "late\n"
    assert run_watched(sandbox, Command(text="python score.py --sleep 60 &", timeout=1.0)).ended == "timeout"


def test_the_watch_leaves_no_trace_in_what_is_printed_or_made(sandbox: ProcessSandbox) -> None:
    response = run(sandbox, "set -x; python score.py; false | true; echo ${PIPESTATUS[*]}; nosuchprogram")
    assert response.stdout == "caught\n1 0\n" and "ml_agent" not in response.stderr
    assert "bash: line 1: nosuchprogram" in response.stderr
    assert "ml-agent" not in sandbox.run(Command(text="ls -A")).stdout


def test_code_that_was_loaded_is_told_from_none(sandbox: ProcessSandbox) -> None:
    loaded = run(sandbox, "python -c 'import numbers_here'").seen
    assert loaded is not None and (loaded.programs, loaded.loaded) == (("-c",), ("numbers_here.py",))
    nothing = run(sandbox, "echo '[1, 2]' > best.json").seen
    assert nothing is not None and (nothing.programs, nothing.loaded) == ((), ())
    assert nothing.commands == ("echo '[1, 2]' > best.json",)


def test_notes_that_a_program_spoilt_say_nothing() -> None:
    assert judge("X\t1\t[]\nD\t1\n\tP\nP\t2\t{}\nE\t9\tx\nD\t1\ts\t1 x\tls\n", "/workspace", "").failed == ()


@pytest.mark.parametrize(
    "line",
    [
        "P\t1\t" + "[" * 100_000,
        'P\t1\t{"words": 3}',
        'X\t1\t{"files": 7, "status": [1]}',
        "E\t1\t" + "9" * 5_000,
        "E\t1\t\u00b2",
        "D\t1\ts\t\t\u0663\tls",
        "D\t\u0663\t1.1\t\t0 0\tls",
        "D\t2\t1.\u00b2/x.7\t\t0 0\tls",
        'P\t2\t{"folder": "/workspace", "words": ["python", "-c", ""], "step": "1.\u00b2/x"}',
    ],
)
def test_nonsense_in_the_notes_is_left_out(line: str) -> None:
    begun = 'P\t1\t{"folder": "/workspace", "words": ["python", "fit.py"]}'
    ended = 'X\t1\t{"status": 3}'
    assert judge(f"{begun}\n{line}\n{ended}\n", "/workspace", "").failed == ("fit.py ended with exit status 3",)


def test_a_command_that_a_shell_saw_fail_is_no_call(sandbox: ProcessSandbox) -> None:
    seen = run(sandbox, "timeout 0.001 python score.py; ls nowhere | cat; ls | head -n 1; exit 0").seen
    assert seen is not None and seen.programs == ()
    assert seen.commands == ("cat", "ls", "head -n 1", "exit 0")


def test_many_commands_are_judged_in_time() -> None:
    lines = [
        f'P\t{n}\t{{"step": "1.{n}", "folder": "/w", "words": ["python", "a.py"]}}\nD\t9\t1.{n}\t\t0 0\tx'
        for n in range(20_000)
    ]
    began = time.process_time()
    judge("\n".join(lines), "/w", "")
    assert time.process_time() - began < 5


def test_a_long_command_is_judged_in_time_and_cut() -> None:
    lines = ["S\t10\t\t/w\tx", "D\t10\t\t\t0\t" + "a" * 300_000]
    lines += [f"D\t{20 + n}\t10.1\t\t0\tb{n}" for n in range(100)]
    lines += [f"S\t{1000 + n}\t10.1\t/w\tx.sh" for n in range(40)]
    began = time.process_time()
    seen = judge("\n".join([*lines, "D\t10\t10.1\t\t0 0 0\tlast"]), "/w", "")
    assert time.process_time() - began < 2
    assert len(seen.commands[0]) == 2000


def test_notes_are_asked_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"S\t{n}\t9.{n}\t/w\tx{n}.sh\nD\t9\t{f'9.{n}' if n else ''}\t\t3 3\tx" for n in range(300)]
    assert len(judge("\n".join(lines), "/w", "").failed) == 299
    monkeypatch.setattr(notes, "_MOST_STEPS", 30)
    spent = judge("\n".join(lines), "/w", "")
    assert 1 < len(spent.failed) < 30 and "too complex" in spent.failed[-1]


def test_packed_notes_never_grow_without_limit() -> None:
    packed = base64.b64encode(gzip.compress(b"D" * 50 * MOST_BYTES)).decode()
    assert len(unpack(packed)) == MOST_BYTES
    assert unpack("AAAA") == unpack("no base64!") == unpack("") == ""
