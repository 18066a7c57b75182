"""Runs the run.sh that an agent left, and judges it by the published rule and by a stricter one.

Published (OpenHands, run_infer.py): `timeout 120s bash run.sh` succeeds with exit code 0, with 124 (still running then), and with any
other where the output has the word KeyboardInterrupt. Nothing looks at what it did: `sleep 200` and `true` succeed.

Strict: it also uses a script or package of the repository, gives it every value of the task, and runs longer than that without
a traceback, to exit code 0 or to the end of the time.
"""

from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.form_a.invokes import ScriptUse, read
from ml_agent.benchmarks.subjects.workplace import folder_of
from ml_agent.sandbox.contract import Command, Response, Sandbox

SCRIPT = "run.sh"
STILL_RUNNING = 124
OUTPUT = 20_000
"""Characters of the output that are kept, from its end."""
_TRACEBACK = "Traceback (most recent call last)"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How long run.sh may run, in seconds."""

    official_seconds: float = 120.0
    strict_seconds: float = 300.0


class ScriptVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a run.sh."""

    script: str = ""
    output: str = ""
    exit_code: int | None = None
    """As `timeout` would have told it after the official time."""
    seconds: float = 0.0
    official_success: bool = False
    strict_success: bool = False
    reason: str = ""
    """Why it is not a strict success: a stable code, then what it is about."""
    scripts: tuple[str, ...] = ()
    """What of the repository it uses."""


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
    script = _text(sandbox, f"{place.folder}/{SCRIPT}")
    if script is None:
        return ScriptVerdict(exit_code=127, reason="no-script: run.sh was not written")
    # one run serves both rules: what a script did before the official time does not depend on how long it may go on
    command = Command(text=f"bash {SCRIPT}", folder=place.folder, timeout=rules.strict_seconds, install=place.installs)
    response = sandbox.run(command)
    task = place.task
    use = read(script, place.root, task.folder, task.arguments, lambda path: _text(sandbox, f"{place.name}/{path}"))
    output = Path(response.log).read_text("utf-8", "replace") if response.log else response.stdout + response.stderr
    return msgspec.structs.replace(judge(response, output, use, rules), script=script)


def judge(response: Response, output: str, use: ScriptUse, rules: Rules) -> ScriptVerdict:
    """The judgement of a run.

    Args:
        response: How it ended, within the strict time.
        output: All that it said.
        use: What it has to do with the repository.
        rules: The times.
    """
    code = _exit_code(response, rules)
    reason = _strict_reason(response, use, output)
    return ScriptVerdict(
        output=output[-OUTPUT:],
        exit_code=code,
        seconds=response.seconds,
        official_success=code in (0, STILL_RUNNING) or "KeyboardInterrupt" in output,
        strict_success=not reason,
        reason=reason,
        scripts=use.scripts,
    )


def _exit_code(response: Response, rules: Rules) -> int:
    if response.seconds >= rules.official_seconds or response.ended == "timeout":
        return STILL_RUNNING
    if response.exit_code is not None:
        return response.exit_code
    return 128 + (response.signal or 9)


def _strict_reason(response: Response, use: ScriptUse, output: str) -> str:
    if not use.scripts:
        return "not-the-repository: run.sh uses no script or package of it"
    if use.missing:
        return "value-not-used: " + ", ".join(use.missing)
    if _TRACEBACK in output:
        last = [line for line in response.error_lines if line.strip()]
        return f"traceback: {last[-1][:200] if last else 'in the output'}"
    if response.ended == "timeout" or response.ok:
        return ""
    return f"exit: {response.exit_code if response.exit_code is not None else response.ended}"


def _text(sandbox: Sandbox, path: str) -> str | None:
    try:
        return sandbox.get(path).decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):  # ValueError: a path that leads out of the workspace
        return None
