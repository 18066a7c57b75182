"""Programs whose values, parsers or groups double with every line: reading them ends soon, whatever they would be made of."""

import subprocess
from pathlib import Path

import pytest

from ml_agent.tools.python_api.requirements import wanted_by, wanted_python
from tests.hostile.conftest import ml_agent
from tests.processor_time import within
from tests.servers.git_folders import write_files

HELD_BY = "tools.signatures: limits on what a value, a parser or a tree of commands holds"
SECONDS = 60
"""Of the clock; what doubles without end takes years."""
PARSER = "import argparse, collections, re\np = argparse.ArgumentParser()\n"
PARSE = "p.add_argument('--lr', type=float)\np.parse_args()\n"
PAIRS = "t = (0, 0)\n" + "t = (t, t)\n" * 60
WIDE = "t = [0] * 1000\n" + "t = [t] * 1000\n" * 3
VALUES = {
    "a key of a dict": f"{PAIRS}d = {{t: 1}}",
    "a key of an item": f"{PAIRS}d = {{}}\nd[t] = 1",
    "a key of pairs": f"{PAIRS}d = dict([(t, 1)])",
    "a key with a default": f"{PAIRS}d = {{}}\nd.setdefault(t, 1)",
    "an element of a set": f"{PAIRS}s = {{t}}",
    "an element that is added": f"{PAIRS}s = set()\ns.add(t)\ns.update([t])",
    "pairs of pairs": "a = [0, 1]\n" + "a = list(zip(a, a))\n" * 60 + "s = set(a)",
    "pairs of a function": "f = lambda x: (x, x)\ng = lambda x: f(f(f(f(f(f(x))))))\nd = {g(g(g(g(g(g(0)))))): 1}",
    "wide lists that are compared": f"{WIDE}u = t == [t]",
    "wide lists that are written out": f"{WIDE}u = '%s' % t\np.add_argument('--x', default=t, choices=t)",
    "long texts that are written out": "t = ['x' * 100_000] * 2000\nfor i in range(500): s = str(t)",
    "a pattern of a group that is repeated": "re.match('(a+)+b', 'a' * 100)",
    "a pattern of two ways": "re.fullmatch('(a|a)*b', 'a' * 100)",
    "a pattern with blanks": r"re.match('(?x)(a|a) # b\n *b', 'a' * 100)",
}


def explained(program: str, folder: Path) -> str:
    """What is told of a program."""
    write_files(folder, {"fit.py": program, "README.md": "# Fit\n\n```bash\npython fit.py --lr 0.5\n```\n"})
    try:
        done = ml_agent("explain", f"{folder}:fit.py", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        pytest.fail(f"it is read for more than {SECONDS} s")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.promise("A value that a program makes of copies of itself keeps no reader busy.", by=HELD_BY)
@pytest.mark.parametrize("name", VALUES)
def test_values_that_double(name: str, tmp_path: Path) -> None:
    assert "--lr" in explained(f"{PARSER}{VALUES[name]}\n{PARSE}", tmp_path / "fitting")


ARGPARSE = "import argparse\np = argparse.ArgumentParser(add_help=False)\np.add_argument('--lr', type=float)\n"
PARENTS = "p = argparse.ArgumentParser(parents=[p, p], add_help=False)\n"
MANY = "for i in range(1900): p.add_argument(f'--o{i}')\ns = p.add_subparsers()\nfor i in range(1900): s.add_parser(f'c{i}')\n"
CLICK = "import click\n@click.group()\ndef a(): pass\n@a.command()\n@click.option('--lr')\ndef fit(lr): pass\n"
CLICK_GROUP = "@click.group()\ndef b(): pass\nb.add_command(a, 'x')\nb.add_command(a, 'y')\na = b\n"
TYPER = "import typer\na = typer.Typer()\n@a.command()\ndef fit(lr: float): pass\n"
TYPER_GROUP = "b = typer.Typer()\nb.add_typer(a, name='x')\nb.add_typer(a, name='y')\na = b\n"
LOOPS = "for i in range(1000):\n for j in range(1000):\n  p.add_argument(f'--x{i}_{j}')\n"
TREES = {
    "loops that add options without end": f"{ARGPARSE}{LOOPS}p.parse_args()\n",
    "parents of parents": f"{ARGPARSE}{PARENTS * 60}p.parse_args()\n",
    "subcommands that all have many options": f"{ARGPARSE}{MANY}p.parse_args()\n",
    "click's groups of groups": f"{CLICK}{CLICK_GROUP * 40}a()\n",
    "click's group in itself": f"{CLICK}a.add_command(a, 'x')\na.add_command(a, 'y')\na()\n",
    "typer's groups of groups": f"{TYPER}{TYPER_GROUP * 40}a()\n",
    "typer's group in itself": f"{TYPER}a.add_typer(a, name='x')\na.add_typer(a, name='y')\na()\n",
}


@pytest.mark.promise("A parser or a group that a program makes of copies of itself keeps no reader busy.", by=HELD_BY)
@pytest.mark.parametrize("name", TREES)
def test_trees_that_double(name: str, tmp_path: Path) -> None:
    assert "fit.py" in explained(TREES[name], tmp_path / "fitting")


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, after in zip("abcdefghijk", "bcdefghijkl", strict=True)
)
YAML = {
    "aliases of aliases": ALIASES,
    "a list in itself": "a: &a [*a]\n",
    "a number of a hundred thousand places": "a: 1" + ":59" * 90_000 + "\n",
    "a number that is too large": "a: 1" + ":59" * 400 + ".5\n",
    "no switch": "a: !!bool maybe\n",
    "no number": "a: !!int ''\n",
    "no date": "a: !!timestamp x\n",
}


@pytest.mark.promise(
    "A configuration of YAML, however it is made, keeps no reader busy and ends no run.",
    by="tools.signatures.yaml_keys, tools.python_api.requirements",
)
@pytest.mark.parametrize("name", YAML)
def test_yaml_that_is_made_to_be_long(name: str, tmp_path: Path) -> None:
    root = tmp_path / "fitting"
    write_files(root, {"conf/config.yaml": YAML[name], "environment.yml": f"{YAML[name]}dependencies: [numpy]\n"})
    main = "@hydra.main(config_path='conf', config_name='config')\ndef main(cfg): pass\nmain()\n"
    assert "fit.py" in explained(f"import hydra\n{main}", root)
    within(8, lambda: (wanted_by(root, root), wanted_python(root)))
