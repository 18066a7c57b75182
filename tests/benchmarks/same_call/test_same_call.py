"""Answers that make the reference's call in other words, and answers that do not."""

from pathlib import Path

import pytest

from ml_agent.benchmarks import observation
from ml_agent.benchmarks.observation import run
from ml_agent.benchmarks.observation.model import Observation
from tests.benchmarks.same_call.conftest import Judge
from tests.servers.git_folders import write_files

TRAIN = "python train.py --data data/cora --batch-size 16 --lr 1e-3 --sizes 4 8"
STEPS = f"bash fetch.sh a b\n{TRAIN}"
CODE = """
import torch
from kit import Net
net = Net(12, depth=3)
net.fit(torch.load("a.pt"), epochs=7)
torch.save(net.state_dict(), "out/net.pt")
"""
LOADED = """
from kit import Net, load
net = Net(12)
state = load("a.pt")
net.freeze()
net.train()
net.fit(state, epochs=7)
"""


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (TRAIN, TRAIN),
        (TRAIN, "python3 -u train.py --sizes 4 8 --lr=0.001 -b16 --data ./data/cora/"),
        (TRAIN, "```bash\nexport LR=0.001\npython -m kit.train --data data/cora -b 16 --lr $LR --sizes 4 8\n```"),
        (TRAIN, "kit-train --data data/cora --batch 16 --lr .001 --sizes 4 8"),
        (TRAIN, "python kit/cli.py train --data data/cora -b 16 --lr 1e-3 --sizes 4 8"),
        (
            TRAIN,
            "pip install torch\ncd kit && CUDA_VISIBLE_DEVICES=1 torchrun --nproc_per_node 2 train.py --data ../data/cora -b 16 --lr 1e-3 --sizes 4 8",
        ),
        (TRAIN, f"uv run --with torch {TRAIN}"),
        (TRAIN, f"conda run -n kit --no-capture-output {TRAIN}"),
        (TRAIN, TRAIN + " --opt adam"),
        (TRAIN + " --opt adam", TRAIN),
        ("bash run.sh --amp", "python train.py --data cora --amp --lr 0.5"),
        ("python commands.py slices a b --steps 9", "python commands.py slices --steps=9 a b"),
        ("python train.py --data a/1.10/ --lr 1", "python train.py --data ./a//1.10 --lr 1.0"),
        ("python -m absent.run --steps 3", "python absent/run.py --steps=3"),
        ("python by_hand.py lr=0.10 out=runs/x", "python by_hand.py out=runs/x/ lr=0.1"),
        ("bash fetch.sh a b", "./fetch.sh a b"),
        ("make serve PORT=90", "make serve PORT=90"),
        (STEPS, f"bash fetch.sh a b && {TRAIN}"),
        (STEPS, f"F=b\nmkdir -p out && bash fetch.sh a $F; cd kit; {TRAIN.replace('data/', '../data/')}"),
        ("bash run.sh --amp", "source run.sh --amp"),
        (
            TRAIN,
            f"chmod +x run.sh; chmod 755 run.sh; chmod 0644 train.py; chmod go-rwx kit; chmod u+x,g-w run.sh; {TRAIN}",
        ),
        ("python train.py --data cora --lr 0.5", "bash -c 'mkdir out; python train.py --data cora --lr 0.5'"),
        (
            TRAIN,
            f"mkdir -p runs/a\nexport A=1\nwget http://a.org/x.zip && unzip x.zip && rm x.zip\n{TRAIN} | tee runs/a/log.txt",
        ),
        (TRAIN, f"[ -d kit ] || bash fetch.sh a b\ntrue || rm -rf data\n{TRAIN} 2>&1 > log.txt"),
        (TRAIN, f'eval "{TRAIN}"'),
        (
            TRAIN,
            f"python - <<'END'\nimport sys\nsys.argv = {TRAIN.split()[1:]}\nfrom kit.train import main\nmain()\nEND",
        ),
        (
            TRAIN,
            TRAIN.replace("train.py", "-", 1)
            + " <<END\nimport runpy\nrunpy.run_path('train.py', run_name='__main__')\nEND",
        ),
        (
            TRAIN,
            f"python -c \"import sys, runpy; sys.argv = {TRAIN.split()[1:]}; runpy.run_module('kit.train', run_name='__main__')\"",
        ),
        (TRAIN, f"LR=$(echo '0.1*2' | bc); N=$(expr 1 + 2); let M=3\n{TRAIN}"),
        (TRAIN, f"timeout 10h {TRAIN}"),
        (TRAIN, f"{TRAIN} & wait $!"),
        (TRAIN, f"tensorboard & shown=$!; {TRAIN}; kill $shown"),
        ("USE_CUDA=1 bash fetch.sh a b", "export USE_CUDA=1\nbash fetch.sh a b"),
        (CODE, CODE),
        (CODE, CODE.replace("kit import", "kit.net import").replace("12, depth=3", "width=12, depth=3, act='relu'")),
        (LOADED, LOADED.replace("net.train()\n", "net.eval()\n")),
        (LOADED, LOADED.replace("net.fit", "Net(3)\nnet.fit").replace("state = ", "print(net.width())\nstate = ")),
        (CODE, CODE.replace("epochs=7", "epochs=EPOCHS").replace("import torch", "import torch\nEPOCHS = 7", 1)),
    ],
)
def test_the_same_call_in_other_words(judge: Judge, reference: str, answer: str) -> None:
    verdict = judge(reference, answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        (TRAIN, "", "no answer"),
        (TRAIN, CODE, "not the kind"),
        (
            TRAIN,
            TRAIN.replace("train.py", "kit/evaluate.py").replace(" --batch-size 16 --lr 1e-3 --sizes 4 8", ""),
            "wrong entry",
        ),
        (TRAIN, TRAIN.replace("train.py", "trian.py"), "wrong entry"),
        (TRAIN, TRAIN.replace(" --lr 1e-3", ""), "missing"),
        (TRAIN, TRAIN.replace("1e-3", "1e-4"), "other value"),
        (TRAIN, TRAIN.replace("4 8", "8 4"), "other value"),
        (TRAIN, TRAIN + " --amp", "unasked"),
        (TRAIN, TRAIN + "\npython kit/evaluate.py", "unasked"),
        (TRAIN, TRAIN + " --epochs 3", "refused"),
        (TRAIN, TRAIN + " --opt rmsprop", "refused"),
        ("python commands.py slices a b --steps 9", "python commands.py heat a b --steps 9", "wrong entry"),
        ("python commands.py slices a b --steps 9", "python commands.py slices a --steps 9", "other value"),
        ("python by_hand.py lr=0.1 out=runs/x", "python by_hand.py lr=0.1", "missing"),
        ("python by_hand.py lr=0.1", "python by_hand.py lr=0.1 out=runs/x", "unasked"),
        ("bash fetch.sh a b", "bash fetch.sh a c", "other value"),
        ("make serve PORT=90", "make serve PORT=91", "other value"),
        (STEPS, TRAIN, "missing"),
        (STEPS, STEPS.replace("sh a b", "sh a c"), "other value"),
        (STEPS, STEPS.replace("a b", "a b; bash fetch.sh c d"), "unasked"),
        (STEPS, "bash fetch.sh a b", "missing"),
        (TRAIN, STEPS, "unasked"),
        (TRAIN, f"{TRAIN}; bash -c 'rm -rf data'", "unasked"),
        (TRAIN, f"rm -rf data\n{TRAIN}", "unasked"),
        (TRAIN, f"git checkout old\n{TRAIN}", "unasked"),
        (TRAIN, f"git -C . reset --hard HEAD~5; {TRAIN}", "unasked"),
        (TRAIN, f"conda env remove -n x; pip uninstall -y torch; {TRAIN}", "unasked"),
        (TRAIN, f"sed -Ei 's/a/b/' kit/net.py; {TRAIN}", "unasked"),
        (TRAIN, f'eval "{TRAIN} --amp"', "unasked"),
        (TRAIN, f"python - <<END\nprint('{TRAIN}')\nEND", "wrong entry"),
        (TRAIN, f"cat <<END\nimport kit\nfrom kit import Net\n{TRAIN}\nEND\n", "refused"),
        (TRAIN, f"true || {TRAIN}", "refused"),
        (TRAIN, f"if false; then {TRAIN}; fi", "refused"),
        ("bash fetch.sh a b", "true || bash fetch.sh a b", "wrong entry"),
        ("USE_CUDA=1 bash fetch.sh a b", "USE_CUDA=1\nbash fetch.sh a b", "missing"),
        (CODE, CODE.replace("depth=3", "depth=4"), "other value"),
        (CODE, CODE.replace(", depth=3", ""), "missing"),
        (CODE, CODE.replace("depth=3", "depth=3, act='gelu'"), "unasked"),
        (CODE, CODE.replace("kit import Net", "kit.net import Tall as Net"), "wrong entry"),
        (CODE, CODE.replace("net.fit", "net.fits"), "missing"),
        (CODE, CODE.replace("net.fit", "net.forward").replace(", epochs=7", ""), "wrong entry"),
        (CODE, CODE.replace("kit import", "kit.nets import"), "refused"),
        (CODE, CODE.replace("net.pt", "other.pt"), "missing"),
        (CODE, CODE + "net.fit(None, epochs=9)\n", "unasked"),
        (CODE, CODE + "net.prune(0.5)\n", "unasked"),
        (CODE, CODE + "from kit import load\nload('b.pt')\n", "unasked"),
        (LOADED, LOADED.replace("net.freeze()\n", ""), "missing"),
        ("python -c 'import kit; kit.load(\"a.pt\")'", "python -c 'import kit; kit.load(\"b.pt\")'", "other value"),
    ],
)
def test_another_call(judge: Judge, reference: str, answer: str, reason: str) -> None:
    verdict = judge(reference, answer, "Save it as out/net.pt.")
    assert verdict.reason_class == reason, verdict


