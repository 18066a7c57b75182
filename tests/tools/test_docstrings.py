"""What docstrings say of parameters."""

import ast
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.docstrings import LONGEST, parameter_texts, texts_in
from tools.signatures.read import SignatureReader

GOOGLE = """
    Find it.

    Args:
        backend (str): Detector. Options: 'opencv',
            'retinaface'.
        **more: Whatever else.
"""
NUMPYDOC = """
    Find it.

    Parameters
    ----------
    backend, other : str
        Detector.
"""
REST = """
    Find it.

    :param str backend: Detector.
    :returns: nothing
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GOOGLE, {"backend": "Detector. Options: 'opencv', 'retinaface'.", "more": "Whatever else."}),
        (NUMPYDOC, {"backend": "Detector.", "other": "Detector."}),
        (REST, {"backend": "Detector."}),
        ("One line.", {}),
        ("", {}),
        (": : :paramAttributes:\n", {}),
        ("Args:\n    a: b\n" * LONGEST, {}),
    ],
)
def test_the_styles_that_people_write(text: str, expected: dict[str, str]) -> None:
    assert parameter_texts(textwrap.dedent(text)) == expected


_PARTS = [
    "Args:",
    "\n",
    "    ",
    ":param",
    " a",
    ":",
    "---",
    "Parameters\n----\n",
    "@param",
    "(",
    ")",
    "=",
    ",",
    "é",
    "\0",
]


@given(st.lists(st.sampled_from(_PARTS), max_size=30).map("".join) | st.text(max_size=60))
def test_whatever_stands_there_is_read_or_left(text: str) -> None:
    assert all(isinstance(one, str) for one in parameter_texts(text).values())


def test_a_class_says_what_its_initialiser_does_not() -> None:
    tree = ast.parse(
        'class A:\n    """A.\n\n    Args:\n        x: of the class\n        y: too\n    """\n    def f(self):\n        """F.\n\n        Args:\n            x: own\n        """'
    )
    node = tree.body[0]
    assert isinstance(node, ast.ClassDef)
    assert texts_in(node.body[1], node) == {"x": "own", "y": "too"}
    assert texts_in(None, ast.parse("lambda x: x").body[0]) == {}


def test_help_of_functions_that_are_commands(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(
        "import fire\n\ndef find(backend='opencv'):\n"
        '    """Find.\n\n    Args:\n        backend: Detector.\n    """\n\n'
        "if __name__ == '__main__':\n    fire.Fire(find)\n"
    )
    (tmp_path / "typed.py").write_text(
        "import tyro\nfrom dataclasses import dataclass\n\n@dataclass\nclass Args:\n"
        '    """All.\n\n    Attributes:\n        rate: How fast.\n        size: Not this.\n    """\n'
        '    rate: float = 0.1\n    size: int = 3\n    """How large."""\n\n'
        "if __name__ == '__main__':\n    tyro.cli(Args)\n"
    )
    reader = SignatureReader(tmp_path)
    told = {
        option.dest: option.help
        for path in ("run.py", "typed.py")
        for one in reader.read(path)
        for option in one.options
    }
    assert told == {"backend": "Detector.", "rate": "How fast.", "size": "How large."}
