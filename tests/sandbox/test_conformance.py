"""What every sandbox must do alike."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.sandbox import supervise
from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.errors import InterruptedRunError, SandboxLostError

Make = Callable[..., Sandbox]


def test_exit_code_and_streams(shared: Sandbox) -> None:
    response = shared.run(Command(text="echo out; echo err >&2; exit 3", timeout=100))
    assert (response.ended, response.exit_code, response.signal, response.ok) == ("exited", 3, None, False)
    assert (response.stdout, response.stderr) == ("out\n", "err\n")
    assert not response.started
    assert response.seconds < 100


def test_folder_and_environment(shared: Sandbox) -> None:
    shared.run(Command(text="mkdir -p 'a b/c'", timeout=100))
    response = shared.run(
        Command(text='basename "$PWD"; echo "$X"', folder="a b/c", environment={"X": "1 'q' $Y"}, timeout=100)
    )
    assert response.stdout.splitlines() == ["c", "1 'q' $Y"]
    with pytest.raises(ValueError):
        shared.run(Command(text="true", folder="../.."))


def test_nothing_of_the_host_environment(shared: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "SOMETHING_OF_MINE", "PIP_INDEX_URL"):
        monkeypatch.setenv(name, "secret-of-the-host")
    response = shared.run(Command(text="env; cat /proc/self/environ", timeout=100))
    assert "secret-of-the-host" not in response.stdout
    assert "HOME=" in response.stdout


def test_home_is_inside_and_python_is_its_own(shared: Sandbox) -> None:
    response = shared.run(
        Command(
            text='touch ~/x && python -c "import sys; print(sys.prefix != sys.base_prefix, sys.executable)"',
            timeout=100,
        )
    )
    assert response.stdout.startswith("True ") and response.ok
    assert str(Path(__file__).parents[2]) not in response.stdout


def test_input_is_empty(shared: Sandbox) -> None:
    assert shared.run(Command(text="wc -c", timeout=100)).stdout.strip() == "0"


def test_timeout_ends_everything(shared: Sandbox) -> None:
    began = time.monotonic()
    response = shared.run(Command(text="sleep 987 & sleep 987", timeout=0.5))
    assert (response.ended, response.exit_code) == ("timeout", None)
    assert time.monotonic() - began < 100
    assert not response.started
    assert (
        "sleep"
        not in shared.run(
            Command(text="cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 98[7]' || echo none", timeout=100)
        ).stdout
    )


def test_a_signal_is_told(shared: Sandbox) -> None:
    response = shared.run(Command(text="kill -SEGV $$", timeout=100))
    assert (response.ended, response.exit_code, response.signal) == ("signalled", None, 11)


def test_long_output_is_cut_and_whole_on_disk(shared: Sandbox) -> None:
    response = shared.run(Command(text="seq 1 20000; echo END", timeout=100))
    assert response.stdout.startswith("1\n2\n") and response.stdout.endswith("20000\nEND\n")
    assert "cut" in response.stdout and len(response.stdout) < 5000
    assert Path(response.log).read_text().splitlines()[:20000] == [str(n) for n in range(1, 20001)]


def test_nothing_of_quick_commands_is_lost(shared: Sandbox) -> None:
    for number in range(12):
        response = shared.run(Command(text=f"echo {number}; echo e{number} >&2", timeout=100))
        assert (response.stdout, response.stderr) == (f"{number}\n", f"e{number}\n")
    assert shared.run(Command(text="printf 1 > quick", timeout=100)).ok
    assert [shared.get("quick") for _ in range(8)] == [b"1"] * 8


def test_overwritten_progress_is_collapsed(shared: Sandbox) -> None:
    text = r"printf 'epoch 1 loss 0.9\repoch 1 loss 0.5\repoch 1 loss 0.1\n'; printf '\033[31mred\033[0m\n'"
    response = shared.run(Command(text=text, timeout=100))
    assert response.stdout == "epoch 1 loss 0.1\nred\n"
    assert response.progress[-1] == "epoch 1 loss 0.1"


def test_error_lines_are_found(shared: Sandbox) -> None:
    text = "echo fine; python -c 'import no_such_module'; seq 1 5000; exit 1"
    response = shared.run(Command(text=text, timeout=100))
    assert response.error_lines[0].startswith("Traceback")
    assert response.error_lines[-1] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_output_is_passed_on_while_it_runs(shared: Sandbox) -> None:
    seen: list[tuple[float, str]] = []
    shared.run(
        Command(text="echo one; sleep 0.6; echo two", timeout=100), lambda text: seen.append((time.monotonic(), text))
    )
    assert "".join(text for _, text in seen) == "one\ntwo\n"
    assert seen[-1][0] - seen[0][0] > 0.3


def test_bytes_that_are_no_text(shared: Sandbox) -> None:
    response = shared.run(Command(text=r"printf '\xff\xfe ok\n'", timeout=100))
    assert response.stdout.endswith(" ok\n")


def test_put_and_get(shared: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub/ü.bin").write_bytes(bytes(range(256)))
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o755)
    (source / "inside").symlink_to("sub/ü.bin")
    (source / "outside").symlink_to("/etc/passwd")
    (source / "above").symlink_to("../..")
    shared.put(source, "put")
    assert shared.get("put/sub/ü.bin") == bytes(range(256))
    assert shared.get("put/inside") == bytes(range(256))
    assert shared.run(Command(text="./run.sh; ls", folder="put", timeout=100)).stdout.split() == [
        "ran",
        "inside",
        "run.sh",
        "sub",
    ]
    shared.run(Command(text="echo new > put/sub/made && rm put/run.sh", timeout=100))
    assert shared.get("put/sub/made") == b"new\n"


def test_put_one_file(shared: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print('a')")
    shared.put(tmp_path / "a.py", "deep/er/b.py")
    assert shared.run(Command(text="python deep/er/b.py", timeout=100)).stdout == "a\n"


@pytest.mark.parametrize("path", ["missing", ".", "link", "../../etc/passwd", "/etc/passwd"])
def test_get_stays_inside(shared: Sandbox, path: str) -> None:
    shared.run(Command(text="ln -sf /etc/hostname link", timeout=100))
    with pytest.raises((FileNotFoundError, ValueError)):
        shared.get(path)


def test_a_repository_may_have_our_names(shared: Sandbox, tmp_path: Path) -> None:
    for package in ("tools", "sandbox", "ml_agent"):
        (tmp_path / "repository" / package).mkdir(parents=True)
        (tmp_path / "repository" / package / "__init__.py").write_text("OWN = True\n")
    shared.put(tmp_path / "repository", "names")
    text = "python -c 'import tools, sandbox, ml_agent; print(tools.OWN, sandbox.OWN, ml_agent.OWN)'"
    assert shared.run(Command(text=text, folder="names", timeout=100)).stdout == "True True True\n"


def interrupted_once(word: str, *moments: float) -> Callable[[str], None]:
    """Listens to a command; Ctrl-C is pressed so many seconds after it has said the word, or soon."""
    said: list[str] = []

    def hear(text: str) -> None:
        known = word in "".join(said)
        said.append(text)
        if not known and word in "".join(said):
            for moment in moments or (0.1,):
                threading.Timer(moment, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    return hear


def interrupted(sandbox: Sandbox, command: Command, hear: OnOutput) -> Response:
    """What a command said until the Ctrl-C that `hear` sends."""
    with pytest.raises(InterruptedRunError) as raised:
        sandbox.run(command, hear)
    return raised.value.response


@pytest.mark.usefixtures("ctrl_c")
def test_interrupt_is_asked_for_first(shared: Sandbox) -> None:
    text = "python -c \"\nimport time\ntry:\n    print('up', flush=True); time.sleep(600)\nexcept KeyboardInterrupt:\n    print('saved')\n\""
    began = time.monotonic()
    response = interrupted(shared, Command(text=text, timeout=180), interrupted_once("up"))
    assert response.ended == "interrupted"
    assert "saved" in response.stdout
    assert time.monotonic() - began < 100


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_program_that_does_not_stop_is_killed_and_its_log_kept(
    shared: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "INTERRUPT_GRACE", 0.7)
    text = "trap '' INT TERM; echo before; for n in $(seq 2000); do echo line $n; sleep 0.1; done"
    began = time.monotonic()
    response = interrupted(shared, Command(text=text, timeout=180), interrupted_once("line 1"))
    assert response.ended == "interrupted" and response.exit_code is None
    assert 0.7 < time.monotonic() - began < 100
    log = Path(response.log).read_text()
    assert log.startswith("before\nline 1\n") and log == response.stdout
    seen = shared.run(
        Command(text="cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'seq 200[0]' || true", timeout=100)
    )
    assert seen.stdout.strip() == "0"


@pytest.mark.usefixtures("ctrl_c")
def test_a_second_interrupt_kills_at_once(shared: Sandbox) -> None:
    text = "trap '' INT TERM; echo before; sleep 331.7 & wait; sleep 331.7"
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        shared.run(Command(text=text, timeout=180), interrupted_once("before", 0.1, 0.4))
    assert time.monotonic() - began < 60
    seen = shared.run(
        Command(text="cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 331[.]7' || true", timeout=100)
    )
    assert seen.stdout.strip() == "0"


def test_after_all_that_it_still_runs(shared: Sandbox) -> None:
    assert shared.run(Command(text="echo alive", timeout=100)).stdout == "alive\n"


def test_begin_clean_and_stop(kind: str, make: Make) -> None:
    sandbox = make(kind)
    for _ in range(2):
        sandbox.run(Command(text="echo one > a; echo x > ~/b; echo y > ${TMPDIR:-/tmp}/c; mkdir -p d/e; chmod 0 d"))
        sandbox.begin_clean()
        left = sandbox.run(Command(text="ls -A; ls ~/b ${TMPDIR:-/tmp}/c 2>/dev/null; touch new; python -c 'print(1)'"))
        assert left.stdout == "1\n", left
    sandbox.stop()
    sandbox.stop()
    with pytest.raises(SandboxLostError):
        sandbox.run(Command(text="true"))
    sandbox.start()
    assert sandbox.run(Command(text="ls")).stdout == ""