def test_an_answer_of_which_nothing_is_seen_is_told_apart_from_one_that_calls_nothing(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judge(CODE, CODE).passed, "what the reference does is seen and kept"
    _cut_first(monkeypatch, 2)
    verdict = judge(CODE, f"{CODE}# an answer of its own")
    assert verdict.reason_class == "refused" and "stopped before" in verdict.detail


def _cut_first(monkeypatch: pytest.MonkeyPatch, times: int) -> list[str]:
    """Cut so many first looks before anything is seen; the list grows by each look."""
    looks: list[str] = []
    look = observation._look

    def cut(text: str, root: Path, folder: str, prefix_code: str) -> Observation:
        looks.append(text)
        if len(looks) <= times:
            return Observation(kind="python", message=run.STILL_RUNNING)
        return look(text, root, folder, prefix_code)

    monkeypatch.setattr(observation, "_look", cut)
    return looks


def test_a_program_whose_parser_is_not_installed_is_read_by_its_signature(judge: Judge) -> None:
    reference = "python burn.py --data a --epochs 7"
    assert judge(reference, "python burn.py a --epochs=7").passed
    assert not judge(reference, "python burn.py --data a --epochs 8").passed


def test_halves_of_characters_in_code_are_kept(kit: Path) -> None:
    code = 'from kit import Net\nnet = Net(12)\nnet.fit("\\ud83d\\ude00 and \\ud83d", epochs=7)\n'
    first = observation.observe(code, kit)
    assert [one for one in first.constants if isinstance(one, str)] == [
        "\N{GRINNING FACE} and \N{REPLACEMENT CHARACTER}"
    ]
    assert observation.observe(code, kit) == first


def test_an_installed_function_is_read_by_its_signature_where_its_libraries_are_missing(
    judge: Judge, tmp_path: Path
) -> None:
    scripts = "setup(name='mix', entry_points={'console_scripts': ['mix_add = mix.add:main']})\n"
    heavy = "def add(one, two, share=0.5):\n    heavy(one)\n\ndef main():\n    fire.Fire(add)\n"
    files = {
        "setup.py": f"from setuptools import setup\n{scripts}",
        "mix/__init__.py": "",
        "mix/add.py": f"import fire\nfrom of_nobody.at_all import heavy\n\n{heavy}",
    }
    write_files(tmp_path, files)
    wanted = "mix_add a.pt b.pt 0.8"
    assert judge(wanted, "mix_add --one a.pt --two b.pt --share 0.8", root=tmp_path).passed
    assert not judge(wanted, "mix_add --one a.pt --two b.pt --share 0.7", root=tmp_path).passed


@pytest.mark.parametrize(
    ("changed", "passes"),
    [
        (("epochs=7", "epochs=3 + 4"), True),
        (('os.makedirs("made_files")', 'path = "made_files/net.txt"\nos.makedirs(os.path.dirname(path))'), True),
        (("made_files", "other_files"), False),
    ],
)
def test_what_the_request_names_stands_in_the_code(judge: Judge, changed: tuple[str, str], passes: bool) -> None:
    code = 'import os\nfrom kit import Net\nNet(12).fit([1], epochs=7)\nos.makedirs("made_files")\nopen("made_files/net.txt", "w")\n'
    row = {"instruction": "save it to made_files/net.txt", "arguments": {"epochs": "7"}}
    assert judge(code, code.replace(*changed), **row).passed is passes
