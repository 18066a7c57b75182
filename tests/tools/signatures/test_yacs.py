"""yacs: settings within an option."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature

Make = Callable[..., Any]

DEFAULTS = """
    from yacs.config import CfgNode as CN

    _C = CN()
    _C.OUTPUT_DIR = "out"
    _C.SOLVER = CN()
    # the rate to begin with
    _C.SOLVER.BASE_LR = 0.1

    _C.SOLVER.STEPS = [10, 20]  # when the rate falls
    _C.TEST = CN({"ENABLE": True})

    def get_cfg():
        return _C.clone()
"""
MAIN = """
    import argparse
    from defaults import get_cfg

    def parse():
        parser = argparse.ArgumentParser()
        parser.add_argument("--cfg")
        parser.add_argument("%s", nargs=argparse.REMAINDER)
        return parser.parse_args()

    def main():
        args = parse()
        cfg = get_cfg()
        cfg.merge_from_file(args.cfg)
        cfg.merge_from_list(args.opts)
        cfg.SOLVER.BASE_LR = cfg.SOLVER.BASE_LR * 2

    if __name__ == "__main__":
        main()
"""


def signature(repository: Make, option: str = "--opts") -> Signature:
    (read,) = repository({"main.py": MAIN % option, "defaults.py": DEFAULTS}).read("main.py")
    return read  # type: ignore[no-any-return]


def test_settings_stand_within_the_option_that_changes_them(repository: Make) -> None:
    inner = {one.dest: one for one in signature(repository).options if one.within == "opts"}
    assert {name: (one.type, one.default, one.help) for name, one in inner.items()} == {
        "OUTPUT_DIR": ("str", "out", ""),
        "SOLVER.BASE_LR": ("float", "0.1", "the rate to begin with"),
        "SOLVER.STEPS": ("json", "10 20", "when the rate falls"),
        "TEST.ENABLE": ("bool", "True", ""),
    }
    assert not any(one.positional for one in inner.values())
    assert inner["SOLVER.BASE_LR"].line


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("SOLVER.BASE_LR 0.5 OUTPUT_DIR x", []),
        ("SOLVER.BASE_LX 0.5", ["unknown-option"]),
        ("SOLVER.BASE_LR", ["bad-call"]),
        ("SOLVER.BASE_LR much", ["bad-type"]),
        ("$MORE", []),
    ],
)
def test_what_is_no_setting_is_found(repository: Make, words: str, codes: list[str]) -> None:
    index = RepoIndex.open(repository({"main.py": MAIN % "opts", "defaults.py": DEFAULTS}).sources.root, "v")
    found = check_command(f"python main.py --cfg a.yaml {words}", index)
    assert [one.code for one in found if one.code != "no-such-file"] == codes
    assert all("did you mean SOLVER.BASE_LR" in one.message for one in found if one.code == "unknown-option")


def test_a_tree_that_holds_itself_ends(repository: Make) -> None:
    knots = "\n".join(f"    _C.K{n} = _C" for n in range(40))
    text = DEFAULTS.replace('    _C.OUTPUT_DIR = "out"', f'{knots}\n    _C.OUTPUT_DIR = "out"')
    started = time.process_time()
    repository({"main.py": MAIN % "opts", "defaults.py": text}).read("main.py")
    assert time.process_time() - started < 10
