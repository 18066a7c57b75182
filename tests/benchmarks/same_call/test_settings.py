"""Programs whose words change their settings by hand, are read by fire, or name a subcommand by its alias."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call

FILES = {
    "nano.py": "lr = 0.1\nlayers = 12\nname = 'x'\nexec(open('configurator.py').read())\nprint(lr)\n",
    "configurator.py": """
import sys
from ast import literal_eval
for arg in sys.argv[1:]:
    if "=" not in arg:
        assert not arg.startswith("--")
        exec(open(arg).read())
    else:
        key, val = arg[2:].split("=")
        try:
            new = literal_eval(val)
        except (SyntaxError, ValueError):
            new = val
        assert type(new) == type(globals()[key])
        globals()[key] = new
""",
    "small.py": "layers = 6\nlr = 0.5\n",
    "burn.py": "import fire\ndef main(data, mask=True, modules=None):\n    pass\nif __name__ == '__main__':\n    fire.Fire(main)\n",
    "many.py": """
import argparse
p = argparse.ArgumentParser()
sub = p.add_subparsers(dest="command")
fit = sub.add_parser("fit", aliases=["f"])
fit.add_argument("--n", type=int)
sub.add_parser("find").add_argument("--n", type=int)
p.parse_args()
""",
}
NANO = "python nano.py small.py --lr=0.2"


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's folder."""
    root = tmp_path_factory.mktemp("settings")
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        (NANO, f"{NANO} --layers=6", ""),
        (NANO, "python -m nano small.py --lr=0.2", ""),
        (NANO, "python nano.py --lr=0.2 small.py", "other value"),
        (NANO, f"{NANO} --layers=12", "unasked"),
        ("python nano.py --lr=0.2", "python nano.py --lr=0.2 --layers=12", ""),
        ("python burn.py a --mask False", "python burn.py a --mask=False", ""),
        ("python burn.py a --mask False", "python burn.py a --nomask", ""),
        ("python burn.py a --mask False", "python burn.py a --mask false", "other value"),
        ("python burn.py a --modules '[q,k]'", "python burn.py a --modules q,k", ""),
        ("python burn.py a --modules '[q,k]'", "python burn.py a --modules k,q", "other value"),
        ("python many.py fit --n 3", "python many.py f --n 3", ""),
        ("python many.py fit --n 3", "python many.py find --n 3", "wrong entry"),
    ],
)
def test_settings(kit: Path, reference: str, answer: str, reason: str) -> None:
    row = Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=reference,
    )  # fmt: skip
    verdict = same_call(row, answer, kit)
    assert verdict.reason_class == reason, verdict
