"""The first message: what it tells of a repository, and how much room it takes."""

import time
from collections.abc import Callable

import pytest

from ml_agent.conversation import files as likely_files
from ml_agent.conversation.first_message import system
from ml_agent.model.thread import Thread
from ml_agent.tools.tokens import count_tokens

SCRIPT = """import argparse
parser = argparse.ArgumentParser()
{options}
parser.parse_args()
"""
Told = Callable[..., Thread]


def script(*options: str) -> str:
    return SCRIPT.format(options="\n".join(f'parser.add_argument("--{name}")' for name in options))


def test_of_copies_of_a_script_two_are_named(told: Told) -> None:
    files = {f"tasks/t{number}/make.py": script("mode", "output_dir", "overwrite") for number in range(6)}
    opening = told({**files, "write.py": script("prompts", "folder")}, "write 20 prompts, overwrite").opening
    assert opening.count("make.py (3 options") == 2 and "- write.py" in opening


COMMANDS = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--seed")
commands = parser.add_subparsers()
paint = commands.add_parser("evaluate")
paint.add_argument("--picture")
learn = commands.add_parser("train")
learn.add_argument("--checkpoint")
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Would you write what trains it for me?", "main.py train"),
        ("Evaluating is all I want.", "main.py evaluate"),
        ("Leave a checkpoint in out.", "main.py train"),
        ("Put the picture into out.", "main.py evaluate"),
    ],
)
def test_of_subcommands_the_likeliest_shows_its_options(text: str, wanted: str, told: Told) -> None:
    first = next(
        line for line in told({"main.py": COMMANDS}, text).opening.splitlines() if line.startswith("## Options")
    )
    assert first == f"## Options of {wanted}"


def test_files_that_are_only_imported_come_last(told: Told) -> None:
    """A module with a test of its own at its end is seldom what is run."""
    module = 'def load_pictures(): ...\nif __name__ == "__main__":\n    load_pictures()\n'
    opening = told({"load_pictures.py": module, "fit.py": script("pictures", "load")}, "load the pictures").opening
    assert opening.index("- fit.py") < opening.index("- load_pictures.py")


def test_code_that_is_asked_for_is_told_of_no_options(told: Told) -> None:
    files = {"fit.py": script("rate"), "net.py": "class Net:\n    def fit(self, rate): ...\n"}
    assert "## Options" not in told(files, "In Python, fit the net at a rate of 3").opening
    for words in ("Fit the net at a rate of 3", "Fit the net on all classes, its loss function of class 3 weighted"):
        assert "## Options" in told(files, words).opening


def test_files_that_the_request_names_show_how_they_begin(told: Told) -> None:
    files = {
        "train.py": script("config"),
        "conf/small.yaml": "hidden_width: 64\n",
        "conf/other.yaml": "hidden_width: 9\n",
    }
    opening = told(files, "Train with small.yaml.").opening
    assert "hidden_width: 64" in opening and "hidden_width: 9" not in opening


@pytest.mark.parametrize(("lines", "end", "shown"), [(3, "\n", True), (60, "\n", False), (30, ", ", False)])
def test_a_small_configuration_that_a_documented_call_gives_is_shown_whole(
    lines: int, end: str, shown: bool, told: Told
) -> None:
    files = {
        "train.py": script("config"),
        "conf/base.yaml": "".join(f"width_{line}: 7{end}" for line in range(lines)),
        "README.md": "# Train\n\nTrain it:\n\n```bash\npython train.py --config conf/base.yaml\n```\n",
    }
    assert ("width_2: 7" in told(files, "Train the network.").opening) is shown


@pytest.mark.parametrize("more", [0, 40])
def test_options_that_another_program_has_too_are_told_once(more: int, told: Told) -> None:
    shared = ["speed", "depth", "out_dir", *(f"shared_number_{number}" for number in range(more))]
    files = {"train_old.py": script(*shared, "width"), "train_new.py": script(*shared, "height")}
    opening = told(files, "Train with a width of 3 and a height of 4.").opening
    assert opening.count("--depth STR") == opening.count("--out_dir STR") == 1
    listed = "--speed, --depth, --out_dir"
    assert (f"has them: {listed}\nits own:\n--" in opening) is (more == 0)


def test_code_is_told_of_what_documents_use(told: Told) -> None:
    files = {
        "sound/__init__.py": "",
        "sound/api.py": "class Splitter:\n    def __init__(self, model: str = 'a', shifts=1):\n        pass\n\n"
        "    def split_file(self, path):\n        pass\n",
        "sound/files.py": "RATE = 3\n\n\ndef save(wav, path, as_float=False) -> None:\n    pass\n",
        "README.md": "# Separate\n\nSeparate a song:\n\n```python\nimport sound.api\nfrom sound.files import save\n\n"
        "parts = sound.api.Splitter().split_file('x')\n```\n",
    }
    opening = told(files, "Write Python that separates song.wav.").opening
    assert "sound.api.Splitter(model='a', shifts=1)\n  .split_file(path)" in opening
    assert "sound.files.save(wav, path, as_float=False)" in opening


