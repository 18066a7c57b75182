"""Text of others becomes a prompt, a process or HTML only through what is made for it: read from the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.tools.python_source import syntax_tree

ROOT = Path(__file__).parents[2]
ROOMS = ("ml_agent", "tools", "prompts", "sandbox")
USERS = {"instruction", "calls", "values", "prefix_code", "folder", "github", "loop.index", "line"}
"""Variables of prompts that hold the user's own words, a number, or what the program itself says."""
STARTS = {
    "subprocess.run",
    "subprocess.Popen",
    "subprocess.check_output",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "os.posix_spawn",
    "os.spawnv",
    "pty.spawn",
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
    "os.system",
    "os.popen",
    "os.execv",
    "os.execve",
    "os.fork",
}
RUNS = {
    "eval",
    "exec",
    "pickle.load",
    "pickle.loads",
    "marshal.loads",
    "yaml.unsafe_load",
    "runpy.run_path",
    "shelve.open",
}


def calls(*rooms: str) -> Iterator[tuple[str, str, ast.Call]]:
    """Module, name of what is called, and the call."""
    for room in rooms or ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if "/repositories/" in place or "/testing/" in place:
                continue
            for node in ast.walk(syntax_tree(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield place, ast.unparse(node.func), node


@pytest.mark.promise(
    "Each program that is started gets an environment of our making, and no shell.", by="this test over the source"
)
def test_programs_are_started_with_an_environment_of_their_own() -> None:
    found = [(place, name, call) for place, name, call in calls() if name in STARTS]
    assert found
    bare = [
        f"{place}:{call.lineno}"
        for place, name, call in found
        if name.startswith("subprocess.") and "env" not in {one.arg for one in call.keywords}
    ]
    assert bare == [], "a process without an environment of its own sees that of the user"
    assert not any(one.arg == "shell" for _, _, call in found for one in call.keywords)


@pytest.mark.promise("Nothing that is read makes an object or runs.", by="this test over the source")
def test_nothing_that_is_read_is_run() -> None:
    assert [place for place, name, _ in calls() if name in RUNS] == []
    loaders = [ast.unparse(call) for _, name, call in calls() if name == "yaml.load"]
    assert all("Loader" in text and "Unsafe" not in text and "FullLoader" not in text for text in loaders)


@pytest.mark.promise("Repository text in a prompt went through prompts.untrusted.", by="this test over the templates")
def test_every_variable_of_a_prompt_is_neutralised_or_the_users() -> None:
    templates = sorted((ROOT / "prompts").glob("*.j2"))
    assert templates
    for template in templates:
        for match in re.finditer(r"\{\{\s*(.+?)\s*\}\}", template.read_text(encoding="utf-8")):
            name, *filters = [part.strip() for part in match[1].split("|")]
            assert name in USERS or filters[-1:] == ["data"], f"{template.name}: {match[0]}"


@pytest.mark.promise("A coding agent is told nothing that went around the gate of prompts.", by="ml_agent.mcp_guard")
def test_all_that_the_mcp_server_tells_is_gated() -> None:
    tells = {name: call for place, name, call in calls("ml_agent") if place == "ml_agent/mcp_server.py"}
    assert ast.unparse(tells["made.tool()"]) == "made.tool()(gated_tool(tool))"
    assert not any(name.startswith(("made.resource", "made.prompt", "made.add_")) for name in tells), "only tools"
    (message,) = [word.value for word in tells["ctx.report_progress"].keywords if word.arg == "message"]
    assert ast.unparse(message).startswith("neutral(")


@pytest.mark.promise("Pages escape what they show.", by="ml_agent.view.report, this test over the source")
def test_pages_escape() -> None:
    pages = [
        call for place, name, call in calls("ml_agent", "benchmarks") if name in ("Environment", "jinja2.Environment")
    ]
    assert pages
    for call in pages:
        assert [ast.unparse(one.value) for one in call.keywords if one.arg == "autoescape"] != []
        assert not any(one.arg == "autoescape" and ast.unparse(one.value) == "False" for one in call.keywords)
    templates = [*ROOT.glob("ml_agent/view/*.j2"), *ROOT.glob("benchmarks/templates/*.j2")]
    assert templates and not any(re.search(r"\|\s*safe\b", path.read_text(encoding="utf-8")) for path in templates)
    made = [call for _, name, call in calls(*ROOMS, "benchmarks") if name.endswith("Markup")]
    assert all(len(call.args) == 1 and isinstance(call.args[0], ast.Constant) for call in made), "HTML is written out"


@pytest.mark.promise("Archives are unpacked in one place.", by="sandbox.unpack, this test over the source")
def test_archives_are_unpacked_in_one_place() -> None:
    libraries = re.compile(r"(?:extractall|unpack_archive|\.extract|extractfile)$")
    assert {place for place, name, _ in calls(*ROOMS, "benchmarks") if libraries.search(name)} == {"sandbox/unpack.py"}


@pytest.mark.promise(
    "A program that is started, and a page that is fetched, has a limit of time.", by="this test over the source"
)
def test_waits_have_a_limit() -> None:
    endless = [
        f"{place}:{call.lineno}"
        for place, name, call in calls()
        if (name == "subprocess.run" or name.rpartition(".")[2] == "urlopen") and not _limited(call)
    ]
    assert endless == []


def _limited(call: ast.Call) -> bool:
    limits = [one.value for one in call.keywords if one.arg == "timeout"]
    return bool(limits) and ast.unparse(limits[0]) != "None"


@pytest.mark.promise("Every promise of the page on security has its test.", by="this test over the page")
def test_the_page_on_security_names_tests_that_there_are() -> None:
    named = re.findall(r"`((?:tests/[\w/]+/)?test_\w+\.py)(?:::(\w+))?`", (ROOT / "docs/security.md").read_text())
    assert len(named) > 40
    for file, function in named:
        path = ROOT / (file if "/" in file else f"tests/hostile/{file}")
        assert path.is_file(), file
        assert not function or f"def {function}(" in path.read_text(), function
