"""Programs that start another program, and the words that ask for help: the one list of each."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

PYTHON = re.compile(r"^(?:.*/)?(?:python|pypy)(?:\d(?:\.\d+)?)?(?:\.exe)?$")
PYTHON_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of the interpreter that take a value."""
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
SOURCES = frozenset({"source", "."})
"""Run a script in the same shell."""


class Launcher(NamedTuple):
    """A program that starts another one."""

    name: str
    """The program; with a dot a module that is run as `python -m`."""
    starts: Literal["program", "script"] = "program"
    """program: any command stands behind it. script: a Python script, whose launcher's options cannot all be known."""
    valued: frozenset[str] = frozenset()
    """Its options that take a value, where a program stands behind it."""
    word: str = ""
    """What must stand between it and what it starts: `run` of uv run."""
    placed: int = 0
    """Words of its own before the program: the duration of timeout."""


def _with(words: str) -> frozenset[str]:
    return frozenset(words.split())


TABLE = (
    Launcher("env", valued=_with("-u --unset -C --chdir -S")),
    Launcher("nohup"),
    Launcher("time", valued=_with("-f -o")),
    Launcher("nice", valued=_with("-n")),
    Launcher("sudo", valued=_with("-u -g")),
    Launcher("exec", valued=_with("-a")),
    Launcher("command"),
    Launcher("stdbuf", valued=_with("-i -o -e")),
    Launcher("xvfb-run", valued=_with("-s -n -f -e -p")),
    Launcher("timeout", valued=_with("-s -k"), placed=1),
    Launcher("taskset", valued=_with("-c"), placed=1),
    Launcher("numactl"),
    Launcher("setsid"),
    Launcher("ionice", valued=_with("-c -n")),
    Launcher("catchsegv"),
    Launcher("unbuffer"),
    Launcher("srun", valued=_with("-p -n -N -c -J -w -t -G -A -q -o -e")),
    Launcher("poetry", word="run"),
    Launcher("pipenv", word="run"),
    Launcher("pdm", word="run"),
    Launcher("rye", word="run"),
    Launcher("uv", valued=_with("--with --python -p --extra --group"), word="run"),
    Launcher("conda", valued=_with("-n --name -p --prefix --cwd"), word="run"),
    Launcher("mamba", valued=_with("-n --name -p --prefix"), word="run"),
    Launcher("micromamba", valued=_with("-n --name -p --prefix"), word="run"),
    Launcher("mpirun", valued=_with("-n -np -H -host --host -hostfile --hostfile -x -bind-to -map-by")),
    Launcher("mpiexec", valued=_with("-n -np -H -host -hostfile")),
    Launcher("horovodrun", valued=_with("-np -H -hostfile --num-proc --hosts")),
    Launcher("torchrun", "script"),
    Launcher("deepspeed", "script"),
    Launcher("accelerate", "script", word="launch"),
    Launcher("colossalai", "script", word="run"),
    Launcher("torch.distributed.launch", "script"),
    Launcher("torch.distributed.run", "script"),
    Launcher("accelerate.commands.launch", "script"),
)
"""Every program that starts another, but for interpreters and shells."""
LAUNCHERS: Mapping[str, Launcher] = MappingProxyType({launcher.name: launcher for launcher in TABLE})
LAUNCHER_MODULES = frozenset({"deepspeed", *(name for name in LAUNCHERS if "." in name)})
"""Those that are run as `python -m`."""
SCRIPT_SWITCHES = frozenset({
    "--use_env", "--use-env", "--no_python", "--no-python", "--standalone", "--run_path", "--run-path", "--multi_gpu",
    "--cpu", "--tpu", "--mps", "--use_fsdp", "--use_deepspeed", "--use_megatron_lm", "--use_xpu", "--force",
    "--no_local_rank", "--no-local-rank", "--quiet", "-q",
})  # fmt: skip
"""Options of launchers of scripts that take no value; all others may."""
DEBUGGERS = frozenset(
    {"pdb", "cProfile", "profile", "trace", "ipdb", "debugpy", "coverage", "memory_profiler", "kernprof"}
)
"""Modules that run the script behind them."""

HELP = frozenset({"-h", "--help", "-help", "--helpfull", "--helpshort"})
"""Words that make a program say what it takes; nothing is required then."""
VERSION = frozenset({"--version", "-V"})

STARTERS = frozenset({*(name for name in LAUNCHERS if "." not in name), *SHELLS, *SOURCES})
"""The first words of commands that start something else, but for interpreters (see PYTHON)."""
