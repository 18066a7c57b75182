"""Code that is nested deeper than a reader's stack is one refusal, in an answer, in an example and in a bash answer that holds it."""

import shlex
from pathlib import Path

import pytest

from ml_agent import api
from ml_agent.answer_gate import is_refused
from ml_agent.conversation.verdict import examine
from ml_agent.draft import Draft
from ml_agent.navigator import Given, Workspace
from ml_agent.offline.navigator import OfflineNavigator
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.check.host_python import python_risks
from ml_agent.tools.check.host_scope import HostScope
from ml_agent.workspaces import open_index
from tests.servers.git_folders import write_files
from tests.tools.test_python_source import DEEP

HELD_BY = "tools.python_source, tools.check.host_python"
NESTED = {
    "substitutions": "$(" * 2000 + "id" + ")" * 2000,
    "subshells": "(" * 2000 + "id" + ")" * 2000,
    "groups": "{ " * 2000 + "id" + "; }" * 2000,
    "shells": "bash -c '" * 2000 + "id",
    "wrappers": "env " * 4000 + "python fit.py",
    "arithmetic": "$((" * 2000 + "1" + "))" * 2000,
    "parameters": "${a:-" * 2000 + "x" + "}" * 2000,
    "choices": "if a; then " * 900 + "b" + "; fi" * 900,
    "values": "python fit.py --lr " + "[" * 3000 + "]" * 3000,
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A repository with one script."""
    root = tmp_path_factory.mktemp("deep") / "fitting"
    write_files(
        root, {"fit.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n"}
    )
    candidate = Candidate(full_name="fitting", url=str(root))
    return Workspace(index=open_index(str(root)), candidate=candidate, path=".", path_given=False)


def examined(kind: str, text: str, workspace: Workspace) -> Draft:
    """The draft as it would be told."""
    request = OfflineNavigator().understand("fit the model with lr 0.25", Given())
    return examine(Draft(kind=kind, text=text, workdir="."), request, workspace)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", DEEP)
def test_deep_python_is_one_refusal(name: str, workspace: Workspace) -> None:
    draft = examined("python", DEEP[name], workspace)
    assert is_refused(draft) and {finding.code for finding in draft.findings} >= {"syntax", "not-for-host"}
    assert "too long" in python_risks(DEEP[name], HostScope())[0].why


@pytest.mark.parametrize("name", DEEP)
def test_deep_python_in_a_bash_answer_is_refused(name: str, workspace: Workspace) -> None:
    if len(DEEP[name]) < 18_000:
        assert is_refused(examined("bash", f"python -c {shlex.quote(DEEP[name])}", workspace))


@pytest.mark.parametrize("name", NESTED)
def test_deep_bash_is_judged(name: str, workspace: Workspace) -> None:
    examined("bash", NESTED[name], workspace)


@pytest.mark.parametrize("name", DEEP)
def test_a_deep_example_does_not_end_a_run(name: str, tmp_path: Path) -> None:
    root = tmp_path / "fitting"
    readme = (
        f"# Fit\n\nFit the model:\n\n```python\nimport fit\n{DEEP[name]}\n```\n\n```bash\npython fit.py --lr 0.5\n```\n"
    )
    script = f"import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\nif 0:\n    import a\n{DEEP[name]}\n"
    write_files(root, {"fit.py": script, "README.md": readme})
    words = "fit the model with lr 0.25 in Python code with import fit"
    assert api.solve(words, repo=str(root), run="none", sandbox="none").ending
