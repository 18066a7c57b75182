"""The check of what stands in words: variables, loops, `eval`, code behind -c; and of what nothing here looks at."""

import pytest

from tests.tools.conftest import Make

FILES = {
    "train.py": """
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument("--lr", type=float)
        p.add_argument("--mode", choices=["fast", "slow"])
        def main():
            p.parse_args()
        if __name__ == "__main__":
            main()
        """,
    "kit/__init__.py": "",
    "kit/model.py": "class Net: pass\n",
    "go.sh": "python train.py\n",
}
UNSEEN = ["unsure cannot-tell"]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("bash <<'EOF'\npython train.py --nope\nEOF", UNSEEN),
        ("python - <<'EOF'\nprint(1)\nEOF", UNSEEN),
        ("cat train.py | python", UNSEEN),
        ("tmux new -d 'python train.py --nope'", UNSEEN),
        ("screen -dmS x python train.py --nope", UNSEEN),
        ("ssh host python train.py", UNSEEN),
        ("docker run image python train.py --nope", UNSEEN),
        ("docker build -t image .", []),
        ("tmux attach", []),
        ("# python train.py --nope", UNSEEN),
        ("# first\npython train.py --lr 1", []),
        ("eval 'python train.py --nope'", ["error unknown-option"]),
        ("python -c 'import train; train.mainn()'", ["error no-such-name"]),
        ("python -c 'from kit import modell'", ["error no-such-name"]),
        ("python -c 'import kit.modell'", ["error no-such-module"]),
        ("python -c 'import kit.model, elsewhere; kit.model.Net()'", []),
        ("python -c \"import $MODULE\"", []),
        ("julia fit.jl", []),
        ("julia --project fit.jl 3", UNSEEN),
        ("./go.sh", ["warning not-executable"]),
        ("chmod +x go.sh && ./go.sh", []),
        ("bash go.sh", []),
    ],
)  # fmt: skip
def test_what_is_not_looked_at_is_said(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found


FLAGS = "import sys\ndef read():\n    return words()[2:]\ndef words():\n    return sys.argv\ndef main():\n    read()\n"


@pytest.mark.parametrize(
    ("script", "module", "found"),
    [
        ("import flags\nprint(flags.read())\n", FLAGS, UNSEEN),
        ("from flags import read\nprint(read())\n", FLAGS, UNSEEN),
        ("from flags import *\nprint(read())\n", FLAGS, UNSEEN),
        ("import flags\nprint(flags.GIVEN)\n", "import sys\nGIVEN = sys.argv[1:]\n", UNSEEN),
    ],
)
def test_a_module_that_reads_the_words_for_a_script(checked: Make, script: str, module: str, found: list[str]) -> None:
    assert checked({"smooth.py": script, "flags.py": module})("python smooth.py --width 3") == found
