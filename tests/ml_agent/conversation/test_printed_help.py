"""Options as documents print them, for programs whose source does not tell them."""

from pathlib import Path

import pytest

from ml_agent.conversation.first_message import open_thread
from ml_agent.conversation.options import printed_help
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature
from ml_agent.understanding import understood


def test_the_help_that_documents_print_stands_for_options_that_the_source_does_not_tell(tmp_path: Path) -> None:
    printed = (
        "Usage: fit [options] FILE\n\nFits it.\n\nOptions:\n  -h, --help   show this help\n  -l N, --loss=N\n"
        "               Loss function. 0: hinge. 2: log.\n  --shuffle    Shuffle.\n  -E int       Epochs.\n"
        "\nusage: other [options]\n  --else       nothing of it\n"
    )
    for path, text in {
        "fit": "#!/usr/bin/env python\nprint 'of another time'\n",
        "doc/cli.md": f"# Programs\n\n```\n{printed}```\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    request = understood("Fit it with log loss and shuffle.", Given(repository="me/x"))
    opening = open_thread(request, workspace).opening
    assert (
        "## Options of fit, as documents print them\n-l N, --loss=N Loss function. 0: hinge. 2: log.\n--shuffle"
        in opening
    )
    assert "--else" not in opening.partition("as documents print them")[2].partition("#")[0]
    assert "--help" not in opening and "fit begins" not in opening


@pytest.mark.parametrize("unit", ["usage: ", "\n", "  --a ", "- ", "usage: fit \n  -a\n"])
def test_long_documents_are_read_quickly(unit: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"# A\n\n{unit * (200_000 // len(unit))}\n")
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    assert len(printed_help(Signature(path="fit"), "fit it", workspace, 500)) <= 500
