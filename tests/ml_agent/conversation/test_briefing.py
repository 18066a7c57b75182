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


def test_copies_that_differ_in_a_default_are_copies(told: Told) -> None:
    files = {f"t{n}/make.py": script("mode", "overwrite").replace('mode"', f'mode", default="m{n}"') for n in range(6)}
    assert told(files, "make it, overwrite").opening.count("make.py (2 options") == 2


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


def test_a_subcommand_that_a_documented_call_names_is_likelier(told: Told) -> None:
    """Where the words speak of none."""
    readme = "# Fine-tuning\n```bash\npython main.py train --checkpoint x.pt\n```\n"
    for files, wanted in (({}, "evaluate"), ({"README.md": readme}, "train")):
        opening = told({"main.py": COMMANDS} | files, "Fine-tuning of x.pt, picture by picture, with its seed").opening
        assert opening.partition("## Options of ")[2].splitlines()[0] == f"main.py {wanted}"


def test_projects_inside_a_project_come_last(told: Told) -> None:
    """What others wrote and the repository brings along, with a set-up of its own."""
    inner = {"apex/setup.py": "", "apex/train.py": script("rate", "layers"), "setup.py": "", "fit.py": script("rate")}
    assert "- fit.py" in told(inner, "train the layers at a rate of 3").opening.partition("- apex/train.py")[0]


def test_documented_calls_with_other_options_come_first(told: Told) -> None:
    calls = [f"python fit.py --rate {n} --mode a" for n in range(3)] + ["python fit.py --size 3"]
    readme = "# Fit\n" + "\n".join(f"```bash\n{call}\n```\n" for call in calls)
    opening = told({"fit.py": script("rate", "mode", "size"), "README.md": readme}, "fit at a rate, mode a").opening
    assert opening.index("--size 3") < opening.index("--rate 1 ")


def test_of_copies_those_are_named_whose_names_are_said(told: Told) -> None:
    files = {f"init_{name}.py": script("text", "save") for name in ("dummy", "base", "huge", "large")}
    opening = told(files, "save an untrained large model as x with the text y").opening
    assert "init_large.py" in opening and opening.count("- init_") == 2


def test_files_that_are_only_imported_come_last(told: Told) -> None:
    """A module with a test of its own at its end is seldom what is run."""
    module = 'def load_pictures(): ...\nif __name__ == "__main__":\n    load_pictures()\n'
    opening = told({"load_pictures.py": module, "fit.py": script("pictures", "load")}, "load the pictures").opening
    assert opening.index("- fit.py") < opening.index("- load_pictures.py")


def test_common_words_name_no_file(told: Told) -> None:
    files = {"fit.py": script("voice"), "voices/it_speaker.npz": "", "voices/de_speaker.npz": "", "x/is_0.patch": ""}
    opening = told(files, "speak it with the de voice of a speaker, where 0 is nobody's").opening
    assert "voices/de_speaker.npz" in opening.partition("names fit: ")[2].partition(",")[0] and "is_0" not in opening


def test_a_configuration_is_known_by_the_words_of_its_path(told: Told) -> None:
    names = [f"configs/{data}/net_{depth}_bs16_50ep.yaml" for data in ("ade", "coco") for depth in ("r50", "r101")]
    files = {"fit.py": script("config"), **dict.fromkeys(names, "lr: 1\n"), "configs/ade/base.yaml": "lr: 1\n"}
    fitting = told(files, "evaluate the r101 network on ADE").opening.partition("names fit: ")[2]
    assert fitting.startswith("configs/ade/net_r101_bs16_50ep.yaml")


def test_code_that_is_asked_for_is_told_of_no_options(told: Told) -> None:
    files = {"fit.py": script("rate"), "net.py": "class Net:\n    def fit(self, rate): ...\n"}
    assert "## Options" not in told(files, "In Python, fit the net at a rate of 3").opening
    for words in ("Fit the net at a rate of 3", "Fit the net on all classes, its loss function of class 3 weighted"):
        assert "## Options" in told(files, words).opening


def test_what_the_documents_use_most_is_shown(told: Told) -> None:
    names = ["Alpha", *(f"Beta{n}" for n in range(30))]
    files = {"lib/__init__.py": "".join(f"class {one}:\n    def __init__(self, x): ...\n" for one in names)}
    files["README.md"] = "".join(f"# Part {n}\n```python\nfrom lib import Alpha\nAlpha({n})\n```\n" for n in range(4))
    assert "lib.Alpha(" in told(files, "In Python, do the thing").opening


def test_what_sets_a_project_up_does_not_show_how_it_begins(told: Told) -> None:
    opening = told({"docs/conf.py": "project = 'paint'\nprint(project)\n"}, "conf of the paint project").opening
    assert "docs/conf.py" in opening and "begins" not in opening


