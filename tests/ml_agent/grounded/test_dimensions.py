"""Sizes that go together, and channels where the program looks for them."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.draft import Attempt, Draft
from ml_agent.grounded.dimensions import fit_channels
from ml_agent.grounded.feedback import repair_draft

MODELS = {
    "zoo/mixer.py": '''
        class Mixer:
            """Mixes tokens."""

            def __init__(self, dim, tokens=49, heads=8):
                pass
    ''',
    "zoo/other.py": '''
        class Other:
            """Another model."""
    ''',
    "README.md": """
        # Zoo

        ## Mixer

        ```python
        import torch
        from zoo.mixer import Mixer

        x = torch.randn(8, 49, 512)
        print(Mixer(512, tokens=49, heads=8)(x).shape)
        ```

        ## Other

        ```python
        import torch
        from zoo.other import Other

        x = torch.randn(8, 49, 512)
        print(Other()(x).shape)
        ```
    """,
}


def test_a_size_of_the_shape_changes_with_it(repository: Callable[..., Any]) -> None:
    draft = repository(MODELS).answer("Run the Mixer on an input of shape (4, 64, 256) and print the output shape.")
    assert "Mixer(256, tokens=64, heads=8)" in draft.text, "what is small stays"


def test_a_size_that_is_only_at_another_place_stays(repository: Callable[..., Any]) -> None:
    draft = repository(MODELS).answer("Run the Mixer on an input of shape (4, 512, 64) and print the output shape.")
    assert "Mixer(512, tokens=512, heads=8)" in draft.text


def channels(shape: str, expected: int, got: int) -> str:
    return (
        f"RuntimeError: Given groups=1, weight of size [256, {expected}, 1, 1], expected input[{shape}] to have "
        f"{expected} channels, but got {got} channels instead"
    )


@pytest.mark.parametrize(
    ("code", "line", "better"),
    [
        (
            "x = torch.randn(50, 28, 14, 512)\ny = Net(512)(x)",
            channels("50, 28, 14, 512", 512, 28),
            "x = torch.randn(50, 28, 14, 512).permute(0, 3, 1, 2)\ny = Net(512)(x)",
        ),
        (
            "é = 1; y = Net(512)(torch.rand((2, 28, 512)))",
            channels("2, 28, 512", 512, 28),
            "é = 1; y = Net(512)(torch.rand((2, 28, 512)).permute(0, 2, 1))",
        ),
        ("y = Net(64)(torch.randn(5, 512, 7, 7))", channels("5, 512, 7, 7", 64, 512), "y = Net(512)(torch.randn(5, 512, 7, 7))"),
        ("y = Net(64, 64)(x)", channels("5, 512, 7, 7", 64, 512), None),
        ("y = Net(3)(x)", channels("5, 512, 7, 7", 3, 512), None),
        ("y = Net(512)(load())", channels("50, 28, 14, 512", 512, 28), None),
        ("y = Net(64)(x)", "RuntimeError: CUDA out of memory", None),
        ("y = (", channels("5, 512, 7, 7", 64, 512), None),
    ],
)  # fmt: skip
def test_channels_go_where_they_are_expected(code: str, line: str, better: str | None) -> None:
    assert fit_channels(code, ["Traceback (most recent call last):", line]) == better
    found = repair_draft(Attempt(draft=Draft(kind="python", text=code), error_lines=(line,)), ())
    assert (found.text if found else None) == better
