"""The documentation is true: its commands parse, its Python runs, its links lead somewhere."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language ("" for those without)."""
    return [text for name, text in _FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


def commands() -> Iterator[tuple[str, str]]:
    """Every line of a block that calls the program, with its page; comments and placeholders in capitals are kept."""
    for page in PAGES:
        for block in (*blocks(page, ""), *blocks(page, "bash"), *blocks(page, "console")):
            for line in block.replace("\\\n", " ").splitlines():
                if line.startswith("ml-agent "):
                    yield page.name, line


@pytest.mark.parametrize(("page", "line"), list(commands()))
def test_every_command_has_words_that_the_command_line_knows(page: str, line: str) -> None:
    from ml_agent.cli.app import app

    command, arguments = get_command(app), shlex.split(line.partition(" > ")[0], comments=True)[1:]
    if any(word[:1] in ("[", "|", "…") for word in arguments):
        return  # a synopsis, not a call
    context = command.make_context("ml-agent", list(arguments), resilient_parsing=False)
    while arguments and hasattr(command, "resolve_command"):
        _, command, arguments = command.resolve_command(context, list(arguments))
        assert command is not None, line
        context = command.make_context(command.name, list(arguments), parent=context, resilient_parsing=False)
        arguments = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args


@pytest.mark.parametrize("page", [page for page in PAGES if page.name == "python.md"], ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "ml_agent" / "samples" / "repositories" / "planar-nets", tmp_path / "planar-nets")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def messages() -> list[str]:
    """The messages that troubleshooting quotes, without the parts that change."""
    rows = [
        line for line in (ROOT / "docs/troubleshooting.md").read_text("utf-8").splitlines() if line.startswith("| `")
    ]
    quoted = [text for row in rows for text in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    return [part.strip() for text in quoted for part in text.split("…") if len(part.strip()) > 1]


def test_messages_that_are_quoted_are_those_of_the_program() -> None:
    folders = ("ml_agent", "tools", "sandbox")
    source = "\n".join(path.read_text("utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py"))
    assert len(messages()) > 25
    assert [text for text in messages() if text not in source] == []


def test_the_notebook_runs_cell_by_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads((ROOT / "docs/tour.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, object] = {}
    displays = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        *statements, last = ast.parse("".join(cell["source"])).body
        assert isinstance(last, ast.Expr), "each cell ends with what it shows"
        exec(compile(ast.Module(statements, []), "tour.ipynb", "exec"), names)
        displays.append(eval(compile(ast.Expression(last.value), "tour.ipynb", "eval"), names))
        assert cell["outputs"] == [] and cell["execution_count"] is None, "kept without outputs"
    assert len(displays) == 5
    shown = [one._repr_html_() for one in displays if hasattr(one, "_repr_html_")]
    assert len(shown) >= 3 and any("--lr" in one for one in shown)


@pytest.mark.parametrize("page", [ROOT / "docs/architecture.md", ROOT / "AGENTS.md"], ids=lambda page: page.name)
def test_files_and_folders_that_are_named_are_there(page: Path) -> None:
    """A name without its folder is that of some file of the project."""
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+(?:\.(?:py|sh|json|toml|md)|/))`", text) + re.findall(
        r"^(\w+/) ", text, re.MULTILINE
    )
    folders = [
        ROOT / name for name in ("ml_agent", "tools", "prompts", "sandbox", "benchmarks", "docs", "scripts", "tests")
    ]
    there = [*folders, *(path for folder in folders for path in folder.rglob("*"))]
    paths = {"/" + path.relative_to(ROOT).as_posix() + "/" * path.is_dir() for path in there}
    assert len(named) > 5 and [name for name in named if not any(path.endswith(f"/{name}") for path in paths)] == []


def test_the_recorded_run_says_what_the_program_says() -> None:
    """docs/run.svg is a real run with a model (scripts/record-run.py): when the summary changes, it is drawn again."""
    import html

    from ml_agent.summary import EVIDENCE_MEANS

    said = html.unescape(re.sub(r"<[^>]+>", "", (ROOT / "docs/run.svg").read_text(encoding="utf-8"))).replace(
        "\xa0", " "
    )
    assert "ml-agent solve" in said and "http://www.w3.org" not in said and "@font-face" not in said
    phases = ("understand", "search", "rank", "plan", "generate", "check", "execute")
    assert [phase for phase in phases if not re.search(rf"{phase:10}\S", said)] == []
    assert f"evidence     delivered: {EVIDENCE_MEANS['delivered']}" in said
    assert re.search(r"\bcost +[1-9]\d* requests", said), "a model was asked"


def test_what_is_fuzzed_is_there() -> None:
    named = re.findall(r"tests/[\w/]+(?:\.py)?", (ROOT / "scripts" / "fuzz.sh").read_text())
    assert named and [path for path in named if not (ROOT / path).exists()] == []


def test_the_reference_lists_what_the_program_takes() -> None:
    """Its commands, options and settings are written by a script."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reference.py", "--check"], check=False)
    assert done.returncode == 0, "stale: run scripts/reference.py"
