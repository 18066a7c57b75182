"""Text of others becomes a prompt, a process, HTML or a path in the modules that are made for it, and nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import sources

ROOT = Path(__file__).parents[2]
ROOMS = ("ml_agent", "tools", "prompts", "sandbox")
PROCESSES = {
    "ml_agent/delivery/content_process.py", "ml_agent/doctor.py", "tools/git.py", "tools/index_worker.py", "sandbox/bubblewrap.py", "sandbox/docker_ssh.py", "sandbox/gate/relay.py", "sandbox/image/build.py",
    "sandbox/interpreters.py", "sandbox/local_place.py", "sandbox/running_local.py", "sandbox/stubrun/host.py", "sandbox/temporary.py", "sandbox/warden.py",
}  # fmt: skip
"""Modules that start programs; each gives them an environment of its own making."""
PAGES = {"ml_agent/view/report.py": True, "prompts/render.py": False, "sandbox/setup/executor.py": None}
"""Modules with an `Environment`: of Jinja, with whether it escapes; the last is no template."""
INSIDE = {"sandbox/stubrun/child.py"}
"""Runs in the place of a repository's program, behind bubblewrap: it alone may run code that it read."""
PRINTS = {
    "ml_agent/delivery/content.py",
    "sandbox/image/__main__.py",
    "sandbox/setup/release_dates.py",
    "tools/index_work.py",
}
"""Modules with a bare `print`: numbers and JSON for another process of ours."""
FILES_OF_OTHERS = {
    "ml_agent/delivery/keep.py", "ml_agent/view/outputs.py", "ml_agent/view/report.py", "sandbox/held_folder.py", "sandbox/files.py",
    "sandbox/reading.py", "sandbox/unpack.py", "tools/documents/text.py", "tools/files.py", "tools/python_api/read.py", "tools/signatures/sources.py",
    "tools/versions.py", "tools/work_tree.py",
}  # fmt: skip
"""Modules that open files of a repository or of a run by their path: descriptors without links, or names that `Tree` listed."""
FILES_OF_OURS = {
    "ml_agent/cli/__init__.py", "ml_agent/cli/app.py", "ml_agent/cli/check.py", "ml_agent/execution.py",
    "ml_agent/files.py", "ml_agent/keys.py", "ml_agent/many.py", "ml_agent/origins.py",
    "ml_agent/prices.py", "ml_agent/replay/repositories.py", "ml_agent/replay/sandbox.py",
    "ml_agent/run_index.py", "ml_agent/samples/__init__.py", "ml_agent/seal.py",
    "ml_agent/staging.py", "ml_agent/trajectory.py", "sandbox/bubblewrap.py", "sandbox/capture.py",
    "sandbox/cgroups.py", "sandbox/cleanup.py", "sandbox/diagnosis/removed.py", "sandbox/docker_context.py", "sandbox/docker_copy.py", "sandbox/docker_gate.py", "sandbox/docker_network.py", "sandbox/docker_ssh.py", "sandbox/gate/proxy.py",
    "sandbox/gate/relay.py", "sandbox/image/build.py", "sandbox/interpreters.py", "sandbox/local.py",
    "sandbox/local_place.py", "sandbox/owner.py", "sandbox/python_history.py", "sandbox/running_docker.py",
    "sandbox/setup/distributions.py", "sandbox/setup/executor.py", "sandbox/stubrun/child.py", "sandbox/warden.py", "sandbox/witness/hook.py",
    "tools/atomic.py", "tools/bounded.py", "tools/catalog.py", "tools/index_cache.py", "tools/repository.py",
    "tools/signatures/known_classes.py", "tools/tokens.py",
}  # fmt: skip
"""Modules that open what is shipped, what the program itself wrote, what the system says of processes, or a file that the user named."""
USERS = {"instruction", "values", "prefix_code", "folder", "github", "loop.index", "line"}
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
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield place, ast.unparse(node.func), node


