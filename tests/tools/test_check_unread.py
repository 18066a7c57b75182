"""The check of what stands in words: variables, loops, `eval`, code behind -c; and of what nothing here looks at."""

from pathlib import Path

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
        ('cd "$PLACE" && python train.py --nope', UNSEEN),
        ("cd ~/repo && python -m kit.model --nope", UNSEEN),
        ("cd ~/repo && python -m pip install torch && source venv/bin/activate", []),
        ("pushd kit; popd; python train.py", UNSEEN),
        ('python "$DIR"/train.py --nope', UNSEEN),
        ("python https://example.org/train.py --a 1", UNSEEN),
        ("git clone https://github.com/o/tool && cd tool && python other.py --nope", UNSEEN),
        ("cd /elsewhere\npython train.py\npython train.py", ["warning outside-tree", *UNSEEN, *UNSEEN]),
        ('(cd "$PLACE" && ls); python train.py --nope', ["error unknown-option"]),
        ("(cd kit; python ../train.py); x=$(cd kit && pwd); python train.py --nope", ["error unknown-option"]),
        ("mkdir -p out && cd out && python ../train.py --nope", ["error unknown-option"]),
    ],
)  # fmt: skip
def test_what_is_not_looked_at_is_said(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found


@pytest.mark.parametrize(
    "command",
    ["python {}/train.py --nope", "cd {} && python train.py --nope", "cd $A; cd {}/kit; python ../train.py --nope"],
)
def test_an_absolute_path_of_the_repository_is_the_file_in_it(checked: Make, tmp_path: Path, command: str) -> None:
    assert checked(FILES)(command.format(tmp_path)) == ["error unknown-option"]


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


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("import defopt\ndef a(): pass\ndef b(): pass\ndefopt.run([a, b])\n", UNSEEN),
        ("import sys, plac\ndef main(x): pass\nplac.call(main, sys.argv[1:])\n", UNSEEN),
        ("import plac\ndef main(x): pass\nif True:\n    plac.call(main)\n", UNSEEN),
        ("import plac\ndef main(x): pass\nif (1):\n    plac.call(main)\n", UNSEEN),
        ("import __main__, plac\ndef main(x): pass\nplac.call(__main__)\n", UNSEEN),
        ("import torch\nclass Net(torch.Module): pass\ntorch.show(Net())\n", ["warning too-many-arguments"]),
        ("import np\ndef rows(): pass\nnp.show(rows())\n", ["warning too-many-arguments"]),
        ("from basic.train import work\nfrom mine import root\nwork(root)\n", UNSEEN),
    ],
)
def test_a_library_that_is_given_the_script_may_read_the_words(checked: Make, script: str, found: list[str]) -> None:
    assert checked({"go.py": script})("python go.py --nope") == found
