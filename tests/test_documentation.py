"""The documentation is true: its commands parse, its Python runs, its links lead somewhere."""

import re
import shlex
import shutil
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

    command, arguments = get_command(app), shlex.split(line, comments=True)[1:]
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


def test_the_recorded_run_says_what_the_program_says() -> None:
    """docs/run.svg is a real run (scripts/record-run.py): where the answer changes, it is recorded anew."""
    import html

    import ml_agent

    said = html.unescape(re.sub(r"<[^>]+>", "", (ROOT / "docs/run.svg").read_text(encoding="utf-8"))).replace(
        "\xa0", " "
    )
    found = re.search(r"ml-agent solve '([^']+)' --catalog sample", said)
    assert found is not None and "http://www.w3.org" not in said and "@font-face" not in said
    result = ml_agent.solve(found[1], catalog="sample", run="none", navigator="grounded")
    assert result.answer is not None and result.answer.text in said


def test_pictures_are_small_and_whole() -> None:
    pictures = sorted((ROOT / "docs/pictures").glob("*.png"))
    assert [one.stem for one in pictures] == [
        f"{page}-{width}" for page in ("bench", "report") for width in (1400, 360, 800)
    ]
    for one in pictures:
        head = one.read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(head[16:20], "big") == int(
            one.stem.partition("-")[2]
        )
        assert one.stat().st_size < 200_000
