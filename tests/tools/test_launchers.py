"""The list of launchers, and the short lists of rooms that may not read it."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.strict import execute
from ml_agent.sandbox.setup import entries
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.launchers import LAUNCHER_MODULES, STARTERS, TABLE


def test_other_rooms_know_no_launcher_that_is_not_in_the_list() -> None:
    assert entries._WRAPPERS <= STARTERS
    assert entries._LAUNCHERS <= LAUNCHER_MODULES
    assert set(execute.LAUNCHERS) <= STARTERS
    scripts = {launcher.name for launcher in TABLE if launcher.starts == "script" and "." not in launcher.name}
    assert scripts - {"colossalai"} <= set(execute.LAUNCHERS)


@pytest.mark.parametrize(
    "text",
    [
        "python t.py --a",
        "srun --partition gpu --nodes 1 python t.py",
        "mpirun --np 4 --bind-to none python -u t.py",
        "uv run -m t --a",
        "uv run --env-file f t.py",
        "poetry -C . run python t.py",
        "conda run -n env python t.py",
        "A=1 nohup bash -lc 'python t.py; echo \"a && b\"' &",
        "timeout 10 nice -n 5 torchrun --nproc_per_node 2 t.py",
        "bash -o pipefail -c 'python t.py | tee log'",
        "taskset -c 0-3 python -m t",
    ],
)
def test_the_sandbox_finds_the_script_that_the_tools_find(tmp_path: Path, text: str) -> None:
    """The two readers know nothing of each other, and must not say different things."""
    (tmp_path / "t.py").write_text("print(1)\n")
    calls = list(parse_command(text).invocations)
    inner = [call for one in calls if one.target == "code" for call in parse_command(one.name).invocations]
    read = [call.name.removesuffix(".py") for call in (*calls, *inner) if call.target in ("script", "module")]
    assert read == ["t"]
    assert entries.entries_of(text, tmp_path) == [tmp_path.resolve() / "t.py"]
