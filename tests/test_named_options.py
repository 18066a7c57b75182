"""Options and commands that sentences name exist, and docs/reference.md names all there are."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ml_agent.cli.app import COMMANDS, loaded

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BENCH_PAGES = (
    "reference.md",
    "architecture.md",
    "bench.md",
    "results.md",
    "results-history.md",
    "security.md",
    "README.md",
)
"""Pages whose sentences may name options of the bench."""
OF_OTHERS = {
    "--host-uds": "gVisor's",
    "--flag": "an example of a scorer's sight",
}
"""Options in sentences that are not of this program."""
_FENCE = re.compile(r"^```\w*\n.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")


def leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command, or those of a group, each with the words that call it."""
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, one in command.commands.items():
        yield from leaves(one, f"{name} {word}")


def calls(*names: str) -> dict[str, set[str]]:
    """The options of each command by the words that call it."""
    found = (leaf for name in names for leaf in leaves(loaded(name), name))
    return {
        name: {word for one in command.params for word in (*one.opts, *one.secondary_opts)} for name, command in found
    }


def sentences(page: Path) -> list[str]:
    """The pieces of code inside a page's sentences."""
    return _CODE.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))


def test_every_option_that_a_sentence_names_is_one() -> None:
    ours = set().union(*calls(*COMMANDS).values())
    bench = ours.union(*calls("bench").values())
    scripts = "\n".join(
        path.read_text("utf-8") for folder in ("benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")
    )
    wrong = []
    for page in PAGES:
        known = bench | set(re.findall(r"[\"'](--[a-z-]+)", scripts)) if page.name in BENCH_PAGES else ours
        named = {word for code in sentences(page) for word in re.findall(r"^(--[a-z][a-z-]+)", code)}
        wrong += [f"{page.name}: {name}" for name in sorted(named - known - set(OF_OTHERS))]
    assert not wrong, " ".join(wrong)
    every = " ".join(code for page in PAGES for code in sentences(page))
    assert [name for name in OF_OTHERS if name not in every] == [], "no exception without its use"


def commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for code in sentences(page):
            if code.startswith("ml-agent "):
                yield page.name, code


@pytest.mark.parametrize(("page", "command"), list(commands()))
def test_every_command_that_a_sentence_names_is_one(page: str, command: str) -> None:
    words = shlex.split(re.sub(r"[\[\]]", " ", command).replace("`", ""))[1:]
    if words[0] == "--help":
        return
    known = calls(words[0]) if words[0] in (*COMMANDS, "bench") else {}
    meant = {name: options for name, options in known.items() if name.split() == words[: len(name.split())]} or known
    options = set().union(*meant.values()) | {"--help"}
    assert known, f"{page}: no command {words[0]}"
    group = {name.split()[1] for name in known if " " in name}
    assert not group or words[1:2] == [] or {*words[1].split("|")} <= group | {"NAME"}, f"{page}: {command}"
    named = [part for word in words for part in word.split("|") if part.startswith("--")]
    assert [name for name in named if name not in options] == [], f"{page}: {command}"


def test_the_reference_names_every_command_and_option() -> None:
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("reference.md", "mcp.md"))
    missing = {
        f"{name} {option}"
        for name, options in calls(*COMMANDS).items()
        for option in options
        if option.startswith("--") and option != "--help" and not re.search(rf"{option}\b", text)
    }
    assert missing == set()
    assert [name for name in COMMANDS if not re.search(rf"ml-agent {name}\b", text)] == []