def test_options_that_do_not_fit_are_named(told: Told) -> None:
    names = [f"setting_number_{number}_of_the_many" for number in range(200)]
    opening = told({"train.py": script(*names)}, "train it").opening
    assert "... and --setting" in opening and " more" in opening and len(opening) < 8_000


def test_the_likeliest_script_shows_code_what_it_calls(told: Told) -> None:
    nets = {"nets/__init__.py": "", "nets/a.py": "def open_tower(path, strict=False):\n    pass\n"}
    files = {**nets, "climb.py": "from nets.a import open_tower\n" + script("tower") + "open_tower('x', strict=True)\n"}
    opening = told(files, "Write Python that does what climb.py does.").opening
    assert "# What climb.py calls\nfrom nets.a import open_tower\nopen_tower('x', strict=True)" in opening
    assert "# What" not in told(files, "Climb the tower with climb.py.").opening


def test_a_long_first_message_takes_less_room_for_its_parts(told: Told) -> None:
    words = [f"fügung{number}übermaß" for number in range(900)]
    help_text = " ".join(words)
    files = {f"tool_{n}.py": script(*(f"o{n}_{word}" for word in words[:60])) for n in range(9)}
    files["README.md"] = f"# Tools\n\n```bash\npython tool_1.py {help_text}\n```\n"
    thread = told(files, "Use tool_1.py")
    assert count_tokens(f"{system()}{thread.opening}{thread.task}").n <= 3_000


def test_files_are_listed_that_a_value_may_name(told: Told) -> None:
    files = {
        "train.py": script("config", "data"),
        **dict.fromkeys(
            ("conf/small.yaml", "configs/small_net.py", "data/small_birds.csv", "small.md", "a/small.py"), "x = 1\n"
        ),
        **dict.fromkeys(
            ("conf/large.yaml", "requirements-small.txt", "data/small_but_of_all_kinds_of_fish.csv"), "x: 1\n"
        ),
    }
    listed = told(files, "Train the small one.").opening.partition("Files whose names fit: ")[2].partition("\n")[0]
    assert set(listed.split(", ")) == {"conf/small.yaml", "configs/small_net.py", "data/small_birds.csv"}


def test_a_documented_call_over_several_lines_keeps_its_values(told: Told) -> None:
    values = [f"--setting_{n} value_number_{n}" for n in range(20)]
    lines = " \\\n    ".join(["torchrun --nproc_per_node 8 train.py", *values])
    files = {
        "train.py": script(*(f"setting_{n}" for n in range(20))),
        "README.md": f"# Train\n\n```bash\n{lines}\n```\n",
    }
    opening = told(files, "Train it on 8 cards.").opening
    assert f"torchrun --nproc_per_node 8 train.py {' '.join(values)}" in opening


def test_a_configuration_that_is_named_shows_its_keys(told: Told) -> None:
    keys = "".join(f"key_number_{n}: {n}\n" for n in range(60))
    assert "key_number_59" in told({"train.py": script("c"), "c/small.yaml": keys}, "Train with c/small.yaml.").opening


