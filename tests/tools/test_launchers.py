"""Every launcher starts what stands behind it, for the check and for whoever looks for the script."""

from pathlib import Path

import pytest

from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.entries import entries_of
from ml_agent.tools.launchers import Launcher, launcher_modules, launchers


def started(one: Launcher, module: bool) -> str:
    words = ["python", "-m", one.name] if module else [one.name]
    words += [one.word] * bool(one.word) + ["1"] * one.positional
    return " ".join([*words, *(["python"] if one.starts == "program" else []), "t.py", "--a", "3"])


ALL = [
    *(started(one, module=False) for one in launchers().values() if one.starts != "each"),
    *(started(one, module=True) for one in launcher_modules().values()),
]


@pytest.mark.parametrize(
    "text",
    [
        *ALL,
        "python t.py --a 3",
        "srun --partition gpu --nodes 1 python t.py --a 3",
        "mpirun --np 4 --bind-to none python -u t.py --a 3",
        "uv run -m t --a 3",
        "uv run --env-file f t.py --a 3",
        "poetry -C . run python t.py --a 3",
        "conda run -n env python t.py --a 3",
        "A=1 nohup bash -lc 'python t.py --a 3; echo \"a && b\"' &",
        "timeout 10 nice -n 5 torchrun --nproc_per_node 2 t.py --a 3",
        "bash -o pipefail -c 'python t.py --a 3 | tee log'",
        "taskset -c 0-3 python -m t --a 3",
    ],
)
def test_what_a_launcher_starts_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.py").write_text("print(1)\n")
    calls = list(parse_command(text).invocations)
    inner = [call for one in calls if one.target == "code" for call in parse_command(one.name).invocations]
    read = [call for call in (*calls, *inner) if call.target in ("script", "module")]
    assert [(call.name.removesuffix(".py"), call.words) for call in read] == [("t", ("--a", "3"))]
    assert entries_of(text, tmp_path) == [tmp_path.resolve() / "t.py"]
