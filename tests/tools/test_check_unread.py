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
    "fit.jl": "println(ARGS)\n",
}
UNSEEN = ["unsure cannot-tell"]
TYPE = ["error bad-type"]


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
        ("pip install -r requirements.txt && python train.py", ["error no-such-file"]),
        ("uv pip install --requirement=dev.txt", ["error no-such-file"]),
        ("wget x.org/dev.txt; pip install -r dev.txt", ["warning no-such-file"]),
        ("conda env create -f environment.yml", ["error no-such-file"]),
        ("pip install -r https://x.org/r.txt", []),
        ("python -c 'import train; train.mainn()'", ["error no-such-name"]),
        ("python -c 'from kit import modell'", ["error no-such-name"]),
        ("python -c 'import kit.modell'", ["error no-such-module"]),
        ("python -c 'import kit.model, elsewhere; kit.model.Net()'", []),
        ("python -c \"import $MODULE\"", []),
        ("julia fit.jl", []),
        ("julia --project fit.jl 3", UNSEEN),
        ("julia --project fat.jl", ["error no-such-file"]),
        ("Rscript kit/fat.R", ["error no-such-file"]),
        ("julia -e 'include(\"fat.jl\")'", []),
        ("perl $SCRIPT.pl", []),
        ("cargo run --release", []),
        ("cargo run --release -- --lr 1", UNSEEN),
        ("mkdir -p made/deep && cd made && cmake ..", []),
        ("mkdir made && cd maid && cmake ..", ["warning no-such-file"]),
        ("./go.sh", ["warning not-executable"]),
        ("chmod +x go.sh && ./go.sh", []),
        ("bash go.sh", []),
    ],
)  # fmt: skip
def test_what_is_not_looked_at_is_said(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("LR=abc; python train.py --lr $LR", TYPE),
        ("export LR=abc\npython train.py --lr=\"${LR}\"", TYPE),
        ("A=ab; LR=$A; python train.py --lr $LR", TYPE),
        ("cd . && LR=abc && python train.py --lr $LR", TYPE),
        ("F='--lr abc'; python train.py $F", TYPE),
        ("PY=python; $PY train.py --lr abc", TYPE),
        ("LR=abc; bash -c \"python train.py --lr $LR\"", TYPE),
        ("for lr in 0.1 abc; do python train.py --lr $lr; done", TYPE),
        ("for m in fast slow; do for lr in 1 2 x; do\npython train.py --lr $lr --mode $m\ndone; done", TYPE),
        ("for lr in 0.1 0.2; do python train.py --lr $lr; done", []),
        ("LR=abc; python train.py --mode '$LR'", []),
        ("LR=abc python train.py --lr $LR", []),
        ("LR=abc; LR=0.1 && true; python train.py --lr $LR", []),
        ("if true; then LR=abc; fi; python train.py --lr $LR", []),
        ("[ -z \"$LR\" ] && LR=abc; python train.py --lr $LR", []),
        ("(LR=abc; true); python train.py --lr $LR", []),
        ("f() { LR=abc; }; python train.py --lr $LR", []),
        ("LR=abc; read LR; python train.py --lr $LR", []),
        ("LR=abc; LR+=1; python train.py --lr $LR", []),
        ("LR=abc; . settings; python train.py --lr $LR", []),
        ("LR=$(cat lr); python train.py --lr $LR", []),
        ("for lr in $(seq 3) x; do :; done; python train.py --lr $lr", []),
        ("for f in *.cfg; do python train.py --lr $f; done", []),
        ("LR=abc | true; python train.py --lr $LR", []),
    ],
)  # fmt: skip
def test_values_of_the_line_itself_are_put_in(checked: Make, command: str, found: list[str]) -> None:
    assert checked(FILES)(command) == found
