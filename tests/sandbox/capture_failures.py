"""Runs the programs of `failure_cases.py` in bubblewrap and keeps what they said; run by hand when a case is added.

python -m tests.sandbox.capture_failures [NAME …]
"""

import sys
import tempfile
from pathlib import Path

import msgspec

from ml_agent.sandbox.contract import Command, Limits, Policy
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.sandbox.setup.executor import cpu_torch
from tests.sandbox.failure_cases import CASES
from tests.sandbox.failure_model import GROUPS, FailureCase

HERE = Path(__file__).parent

LIMITS = Limits(memory_bytes=2 * 1024**3, pids=300)
"""Small enough to be reached by a program that tries."""
DISK = 50_000_000
"""For the common group: newer libraries fill more than that with what they compile."""


def main() -> None:
    """One sandbox for each group: set up once, then each case in an emptied workspace."""
    wanted = set(sys.argv[1:])
    for group, packages in GROUPS.items():
        cases = [case for case in CASES if case.group == group and (not wanted or case.name in wanted)]
        if cases:
            _capture(cases, packages)


def _capture(cases: list[FailureCase], packages: str) -> None:
    with tempfile.TemporaryDirectory() as logs:
        sandbox = BubblewrapSandbox(Policy(limits=Limits()), Path(logs))
        sandbox.start()
        torch = cpu_torch(sandbox, sandbox.python_version()) or "torch"
        words = " ".join(f"'{torch if name == 'torch' else name}'" for name in packages.split())
        if words:
            text = f'"$ML_AGENT_UV" -q pip install --python "$VIRTUAL_ENV/bin/python" {words}'
            print(sandbox.run(Command(text=text, install=True, timeout=1800)).stderr)
        limits = msgspec.structs.replace(LIMITS, disk_bytes=DISK if cases[0].group == "common" else None)
        sandbox.policy = Policy(limits=limits, network="none")
        for case in cases:
            sandbox.run(Command(text="rm -rf ./* .[!.]*"))
            response = sandbox.run(Command(text=case.command, timeout=case.timeout))
            kept = msgspec.structs.replace(response, log="", seconds=round(response.seconds, 1))
            (HERE / "failures" / f"{case.name}.json").write_bytes(
                msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
            )
        sandbox.stop()


if __name__ == "__main__":
    main()
