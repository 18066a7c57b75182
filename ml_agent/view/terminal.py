"""A run in the terminal, on one screen: what report.html shows at length."""

from collections.abc import Iterator

from rich.text import Text

from ml_agent.summary import is_answer, summary
from ml_agent.terminal import Terminal, terminal_text
from ml_agent.view.page import DraftView, Page
from ml_agent.wording import counted, shortened

MOST_LINES = 12
"""Lines of an answer that are shown; the run's folder has all of them."""
MOST_DRAFTS = 6


def show(page: Page, console: Terminal) -> None:
    """Print a run: request, ending, answer, the summary as at its end, earlier drafts with what was wrong, times, the report."""
    result = page.result
    console.print(Text(result["instruction"], style="bold"), soft_wrap=True)
    colour = "green" if result["exit_code"] == 0 else "yellow"
    console.print(Text.assemble((result["ending"], colour), f": {result['message']}\n"), soft_wrap=True)
    answer = (result.get("answer") or {}).get("text", "")
    lines = answer.splitlines()
    summary_has_it = not is_answer(result) or bool((result.get("answer") or {}).get("sandbox_only"))
    console.say("" if summary_has_it else "\n".join(lines[:MOST_LINES]))
    if len(lines) > MOST_LINES and not summary_has_it:
        console.print(Text(f"... and {counted(len(lines) - MOST_LINES, 'more line')}, in the run folder", style="dim"))
    console.print()
    for row in (row for row in summary(result) if not row.startswith("ending ")):
        console.say(row)
    earlier = [draft for draft in page.drafts if draft.text != answer]
    for row in (*page.notices, *map(_draft, earlier[:MOST_DRAFTS]), *_times(page)):
        console.print(Text(terminal_text(row), style="dim"), soft_wrap=True)
    console.print(Text(f"{'details':<12} {result['folder']}/report.html", style="dim"), soft_wrap=True)


def _draft(draft: DraftView) -> str:
    """One line: the draft, and the first of what was wrong with it."""
    wrong = next((line.strip() for line in draft.problem.splitlines() if line.strip()), draft.because)
    return f"{f'draft {draft.number}':<12} {shortened(draft.text)}: {shortened(wrong)}"


def _times(page: Page) -> Iterator[str]:
    """Seconds of each phase, all passes together."""
    spent = dict[str, float]()
    for phase in page.phases:
        spent[phase.name] = spent.get(phase.name, 0.0) + phase.seconds
    if spent:
        yield f"{'time':<12} {', '.join(f'{name} {seconds:.1f} s' for name, seconds in spent.items())}"
