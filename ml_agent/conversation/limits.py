"""The limits of a conversation: how much of the first message each of its parts may take."""

from typing import NamedTuple

MOST_TOKENS = 2_300
"""Of the first message with the system's part: a little less than what is sent, as other models count otherwise."""


class SizeLimits(NamedTuple):
    """Numbers of things, and characters."""

    options: tuple[int, ...]
    """Characters for the options of the first entry points, where a command is asked for."""
    subcommands: int
    """How many subcommands of the likeliest entry point show their options."""
    call: int
    """Characters of a documented call."""
    head: int
    """Characters of the beginning of a file."""
    passage: int
    api: int
    """Classes and functions that are shown with their parameters."""
    best_line: int
    """Characters of a class or function with its parameters; of the first ones, and of the others."""
    api_line: int
    said: tuple[int, ...]
    """Parameters of the first classes and functions of which the docstring's words are told."""
    methods: tuple[int, ...]
    """Methods that are shown of the first classes."""
    method: int
    module: int
    uses: tuple[int, ...]
    """Characters for how the first entry points use the repository's code."""


USUAL = SizeLimits(
    options=(3000, 900, 600), subcommands=1, call=280, head=600, passage=500, api=7, best_line=700, api_line=200, said=(3, 2), methods=(6, 4), method=140,
    module=300, uses=(),
)  # fmt: skip
AMPLE = SizeLimits(
    options=(3000, 900, 600), subcommands=4, call=600, head=1200, passage=500, api=10, best_line=900, api_line=200, said=(3, 2, 1), methods=(8, 4, 2), method=300,
    module=300, uses=(500,),
)  # fmt: skip
LEVELS = (
    AMPLE,
    AMPLE._replace(subcommands=3, call=400, api=9, said=(3, 2), methods=(6, 4)),
    USUAL,
    USUAL._replace(options=(3000, 600), api=5, methods=(4,), head=300),
    USUAL._replace(options=(2400, 600), api=4, methods=(4,), passage=300, head=300),
)
"""From the richest: the first one is taken whose message is not too long."""