@pytest.mark.promise(
    "Programs are started by few modules, each with an environment of its own making.", by="this test over the source"
)
def test_programs_are_started_in_few_places() -> None:
    found = [(place, name, call) for place, name, call in calls() if name in STARTS]
    assert {place for place, _, _ in found} <= PROCESSES
    bare = [
        f"{place}:{call.lineno}"
        for place, name, call in found
        if name.startswith("subprocess.") and "env" not in {one.arg for one in call.keywords}
    ]
    assert bare == [], "a process without an environment of its own sees that of the user"
    assert not any(one.arg == "shell" for _, _, call in found for one in call.keywords)
    starters = {name.rpartition(".")[2] for name in STARTS}
    unseen = [
        f"{path.name}:{node.lineno}"
        for room in ROOMS
        for path in sources(room)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module in ("subprocess", "os", "pty")
        and starters & {one.name for one in node.names}
    ]
    assert unseen == [], "imported by name, so that the calls are not seen here"


@pytest.mark.promise("Nothing that is read makes an object or runs.", by="this test over the source")
def test_nothing_that_is_read_is_run() -> None:
    assert {place for place, name, _ in calls() if name in RUNS} <= INSIDE
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


@pytest.mark.promise("A coding agent is told nothing that went around the gate of prompts.", by="ml_agent.mcp_gate")
def test_all_that_the_mcp_server_tells_is_gated() -> None:
    tells = {name: call for place, name, call in calls("ml_agent") if place == "ml_agent/mcp_server.py"}
    assert ast.unparse(tells["made.tool()"]) == "made.tool()(gated_tool(tool))"
    offered = [call for name, call in tells.items() if name.startswith("made.resource(")]
    assert len(offered) == 2 and all(ast.unparse(call.args[0]).startswith("gated_resource(") for call in offered)
    (message,) = [word.value for word in tells["ctx.report_progress"].keywords if word.arg == "message"]
    assert ast.unparse(message).startswith("neutral(")


MADE_BY = {
    "PromptText": {"prompts/untrusted.py", "prompts/render.py"},
    "verbatim": {"benchmarks/predict/raw.py"},
}
"""What gives text its type, and the modules that may: mypy holds the rest, as nothing else passes where the type is asked for."""


@pytest.mark.promise(
    "Where text of others becomes something else, a plain string does not pass.",
    by="types of their own under mypy --strict, this test over the source",
)
def test_gated_types_are_made_by_gates_only() -> None:
    for name, modules in MADE_BY.items():
        found = {
            path.relative_to(ROOT).as_posix()
            for room in (*ROOMS, "benchmarks")
            for path in sources(room)
            if _makes(ast.parse(path.read_text(encoding="utf-8")), name)
        }
        assert found == modules, name


def _makes(tree: ast.AST, name: str) -> bool:
    """Whether a module uses the name otherwise than as an annotation: calls it, casts to it, gives it another name."""
    told: set[ast.AST] = set()
    for node in ast.walk(tree):
        hints = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        hints += [node.slice] if isinstance(node, ast.Subscript) else []
        told |= {inner for hint in hints if isinstance(hint, ast.AST) for inner in ast.walk(hint)}
        if isinstance(node, ast.alias) and node.name == name and node.asname:
            return True
    used = (node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute) and node not in told)
    return any(
        name == (node.id if isinstance(node, ast.Name) else node.attr) and isinstance(node.ctx, ast.Load)
        for node in used
    )


@pytest.mark.parametrize(
    ("code", "makes"),
    [
        ("x = Gated('a')", True),
        ("x = module.Gated('a')", True),
        ("x = cast(Gated, 'a')", True),
        ("make = Gated", True),
        ("list(map(Gated, texts))", True),
        ("from gate import Gated as Plain", True),
        ("from gate import Gated\ndef f(x: Gated) -> list[Gated]: ...", False),
        ("x = list[Gated]()\ny: dict[str, Gated] = {}", False),
    ],
)
def test_who_makes_a_type_is_seen(code: str, makes: bool) -> None:
    assert _makes(ast.parse(code), "Gated") is makes


