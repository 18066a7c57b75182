"""Options without a help text, and the lists and tables of documents that describe them."""

from pathlib import Path

import pytest

from ml_agent.conversation.first_message import open_thread
from ml_agent.conversation.options import with_descriptions
from ml_agent.conversation.tools import Toolbox
from ml_agent.navigator import Given, Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.understanding import understood

SCRIPT = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--alpha", type=float)
parser.add_argument("-b", "--batch_size", type=int)
parser.add_argument("--mode")
parser.add_argument("--seed", help="of the generator")
parser.parse_args()
"""


def workspace_of(root: Path, readme: str) -> Workspace:
    (root / "dream.py").write_text(SCRIPT)
    (root / "README.md").write_text(readme)
    return Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))


def helps(root: Path, readme: str) -> dict[str, str]:
    workspace = workspace_of(root, readme)
    made = with_descriptions(workspace.index.signatures["dream.py"][0], workspace)
    return {one.dest: one.help for one in made.options}


@pytest.mark.parametrize(
    "rows",
    [
        "* `--alpha`: how strongly it dreams\n* `-b`, `--batch_size`: pictures at once, at most",
        "- --alpha - how strongly it dreams\n- --batch\\_size - pictures at once, at most",
        "- **`--alpha` A**: how strongly it dreams\n- **`--batch_size` N**: pictures at once, at most",
        "| option | default | meaning |\n|---|---|---|\n| `--alpha` | 1 | how strongly it dreams |\n"
        "| `-b` | 8 | pictures at once, at most |",
    ],
)
def test_a_list_or_table_says_what_the_program_does_not(rows: str, tmp_path: Path) -> None:
    found = helps(tmp_path, f"# Dream\n\n`dream.py` takes:\n\n{rows}\n- `--seed`: of something else entirely\n")
    assert found["alpha"] == "how strongly it dreams" and found["batch_size"] == "pictures at once, at most"
    assert found["seed"] == "of the generator" and not found["mode"]


def test_what_speaks_of_another_program_or_of_several_options_says_nothing(tmp_path: Path) -> None:
    others = "# Other\n\nRun `other.py`:\n\n- `--alpha`: how much of the other thing\n- `--mode`: its mode of work\n"
    both = "# Dream\n\nRun `dream.py`.\n\n- `--alpha` and `--mode`: go well with each other\n"
    shown = "# Call\n\n```bash\npython dream.py \\\n--alpha 3 | tee the very log\n```\n"
    assert not any(helps(tmp_path, others + both + shown)[name] for name in ("alpha", "mode", "batch_size"))


def test_the_first_message_and_the_function_show_it(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, "# Dream\n\nRun `dream.py`.\n\n- `--alpha`: how strongly it dreams\n")
    request = understood("Dream strongly.", Given(repository="me/x"))
    line = "--alpha FLOAT  how strongly it dreams"
    assert line in open_thread(request, workspace).opening
    assert line in Toolbox(workspace, "dream").signature("dream.py")


@pytest.mark.parametrize("unit", ["- `--a`: ", "--a", "- --a ", "|", "- --a | "])
def test_long_documents_are_read_quickly(unit: str, tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path, f"# A\n\n{unit * (200_000 // len(unit))}\n")
    signature = Signature(path="dream.py", options=(Option(dest="a", flags=("--a",)),))
    assert len(with_descriptions(signature, workspace).options) == 1
