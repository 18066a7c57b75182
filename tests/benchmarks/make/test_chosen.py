"""What a made row keeps of a documented command, what it may add, and what makes no row at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.benchmarks.make.guards import Guards, guards
from ml_agent.benchmarks.make.harmless import is_harmless, is_shape
from ml_agent.benchmarks.make.rows import MadeRows, RowSource, make_rows
from ml_agent.benchmarks.make.vary import RequestedOption
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.modules import ModuleTable
from ml_agent.tools.signatures.model import Option, Signature

HEAD = "import argparse\nparser = argparse.ArgumentParser(description='Train a network.')\n"
HARMLESS = (
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    'parser.add_argument("--epochs", type=int, default=100, help="number of epochs")\n'
    'parser.add_argument("--seed", type=int, default=1, help="random seed")\n'
)
END = "args = parser.parse_args()\n"


def made(root: Path, files: dict[str, str], rows: int = 4) -> MadeRows:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    found = RowSource(root=root, name="kit", github="https://github.com/some/kit", commit="", github_id=1000)
    return make_rows(found, RepoIndex.open(root, "1"), rows, 0)


def readme(*commands: str) -> str:
    return "# Kit\n" + "".join(f"\n```sh\n{command}\n```\n" for command in commands)


def outputs(found: MadeRows) -> list[str]:
    return [row["output"] for row in found.rows]


def test_data_and_model_of_a_documented_command_are_kept(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--data", help="the data")\nparser.add_argument("--arch", help="the network")\n{HARMLESS}{END}'
    shown = "python train.py --data data/cora.csv --arch gcn --lr 0.01"
    found = outputs(made(tmp_path, {"train.py": script, "README.md": readme(shown)}))
    assert found and all("--arch gcn" in text and ".csv" in text and "--data /data/" in text for text in found)


def test_a_placeholder_is_replaced_and_not_left_out(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--train-data", help="the data")\n{HARMLESS}{END}'
    commands = readme("python train.py --train-data /path/to/x.csv", "python train.py --train-data '/d/{000..012}.tar'")
    found = outputs(made(tmp_path, {"train.py": script, "README.md": commands}))
    assert any("/{000..012}.tar" in text for text in found) and any(".csv" in text for text in found)
    assert all("--train-data" in text and "path/to" not in text for text in found)


def test_nothing_shows_what_a_script_needs(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--data", help="the data")\n{HARMLESS}{END}'
    assert made(tmp_path, {"train.py": script}).refused == {"nothing shows what it needs": 24}
    needs = 'parser.add_argument("--run_name", required=True)\n'
    assert not outputs(made(tmp_path / "other", {"train.py": f"{HEAD}{needs}{HARMLESS}{END}"}))
    assert outputs(made(tmp_path / "own", {"train.py": f"{HEAD}{HARMLESS}{END}"}))


@pytest.mark.parametrize(
    "shown",
    [
        "torchrun --nproc_per_node 2 train.py --lr 0.2",
        "BACKEND=mx python train.py",
        "python train.py --help",
        "python train.py list",
        'python train.py "$@"',
    ],
)
def test_a_command_that_does_not_say_all_makes_no_row(shown: str, tmp_path: Path) -> None:
    assert not outputs(made(tmp_path, {"train.py": f"{HEAD}{HARMLESS}{END}", "README.md": readme(shown)}))


def test_what_a_document_gives_stays(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--net")\nparser.add_argument("--plain", action="store_true")\n{HARMLESS}{END}'
    shown = readme("python train.py --net gcn --plain --lr 0.01 --epochs 7", "python train.py --net gat --lr 0.3")
    found = [text for text in outputs(made(tmp_path, {"train.py": script, "README.md": shown}, 8)) if "gcn" in text]
    assert found and all({"--plain", "--lr", "--epochs"} <= set(text.split()) for text in found)


def test_a_value_that_the_source_knows_stays(tmp_path: Path) -> None:
    checks = 'if args.model_dir == "hub/kit":\n    print("from the hub")\n'
    script = f'{HEAD}parser.add_argument("--model-dir")\n{HARMLESS}{END}{checks}'
    shown = readme("python train.py --model-dir hub/kit", "python train.py --model-dir some/folder")
    found = outputs(made(tmp_path, {"train.py": script, "README.md": shown}))
    assert any("hub/kit" in text for text in found) and any("/data/" in text for text in found)


def test_a_script_that_a_launcher_starts_makes_no_row(tmp_path: Path) -> None:
    script = f'import os\n{HEAD}{HARMLESS}{END}rank = int(os.environ["LOCAL_RANK"])\n'
    assert not outputs(made(tmp_path, {"train.py": script}))
    assert outputs(made(tmp_path / "own", {"train.py": script.replace('["LOCAL_RANK"]', '.get("LOCAL_RANK", 0)')}))


def test_a_line_cut_short_makes_no_row(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--tasks")\nparser.add_argument("--model", default="hf")\n{HARMLESS}{END}'
    whole = [f"python train.py --model m{n} --tasks t{n}" for n in range(4)]
    found = outputs(made(tmp_path, {"train.py": script, "README.md": readme("python train.py --model cut", *whole)}))
    assert found and all("--tasks" in text for text in found)


def test_variables_of_a_script_are_filled_in(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--net")\n{HARMLESS}{END}'
    found = outputs(
        made(tmp_path, {"train.py": script, "scripts/run.sh": "net=gcn\npython train.py --net $net --lr 0.3\n"})
    )
    assert found and all("--net gcn" in text for text in found)


def test_a_switch_stays_where_it_stands_for_what_other_calls_give(tmp_path: Path) -> None:
    script = f'{HEAD}parser.add_argument("--text")\nparser.add_argument("--list", action="store_true")\n{HARMLESS}{END}'
    shown = readme("python train.py --list --lr 0.2", "python train.py --text Hello --lr 0.3")
    found = outputs(made(tmp_path, {"train.py": script, "README.md": shown}, 8))
    assert found and all("--text" in text or "--list" in text for text in found)


def test_a_configuration_stays_with_the_program_that_shows_it(tmp_path: Path) -> None:
    files = {f"configs/{name}.yaml": "a: 1\n" for name in ("small", "large", "other")}
    script = f'{HEAD}parser.add_argument("--cfg", required=True)\n{HARMLESS}{END}'
    shown = readme("python train.py --cfg configs/small.yaml", "python train.py --cfg configs/large.yaml")
    found = outputs(made(tmp_path, {"train.py": script, "tune.py": script, "README.md": shown, **files}, 8))
    assert found and all("train.py" in text and "other" not in text for text in found)


SOURCE = """
import argparse, sys
from kit.checks import look
parser = argparse.ArgumentParser()
for name in ("ckpt", "size", "classes", "crop", "width", "lr", "cache", "store", "note"):
    pass