@pytest.mark.promise("Pages escape what they show.", by="ml_agent.view.report, this test over the source")
def test_pages_escape() -> None:
    found = [(place, call) for place, name, call in calls() if name in ("Environment", "jinja2.Environment")]
    assert {place for place, _ in found} == set(PAGES)
    for place, call in found:
        escapes = [ast.unparse(one.value) for one in call.keywords if one.arg == "autoescape"]
        assert escapes == ([] if PAGES[place] is None else [str(PAGES[place])]), place
    templates = [*ROOT.glob("ml_agent/view/*.j2"), *ROOT.glob("benchmarks/templates/*.j2")]
    assert templates and not any(re.search(r"\|\s*safe\b", path.read_text(encoding="utf-8")) for path in templates)
    made = [(place, call) for place, name, call in calls(*ROOMS, "benchmarks") if name.endswith("Markup")]
    assert all(len(call.args) == 1 and isinstance(call.args[0], ast.Constant) for _, call in made), (
        "HTML is written out"
    )
    escaping = re.compile(r"^(?:html\.|markupsafe\.)?escape$")
    every = [place for place, name, _ in calls(*ROOMS, "benchmarks") if escaping.match(name)]
    by_hand = [place for place in every if "/compiled/" not in place]
    assert by_hand == [], "who escapes by hand forgets it"


@pytest.mark.promise("Whatever is printed went through one gate.", by="ml_agent.console, this test over the source")
def test_consoles_are_of_one_kind() -> None:
    assert {
        place for place, name, _ in calls(*ROOMS, "benchmarks/cli", "benchmarks/predict") if name.endswith("Console")
    } == set()
    printing = {place for place, name, _ in calls() if name == "print"}
    assert printing <= PRINTS
    writing = {
        place
        for place, name, _ in calls("ml_agent", "tools", "prompts")
        if re.search(r"std(?:out|err)(?:\.buffer)?\.write(?:lines)?$|\becho$", name)
    }
    assert writing == {"ml_agent/terminal.py", "ml_agent/cli/app.py"}, "the second writes the version"
    reading = [
        place
        for place, name, call in calls("ml_agent", "benchmarks/cli", "benchmarks/predict")
        if _reads_markup(name, call)
    ]
    assert reading == [], "text is text: brackets in it are no styles and no links"


def _reads_markup(name: str, call: ast.Call) -> bool:
    asked = [ast.unparse(one.value) for one in call.keywords if one.arg in ("markup", "emoji")]
    return name.rpartition(".")[2] in ("from_markup", "render_markup") or asked not in (
        [],
        ["False"],
        ["False", "False"],
    )


@pytest.mark.promise("Files of others are opened by few modules.", by="this test over the source")
def test_files_are_opened_in_few_places() -> None:
    """Each module either is a gate, or opens what the program itself made, ships, or was told by the user."""
    assert {place for place, name, _ in calls() if _opens(name)} == FILES_OF_OTHERS | FILES_OF_OURS


@pytest.mark.promise("Archives are unpacked in one place.", by="sandbox.unpack, this test over the source")
def test_archives_are_unpacked_in_one_place() -> None:
    libraries = re.compile(r"(?:extractall|unpack_archive|\.extract|extractfile)$")
    assert {place for place, name, _ in calls(*ROOMS, "benchmarks") if libraries.search(name)} == {"sandbox/unpack.py"}


def _opens(name: str) -> bool:
    """Whether a call opens a file by its path; a gate's own functions are `read_text` and methods of a tree."""
    owner, _, method = name.rpartition(".")
    opens = method in {"read_text", "read_bytes", "write_text", "write_bytes"} and bool(owner)
    through = re.search(r"tree$|^Tree\(|_control$|^place$|^self$|joinpath", owner)
    return (opens and not through) or (
        method == "open" and not re.search(r"RepoIndex|workspaces|webbrowser|_open|^index$", owner)
    )


