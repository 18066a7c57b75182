"""What is put before the model to choose from."""

from pathlib import Path

import pytest

from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.llm.case import Case
from ml_agent.llm.offers import offers
from ml_agent.navigator import Evidence, Given, Workspace
from tools.candidates import Candidate
from tools.index import RepoIndex

README = """# Seeing

## Usage

```python
from seeing import load_model

model = load_model("clip-large")
labels = model.labels("photo.jpg")
```

## Captions with Poet

```python
from seeing import load_model

model = load_model("{name}")
caption = model.caption("photo.jpg")
```
"""
PACKAGE = '''"""Seeing."""


class Model:
    def labels(self, image: str) -> str:
        return "cat"

    def caption(self, image: str) -> str:
        return "a cat"


def load_model(name: str) -> Model:
    """A model by its name."""
    return Model()
'''


def offered(root: Path, readme: str, wanted: str) -> list[str]:
    (root / "seeing").mkdir(parents=True)
    (root / "README.md").write_text(readme)
    (root / "seeing/__init__.py").write_text(PACKAGE)
    grounded = GroundedNavigator()
    request = grounded.understand(f"Use the model '{wanted}' on photo.jpg.", Given(repository="me/seeing"))
    candidate = Candidate(full_name="me/seeing", url=str(root))
    workspace = Workspace(index=RepoIndex.open(root, "v1"), candidate=candidate, path=".", path_given=True)
    return [offer.name for offer in offers(grounded, Case(request=request, workspace=workspace, evidence=Evidence()))]


@pytest.mark.parametrize(
    ("name", "wanted", "captions"),
    [
        ("poet-small", "clip-tiny", False),  # "Captions with Poet" without a poet
        ("poet-small", "poet-large", True),
        ("clip-small", "clip-tiny", True),
    ],
)
def test_code_that_lost_what_its_example_is_about_is_not_offered(
    name: str, wanted: str, captions: bool, tmp_path: Path
) -> None:
    found = offered(tmp_path, README.format(name=name), wanted)
    assert "Python: Seeing / Usage" in found and ("Python: Seeing / Captions with Poet" in found) is captions


def test_code_that_the_check_refuses_is_not_offered_beside_code_that_stands_it(tmp_path: Path) -> None:
    outdated = "load_poet".join(README.format(name="poet-small").rsplit("load_model", 2))
    assert offered(tmp_path, outdated, "poet-large") == ["Python: Seeing / Usage"]
