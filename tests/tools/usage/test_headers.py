"""Commands that stand at the head of a Python file."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.usage.entry import Example
from ml_agent.tools.usage.extract import head_script


@given(
    st.lists(
        st.sampled_from(['"""', "'''", "#", "# python a.py --b 1", "python a.py", "  --c", "\\", "`a.sh`", "", "x"])
    )
)
def test_no_head_is_longer_than_its_file(rows: list[str]) -> None:
    text = "\n".join(rows)
    assert len(head_script(text).split("\n")) <= len(text.split("\n"))


def _examples(root: Path) -> list[Example]:
    return [one for one in RepoIndex.open(root, "1").examples if one.path.endswith(".py")]


def test_a_repository_shows_what_the_heads_of_its_files_show(tmp_path: Path) -> None:
    root = tmp_path / "net"
    (root / "tools").mkdir(parents=True)
    (root / "tools" / "clean.py").write_text('"""Cleans.\n\nExample:\n  python tools/clean.py --all\n"""\n')
    (root / "tools" / "other.py").write_text('"""Needs what `python elsewhere.py --x 1` writes."""\n')
    (example,) = _examples(root)
    assert (example.text, example.entry, example.workdir) == ("python tools/clean.py --all", "tools/clean.py", ".")
    assert (example.line, example.introduction) == (4, "Cleans.\nExample:")
