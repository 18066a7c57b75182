"""gin: values that bind parameters of functions."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Make = Callable[..., Any]

TRAIN = """
    import gin
    from absl import app, flags

    flags.DEFINE_multi_string("gin_file", None, "files")
    flags.DEFINE_multi_string("gin_bindings", [], "bindings")
    FLAGS = flags.FLAGS

    @gin.configurable
    def train(learning_rate=0.1, *, steps=10): ...

    @gin.configurable("net")
    class Network:
        def __init__(self, width, **more): ...

    def main(argv):
        gin.parse_config_files_and_bindings(FLAGS.gin_file, FLAGS.gin_bindings)
        train()

    if __name__ == "__main__":
        app.run(main)
"""


@pytest.mark.parametrize(
    ("binding", "codes"),
    [
        ("train.learning_rate=0.5", []),
        ("outer/train.steps = 3", []),
        ("train.learning_rat=0.5", ["bad-choice"]),
        ("net.anything=1", []),
        ("elsewhere.size=1", []),
        ("MACRO=1", []),
    ],
)
def test_bindings(repository: Make, binding: str, codes: list[str]) -> None:
    index = RepoIndex.open(repository({"train.py": TRAIN}).sources.root, "v")
    found = check_command(f"python train.py --gin_bindings='{binding}'", index)
    assert [f.code for f in found] == codes
    assert all("did you mean learning_rate" in f.message for f in found)
