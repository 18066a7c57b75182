"""Programs that start another program, and the words that ask for help: the one list of each."""

import re
from collections.abc import Mapping
from types import MappingProxyType

PYTHON = re.compile(r"^(?:.*/)?(?:python|pypy)(?:\d(?:\.\d+)?)?(?:\.exe)?$")
PYTHON_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
"""Options of the interpreter that take a value."""
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
SOURCES = frozenset({"source", "."})
"""Run a script in the same shell."""

_NONE: frozenset[str] = frozenset()
WRAPPERS: Mapping[str, frozenset[str]] = MappingProxyType({
    "env": frozenset({"-u", "--unset", "-C", "--chdir", "-S"}), "nohup": _NONE, "time": frozenset({"-f", "-o"}),
    "nice": frozenset({"-n"}), "sudo": frozenset({"-u", "-g"}), "exec": frozenset({"-a"}), "command": _NONE,
    "stdbuf": frozenset({"-i", "-o", "-e"}), "xvfb-run": frozenset({"-s", "-n", "-f", "-e", "-p"}),
    "timeout": frozenset({"-s", "-k"}), "taskset": frozenset({"-c"}), "numactl": _NONE, "setsid": _NONE,
    "ionice": frozenset({"-c", "-n"}), "catchsegv": _NONE, "unbuffer": _NONE,
    "srun": frozenset({"-p", "-n", "-N", "-c", "-J", "-w", "-t", "-G", "-A", "-q", "-o", "-e"}),
    "poetry": _NONE, "pipenv": _NONE, "pdm": _NONE, "rye": _NONE,
    "uv": frozenset({"--with", "--python", "-p", "--extra", "--group"}),
    "conda": frozenset({"-n", "--name", "-p", "--prefix", "--cwd"}), "mamba": frozenset({"-n", "--name", "-p", "--prefix"}),
    "micromamba": frozenset({"-n", "--name", "-p", "--prefix"}),
    "mpirun": frozenset({"-n", "-np", "-H", "-host", "--host", "-hostfile", "--hostfile", "-x", "-bind-to", "-map-by"}),
    "mpiexec": frozenset({"-n", "-np", "-H", "-host", "-hostfile"}),
    "horovodrun": frozenset({"-np", "-H", "-hostfile", "--num-proc", "--hosts"}),
})  # fmt: skip
"""Programs that start the program behind them, with those of their options that take a value."""
RUN_WORD = frozenset({"poetry", "uv", "pipenv", "pdm", "rye", "conda", "mamba", "micromamba"})
"""Of these, the ones that say `run` before it."""
PLACED_VALUE: Mapping[str, int] = MappingProxyType({"timeout": 1, "taskset": 1})
"""Words of their own before the program."""

LAUNCHERS = frozenset({"torchrun", "deepspeed"})
"""Programs that start a Python script."""
LAUNCH_WORD: Mapping[str, str] = MappingProxyType({"accelerate": "launch", "colossalai": "run"})
"""Launchers that are one of several commands of a program."""
LAUNCHER_MODULES = frozenset(
    {"torch.distributed.launch", "torch.distributed.run", "accelerate.commands.launch", "deepspeed"}
)
"""Launchers that are run as `python -m`."""
LAUNCHER_SWITCHES = frozenset({
    "--use_env", "--use-env", "--no_python", "--no-python", "--standalone", "--run_path", "--run-path", "--multi_gpu",
    "--cpu", "--tpu", "--mps", "--use_fsdp", "--use_deepspeed", "--use_megatron_lm", "--use_xpu", "--force",
    "--no_local_rank", "--no-local-rank", "--quiet", "-q",
})  # fmt: skip
"""Their options that take no value."""
DEBUGGERS = frozenset(
    {"pdb", "cProfile", "profile", "trace", "ipdb", "debugpy", "coverage", "memory_profiler", "kernprof"}
)
"""Modules that run the script behind them."""

HELP = frozenset({"-h", "--help", "-help", "--helpfull", "--helpshort"})
"""Words that make a program say what it takes; nothing is required then."""
VERSION = frozenset({"--version", "-V"})

STARTERS = frozenset({*WRAPPERS, *LAUNCHERS, *LAUNCH_WORD, *SHELLS, *SOURCES})
"""The first words of commands that start something else, but for interpreters (see PYTHON)."""
