"""The check of commands for programs that take their parser, or an action of it, from a known library."""

import textwrap
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex


def said_of(root: Path, program: str, command: str) -> list[str]:
    """Severity and code of each finding about a command, in a repository of one program and one configuration."""
    (root / "train.py").write_text(textwrap.dedent(program))
    (root / "a.yaml").write_text("")
    return [f"{one.severity} {one.code}" for one in check_command(command, RepoIndex(root, "1"))]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--config-file a.yaml --num-gpus 2 --eval-only MODEL.WEIGHTS a.pth SOLVER.BASE_LR 0.1", []),
        ("--fold 1 --resume", []),
        ("--num-gpu 2", []),
        ("--evalonly", ["error unknown-option"]),
        ("--num-gpus two", ["error bad-type"]),
        ("--eval-only=1", ["error bad-type"]),
    ],
)
def test_the_parser_of_detectron2(tmp_path: Path, words: str, said: list[str]) -> None:
    program = """
        from detectron2.engine import default_argument_parser
        if __name__ == "__main__":
            parser = default_argument_parser()
            parser.add_argument("--fold", type=int)
            args = parser.parse_args()
        """
    assert said_of(tmp_path, program, f"python train.py {words}") == said


@pytest.mark.parametrize("library", ["mmengine.config", "mmengine", "mmcv"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a.yaml --cfg-options model.depth=50 'data=[(a,b)]' x=a=b", []),
        ("a.yaml --cfg-options lr=$LR $MORE", []),
        ("a.yaml --cfg-options lr=1 depth 50", ["error bad-type", "error bad-type"]),
        ("a.yaml --cfg-options", ["error missing-value"]),
    ],
)
def test_words_of_a_dict_action(tmp_path: Path, library: str, words: str, said: list[str]) -> None:
    program = f"""
        import argparse
        from {library} import DictAction
        parser = argparse.ArgumentParser()
        parser.add_argument("config")
        parser.add_argument("--cfg-options", nargs="+", action=DictAction)
        args = parser.parse_args()
        """
    assert said_of(tmp_path, program, f"python train.py {words}") == said
