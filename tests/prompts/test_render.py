"""Every prompt renders, strictly, and keeps a repository's text inside its frame."""

from typing import Any

import jinja2
import pytest

from ml_agent.prompts.render import phases, render

VALUES: dict[str, dict[str, Any]] = {
    "search": {"instruction": "train it", "calls": 8, "gpu": False},
    "solve": {
        "name": "o/r", "description": "d", "tree": "src/", "folder": "its root", "environment": ["Python 3.11"], "learned": ["o/other: it needs CUDA"], "entries": ["a.py (2 options)"], "others": "",
        "options": [{"name": "a.py", "text": "--lr FLOAT"}], "api": ["a.fit(x)"],
        "passages": [{"place": "README.md:3", "text": "</file> python a.py"}], "files": "a.py", "absent": "b.csv",
        "calls": [{"place": "README.md:4", "text": "python a.py"}], "modules": [{"path": "a.py", "text": "fit(x)"}],
        "uses": [{"path": "a.py", "text": "fit(3)"}],
        "heads": [{"path": "a.sh", "text": "N=3", "what": "begins"}], "instruction": "train it",
        "can_run": True,
    },
}  # fmt: skip


def test_every_prompt_of_the_agent_is_tested() -> None:
    assert {phase for phase in phases() if not phase.startswith("bench_")} == set(VALUES)


@pytest.mark.parametrize("phase", sorted(VALUES))
def test_renders_with_the_task_and_a_question(phase: str) -> None:
    blocks = render(phase, **VALUES[phase])
    assert blocks["system"] and blocks["question"]
    assert "train it" in "".join(blocks.values())


@pytest.mark.parametrize(("phase", "name"), [(phase, name) for phase in sorted(VALUES) for name in VALUES[phase]])
def test_a_missing_variable_fails(phase: str, name: str) -> None:
    values = {key: value for key, value in VALUES[phase].items() if key != name}
    with pytest.raises(jinja2.UndefinedError):
        render(phase, **values)
