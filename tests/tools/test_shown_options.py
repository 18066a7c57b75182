"""Options that documents show for programs that take more than their source lists."""

import textwrap
from pathlib import Path

import pytest

from ml_agent.tools.commandline.render import render_words
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

FIRE = """
    import fire
    def run(model, mode="ancestral", **kwargs):
        print(model, mode, kwargs)
    fire.Fire(run)
"""
ARGPARSE = """
    '''Trains.

    python run.py --depth=3
    '''
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    args, others = parser.{parse}
"""
ARGV = """
    import sys
    def merge(words):
        for word in words:
            name, value = word.split("=")
    merge(sys.argv[1:])
"""


def _read(root: Path, script: str, readme: str, **more: str) -> Signature:
    files = {"run.py": script, "README.md": f"# Run\n\n```\n{readme}\n```\n"}
    for name, text in (files | {f"{name}.yaml": text for name, text in more.items()}).items():
        (root / name).write_text(textwrap.dedent(text))
    (found,) = RepoIndex(root, "1").signatures["run.py"]
    return found


def _shown(signature: Signature) -> dict[str, Option]:
    return {option.dest: option for option in signature.options if option.path == "README.md"}


def test_what_fire_takes_besides_its_parameters(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        FIRE,
        "python run.py --model=5b --n-samples=6 --sr 44100 --fp16\npython run.py\npython other.py --lr=1",
    )
    shown = _shown(found)
    assert {dest: one.type for dest, one in shown.items()} == {"n_samples": "unknown", "sr": "unknown", "fp16": "bool"}
    assert shown["n_samples"].line == 4 and not shown["n_samples"].sure and not found.whole
    assert render_words(found, {"model": "1b", "n_samples": 4}) == ("--model", "1b", "--n-samples=4")


def test_what_a_parser_hands_on(tmp_path: Path) -> None:
    readme = "python run.py --model=a --learning_rate=0.1 --modle=b --fast\npython run.py --learning_rate=0.2 --help"
    found = _read(tmp_path, ARGPARSE.format(parse="parse_known_args()"), readme)
    assert [(one.dest, one.joined, one.nargs) for one in found.options] == [
        ("model", False, None),
        ("learning_rate", True, None),
        ("fast", False, "0"),
        ("depth", True, None),
    ]


def test_a_parser_that_knows_all_its_options_takes_no_others(tmp_path: Path) -> None:
    found = _read(tmp_path, ARGPARSE.format(parse="parse_args(), None"), "python run.py --model=a --learning_rate=0.1")
    assert [one.dest for one in found.options] == ["model"]


def test_a_flag_before_a_word_by_place_may_be_anything(tmp_path: Path) -> None:
    script = ARGPARSE.format(parse="parse_known_args()").replace('"--model"', '"model"')
    assert list(_shown(_read(tmp_path, script, "python run.py --data x --lr=3"))) == ["lr"]


@pytest.mark.parametrize(("readme", "names"), [("--a.b=1 --c=2", ["a.b", "c"]), ("config.py --c=2", [])])
def test_a_script_that_takes_its_words_apart_itself(tmp_path: Path, readme: str, names: list[str]) -> None:
    found = _read(tmp_path, ARGV, f"python run.py {readme}")
    assert [one.dest for one in found.options] == names
    if names:
        assert render_words(found, {"a.b": 3}) == ("--a.b=3",)


def test_a_key_whose_no_waits_for_what_examples_give(tmp_path: Path) -> None:
    script = """
        import hydra
        @hydra.main(config_path=".", config_name="config")
        def main(cfg): ...
        main()
    """
    found = _read(tmp_path, script, "python run.py weights=/x.pt half=yes", config="weights: no\nhalf: no\n")
    assert [(one.dest, one.type, one.default) for one in found.options] == [
        ("weights", "unknown", None),
        ("half", "bool", "false"),
    ]


def test_settings_that_documents_show_of_a_configuration_that_is_not_known(tmp_path: Path) -> None:
    script = "from omegaconf import OmegaConf\nconf = OmegaConf.from_cli()\n"
    found = _read(tmp_path, script, "python run.py net.depth=3 +extra=1")
    assert [(one.dest, one.type) for one in found.options] == [("net.depth", "unknown")]
    assert render_words(found, {"net.depth": 4}) == ("net.depth=4",)


HUNT = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--name")
    args, others = parser.parse_known_args()
"""


@pytest.mark.parametrize("script", ["python mine.py", "python3 -m mine", "mine.py", "bash mine.sh", "python run.py"])
def test_words_of_another_program_are_no_options(script: str, tmp_path: Path) -> None:
    found = _read(tmp_path, HUNT, f"python run.py -n x --workers 3 {script} --lr=4 --env-name y")
    assert list(_shown(found)) == ["workers"]


def test_words_behind_a_file_of_the_repository_are_options(tmp_path: Path) -> None:
    found = _read(tmp_path, HUNT, "python run.py conf.py --lr=4\npython run.py --script mine.py --env-name y")
    assert list(_shown(found)) == ["script", "env_name"]
    (tmp_path / "conf.py").touch()
    assert set(_shown(_read(tmp_path, HUNT, "python run.py conf.py --lr=4"))) == {"lr"}


def test_each_of_the_commands_that_share_a_function_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.scripts]\nfit = "run:go"\ncut = "run:go"\n'
    )
    (tmp_path / "README.md").write_text("# Run\n\n```\nfit --lr=3\n```\n\n```\ncut --width=3\n```\n")
    (tmp_path / "run.py").write_text("import argparse\ndef go():\n    argparse.ArgumentParser().parse_known_args()\n")
    found = RepoIndex(tmp_path, "1").signatures["run.py"]
    assert {one.name: list(_shown(one)) for one in found} == {"fit": ["lr"], "cut": ["width"]}
