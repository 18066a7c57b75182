"""No input makes an extractor raise, hang or run anything."""

import ast
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml_agent.tools.signatures.read import SignatureReader
from tests.processor_time import within

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""
SECONDS = 2.0
"""What one file may take."""

HOSTILE = {
    "endless": "import argparse\nwhile True:\n    pass\nargparse.ArgumentParser().parse_args()\n",
    "recursion": "import argparse\ndef f(n):\n    return f(n + 1)\nf(0)\np = argparse.ArgumentParser()\np.parse_args()\n",
    "mutual": "import argparse\ndef f(): g()\ndef g(): f()\nf()\nargparse.ArgumentParser().parse_args()\n",
    "power": "import argparse\nx = 10 ** 10 ** 10\ny = 'a' * 10 ** 10\nz = [0] * 10 ** 10\nw = 1 << 10 ** 10\n"
    "v = '{:1000000000}'.format(1)\nu = f'{1:1000000000}'\nt = '%1000000000d' % 1\np = argparse.ArgumentParser()\n"
    "p.add_argument('--x', default=x)\np.parse_args()\n",
    "doubling": "import argparse\nx = 'a'\nfor i in range(200):\n    x = x + x\np = argparse.ArgumentParser()\np.parse_args()\n",
    "lists": "import argparse\nx = [1]\nfor i in range(200):\n    x = x + x\n    x.extend(x)\np = argparse.ArgumentParser()\np.parse_args()\n",
    "numbers": "import argparse\nx = 3\nfor i in range(500):\n    x = x * x\np = argparse.ArgumentParser()\np.parse_args()\n",
    "product": "import argparse\n[(a, b, c, d) for a in range(999) for b in range(999) for c in range(999) for d in range(999)]\n"
    "argparse.ArgumentParser().parse_args()\n",
    "deep": "import argparse\nx = " + "(" * 150 + "1" + ")" * 150 + "\nargparse.ArgumentParser().parse_args()\n",
    "chain": "import argparse\nx = " + "+".join(["1"] * 3000) + "\nargparse.ArgumentParser().parse_args()\n",
    "self": "import argparse\nfrom main import *\nimport main\nmain.x.y\nargparse.ArgumentParser().parse_args()\n",
    "cycle": "import argparse\nx = []\nx.append(x)\nd = {}\nd['d'] = d\np = argparse.ArgumentParser()\n"
    "p.add_argument('--x', default=x, choices=d)\np.parse_args()\n",
    "classes": "import argparse\nclass A(A): pass\nclass B(argparse.ArgumentParser):\n    def __getattr__(self, n): return self.x\nB().parse_args()\n",
    "names": "import argparse\np = argparse.ArgumentParser()\np.add_argument()\np.add_argument('')\np.add_argument('-')\np.add_argument('--')\n"
    "p.add_argument(1, nargs=object(), type=3, choices=4, default={1: [2]}, action=5, dest=6, help=7)\n"
    "p.add_subparsers().add_parser(3)\np.set_defaults(1)\np.parse_args()\n",
    "nulls": "import argparse\0\nargparse.ArgumentParser().parse_args()\n",
    "format": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--' + '{0.__class__.__mro__}'.format(1))\np.parse_args()\n",
    "regex": "import click\n" + "@click.command()\n" * 200 + "def f(): pass\nif __name__ == '__main__':\n    f()\n",
    "wide": "import argparse\np = argparse.ArgumentParser()\n" + "".join(f"p.add_argument('--a{i}')\n" for i in range(3000)) + "p.parse_args()\n",
    "ifs": "import argparse, x\np = argparse.ArgumentParser()\nargs = p.parse_args()\n"
    + "".join(f"{'    ' * i}if x.a{i}:\n" for i in range(60)) + "    " * 60 + "pass\n",
}  # fmt: skip