@pytest.mark.parametrize("unit", ["readme", "conf_", "config/", "_conf", "a.", "."])
def test_long_paths_are_judged_quickly(unit: str) -> None:
    begun = time.perf_counter()
    likely_files._may_be_given(unit * (100_000 // len(unit)))
    likely_files._may_be_given(unit * (100_000 // len(unit)) + ".py")
    assert time.perf_counter() - begun < 5


OPEN = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("config")
args, others = parser.parse_known_args()
"""


def test_an_open_program_shows_the_configuration_that_a_documented_call_gives(told: Told) -> None:
    readme = "# Paint\n```bash\npython paint.py configs/paint/oil.py\n```\n"
    files = {"paint.py": OPEN, "configs/paint/oil.py": "num_strokes = 7\n", "configs/paint/ink.py": "num_drops = 3\n"}
    opening = told({**files, "README.md": readme}, "paint with 9 strokes").opening
    assert "# configs/paint/oil.py begins\nnum_strokes = 7" in opening
    opening = told({**files, "README.md": readme}, "paint with ink, 9 drops").opening
    assert "# configs/paint/ink.py begins\nnum_drops = 3" in opening


def test_set_up_and_tests_without_options_are_no_entry_points_unless_they_are_said(told: Told) -> None:
    setup = "from setuptools import setup\nsetup(name='turner', classifiers=['Turns pictures'])\n"
    test = "def test_turn():\n    turn(3)\nif __name__ == '__main__':\n    test_turn()\n"
    files = {"setup.py": setup, "tests/test_turn.py": test, "turner/__init__.py": "def turn(degrees): ...\n"}
    files["README.md"] = "# Install\n```bash\npython setup.py install\n```\n"
    opening = told(files, "turn my pictures by 3 degrees").opening
    assert "setup.py install" not in opening and "setup.py begins" not in opening and "- tests/" not in opening
    assert "turner.turn(degrees)" in opening
    assert "- tests/test_turn.py" in told(files, "run the test test_turn.py").opening


def test_files_that_are_named_and_not_there_are_told(told: Told) -> None:
    files = {"train.py": script("picture"), "data/there.csv": "a,b\n1,2\n"}
    text = (
        "Train on data/there.csv and lost/here.csv, colour gray.jpg with scipy.optimize and save it as outputs/new.png."
    )
    opening = told(files, text).opening
    assert "Named below and not found (to be made, or missing): lost/here.csv, gray.jpg" in opening
    assert "not found" not in told(files, "Train on there.csv and write outputs/new.png.").opening
    assert told(files, f"Train on {'a' * 300}.csv.").opening  # no name is too long to be asked for


def test_documented_calls_are_of_the_subcommand_that_is_meant(told: Told) -> None:
    calls = ("main.py evaluate --picture picture.png", "main.py train --checkpoint c.pt")
    readme = "# A picture\nWrite what the picture trains:\n" + "".join(f"```bash\npython {one}\n```\n" for one in calls)
    readme += "```\n@article{key,\n  title={Train pictures}\n}\n```\n"
    opening = told({"main.py": COMMANDS, "README.md": readme}, "Train it for a picture.").opening
    shown = opening.partition("# Documented calls")[2].partition("\n#")[0]
    assert "main.py train" in shown and "evaluate" not in shown
    assert "@article" not in opening


def test_documented_calls_that_differ_only_in_the_file_that_they_name_are_others(told: Told) -> None:
    code = "import sys, runpy\nlr = 0.1\nruns = runpy.run_path(sys.argv[1])\nprint(runs)\n"
    calls = ("config/eval_large.py", "config/finetune.py", "config/eval_small.py", "--device=cpu", "--seed=3", "--lr=3")
    readme = "# A net\n" + "".join(f"```bash\npython train.py {one}\n```\n" for one in calls)
    configurations = dict.fromkeys(calls[:3], "lr = 0.2\n")
    opening = told(
        {"train.py": code, "README.md": readme, **configurations}, "finetune the large net with train.py"
    ).opening
    shown = opening.partition("# Documented calls")[2].partition("\n#")[0]
    assert "config/eval_large.py" in shown and "config/finetune.py" in shown


def test_what_hands_its_arguments_on_is_told_with_those_that_it_takes(told: Told) -> None:
    code = (
        "class Table:\n    def __init__(self, page, rows=(), align='left'): ...\n"
        "def table(*args, **kwargs):\n    return Table(None, *args, **kwargs)\n"
        "def small_table(name, **kwargs):\n    return table(rows=(), **kwargs)\n"
    )
    opening = told({"pages/__init__.py": code}, "draw a small table with Python code").opening
    assert "pages.table(rows=(), align='left')" in opening and "pages.small_table(name, align='left')" in opening


def test_a_program_among_the_tests_does_not_hide_the_library(told: Told) -> None:
    files = {
        "tests/test_speed.py": script("pictures", "repeats", "output"),
        "turner/__init__.py": "def turn(degrees): ...\n",
    }
    opening = told(files, "turn my pictures by 3 degrees, output in out.png").opening
    assert "turner.turn(degrees)" in opening and "--repeats" not in opening


def test_an_example_is_shown_once_and_what_only_installs_never(told: Told) -> None:
    example = "```python\nfrom turner import turn\nturn(3)\n```\n"
    install = "## Turn from source\n```bash\ngit clone https://example.org/turner\ncd turner\npip install .\n```\n"
    files = {"README.md": f"# Turn\n{example}{install}", "docs/index.md": f"# Turn pictures\n{example}"}
    opening = told({**files, "turner/__init__.py": "def turn(degrees): ...\n"}, "turn my pictures by 3 degrees").opening
    assert opening.count("turn(3)") == 1 and "git clone" not in opening


def test_of_a_second_example_that_begins_like_the_first_the_rest_is_shown(told: Told) -> None:
    begin = "import turner\n" + "".join(
        f"turner.set_{name}('{name}')\n" for name in ("paper", "margins", "colours", "fonts")
    )
    files = {
        f"docs/{name}.md": f"# Turn and {name}\n```python\n{begin}turner.{name}('all')\nturner.save()\n```\n"
        for name in ("fold", "cut")
    }
    opening = told(
        {**files, "turner/__init__.py": "def fold(what): ...\n"}, "turn, fold and cut my pictures with Python code"
    ).opening
    assert opening.count("set_margins") == 1 and "turner.fold('all')" in opening and "turner.cut('all')" in opening
