"""What a program prints must not be obeyed by the user's terminal."""

import io

import pytest
from rich.console import Console

from ml_agent.progress import Progress
from ml_agent.terminal import terminal_text

pytestmark = pytest.mark.hostile

COMMANDS = {
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "clipboard, not ended": "\x1b]52;c;cm0gLXJmIH4=",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;root@host\x1b\\",
    "eight bits": "\x9b2J\x9d52;c;eA==\x9c",
    "device control": "\x1bP$q\x1b\\",
    "back": "safe\b\b\b\bevil",
    "turned": "txt.\u202eexe",
}


@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_nothing_reaches_the_terminal_by_the_live_line(sent: str) -> None:
    screen = io.StringIO()
    progress = Progress(Console(file=screen, force_terminal=True, width=200))
    progress.on_phase("execute", "enter", "")
    progress.on_output(f"before {sent} after\n")
    progress.on_phase("execute", "leave", f"before {sent} after")
    progress.close()
    for forbidden in ("\x1b]", "\x1b[2J", "\x1bP", "\x9b", "\x9d", "\b", "\u202e"):
        assert forbidden not in screen.getvalue()


@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_only_what_is_read_is_left(sent: str) -> None:
    left = terminal_text(f"a\tb\n{sent}")
    assert left.startswith("a\tb\n") and all(char.isprintable() or char in "\t\n" for char in left)
