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
    starts: Literal["program", "script", "python"] = "program"
    """program: any command stands behind it. script: a Python script, whose launcher's options cannot all be known.
    python: what stands behind `python`."""
    valued: frozenset[str] = frozenset()
    """Its options that take a value, where a program stands behind it."""
    word: str = ""
    """What must stand between it and what it starts: `run` of uv run."""
    placed: int = 0
    """Words of its own before the program: the duration of timeout."""
    switches: frozenset[str] = frozenset()
    """Its options that take no value; of any other the words behind it tell (see `read_invocation`)."""
    pairs: frozenset[str] = frozenset()
    """Its options that take two values."""
    modules: frozenset[str] = frozenset()
    """Its options before the name of a Python module."""


def _with(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SRUN = _with(
    "-p -n -N -c -J -w -x -t -G -A -q -o -e -i -C -D -d -m --partition --ntasks --nodes --cpus-per-task --job-name --nodelist"
    " --exclude --time --gpus --account --qos --output --error --input --constraint --chdir --dependency --distribution"
    " --mem --mem-per-cpu --mem-per-gpu --gres --mpi --cpu-bind --gpu-bind --ntasks-per-node --gpus-per-node --gpus-per-task"
    " --reservation --export --jobid --comment --threads-per-core --begin --signal --container-image --container-mounts"
    " --container-workdir --container-name --nice --priority --clusters --licenses --wait --het-group"
)
_MPI = _with(
    "-n -np -c -H -x -N -wdir -wd -host -hostfile -machinefile -bind-to -map-by -rank-by -npernode -npersocket -output-filename"
    " -timeout -rf -rankfile -prefix -ppn -genvlist -envlist -f -hosts -app -path -tune -am"
)
_UV = _with(
    "-p --python --with --with-editable --with-requirements --extra --no-extra --group --no-group --only-group --env-file"
    " --package --directory --project --index --default-index --index-url --extra-index-url --find-links -f --refresh-package"
    " --upgrade-package -P --resolution --prerelease --exclude-newer --link-mode --cache-dir --config-file --color -w"
)
_CONDA = _with("-n --name -p --prefix --cwd")
_NSYS = _with(
    "-o -t -w -f -s -c -x -e -d -y -b -p -n --output --trace --force-overwrite --sample --capture-range --duration --delay"
    " --gpu-metrics-device --gpu-metrics-devices --cuda-memory-usage --stats --export --show-output --stop-on-exit --cudabacktrace"
    " --capture-range-end --nvtx-capture --env-var --cpuctxsw --backtrace --cuda-graph-trace --pytorch --python-sampling --kill"
)
_NCU = _with(
    "-o -k -c -s --export --kernel-name --kernel-name-base --set --section --metrics --launch-count --launch-skip --page"
    " --target-processes --replay-mode --cache-control --clock-control --profile-from-start --log-file --nvtx-include --device"
)
TABLE = (
    Launcher("env", valued=_with("-u --unset -C --chdir -S"), switches=_with("-i --ignore-environment -0 --null -v")),
    Launcher("nohup"),
    Launcher("time", valued=_with("-f -o --format --output"), switches=_with("-p -v -a --verbose --append --portability -q")),
    Launcher("nice", valued=_with("-n --adjustment")),
    Launcher("sudo", valued=_with("-u -g -U -h -C -D"), switches=_with("-E -H -n -S -b -k -i -s -A --preserve-env --set-home")),
    Launcher("exec", valued=_with("-a"), switches=_with("-c -l")),
    Launcher("command", switches=_with("-p -v -V")),
    Launcher("stdbuf", valued=_with("-i -o -e --input --output --error")),
    Launcher("xvfb-run", valued=_with("-s -n -f -e -p --server-args --server-num --error-file --auth-file"),
             switches=_with("-a --auto-servernum -l --listen-tcp")),
    Launcher("timeout", valued=_with("-s -k --signal --kill-after"), placed=1),
    Launcher("taskset", placed=1),
    Launcher("numactl", valued=_with("-i -N -C -m -p --interleave --cpunodebind --physcpubind --membind --preferred"), switches=_with("-l --localalloc -a --all")),
    Launcher("setsid", switches=_with("-c -f -w --ctty --fork --wait")),
    Launcher("ionice", valued=_with("-c -n --class --classdata"), switches=_with("-t --ignore")),
    Launcher("catchsegv"),
    Launcher("unbuffer", switches=_with("-p")),
    Launcher("srun", valued=_SRUN, switches=_with(
        "--exclusive --pty --label -l --unbuffered -u --verbose -v --quiet -Q --overlap --exact --no-kill -k --overcommit -O"
        " --oversubscribe -s --kill-on-bad-exit -K --immediate -I --contiguous --disable-status -X --preserve-env -E"
        " --container-mount-home --no-container-mount-home --container-writable --container-remap-root --spread-job"
    )),
    Launcher("poetry", word="run"),
    Launcher("pipenv", word="run"),
    Launcher("pdm", word="run", valued=_with("-p --project -e --venv"), switches=_with("-s --site-packages -v -q -g")),
    Launcher("rye", word="run", valued=_with("--pyproject"), switches=_with("-l --list")),
    Launcher("uv", word="run", valued=_UV, modules=_with("-m --module"), switches=_with(
        "--no-sync --frozen --locked --isolated --no-project --active --all-extras --all-groups --all-packages --no-dev --dev"
        " --only-dev --offline --quiet -q --verbose -v --script -s --exact --no-editable --no-config --no-cache -n --refresh"
        " --reinstall --upgrade -U --no-env-file --no-default-groups --native-tls --no-progress --managed-python --gui-script"
    )),
    Launcher("conda", word="run", valued=_CONDA, switches=_with("--no-capture-output --live-stream -v --dev --debug-wrapper-scripts")),
    Launcher("mamba", word="run", valued=_CONDA, switches=_with("--no-capture-output --live-stream -v")),
    Launcher("micromamba", word="run", valued=_CONDA | _with("-a --attach -r --root-prefix"), switches=_with("-d --detach --clean-env")),
    *(Launcher(name, valued=_MPI, pairs=_with("-mca --mca -gmca --gmca -env -genv"), switches=_with(
        "--allow-run-as-root -allow-run-as-root --oversubscribe -oversubscribe --tag-output -tag-output --report-bindings -v -q"
        " --use-hwthread-cpus --bynode --byslot --display-map -l --verbose --quiet --bind-to-core --bind-to-none --nooversubscribe"
    )) for name in ("mpirun", "mpiexec")),
    Launcher("horovodrun", valued=_with(
        "-np --num-proc -H --hosts -hostfile --hostfile -p --ssh-port --min-np --max-np --network-interface --output-filename"
        " --start-timeout --config-file --fusion-threshold-mb --cycle-time-ms --cache-capacity --timeline-filename --log-level"
    ), switches=_with("--verbose --gloo --mpi --autotune --disable-cache --check-build")),
    Launcher("nsys", word="profile", valued=_NSYS),
    *(Launcher(name, valued=_NCU, switches=_with("-f --force-overwrite --csv --verbose")) for name in ("ncu", "nv-nsight-cu-cli")),
    Launcher("kernprof", "python", valued=_with("-o --outfile -s --setup -p --prof-mod -u --unit -i --output-interval"),
             switches=_with("-l -b -v -z -r -q --line-by-line --builtin --view --rich --skip-zero"), modules=_with("-m")),
    Launcher("coverage", "python", word="run", valued=_with("--source --omit --include --rcfile --concurrency --context --data-file"),
             switches=_with("-a -p -L --append --parallel-mode --branch --pylib --timid"), modules=_with("-m --module")),
    Launcher("mprof", "python", word="run", valued=_with("-T --interval -o --output -t --timeout"), modules=_with("-m --module"),
             switches=_with("-C -M -E --include-children --multiprocess --python --nopython")),
    Launcher("memray", "python", word="run", valued=_with("-o --output"), modules=_with("-m"),
             switches=_with("-f -q --force --quiet --live --native --follow-fork --trace-python-allocators --aggregate")),
    Launcher("viztracer", "python", valued=_with("-o --output_file --output_dir --tracer_entries --max_stack_depth"), modules=_with("-m")),
    Launcher("pyinstrument", "python", valued=_with("-o --outfile -r --renderer -i --interval"), modules=_with("-m")),
    Launcher("torchrun", "script"),
    Launcher("deepspeed", "script"),
    Launcher("accelerate", "script", word="launch"),
    Launcher("colossalai", "script", word="run"),
    Launcher("torch.distributed.launch", "script"),
    Launcher("torch.distributed.run", "script"),
    Launcher("accelerate.commands.launch", "script"),
    Launcher("paddle.distributed.launch", "script"),
)  # fmt: skip
"""Every program that starts another, but for interpreters and shells."""
LAUNCHERS: Mapping[str, Launcher] = MappingProxyType({launcher.name: launcher for launcher in TABLE})
LAUNCHER_MODULES = frozenset({"deepspeed", *(name for name in LAUNCHERS if "." in name)})
"""Those that are run as `python -m`."""
SCRIPT_SWITCHES = frozenset({
    "--use_env", "--use-env", "--no_python", "--no-python", "--standalone", "--run_path", "--run-path", "--multi_gpu",
    "--cpu", "--tpu", "--mps", "--use_fsdp", "--use_deepspeed", "--use_megatron_lm", "--use_xpu", "--force",
    "--no_local_rank", "--no-local-rank", "--quiet", "-q", "--no_ssh", "--no_ssh_check", "--force_multi", "--save_pid",
    "--elastic_training", "--bind_cores_to_rank",
})  # fmt: skip
"""Options of launchers of scripts that take no value; all others may."""
DEBUGGERS = frozenset(
    {"pdb", "cProfile", "profile", "trace", "ipdb", "debugpy", "coverage", "memory_profiler", "kernprof"}
)
"""Modules that run the script behind them."""
DEBUGGER = Launcher("pdb", "python", valued=_with("-o -s -c --listen"), modules=_with("-m"))
"""How they take it, where `LAUNCHERS` says nothing else."""

HELP = frozenset({"-h", "--help", "-help", "--helpfull", "--helpshort"})
"""Words that make a program say what it takes; nothing is required then."""
_SHORTENED_HELP = 3


def is_short_for_help(word: str) -> bool:
    """Whether a word that no option has is read as --help by a parser that takes shortened names."""
    return len(word) >= _SHORTENED_HELP and "--help".startswith(word)


VERSION = frozenset({"--version", "-V"})

STARTERS = frozenset({*(name for name in LAUNCHERS if "." not in name), *SHELLS, *SOURCES})
"""The first words of commands that start something else, but for interpreters (see PYTHON)."""
