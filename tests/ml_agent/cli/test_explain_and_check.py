"""`explain` and `check` on the command line."""

import io
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from ml_agent.cli import run

TRAIN = """
import argparse
p = argparse.ArgumentParser(description="Train [/data] a \x1b]0;x\x07 net.")
p.add_argument("--lr", type=float, help="rate [bold] %(default)s | more")
p.add_argument("--very-long-name-of-an-option-that-no-terminal-shows-whole-0123456789-0123456789", required=True)
p.parse_args()
"""
OPEN = """
import argparse
from library import add_options
p = argparse.ArgumentParser()
add_options(p)
p.parse_args()
"""
FILES: Mapping[str, str] = {
    "README.md": "# Net\n```\npython late.py --x 1\n```\n",
    "a_train.py": TRAIN,
    "late.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', type=int)\np.parse_args()\n",
    "open.py": OPEN,
    "hello.py": "print(1)\n",
    "tests/test_x.py": TRAIN,
    "setup.py": "from setuptools import setup\nsetup(name='net')\n",
    "Makefile": "all:\n\tpython late.py\n",
    "conf/base.yaml": "lr: 0.1\nModel_Dim: 3\n",
    "hydra_train.py": "import hydra\n@hydra.main(config_path='conf', config_name='base')\ndef f(c): pass\nf()\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with one of everything."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call."""
    code = run(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def names(text: str) -> list[str]:
    """The first column."""
    return [line.split("\t")[0] for line in text.splitlines()[1:]]


def test_a_repository_without_options_says_how_it_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("# Net\n```python\nfrom net import Net\nNet()\n```\n")
    (tmp_path / "net").mkdir()
    (tmp_path / "net/__init__.py").write_text("class Net: ...\nclass Layer: ...\n")
    code, shown, said = out(capsys, "explain", str(tmp_path))
    assert (code, shown) == (0, "")
    assert "README.md:" in said and "2 classes" in said


def test_a_script_is_found_in_its_repository_by_its_path(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", repository], check=True)
    (repository / "more").mkdir()
    (repository / "more/run.py").write_text(TRAIN)
    monkeypatch.chdir(repository / "more")
    code, text, _ = out(capsys, "explain", "run.py")
    assert code == 0 and text.startswith("# more/run.py")
    assert out(capsys, "explain", "../late.py")[1].startswith("# late.py")


@pytest.mark.parametrize(
    "text", ["Usage::\n\n    net-train --x 1\n", "Train it like this:\n\npython net/cli.py --x 1\n"]
)
def test_calls_that_are_not_marked_as_shell_are_examples(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.rst").write_text(f"Net\n===\n\n{text}")
    (tmp_path / "setup.cfg").write_text("[options.entry_points]\nconsole_scripts =\n    net-train = net.cli:main\n")
    (tmp_path / "net").mkdir()
    script = "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--x')\n    p.parse_args()\nif __name__ == '__main__':\n    main()\n"
    (tmp_path / "net/cli.py").write_text(script)
    _, shown, _ = out(capsys, "explain", str(tmp_path))
    assert [row.split("\t")[2] for row in shown.splitlines()[1:]] == ["1", "1"], shown


def test_what_people_run_comes_first(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, more = out(capsys, "explain", str(repository))
    assert (code, names(text)) == (0, ["late.py", "a_train.py", "hydra_train.py", "open.py"])
    assert "4 more with --all" in more
    _, text, _ = out(capsys, "explain", str(repository), "--all")
    assert {"tests/test_x.py", "all", "setup.py", "hello.py"} <= set(names(text))


def test_a_filter(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert names(out(capsys, "explain", str(repository), "--filter", "NET")[1]) == ["a_train.py"]


def test_nothing_is_cut_and_nothing_is_obeyed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ((str(repository),), (f"{repository}:a_train.py",)):
        code, text, _ = out(capsys, "explain", *arguments)
        assert code == 0 and "train.py" in text and "\x1b" not in text and "\x07" not in text
    assert "[/data]" in out(capsys, "explain", str(repository))[1]
    assert "0123456789-0123456789" in out(capsys, "explain", f"{repository}:a_train.py")[1]
    assert "[bold]" in out(capsys, "explain", f"{repository}:a_train.py")[1]


DEFINES = "def main(lr=1):\n    print(lr)\n"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("from library import train\ntrain()\n", "library.train may read them"),
        (
            "import library as l\nfrom library import log\nlog()\np = l.make()\np.parse_args_into(l.Net)\n",
            "p.parse_args_into at odd.py:5",
        ),
        ("import microcli\nmicrocli.CLI().go()\n", "microcli.CLI is not known here"),
        (
            f"import reads\n{DEFINES}if __name__ == '__main__':\n    reads.call(main)\n",
            "reads.call may read them",
        ),
        (f"import reads as r\n{DEFINES}r.cli.run(main, version='1')\n", "reads.cli.run may read them"),
        (f"import reads\napp = reads.App()\n@app.main\n{DEFINES}app()\n", "reads.App may read them"),
        (f"import reads\n{DEFINES}reads.spawn(main, args=(1, 2))\n", ""),
        (f"import reads\n{DEFINES}reads.spawn(main, 1)\n", ""),
        (f"import reads\n{DEFINES}def other():\n    reads.trace(main)\nmain(reads.zeros(1))\n", ""),
        (f"import threading\n{DEFINES}threading.Timer(main)\n", ""),
        ("print(1)\n", ""),
    ],
)
def test_an_empty_table_says_why_there_may_be_options(
    script: str, says: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "odd.py").write_text(script)
    _, table, aside = out(capsys, "explain", f"{repository}:odd.py")
    assert ("odd.py takes no options" in aside) == (not says)
    assert ("more options, not listed here" in table) == bool(says) and says in table


@pytest.mark.parametrize(
    ("command", "code", "strict", "said"),
    [
        ("python late.py --x 1", 0, 0, "ok"),
        ("python late.py --y 1", 1, 1, "error: late.py:0: late.py has no option --y"),
        ("python open.py --y 1", 0, 1, "library.add_options adds options"),
        ("python late.py --x 1 # --y 2", 0, 1, "ok, with 1 warning"),
        ('python late.py --x "1', 1, 1, "error: bash cannot read this"),
    ],
)
def test_exit_codes(
    repository: Path, capsys: pytest.CaptureFixture[str], command: str, code: int, strict: int, said: str
) -> None:
    found = out(capsys, "check", command, "--repo", str(repository))
    assert found[0] == code and said.partition(":0")[0] in found[1]
    assert (found[1].splitlines()[-1][:2] == "ok") == (code == 0)
    assert out(capsys, "check", command, "--repo", str(repository), "--strict")[0] == strict


def test_strict_says_what_it_does_not_accept(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = out(capsys, "check", "python late.py --x 1 # --y 2", "--repo", str(repository), "--strict")
    assert code == 1 and "--strict" in text.splitlines()[-1] and "1 warning" in text.splitlines()[-1]


def test_a_module_that_hands_its_words_on_is_told_with_the_place_of_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "cut.py").write_text(
        "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--size')\n    p.parse_args()\n"
    )
    (tmp_path / "tool" / "__init__.py").touch()
    (tmp_path / "tool" / "__main__.py").write_text("from .cut import main\nmain()\n")
    assert "tool/cut.py:4: " in out(capsys, "check", "python -m tool --sizes 1", "--repo", str(tmp_path))[1]


def test_what_switches_change_and_what_excludes_each_other_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cut.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('names', nargs='*', default=[])\n"
        "g = p.add_mutually_exclusive_group()\ng.add_argument('--no-split', action='store_false', dest='split')\n"
        "g.add_argument('-s', '--size')\np.parse_args()\n"
    )
    rows = [row.split("\t") for row in out(capsys, "explain", f"{tmp_path}:cut.py")[1].splitlines()]
    by_name = {row[0]: row for row in rows}
    assert by_name["names"][2] == "[]" and by_name["--no-split"][2] == "split=True"
    assert "--size" in by_name["--no-split"][4] and "--no-split" in by_name["-s --size"][4]


def test_files_and_standard_input(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "all.sh"
    script.write_text("python late.py --x 1\n\npython late.py \\\n  --z 2\n")
    code, text, _ = out(capsys, "check", str(script), "--repo", str(repository))
    assert code == 1 and text.startswith("your line 3: error")
    monkeypatch.setattr("sys.stdin", io.StringIO("python late.py --x 1\npython late.py --x many\n"))
    code, text, _ = out(capsys, "check", "-", "--repo", str(repository))
    assert code == 1 and text.startswith("your line 2: error") and len(text.splitlines()) == 1
    code_file = tmp_path / "code.py"
    code_file.write_text("import late\nprint(nothing)\n")
    assert "undefined-name" in out(capsys, "check", str(code_file), "--repo", str(repository))[1]
    for nothing in ("  ", str(tmp_path / "al.sh"), "cmds.txt", "trian.py"):
        assert out(capsys, "check", nothing, "--repo", str(repository))[0] == 2
    assert out(capsys, "check", "test_x.py", "--repo", str(repository))[0] != 2


def test_a_script_that_is_not_there_gives_the_nearest(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", f"{repository}:a_trian.py"]) == 2
    assert "a_train.py" in capsys.readouterr().err
    assert run(["explain", f"{repository}:tests.test_x"]) == 2
    assert "tests/test_x.py" in capsys.readouterr().err
    assert run(["explain", f"{repository}:nothing-like-it"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_a_submodule_that_is_not_checked_out_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".gitmodules").write_text('[submodule "a"]\n\tpath = third/a\n')
    said = "third/a is a submodule that is not checked out: git submodule update --init"
    assert said in out(capsys, "explain", str(tmp_path))[2]
    assert said in out(capsys, "explain", f"{tmp_path}:third/a/train.py")[2]
    assert said not in out(capsys, "explain", f"{tmp_path}:train.py")[2]
    assert said in out(capsys, "check", "python third/a/train.py", "--repo", str(tmp_path))[1]


def test_a_script_that_is_named_is_read_where_time_is_short(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ml_agent.tools.index.RepoIndex.__init__.__defaults__", (None, None, "", -1.0))
    code, text, said = out(capsys, "explain", str(repository))
    assert (code, names(text)) == (0, []) and "not read for entries" in said
    code, text, _ = out(capsys, "explain", f"{repository}:open.py")
    assert code == 0 and "open.py" in text


def test_a_repository_without_programs_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fit.jl").write_text("println(1)\n")
    code, _, said = out(capsys, "explain", str(tmp_path))
    assert code == 0 and "no script" in said and "Python" in said


def test_the_type_of_a_value_that_a_function_makes_is_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "main.py").write_text("""
import argparse, json
def lenient(text):
    try:
        return json.loads(text)
    except ValueError:
        return text
p = argparse.ArgumentParser()
p.add_argument("--a", type=lenient)
p.add_argument("--b", type=json.loads)
p.add_argument("--c", type=lambda text: text.split(","))
p.add_argument("--d", type=int)
p.parse_args()
""")
    assert run(["explain", f"{tmp_path}:main.py"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[1] for row in rows if row[0].startswith("--")] == ["lenient", "json.loads", "unknown", "int"]


def test_what_takes_the_same_is_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "main.py").write_text("""
import argparse
p = argparse.ArgumentParser()
s = p.add_subparsers(required=True)
for name in ("fit", "train", "test"):
    one = s.add_parser(name)
    one.add_argument("--rows" if name == "test" else "--lr")
p.parse_args()
""")
    assert run(["explain", f"{tmp_path}:main.py"]) == 0
    out = capsys.readouterr().out
    titles = [line for line in out.splitlines() if line.startswith("#")]
    assert len(titles) == 2 and "fit" in titles[0] and "train" in titles[0] and "test" in titles[1]
    assert out.count("--lr") == out.count("--rows") == 1
