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


def test_a_parser_that_knows_all_its_options_takes_no_others(tmp_path: Path) -> None:
    found = _read(tmp_path, ARGPARSE.format(parse="parse_args(), None"), "python run.py --model=a --learning_rate=0.1")
    assert [one.dest for one in found.options] == ["model"]


@pytest.mark.parametrize(("readme", "names"), [("--a.b=1 --c=2", ["a.b", "c"]), ("config.py --c=2", [])])
def test_a_script_that_takes_its_words_apart_itself(tmp_path: Path, readme: str, names: list[str]) -> None:
    found = _read(tmp_path, ARGV, f"python run.py {readme}")
    assert [one.dest for one in found.options] == names
    if names:
        assert render_words(found, {"a.b": 3}) == ("--a.b=3",)


def test_settings_that_documents_show_of_a_configuration_that_is_not_known(tmp_path: Path) -> None:
    script = "from omegaconf import OmegaConf\nconf = OmegaConf.from_cli()\n"
    found = _read(tmp_path, script, "python run.py net.depth=3 +extra=1")
    assert [(one.dest, one.type) for one in found.options] == [("net.depth", "unknown")]
    assert render_words(found, {"net.depth": 4}) == ("net.depth=4",)
