"""A run in the terminal: the same page as lines."""

from rich.table import Table
from rich.text import Text

from ml_agent.console import Terminal
from ml_agent.summary import summary
from ml_agent.view.page import DraftView, Page

STATUS = {"honoured": "used", "default": "its default", "not found": "not used"}


def show(page: Page, console: Terminal) -> None:
    """Print a run: the answer and the summary as at its end, then the phases, the drafts with what was wrong, the values."""
    result = page.result
    console.print(Text(result["instruction"], style="bold"))
    colour = "green" if result["exit_code"] == 0 else "yellow"
    console.print(Text.assemble((result["ending"], colour), f": {result['message']}\n"))
    if result.get("answer"):
        console.say(result["answer"]["text"] + "\n")
    for row in summary(result):
        console.print(Text(row))
    console.print()
    for phase in page.phases:
        note = phase.note.partition("\n")[0]
        line = f"  {phase.name:<10} {note} "
        console.print(Text.assemble(line, (f"({phase.seconds:.1f} s)", "dim")))
    for notice in page.notices:
        console.print(Text(f"  {notice}", style="yellow"))
    final = (result.get("answer") or {}).get("text")
    for draft in page.drafts:
        if draft.text != final:  # the answer stands above
            _show_draft(draft, console)
    if result.get("answer"):
        _show_values(result["answer"].get("ledger") or [], console)


def _show_draft(draft: DraftView, console: Terminal) -> None:
    console.print(Text.assemble("\n", (f"draft {draft.number}", "bold"), " ", (draft.because, "dim")))
    console.say(draft.text)
    for line in draft.problem.splitlines():
        console.print(Text(f"  {line}", style="dim"))


def _show_values(ledger: list[dict[str, str]], console: Terminal) -> None:
    if not ledger:
        return
    table = Table("you wrote", "status", "where", title="your values", title_justify="left")
    for entry in ledger:
        table.add_row(entry["text"], STATUS.get(entry["status"], entry["status"]), entry.get("where") or "")
    console.print(table)