WAITS = {
    "accept", "acquire", "as_completed", "communicate", "exception", "get", "join", "recv", "recv_bytes", "result", "select", "wait",
    "wait_for", "waitpid",
}  # fmt: skip
"""Methods that may wait for ever where nothing says how long."""
LIMITS = {"select": 3, "waitpid": 1}
"""How many arguments come before the limit of time, where it has no name; of the others none."""
MAY_WAIT = {
    ("ml_agent/background.py", "self._events.get"): "the caller's own thread waits for a run; the run has deadlines",
    ("ml_agent/background.py", "self.result"): "the caller's own thread waits for a run; the run has deadlines",
    ("ml_agent/many.py", "as_completed"): "each run has deadlines",
    ("tools/unkept.py", "_first.acquire"): "it does not block",
    ("ml_agent/many.py", "future.result"): "it is done: as_completed gave it",
    ("benchmarks/tuning/__main__.py", "as_completed"): "each repository's index and requests have limits of their own",
    ("benchmarks/tuning/__main__.py", "done.result"): "it is done: as_completed gave it",
    ("ml_agent/llm/retry.py", "state.outcome.exception"): "an outcome that is there",
    ("ml_agent/llm/transport.py", "_reservation.get"): "a context variable",
    ("ml_agent/llm/transport.py", "_deadline.get"): "a context variable",
    ("sandbox/gate/relay.py", "listening.accept"): "inside the sandbox, and ends with it",
    (
        "tools/index_worker.py",
        "listener.join",
    ): "a process of ours whose files each have their time; its end ends the listener",
    ("sandbox/docker_ssh.py", "self._server.accept"): "a thread of its own that ends with the socket",
    ("benchmarks/strict/collector.py", "listener.accept"): "a thread of its own that ends with the socket",
    ("benchmarks/engines/local.py", "self.pipe.recv"): "asked only where the pipe has something, or its end",
    ("benchmarks/worker_process.py", "pipe.recv"): "a worker waits for work, and dies with its parent",
    ("benchmarks/engines/dask.py", "_library().as_completed"): "asked for what is done already, until a deadline",
}
"""Waits without a limit, and why they end."""
READS = re.compile(r"^(?:folder|run|job|info\.arguments|repository_cache\(load_settings\(\)\))$")
"""Owners of methods of these names that wait for nothing: the result of a run that has ended, a property, a cache with deadlines."""


@pytest.mark.promise(
    "A program that is started, a page that is fetched, and whatever is waited for has a limit of time.",
    by="this test over the source",
)
def test_waits_have_a_limit() -> None:
    """A limit is an argument `timeout`, or stands where the function takes it; all else is listed with its reason."""
    every = list(calls(*ROOMS, "benchmarks"))
    endless = [f"{place}:{call.lineno}" for place, name, call in every
               if (name == "subprocess.run" or name.rpartition(".")[2] == "urlopen")
               and place.partition("/")[0] in ROOMS and not _limited(call)]  # fmt: skip
    assert endless == []
    waiting = {(place, name) for place, name, call in every if _waits(name, call)}
    assert waiting - set(MAY_WAIT) == set()
    assert set(MAY_WAIT) - waiting == set(), "no longer there"


def _limited(call: ast.Call) -> bool:
    limits = [one.value for one in call.keywords if one.arg == "timeout"]
    return bool(limits) and ast.unparse(limits[0]) != "None"


def _waits(name: str, call: ast.Call) -> bool:
    owner, _, method = name.rpartition(".")
    if method not in WAITS or _limited(call) or READS.match(owner):
        return False
    return len(call.args) <= LIMITS.get(method, 0) or ast.unparse(call.args[-1]) == "None" or method == "as_completed"