def test_what_is_steered_from_within_shows_how_it_begins(told: Told) -> None:
    runner = "#!/bin/bash\n# Copyright 2020 Somebody\n\n# VIRTUAL_ENV: make a fresh environment\nUSE_CUDA=${USE_CUDA:-False}\n"
    opening = told({"run_all.sh": runner}, "Run all with run_all.sh on my card.").opening
    assert "USE_CUDA=${USE_CUDA:-False}" in opening


def test_files_that_the_request_names_show_how_they_begin(told: Told) -> None:
    files = {
        "train.py": script("config"),
        "conf/small.yaml": "hidden_width: 64\n",
        "conf/other.yaml": "hidden_width: 9\n",
    }
    opening = told(files, "Train with small.yaml.").opening
    assert "hidden_width: 64" in opening and "hidden_width: 9" not in opening


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


def test_options_of_a_further_entry_point_are_named_by_the_request(told: Told) -> None:
    files = {f"make_{name}.py": script("mode", name) for name in ("cups", "plates", "forks")}
    many = script(*(f"setting_number_{number}_of_many" for number in range(40)), "glaze")
    opening = told({**files, "make_bowls.py": many}, "Make cups, plates and forks; and glaze them.").opening
    assert "make_bowls.py (41 options: --glaze, " in opening or "--glaze STR" in opening


VIVID = "class Block:\n    def __init__(self, dim):\n        pass\n\n\nclass VidNet:\n    def __init__(self, frames, depth):\n        pass\n"


def test_code_is_told_what_an_outdated_document_means(told: Told) -> None:
    files = {
        "nets/__init__.py": "",
        "nets/vid.py": VIVID,
        "README.md": "# Films\n\nClassify films:\n\n```python\nfrom nets.vid import Net\n\nNet(frames=8)\n```\n",
    }
    files |= {f"nets/other_{n}.py": f"def classify_film_{n}(film, films):\n    pass\n" for n in range(8)}
    opening = told(files, "Write Python that classifies films.").opening
    assert "nets.vid.VidNet(frames, depth)" in opening.partition("defines:")[0]


WORDS = "hour day week month year season wind rain snow sun cloud storm tide wave sand stone hill lake"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("maxvid in Python", "nets.max_vid.MaxVid(width)"), ("Python with the Dreamer", "nets.dreams.Dreamer(nights)")],
)
def test_code_is_told_first_of_what_the_request_names(text: str, wanted: str, told: Told) -> None:
    files = {
        "nets/max_vid.py": "class MaxVid:\n    def __init__(self, width):\n        pass\n",
        "nets/dreams.py": "class Dreamer:\n    def __init__(self, nights):\n        pass\n",
    }
    words = WORDS.split()
    for one, two, three in zip(words[::3], words[1::3], words[2::3], strict=True):
        files[f"nets/{one}.py"] = f"def {one}_{two}_{three}({one}, {two}):\n    pass\n"
    lines = told(files, f"{text} for {WORDS}").opening.partition("that fit\n")[2].splitlines()
    assert lines[0] == wanted


def test_a_name_that_many_classes_share_names_none_of_them(told: Told) -> None:
    files = {f"nets/n{n}.py": "class ViT:\n    def __init__(self, dim):\n        pass\n" for n in range(12)}
    files["nets/distil.py"] = "class Pupil:\n    def __init__(self, teacher, width):\n        '''Teach a pupil.'''\n"
    opening = told(files, "Write Python that lets a teacher teach a pupil, a ViT, his width.").opening
    assert (
        "nets.distil.Pupil(teacher, width)"
        in opening.partition("defines:")[0].partition("that fit\n")[2].splitlines()[0]
    )


def test_of_a_class_the_methods_that_fit_are_shown(told: Told) -> None:
    methods = "".join(f"    def step_{n}(self):\n        pass\n\n" for n in range(9))
    files = {"run.py": f"class LongWalk:\n{methods}    def training_losses(self, steps):\n        pass\n"}
    opening = told(files, "Write Python: training_losses of a LongWalk").opening
    assert "  .training_losses(steps)" in opening


def test_what_is_read_is_not_shown_as_a_call(told: Told) -> None:
    text = (
        "class LongWalk:\n    @property\n    def steps(self):\n        return 3\n\n    def rest(self):\n        pass\n"
    )
    opening = told({"run.py": text}, "Write Python: steps of a LongWalk").opening
    assert "  .steps\n" in opening and "  .rest()" in opening


def test_a_number_of_the_request_names_nothing(told: Told) -> None:
    files = {"stems.py": "def stem_2(x):\n    pass\n", "water.py": "def pool(pond):\n    pass\n"}
    fitting = told(files, "Python: pool a pond by depths 2 2 5 2").opening.partition("that fit\n")[2]
    assert "water.pool(pond)" in fitting and "stem_2" not in fitting


