"""Runs the run.sh that an agent left, and judges it by the published rule and by what it was seen to do.

Published (OpenHands, run_infer.py): `timeout 120s bash run.sh` succeeds with exit code 0, with 124 (still running then), and with any
other where the output has the word KeyboardInterrupt. Nothing looks at what it did: `sleep 200` and `true` succeed.

Executed: it also starts something of the repository, and runs longer than that without a traceback, to exit code 0 or to the end of
the time.
"""

import re
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.subjects.places import index_variables
from ml_agent.benchmarks.subjects.workplace import folder_of
from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.tools.commandline.shell import parse_command

SCRIPT = "run.sh"
STILL_RUNNING = 124
OUTPUT = 20_000
"""Characters of the output that are kept, from its end."""
_TRACEBACK = "Traceback (most recent call last)"
_IMPORT = re.compile(r"(?:^|['\";])\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)
_IDLE = frozenset({"echo", "printf", "cat", "ls", "pip", "conda"})


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How long run.sh may run, in seconds."""

    official_seconds: float = 120.0
    seconds: float = 300.0


class ScriptVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a run.sh."""

    script: str = ""
    output: str = ""
    exit_code: int | None = None
    """As `timeout` would have told it after the official time."""
    seconds: float = 0.0
    official_success: bool = False
    executed: bool = False
    reason: str = ""
    """Why it is not executed: a stable code, then what it is about."""


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run.sh is, and what it is held against."""

    task: Task
    root: Path
    """The repository as it was, on this machine."""
    name: str
    """Its folder in the workspace."""
    installs: bool = True
    """Whether it may install packages."""

    @property
    def folder(self) -> str:
        """The task's folder in the workspace."""
        return folder_of(self.name, self.task.folder)


def check(sandbox: Sandbox, place: Script, rules: Rules) -> ScriptVerdict:
    """Run the row's run.sh in the sandbox that the agent worked in. Raises SandboxLostError."""
    try:
        script = sandbox.get(f"{place.folder}/{SCRIPT}").decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):  # ValueError: a path that leads out of the workspace
        return ScriptVerdict(exit_code=127, reason="no-script: run.sh was not written")
    # one run serves both rules: what a script did before the official time does not depend on how long it may go on
    variables = index_variables() if place.installs else {}
    response = sandbox.run(
        Command(text=f"bash {SCRIPT}", folder=place.folder, timeout=rules.seconds, environment=variables)
    )
    output = Path(response.log).read_text("utf-8", "replace") if response.log else response.stdout + response.stderr
    return judge(response, output, uses(script, place.root, place.task.folder), rules, script)


def judge(response: Response, output: str, used: bool, rules: Rules, script: str = "") -> ScriptVerdict:
    """The judgement of a run.

    Args:
        response: How it ended.
        output: All that it said.
        used: Whether it starts something of the repository.
        rules: The times.
        script: Its text.
    """
    code = _exit_code(response, rules)
    reason = _reason(response, output) if used else "not-the-repository: run.sh starts nothing of it"
    return ScriptVerdict(
        script=script,
        output=output[-OUTPUT:],
        exit_code=code,
        seconds=response.seconds,
        official_success=code in (0, STILL_RUNNING) or "KeyboardInterrupt" in output,
        executed=not reason,
        reason=reason,
    )


def _exit_code(response: Response, rules: Rules) -> int:
    if response.seconds >= rules.official_seconds or response.ended == "timeout":
        return STILL_RUNNING
    if response.exit_code is not None:
        return response.exit_code
    return 128 + (response.signal or 9)


def _reason(response: Response, output: str) -> str:
    if _TRACEBACK in output:
        last = [line for line in response.error_lines if line.strip()]
        return f"traceback: {last[-1][:200] if last else 'in the output'}"
    if response.ended == "timeout" or response.ok:
        return ""
    return f"exit: {response.exit_code if response.exit_code is not None else response.ended}"


def uses(script: str, root: Path, folder: str) -> bool:
    """Whether a shell script names a file of the repository that it may start, one of its commands, or imports one of its packages."""
    calls = [one for one in parse_command(script).invocations if one.program not in _IDLE]
    words = {word for one in calls for word in (one.program, one.name, *one.words)}
    modules = {one.name.partition(".")[0] for one in calls if one.target == "module"} | set(_IMPORT.findall(script))
    files = {
        place
        for word in words
        if word.endswith((".py", ".sh")) and "\0" not in word
        for place in (root / folder / word, root / word, root.joinpath(*Path(word).parts[3:]))
        if place.is_file() and place.name != SCRIPT
    }
    own = any(
        (place / name).is_dir() or (place / f"{name}.py").is_file()
        for name in modules
        for place in (root, root / "src", root / folder)
    )
    return bool(files) or own or any(one.program in libraries_of(root).console for one in calls)