def read_in_every_way(reader: SignatureReader) -> None:
    """As what is declared, as what a test declares, as what each function declares."""
    for signatures in (reader.read("main.py"), reader.tested("main.py"), reader.parsers("main.py")):
        assert isinstance(signatures, tuple)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(tmp_path: Path, name: str) -> None:
    (tmp_path / "main.py").write_text(HOSTILE[name])
    within(3 * SECONDS, lambda: read_in_every_way(SignatureReader(tmp_path)))


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "main.py").write_text(
        f"import argparse, os, subprocess\nopen({str(mark)!r}, 'w').write('x')\nos.system('touch {mark}')\n"
        f"subprocess.run(['touch', {str(mark)!r}])\neval('__import__(\"os\").system(\"touch {mark}\")')\n"
        "p = argparse.ArgumentParser()\np.add_argument('--x', type=eval, default=__import__('os').getcwd())\np.parse_args()\n"
    )
    (tmp_path / "run.sh").write_text(f"touch {mark}\n$(touch {mark})\n")
    (tmp_path / "Makefile").write_text(f"X := $(shell touch {mark})\nall:\n\ttouch {mark}\n")
    for path in ("main.py", "run.sh", "Makefile"):
        assert SignatureReader(tmp_path).read(path)
    assert not mark.exists()


def test_links_out_of_the_tree_and_strange_paths(tmp_path: Path) -> None:
    for path in ("missing.py", "../x.py", "/etc/passwd", "a\0b.py", "", ".", "x" * 5000 + ".py"):
        assert SignatureReader(tmp_path).read(path) == ()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "big.py").write_text("x = 1\n" * 400_000)
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nprint('\xe9')\n")
    assert SignatureReader(tmp_path).read("folder.py") == () and SignatureReader(tmp_path).read("big.py") == ()
    assert SignatureReader(tmp_path).read("latin.py")[0].framework == "none"


PIECES = st.sampled_from(
    ["import argparse", "from absl import app, flags", "import click, typer, fire, hydra, sys, os, tyro", "p = argparse.ArgumentParser()", 'p.add_argument("--x", type=int, default=1)', 'p.add_argument("y", nargs="*")', "g = p.add_mutually_exclusive_group()", 's = p.add_subparsers(dest="c")', 'q = s.add_parser("a")', "args = p.parse_args()", "args, rest = p.parse_known_args()", 'flags.DEFINE_string("n", None, "h")', "app.run(main)", "def main(args):", "    return args.x", "class A(argparse.ArgumentParser):", "    def f(self): return self.f()", "@click.command()", '@click.option("--z", multiple=True)', '@hydra.main(config_path=".", config_name="c")', 'if args.x == "a":', "    raise ValueError", "else:", '    x = {"a": 1}[args.x]', "for k in x:", "while x:", "try:", "except Exception:", "    pass", 'with open("x") as f:', "return x", "x = [x for x in x if x]", 'x = {**x, "a": lambda: x}', "main(args)", "fire.Fire(main)", "typer.run(main)", "tyro.cli(A)", "x.y.z = x[0:1]", "x += 1", "from main import *", "import main", 'assert args.x in ["a", "b"]', 'x = f"{x}{args.x!r:>3}"', "super().__init__(x)", "print(sys.argv[1])", "global x", "del x", "yield x", "await x", "match x:", "    case 1: pass"]
)  # fmt: skip


@settings(max_examples=60 * EFFORT, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(PIECES, st.integers(0, 2)), max_size=25))
def test_shuffled_programs(tmp_path: Path, pieces: list[tuple[str, int]]) -> None:
    check(tmp_path, "import argparse\n" + "\n".join("    " * depth + piece for piece, depth in pieces))


@settings(max_examples=60 * EFFORT, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutilated_syntax_trees(tmp_path: Path, data: st.DataObject) -> None:
    """A real program with some of its expressions exchanged for others of it."""
    tree = ast.parse(Path(__file__).with_name("test_argparse_reader.py").read_text())
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr)]
    for _ in range(data.draw(st.integers(1, 8))):
        target, source = data.draw(st.sampled_from(nodes)), data.draw(st.sampled_from(nodes))
        if type(target) is not type(source):
            continue
        for field in target._fields:
            setattr(target, field, getattr(source, field))
    try:
        text = ast.unparse(tree)
    except (RecursionError, ValueError, TypeError):
        return
    check(tmp_path, text + "\nimport argparse\nargparse.ArgumentParser().parse_args()\n")


def check(folder: Path, text: str) -> None:
    """Every extractor takes it, in time."""
    (folder / "main.py").write_text(text, errors="replace")
    for name in ("main.sh", "Makefile", "setup.py", "pyproject.toml", "c.yaml"):
        (folder / name).write_text(text, errors="replace")
    within(SECONDS, lambda: [SignatureReader(folder).read(path) for path in ("main.py", "main.sh", "Makefile")])
    within(2 * SECONDS, lambda: read_in_every_way(SignatureReader(folder)))