def test_of_a_class_the_methods_of_its_bases_are_shown(told: Told) -> None:
    files = {
        "base.py": "class Walk:\n    @classmethod\n    def load(cls, where):\n        pass\n\n    def rest(self):\n        pass\n",
        "run.py": "from base import Walk\n\n\nclass LongWalk(Walk):\n    def rest(self, hours):\n        pass\n",
    }
    opening = told(files, "Write Python: load a LongWalk").opening
    assert "run.LongWalk" in opening and "  .load(where)" in opening and "  .rest(hours)\n  .rest" not in opening


def test_the_likeliest_script_shows_code_what_it_calls(told: Told) -> None:
    nets = {"nets/__init__.py": "", "nets/a.py": "def open_tower(path, strict=False):\n    pass\n"}
    files = {**nets, "climb.py": "from nets.a import open_tower\n" + script("tower") + "open_tower('x', strict=True)\n"}
    opening = told(files, "Write Python that does what climb.py does.").opening
    assert "# What climb.py calls\nfrom nets.a import open_tower\nopen_tower('x', strict=True)" in opening
    assert "# What" not in told(files, "Climb the tower with climb.py.").opening


def test_a_second_subcommand_shows_its_options_as_well(told: Told) -> None:
    opening = told({"main.py": COMMANDS}, "Leave a checkpoint in out.").opening
    assert "## Options of main.py train" in opening and "## Options of main.py evaluate" in opening


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


def test_configurations_beside_a_documented_one_are_listed(told: Told) -> None:
    files = {
        "train.py": script("opt"),
        **dict.fromkeys(
            ("options/net_x2.yml", "options/net_x4.yml", "options/readme.txt", "more/net.yml"), "scale: 2\n"
        ),
        "README.md": "# Train\n\n```bash\npython train.py --opt options/net_x4.yml\n```\n",
    }
    listed = told(files, "Begin the training.").opening.partition("Files whose names fit: ")[2].partition("\n")[0]
    assert listed.split(", ") == ["options/net_x2.yml", "options/net_x4.yml"]


@pytest.mark.parametrize("unit", ["a", "a.", "a/", "a.yaml", "-", "a.yam"])
def test_files_in_long_commands_are_found_quickly(unit: str) -> None:
    begun = time.perf_counter()
    likely_files._SETTINGS.findall(unit * (100_000 // len(unit)))
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


def test_a_second_subcommand_says_what_it_has_beside_the_first(told: Told) -> None:
    code = "import argparse\nparser = argparse.ArgumentParser()\ncommands = parser.add_subparsers()\n"
    for name, own in (("paint", "brush"), ("print", "plate")):
        code += f"{name} = commands.add_parser('{name}')\n"
        code += "".join(f"{name}.add_argument('--{one}')\n" for one in ("alpha", "beta", "gamma", own))
    opening = told({"art.py": code + "parser.parse_args()\n"}, "paint or print with a brush").opening
    assert opening.count("--alpha") == 1
    assert "those of art.py paint without --brush, and\n--plate" in opening


def test_classes_tell_their_methods_also_behind_functions_and_what_calling_one_does(told: Told) -> None:
    functions = "".join(f"def edge_map_{n}(image):\n    'Edge map of an image.'\n" for n in range(9))
    detector = (
        "class EdgeDetector:\n    'Edge map of an image.'\n    def __call__(self, image, low, high):\n        pass\n"
        "    def __getitem__(self, edge):\n        pass\n    def __repr__(self):\n        pass\n"
    )
    opening = told({"edges.py": functions + detector}, "write code that makes an edge map of an image").opening
    assert "edges.EdgeDetector()" in opening and "  .__call__(image, low, high)" in opening
    assert ".__getitem__(edge)" in opening and "__repr__" not in opening


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
    assert "Named below, but not there: lost/here.csv, gray.jpg" in opening
    assert "not there" not in told(files, "Train on there.csv and write outputs/new.png.").opening
    assert told(files, f"Train on {'a' * 300}.csv.").opening  # no name is too long to be asked for


def test_documented_calls_are_of_the_subcommand_that_is_meant(told: Told) -> None:
    calls = ("main.py evaluate --picture picture.png", "main.py train --checkpoint c.pt")
    readme = "# A picture\nWrite what the picture trains:\n" + "".join(f"```bash\npython {one}\n```\n" for one in calls)
    readme += "```\n@article{key,\n  title={Train pictures}\n}\n```\n"
    opening = told({"main.py": COMMANDS, "README.md": readme}, "Train it for a picture.").opening
    shown = opening.partition("# Documented calls")[2].partition("\n#")[0]
    assert "main.py train" in shown and "evaluate" not in shown
    assert "@article" not in opening
