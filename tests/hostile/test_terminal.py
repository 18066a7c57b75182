"""What a program prints must not be obeyed by the user's terminal."""

import io

import pytest
from rich.live import Live
from rich.table import Table

from ml_agent.progress import Progress
from ml_agent.terminal import Terminal, terminal_text, write_error, write_over

pytestmark = pytest.mark.hostile

FORBIDDEN = ("\x1b]", "\x1b[2J", "\x1bP", "\x9b", "\x9d", "\b", "\u202e", "\u061c")
COMMANDS = {
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "clipboard, not ended": "\x1b]52;c;cm0gLXJmIH4=",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;root@host\x1b\\",
    "eight bits": "\x9b2J\x9d52;c;eA==\x9c",
    "device control": "\x1bP$q\x1b\\",
    "back": "safe\b\b\b\bevil",
    "turned": "txt.\u202eexe",
    "unseen": "a\u061c\u00adb\U000e0041",
}


@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_nothing_reaches_the_terminal_by_the_live_line(sent: str) -> None:
    screen = io.StringIO()
    progress = Progress(Terminal(file=screen, force_terminal=True, width=200))
    progress.on_phase("execute", "enter", "")
    progress.on_output(f"before {sent} after\n")
    progress.on_phase("execute", "leave", f"before {sent} after")
    progress.close()
    assert not any(one in screen.getvalue() for one in FORBIDDEN)


@pytest.mark.promise("Whatever is printed went through one gate.", by="ml_agent.terminal")
@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_nothing_reaches_the_terminal_by_a_line_a_table_or_a_title(sent: str) -> None:
    screen = io.StringIO()
    terminal = Terminal(file=screen, force_terminal=True, width=200)
    table = Table(sent, title=sent, caption=sent)
    table.add_row(f"before {sent} after")
    grid = Table.grid()
    grid.add_row(sent)
    terminal.print(sent, table, f"[bold]{sent}[/bold]", grid)
    with Live(table, console=terminal, transient=False):
        terminal.print(sent)
    assert "before" in screen.getvalue() and not any(one in screen.getvalue() for one in FORBIDDEN)


@pytest.mark.promise("Brackets in text of others are no links, no styles, and no error.", by="ml_agent.terminal")
@pytest.mark.parametrize("sent", ["[link=https://evil.example]key[/link]", "[red]x", "[/]", "[/b]", ":bomb:", "a[0]"])
def test_text_is_no_markup(sent: str) -> None:
    screen = io.StringIO()
    terminal = Terminal(file=screen, force_terminal=True, width=200)
    table = Table(sent, title=sent, caption=sent)
    table.add_row(sent)
    terminal.print(sent, table)
    terminal.say(sent)
    seen = screen.getvalue()
    assert seen.count(sent) == 6 and "\x1b]8" not in seen and "\x1b[31m" not in seen


@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_nothing_reaches_the_terminal_by_stderr(sent: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_error(f"1\tfailed\tbefore {sent} after")
    write_over(f"before {sent} after")
    seen = capsys.readouterr().err
    assert seen.count("before") == 2 and not any(one in seen for one in FORBIDDEN)


@pytest.mark.parametrize("sent", COMMANDS.values(), ids=list(COMMANDS))
def test_only_what_is_read_is_left(sent: str) -> None:
    left = terminal_text(f"a\tb\n{sent}")
    assert left.startswith("a\tb\n") and all(char.isprintable() or char in "\t\n" for char in left)
