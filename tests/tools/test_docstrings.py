"""What docstrings say of parameters."""

import pytest

from ml_agent.tools.docstrings import parameter_descriptions, result_description
from tests.processor_time import within

GOOGLE = """Finds a face.

Args:
    metric (string): How alike two are. Options: 'cosine',
        'euclidean_l2' (default is cosine).

    shape (tuple of (int, int)): Of the input.
    kind: One of three:

      - `"n"`: none

    k (int): How many.

Returns:
    list: dictionaries with the keys
      'age' and 'mood'
"""
NUMPY = """Fits.

Parameters
----------
alpha, beta : float, optional
    Two shares,
    each below 1.
*rest
    Others.

Returns
-------
float
    The loss.

Notes
-----
None.
"""
REST = """Reads.

:param str path: where
    it is
:param size: how large
:returns: the text
"""
DASHES = "Makes it small.\n\nwidth - the most\nheight -- of it\n"


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        (GOOGLE, {"metric": "How alike two are. Options: 'cosine', 'euclidean_l2' (default is cosine).", "shape": "Of the input.", "kind": 'One of three: - `"n"`: none', "k": "How many."}),
        (NUMPY, {"alpha": "Two shares, each below 1.", "beta": "Two shares, each below 1."}),
        (REST, {"path": "where it is", "size": "how large"}),
        (DASHES, {"width": "the most", "height": "of it"}),
        ("x: int\n    the first\n", {"x": "the first"}),
    ],
)  # fmt: skip
def test_what_is_said_of_a_parameter_is_whole(doc: str, said: dict[str, str]) -> None:
    found = parameter_descriptions(doc)
    assert {name: found.get(name) for name in said} == said


@pytest.mark.parametrize("unit", ["a, ", "a (", ":param a ", "a: x\n  ", "  b: y\n", "- `'"])
def test_long_docstrings_are_read_quickly(unit: str) -> None:
    within(1.0, lambda: (parameter_descriptions(unit * 20_000), result_description(unit * 20_000)))


def test_what_is_given_back_is_no_parameter() -> None:
    said = parameter_descriptions(
        "Reads.\n\nReturns\n-------\nout : list\n    Of rows.\n\nParameters\n----------\nk : int\n    How many.\n"
    )
    assert said == {"k": "How many."}