parser.add_argument("--ckpt")
parser.add_argument("--size", type=int, default=256)
parser.add_argument("--classes", type=int, default=1000)
parser.add_argument("--crop")
parser.add_argument("--width", type=int)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--cache", action="store_true")
parser.add_argument("--store")
parser.add_argument("--workers", type=int, default=1)
args = parser.parse_args()
if args.ckpt is None:
    assert args.size in (256, 512)
if args.classes != 1000:
    parser.error("no")
if args.crop == "center":
    if args.width is None:
        raise ValueError("no")
if args.cache:
    print(args.store, args.lr)
look(args)
"""


def test_what_the_source_tests_is_read_with_what_it_imports(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/__init__.py").write_text("")
    (tmp_path / "kit/checks.py").write_text(
        "import sys\ndef look(args):\n    if args.workers > 4:\n        sys.exit(1)\n"
    )
    (tmp_path / "train.py").write_text(SOURCE)
    index = RepoIndex.open(tmp_path, "1")
    found = guards(index, ModuleTable(index.files), index.signatures["train.py"][0])
    assert found.tested == {"ckpt", "size", "classes", "crop", "width", "workers"}
    assert found.leads["cache"] == {"store"} and "center" in found.words


@pytest.mark.parametrize(
    ("option", "value", "found", "good"),
    [
        (Option(dest="lr", flags=("--lr",), type="float", default="0.1"), 0.2, (), True),
        (Option(dest="batch_size", flags=("--b",), type="int", default="8"), 16, (), True),
        (Option(dest="image_size", flags=("--s",), type="int", default="8"), 16, (), False),
        (Option(dest="bitrate", flags=("--r",), type="int", default="320"), 480, (), False),
        (Option(dest="steps", flags=("--s",), type="int", default="8", help="must divide the length"), 16, (), False),
        (Option(dest="clip", flags=("--c",), type="float"), 0.1, (), False),
        (Option(dest="amp", flags=("--amp",), nargs="0", help="use mixed precision"), True, (), True),
        (Option(dest="resume", flags=("--resume",), nargs="0", help="go on"), True, (), False),
        (Option(dest="print_every", flags=("--p",), type="int", default="2"), 3, (), False),
        (Option(dest="print_every", flags=("--p",), type="int", default="2"), 3, ("print",), True),
        (Option(dest="seed", flags=("--seed",), type="int", default="0", help="random seed"), 7, (), True),
        (Option(dest="seed", flags=("--s",), type="int", default="0", help="seed for selecting images"), 7, (), False),
        (Option(dest="data", flags=("--data",)), "/data/x", (), False),
        (Option(dest="log_dir", flags=("--log_dir",)), "/out/x", (), True),
        (Option(dest="cache", flags=("--cache",), nargs="0", help="keep them"), True, (), False),
        (Option(dest="opt", flags=("--s",), choices=("a", "b"), default="a"), "b", (), True),
        (Option(dest="opt", flags=("--s",), choices=("a", "steps"), default="a"), "steps", (), False),
        (Option(dest="fuse", flags=("--fuse",), nargs="0", help="fuse them"), True, (), False),
        (Option(dest="atoms", flags=("--a",), type="int", default="51"), 76, (), False),
        (Option(dest="backend_preset", flags=("--b",), type="int", default="2"), 3, (), False),
        (Option(dest="save", flags=("--save",)), "/out/x", (), False),
        (Option(dest="gcp_project", flags=("--g",)), "nightly", (), False),
        (Option(dest="run_name", flags=("--r",)), "nightly", (), True),
        (Option(dest="dataset", flags=("--s",), choices=("a", "b"), default="a"), "b", (), False),
    ],
)  # fmt: skip
def test_only_what_does_no_harm_is_added(option: Option, value: object, found: tuple[str, ...], good: bool) -> None:
    other = Option(dest="print", flags=("--print",), nargs="0")
    signature = Signature(path="x.py", framework="argparse", options=(option, other))
    read = Guards(leads={"cache": frozenset({"store"})}, words=frozenset({"steps"}))
    wish = RequestedOption(option=option, value=value, documented=False)
    have = {name: RequestedOption(option=other, value=True, documented=True) for name in found}
    assert is_harmless(wish, have, read, signature) is good


def test_a_batch_is_no_shape() -> None:
    assert (
        not is_shape(Option(dest="batch_size"))
        and is_shape(Option(dest="hidden-dim"))
        and is_shape(Option(dest="numLayers"))
    )


def behind_subcommand(folder: Path, name: str) -> list[str]:
    top = 'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("--config")\n'
    sub = f'below = parser.add_subparsers(dest="job").add_parser("fit")\nbelow.add_argument("{name}")\n'
    rest = HARMLESS.replace("parser.", "below.") + END
    shown = readme(f"python train.py fit {name} runs/a.yaml --lr 0.3")
    return outputs(made(folder, {"train.py": top + sub + rest, "README.md": shown}, 2))


def test_an_option_behind_a_subcommand_stays_there(tmp_path: Path) -> None:
    found = behind_subcommand(tmp_path, "--settings")
    assert found and all(text.index(" fit") < text.index("--") for text in found)


def test_an_option_that_both_levels_have_makes_no_row(tmp_path: Path) -> None:
    assert behind_subcommand(tmp_path, "--config") == []


def test_what_a_function_refuses_under_another_name_is_read(tmp_path: Path) -> None:
    rate = "class Rate:\n    def __init__(self, rounds, start):\n        assert start > 0\n"
    check = "def look(cut):\n    if cut > 1:\n        raise ValueError(cut)\n"
    calls = "Rate(args.epochs, args.seed)\nlook(cut=args.lr)\n"
    (tmp_path / "train.py").write_text(f"{HEAD}{HARMLESS}{rate}{check}{END}{calls}")
    index = RepoIndex.open(tmp_path, "1")
    found = guards(index, ModuleTable(index.files), index.signatures["train.py"][0])
    assert found.tested == {"seed", "lr"}


@pytest.mark.parametrize("name", ["input_nc", "n_scales_spatial", "imgsz"])
def test_sizes_of_networks_are_shapes(name: str) -> None:
    assert is_shape(Option(dest=name, type="int"))


@pytest.mark.parametrize(
    ("path", "given", "good"),
    [
        ("main.py", (), True),
        ("tools/test.py", (), False),
        ("main.py", ("eval",), False),
        ("main.py", ("do_train", "do_eval"), True),
    ],
)
def test_what_does_not_train_gets_no_interval_of_training(path: str, given: tuple[str, ...], good: bool) -> None:
    options = [Option(dest=name, flags=(f"--{name}",), nargs="0") for name in given]
    every = Option(dest="save_frequency", flags=("--save_frequency",), type="int", default="1")
    signature = Signature(path=path, framework="argparse", options=(*options, every))
    found = {o.dest: RequestedOption(option=o, value=True, documented=True) for o in options}
    assert is_harmless(RequestedOption(option=every, value=2, documented=False), found, Guards(), signature) is good


@pytest.mark.parametrize(
    ("path", "given", "good"),
    [("main.py", (), True), ("tools/test.py", (), False), ("main.py", ("do_train", "do_eval"), True)],
)
def test_what_does_not_train_gets_no_number_of_training(path: str, given: tuple[str, ...], good: bool) -> None:
    options = [Option(dest=name, flags=(f"--{name}",), nargs="0") for name in given]
    rate = Option(dest="lr", flags=("--lr",), type="float", default="0.1")
    signature = Signature(path=path, framework="argparse", options=(*options, rate))
    found = {o.dest: RequestedOption(option=o, value=True, documented=True) for o in options}
    assert is_harmless(RequestedOption(option=rate, value=0.2, documented=False), found, Guards(), signature) is good


def test_an_option_that_comes_to_nothing_is_not_asked_for(tmp_path: Path) -> None:
    """What the program replaces by another, or prints and reads nowhere, has no effect that a request can name."""
    options = 'parser.add_argument("--save_dir", default="out", help="folder of results")\nparser.add_argument("--log_dir", default="log", help="folder of logs")\n'
    ends = "args.save_dir = args.data\nprint(args.log_dir)\nopen(args.data).read()\n"
    data = 'parser.add_argument("--data", help="the data")\n'
    script = f"{HEAD}{data}{options}{HARMLESS}{END}{ends}"
    found = outputs(made(tmp_path, {"train.py": script, "README.md": readme("python train.py --data data/cora.csv")}))
    assert found and not any("--save_dir" in text or "--log_dir" in text for text in found)
    read = f"{HEAD}{data}{options}{HARMLESS}{END}if args.lr:\n    args.save_dir = args.data\nprint(open(args.log_dir))\nopen(args.log_dir)\n"
    other = made(tmp_path / "b", {"train.py": read, "README.md": readme("python train.py --data data/cora.csv")})
    assert any("--save_dir" in text for text in outputs(other)) and any("--log_dir" in text for text in outputs(other))


def test_an_option_that_nothing_reads_is_not_asked_for(tmp_path: Path) -> None:
    """A declaration alone has no effect; where most options are not seen to be read, they are read somewhere else."""
    script = HEAD + HARMLESS + 'parser.add_argument("--log_every", type=int, default=5)\n'
    reads = "use(args.lr, args.epochs, args.seed)\n"
    shown = readme("python train.py --lr 0.3 --epochs 9")
    found = outputs(made(tmp_path, {"train.py": f"{script}{END}{reads}", "README.md": shown}, 4))
    assert found and not any("--log_every" in text for text in found)
    for name, ends in (
        ("b", f"{reads}use(args.log_every)\n"),
        ("c", "use(args)\n"),
        ("d", f"{reads}use(vars(args))\n"),
    ):
        other = made(tmp_path / name, {"train.py": f"{script}{END}{ends}", "README.md": shown}, 4)
        assert any("--log_every" in text for text in outputs(other))


@pytest.mark.parametrize(("given", "good"), [("eval", False), ("amp", True)])
def test_an_evaluation_alone_gets_no_folder_of_training(given: str, good: bool) -> None:
    """A program that trains and is told to evaluate alone saves nothing where it would save what it trains."""
    option, other = Option(dest="output_dir", flags=("--o",), default="out"), Option(dest=given, nargs="0")
    signature = Signature(path="main.py", framework="argparse", options=(option, other))
    found = {given: RequestedOption(option=other, value=True, documented=True)}
    assert (
        is_harmless(RequestedOption(option=option, value="/out/x", documented=False), found, Guards(), signature)
        is good
    )


def test_what_another_option_turns_off_is_not_asked_for_beside_it(tmp_path: Path) -> None:
    """A folder of logs that is used "and not" in an evaluation does nothing in one; one that is replaced does nothing ever."""
    options = 'parser.add_argument("--eval", action="store_true")\nparser.add_argument("--log_dir", default="log")\n'
    ends = "if args.log_dir and not args.eval:\n    open(args.log_dir)\n"
    shown = readme("python train.py --eval --seed 3")
    found = outputs(made(tmp_path, {"train.py": f"{HEAD}{options}{HARMLESS}{END}{ends}", "README.md": shown}, 8))
    assert found and not any("--eval" in text and "--log_dir" in text for text in found)
    ends = "class Run:\n    def start(self):\n        self.args.log_dir = 'x'\nopen(args.log_dir)\n"
    shown = readme("python train.py --seed 3 --lr 0.3")
    found = outputs(made(tmp_path / "b", {"train.py": f"{HEAD}{options}{HARMLESS}{END}{ends}", "README.md": shown}, 8))
    assert found and not any("--log_dir" in text for text in found)


def test_a_word_that_the_source_does_not_know_makes_no_row(tmp_path: Path) -> None:
    """A misspelt name passes a parser that takes any word, and then no table has it."""
    table = 'nets = {"Gcn": 1, "Gat": 2}\nopen(nets[args.net])\n'
    script = f'{HEAD}parser.add_argument("--net")\n{HARMLESS}{END}'
    shown = readme("python train.py --net Gcn --lr 0.3", "python train.py --net GAT --lr 0.3")
    assert not any("GAT" in text for text in outputs(made(tmp_path, {"train.py": script + table, "README.md": shown})))
    free = outputs(made(tmp_path / "b", {"train.py": script, "README.md": shown}))
    assert any("GAT" in text for text in free)


def test_a_number_that_a_name_contains_stays_as_it_is(tmp_path: Path) -> None:
    """The name of a run that tells a number would say what is not so with another number."""
    rate = 'parser.add_argument("--rate", type=float, default=0.5)\nparser.add_argument("--name")\n'
    shown = readme("python train.py --name kit_0.125 --rate 0.125 --lr 0.2")
    found = outputs(made(tmp_path, {"train.py": f"{HEAD}{rate}{HARMLESS}{END}", "README.md": shown}))
    assert found and all("--rate 0.125" in text for text in found)


def test_a_file_that_is_joined_to_a_folder_keeps_its_bare_name(tmp_path: Path) -> None:
    """Joined to a folder, a path from the root would take the folder's place."""
    options = 'parser.add_argument("--root_path")\nparser.add_argument("--data_path")\n'
    shown = readme("python train.py --root_path ./data/kit/ --data_path kit.csv --lr 0.2")
    found = outputs(made(tmp_path, {"train.py": f"{HEAD}{options}{HARMLESS}{END}", "README.md": shown}))
    assert found and all("--root_path /data/" in text and "--data_path kit.csv" in text for text in found)


def test_a_document_that_gives_what_comes_to_nothing_makes_no_row(tmp_path: Path) -> None:
    """Its command would be right, and what it asks for would not be done."""
    options = (
        'parser.add_argument("--data", help="the data")\nparser.add_argument("--out_path", help="folder of results")\n'
    )
    script = f"{HEAD}{options}{HARMLESS}{END}open(args.data)\nprint(args.out_path)\n"
    shown = "python train.py --data data/cora.csv --out_path out/x.csv --lr 0.2"
    assert not outputs(made(tmp_path, {"train.py": script, "README.md": readme(shown)}))


def test_what_is_made_does_not_depend_on_the_order_of_sets() -> None:
    program = (
        "from random import Random\n"
        "from ml_agent.benchmarks.make.vary import ValueMaker\n"
        "from ml_agent.tools.signatures.model import Option\n"
        "for name in ('text_image', 'audio_text_video', 'song_img'):\n"
        "    option = Option(dest=name, required=True, type='str')\n"
        "    print(ValueMaker((), Random(1)).wish(option, None).value)\n"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123456"
    }
    assert len(made) == 1, made
