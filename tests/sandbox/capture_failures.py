"""Runs the programs of `failure_cases.py` in bubblewrap and keeps what they said; run by hand when a case is added.

python tests/sandbox/capture_failures.py [NAME …]
"""

import sys
import tempfile
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from failure_cases import CASES  # noqa: E402

from sandbox.contract import Command, Limits, Policy  # noqa: E402
from sandbox.local import BubblewrapSandbox  # noqa: E402
from sandbox.pip_settings import read_pip_settings  # noqa: E402
from sandbox.setup.plan import Host, cpu_torch  # noqa: E402

PACKAGES = "numpy pandas Pillow PyYAML networkx scipy click absl-py setuptools"


def main() -> None:
    """Set up once, run each case in an emptied workspace."""
    wanted = set(sys.argv[1:])
    limits = Limits(memory_bytes=2 * 1024**3, pids=300, disk_bytes=50_000_000)
    torch = cpu_torch(Host(find_links=read_pip_settings().find_links)) or "torch"
    with tempfile.TemporaryDirectory() as logs:
        setup = BubblewrapSandbox(Policy(limits=Limits()), Path(logs))
        setup.start()
        print(setup.run(Command(text=f"pip install -q {PACKAGES} {torch}", install=True, timeout=900)).stderr)
        setup.policy = Policy(limits=limits, network="none")
        for case in CASES:
            if wanted and case.name not in wanted:
                continue
            setup.run(Command(text="rm -rf ./* .[!.]*"))
            response = setup.run(Command(text=case.command, timeout=case.timeout))
            kept = msgspec.structs.replace(response, log="", seconds=round(response.seconds, 1))
            (HERE / "failures" / f"{case.name}.json").write_bytes(
                msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
            )
        setup.stop()


if __name__ == "__main__":
    main()
