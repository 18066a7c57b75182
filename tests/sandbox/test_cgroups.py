"""A control group, made of plain files: nothing is left in it, whatever ends meanwhile."""

import subprocess
from pathlib import Path

from ml_agent.sandbox.cgroups import ControlGroup


def test_a_process_that_ended_meanwhile_spares_no_other(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    living = subprocess.Popen(["sleep", "60"])
    (tmp_path / "cgroup.procs").write_text(f"{ended.pid}\n{living.pid}\n")
    try:
        ControlGroup((tmp_path,)).kill()
        assert living.wait(timeout=10) < 0
    finally:
        living.kill()
