"""Running a script's parser for real, with stubs for what is not installed."""

import shutil
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.stubrun.host import StubReport, StubRequest, isolation, run_stubbed
from tests.processor_time import WAIT

Run = Callable[..., StubReport]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Write main.py (and more files), run it."""

    def start(text: str, *words: str, mode: Any = "describe", **more: Any) -> StubReport:
        files = {"main.py": text, **more.pop("files", {})}
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(textwrap.dedent(content))
        return run_stubbed(StubRequest(root=str(tmp_path), script="main.py", words=words, mode=mode, **more))

    return start


SCRIPT = """
    import argparse
    import torch.nn as nn
    from torch.utils.data import DataLoader, Dataset
    import numpy as np
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 2)
    @torch.no_grad() if False else (lambda f: f)
    def main():
        parser = argparse.ArgumentParser(description="Hi.")
        parser.add_argument("--lr", type=float, default=0.1, help="rate")
        parser.add_argument("--mode", choices=["a", "b"], required=True)
        parser.add_argument("--cuda", action="store_true")
        parser.add_argument("--seed", default=np.random.randint(3))
        args = parser.parse_args()
        a, b = np.split(1)
        if args.mode == "b":
            raise KeyError(args.mode)
    if __name__ == "__main__":
        main()
"""


def test_describe(run: Run) -> None:
    report = run(SCRIPT)
    assert report.status == "described" and report.asked
    (parser,) = report.parsers
    options = {o["dest"]: o for o in parser["options"]}
    assert parser["strict"] and parser["description"] == "Hi."
    assert (options["lr"]["type"], options["lr"]["default"]) == ("float", "0.1")
    assert options["mode"]["choices"] == ["a", "b"] and options["mode"]["required"]
    assert options["cuda"]["nargs"] == "0" and options["seed"]["default_known"] is False
    assert report.stubbed["torch"] == "not installed"


def test_parse_gives_the_namespace_or_the_parsers_own_words(run: Run) -> None:
    good = run(SCRIPT, "--mode", "a", "--lr=2", mode="parse")
    assert good.status == "parsed" and good.namespace is not None
    assert (good.namespace["lr"], good.namespace["mode"]) == (2.0, "a")
    bad = run(SCRIPT, "--mode", "c", mode="parse")
    assert bad.status == "rejected" and "invalid choice: 'c'" in bad.message
    assert run(SCRIPT, "--help", mode="parse").status == "help"


def test_run_goes_on_after_parsing(run: Run) -> None:
    assert run(SCRIPT, "--mode", "a", mode="run").status == "exited"
    report = run(SCRIPT, "--mode", "b", mode="run")
    assert report.status == "error" and report.exception is not None
    assert (report.exception["type"], report.exception["file"]) == ("KeyError", "main.py")


def test_functions_of_a_module(run: Run) -> None:
    report = run("""
        import argparse
        def get(default):
            p = argparse.ArgumentParser()
            p.add_argument("--x")
            return p
        class Options:
            def __init__(self, name):
                self.p = argparse.ArgumentParser()
            def fill(self):
                self.p.add_argument("--y")
    """, mode="functions")  # fmt: skip
    assert {o["dest"] for p in report.parsers for o in p["options"]} == {"x", "y"}


def test_absl(run: Run) -> None:
    text = """
        import tensorflow as tf
        flags = tf.flags
        flags.DEFINE_string("name", None, "Name.")
        flags.DEFINE_bool("train", False, "Train.")
        flags.mark_flag_as_required("name")
        def main(_):
            pass
        if __name__ == "__main__":
            tf.app.run(main)
    """
    described = run(text).parsers[0]
    assert described["framework"] == "absl" and [o["required"] for o in described["options"]] == [True, False]
    assert run(text, "--name=x", "--other=1", mode="parse").unknown == ("--other=1",)
    assert "must have a value" in run(text, "--train", mode="parse").message
    strict = """
        from absl import app, flags
        flags.DEFINE_string("name", None, "Name.")
        app.run(lambda _: None)
    """
    assert run(strict, "--name=x", "--o=1", mode="parse").message == "Unknown command line flag 'o'"
    assert run(strict, "word", "--name=x", mode="parse").unknown == ("word", "--name=x")


def test_a_parser_handed_to_a_stub(run: Run) -> None:
    text = """
        import argparse, library
        parser = argparse.ArgumentParser()
        library.register(parser)
        parser.parse_args()
    """
    assert run(text).parsers[0]["handed"] == ["library.register"]
    assert run(text, "--theirs", "1", mode="parse").status == "parsed"


def test_own_modules_are_real_and_broken_ones_become_stubs(run: Run) -> None:
    files = {"good.py": "NAMES = ['a']\n", "bad.py": "raise OSError('no')\n", "tools/__init__.py": "X = ['b']\n"}
    report = run("""
        import argparse, good, bad, tools
        parser = argparse.ArgumentParser()
        parser.add_argument("--x", choices=good.NAMES + tools.X, default=bad.thing)
        parser.parse_args()
    """, files=files)  # fmt: skip
    (option,) = report.parsers[0]["options"]
    assert option["choices"] == ["a", "b"] and not option["default_known"]
    assert report.stubbed["bad"] == "OSError: no"


def test_modules(run: Run, tmp_path: Path) -> None:
    run(
        "",
        files={
            "pkg/__init__.py": "",
            "pkg/go.py": "from . import other\nimport argparse\nargparse.ArgumentParser().parse_args()\n",
            "pkg/other.py": "",
        },
    )
    report = run_stubbed(StubRequest(root=str(tmp_path), script="pkg/go.py", module="pkg.go"))
    assert report.status == "described"


def test_nothing_is_changed(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "keep.txt"
    outside.write_text("keep")
    report = run(f"""
        import os, shutil, subprocess, socket, argparse, pathlib
        os.makedirs("made", exist_ok=True)
        open("new.txt", "w").write("x")
        os.remove({str(outside)!r})
        shutil.rmtree({str(tmp_path)!r})
        for attempt in (
            lambda: subprocess.run(["touch", "ran"]),
            lambda: pathlib.Path("direct.txt").write_text("x"),
            lambda: os.open("low.txt", os.O_CREAT | os.O_WRONLY),
            lambda: socket.create_connection(("127.0.0.1", 9)),
            lambda: os.fork(),
        ):
            try:
                attempt()
            except Exception:
                pass
        argparse.ArgumentParser().parse_args()
    """)
    assert report.status == "described"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["keep.txt", "main.py"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("while True: pass", "timeout"),
        ("x = 1", "exited"),
        ("import sys; sys.exit('no')", "exited"),
        ("1 / 0", "error"),
        ("def (", "error"),
        ("import os; os._exit(3)", "lost"),
        ("x = 'a' * (1 << 33)", "error"),
        ("import time; time.sleep(1000)", "exited"),
        ("print(input())", "error"),
    ],
)
def test_every_end_has_a_name(run: Run, text: str, status: str) -> None:
    assert run(text, timeout=2.0 if status == "timeout" else WAIT).status == status


def test_our_own_packages_are_out_of_reach(run: Run) -> None:
    report = run(
        "import msgspec, os\nassert not hasattr(msgspec, '__all__'), 1\nassert 'PYTHONPATH' not in os.environ\nraise SystemExit(repr(msgspec))"
    )
    assert "stub" in report.message or report.stubbed["msgspec"] == "not installed"


@pytest.fixture(params=["bwrap", "unshare"])
def walls(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Each way of shutting a script in, as if the machine had no other."""
    bin_folder = tmp_path.parent / f"{tmp_path.name}-bin"
    bin_folder.mkdir()
    for name in (request.param, "sh", "true", "mount"):
        if program := shutil.which(name):
            (bin_folder / name).symlink_to(program)
    monkeypatch.setenv("PATH", str(bin_folder))
    isolation.cache_clear()
    if isolation()[:1] != (str(bin_folder / request.param),):
        isolation.cache_clear()
        pytest.skip(f"{request.param} does not work here")
    yield request.param
    isolation.cache_clear()


def test_sockets_and_homes_of_the_host_are_out_of_reach(walls: str, run: Run, tmp_path: Path) -> None:
    neighbour = tmp_path.parent / f"{tmp_path.name}-secret"
    neighbour.write_text("secret")
    places = [f"/var/run/{name}" for name in ("docker.sock", "podman", "containerd")]
    report = run(f"""
        import os
        seen = [name for folder in ("/run", "/var/run") if os.path.isdir(folder) for name in os.listdir(folder)]
        seen += [place for place in {places!r} if os.path.exists(place)]
        files = os.path.exists({str(Path.home() / ".cache")!r}) or os.path.exists({str(neighbour)!r})
        lines = open("/proc/net/dev").read().splitlines()[2:]
        seen += [line.split(":")[0] for line in lines if not line.strip().startswith("lo:")]
        raise SystemExit(f"seen {{seen}} {{files}}")
    """)
    assert (report.status, report.message) == ("exited", f"seen [] {walls == 'unshare'}")


def test_words_that_are_too_long_for_a_program_leave_no_pipe_open(run: Run) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="too long"):
        run("", "x" * 3_000_000)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
