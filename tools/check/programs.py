"""Programs that a command calls by name and that are none of the repository's: known everywhere, a slip of one, or not looked at here."""

import os
import posixpath
import re
from collections.abc import Collection
from pathlib import Path

from ml_agent.tools.check.host_scope import host_table
from ml_agent.tools.check.places import is_literal
from ml_agent.tools.check.repository import CheckedRepository
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.findings import Finding
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES, starters
from ml_agent.tools.signatures.nearest import is_slip

_DEFINES = re.compile(
    r"(?:^|[;&|])[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\)|alias[ \t]+([\w:.-]+)=)", re.MULTILINE
)


def defined_names(text: str) -> frozenset[str]:
    """The functions and aliases that bash text defines."""
    return frozenset(filter(None, (name for match in _DEFINES.finditer(text) for name in match.groups())))


def unknown_program(program: str, repository: CheckedRepository, defined: frozenset[str]) -> Finding | None:
    """What is to say of a program that is none of the repository's console scripts; None where it is well known.

    Args:
        program: the first word of the command.
        repository: says which programs it has and declares.
        defined: functions and aliases that the text defines.
    """
    name = posixpath.basename(program)
    of_shell = host_table().builtins | host_table().refused_builtins
    if not name or name in KNOWN_PROGRAMS | of_shell or PYTHON.match(program) or program in defined:
        return None
    if not is_literal(program):
        return cannot_tell(program, f"which program {program} is: it is set when the command runs")
    if name in repository.declared:
        return cannot_tell(
            program, f"which options {program} takes: the set-up files declare it, but its code was not read"
        )
    meant = next((other for other in repository.consoles if is_slip(name, other)), "") or _interpreter(name)
    if meant and "/" not in program:
        message = f"there is no program {name}; did you mean {meant}?"
        return Finding(code="no-such-command", message=message, subject=name, suggestion=meant)
    return cannot_tell(program, f"{program} is not a program of this repository, so its options are unknown")


def cannot_tell(program: str, message: str) -> Finding:
    """The finding that nobody can judge a program's words."""
    return Finding(code="cannot-tell", message=message, severity="unsure", subject=program)


def _interpreter(name: str) -> str:
    """The interpreter or launcher of which a name is a slip; "" for one that there may be."""
    stem = name.rstrip("0123456789.")
    known = stem in LIKE_INTERPRETERS or stem.lower() in INTERPRETERS
    return "" if known else next((other for other in INTERPRETERS if is_slip(stem, other)), "")


_OTHER_LANGUAGES = frozenset({"julia", "Rscript", "perl", "ruby", "lua", "luajit", "th", "node", "octave", "php"})


def unread(invocation: Invocation, consoles: Collection[str]) -> Finding | None:
    """That what a command starts or reads is not looked at; None where it has no more than its words.

    Args:
        invocation: the command.
        consoles: the repository's own programs.
    """
    program = posixpath.basename(invocation.program)
    if program in STARTS_ELSEWHERE:
        words = [part for word in invocation.words for part in word.split()]
        started = next((word for word in words if _starts(word, consoles)), None)
        return (
            cannot_tell(program, f"{program} starts another program ({started}), which is not checked")
            if started
            else None
        )
    if _reads_input(invocation, program):
        return cannot_tell(program, f"{program} reads commands from its standard input, which are not checked")
    if program in _OTHER_LANGUAGES and len(invocation.words) > 1:
        return cannot_tell(program, f"which options the script of {program} takes")
    return None


def may_be_started(root: Path, path: str) -> bool:
    """Whether a file of the repository is executable, or lies where there are no such rights."""
    file = root / path
    return os.name == "nt" or not file.is_file() or bool(file.stat().st_mode & 0o111)


def _starts(word: str, consoles: Collection[str]) -> bool:
    name = posixpath.basename(word)
    return (
        bool(PYTHON.match(word))
        or name in starters() - SOURCES
        or name in consoles
        or name.endswith((".py", ".sh", ".bash"))
    )


def _reads_input(invocation: Invocation, program: str) -> bool:
    """Whether an interpreter is given its program by standard input."""
    if program in SHELLS:
        return invocation.target in ("shell", "code") and invocation.name in ("", "-")
    if not PYTHON.match(program) or invocation.launcher:
        return False
    return invocation.name == "-" or (invocation.target == "console" and not invocation.words)


# Programs of every machine, by what they do to a check: create files, install, start others.


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


MAKES_FILES = _names(
    "wget curl unzip tar gunzip gzip cp mv git gdown touch mkdir ln rsync aws gsutil kaggle huggingface-cli make svn 7z 2to3"
    " futurize patch sed"
)
"""Programs that may create what a later command uses."""
_FILES = _names(
    "ls cat head tail tree test rm rmdir find locate du df stat file basename dirname realpath readlink chmod chown chgrp mktemp"
    " cut sort uniq wc tr tee paste join split csplit comm diff cmp cksum md5sum sha1sum sha256sum sha512sum base64 xxd od hexdump"
    " grep egrep fgrep zgrep rg ag awk gawk mawk perl jq yq less more nl rev tac shuf seq expr bc fold fmt column iconv dos2unix"
    " unix2dos envsubst xz bzip2 bunzip2 zcat bzcat xzcat zstd unzstd pigz pbzip2 lz4 zip rar unrar 7za p7zip cpio dd sync"
    " install truncate fallocate rename fd bat open xdg-open start explorer vi vim nvim nano emacs code"
)
"""Files and texts."""
_MACHINE = _names(
    "sleep date uname hostname whoami id groups who w env printenv which whereis yes clear reset tput stty watch nproc lscpu lsblk"
    " lspci lsusb lsof free top htop nvtop gpustat nvidia-smi rocm-smi xpu-smi nvcc nvitop ps pgrep pkill killall kill pstree uptime dmesg"
    " ulimit sysctl modprobe ldconfig ldd nm objdump strip mount umount fuser chroot su sudo doas passwd useradd usermod groupadd"
    " systemctl service journalctl crontab at screen tmux byobu script expect parallel xargs parallel-ssh pdsh pssh ssh scp sftp"
    " ssh-keygen ssh-keyscan ssh-copy-id ssh-add ssh-agent ping ip ifconfig netstat ss nc nmap telnet dig nslookup openssl gpg"
    " aria2c axel lftp ftp http httpie rclone s3cmd s5cmd azcopy gcloud az gh glab hub hg bzr cvs repo dvc git-lfs"
    " sbatch squeue scancel sinfo salloc sacct scontrol qsub qstat qdel bsub bjobs condor_submit module ml spack"
    " gdb lldb strace ltrace valgrind perf nsys-ui ncu-ui cuda-gdb"
)
"""The machine, other machines, and the network."""
_PACKAGES = _names(
    "pip pip3 pip2 pipx uvx pixi hatch flit twine easy_install pip-compile pip-sync virtualenv venv pyenv pyenv-virtualenv conda-lock"
    " mkvirtualenv workon activate deactivate anaconda apt apt-get apt-cache apt-key add-apt-repository aptitude dpkg yum dnf rpm"
    " zypper pacman yay apk brew port snap flatpak snapcraft choco scoop winget nix nix-env nix-shell nix-build guix"
    " npm npx yarn pnpm bun deno node nodejs nvm bower gem bundle ruby rails rake go cargo rustc rustup maturin wasm-pack luarocks lua luajit"
    " julia R Rscript octave matlab java javac jar mvn gradle ant scala sbt kotlin dotnet nuget msbuild swift xcodebuild"
    " xcode-select pod php composer ghc cabal stack opam cpan cpanm tlmgr"
)
"""Package managers, and interpreters and compilers of other languages."""
_BUILDS = _names(
    "gcc g++ cc c++ clang clang++ gfortran ld ar cmake ccmake ctest cpack ninja meson bazel bazelisk scons autoreconf autoconf"
    " automake aclocal libtoolize pkg-config swig protoc cython cythonize f2py nvprof emcc emmake emcmake just task invoke nox tox"
    " pytest py.test py unittest nosetests black isort ruff flake8 pylint mypy pyright pyre autopep8 yapf pre-commit bandit codespell"
    " clang-format prettier eslint sphinx-build sphinx-apidoc sphinx-quickstart mkdocs doxygen pdoc pdoc3 jupyter-book pandoc latex"
    " pdflatex latexmk bibtex biber dot docker docker-compose podman singularity apptainer enroot nvidia-docker kubectl helm"
    " minikube kind terraform ansible ansible-playbook vagrant packer bump2version bumpversion cookiecutter copier cruft towncrier"
    " systemd-run heroku flyctl netlify vercel firebase modal"
)
"""Builds, tests, documents, containers."""
_LEARNING = _names(
    "ipython bpython jython ipython3 jupyter jupyter-lab jupyter-notebook jupyter-nbconvert jupytext nbstripout papermill voila"
    " tensorboard wandb mlflow clearml-init aim neptune comet visdom ray dask optuna-dashboard optuna streamlit gradio flask"
    " uvicorn gunicorn hypercorn daphne celery fastapi django-admin alembic redis-server redis-cli mongo mongod psql pg_ctl mysql"
    " mysqldump sqlite3 spark-submit pyspark spark-shell hadoop hdfs hf huggingface-cli transformers-cli diffusers-cli"
    " optimum-cli datasets-cli lm_eval lm-eval sacrebleu subword-nmt trl llamafactory-cli ollama vllm trtexec trtllm-build mim tfds saved_model_cli toco tflite_convert"
    " tensorflow_model_server tritonserver mo ovc benchmark_app onnxsim onnxruntime_perf_test polygraphy snakemake nextflow luigi"
    " prefect airflow dagster kedro spacy nltk spm_train spm_encode spm_decode spm_export_vocab fasttext kenlm lmplz"
    " build_binary ffmpeg ffprobe ffplay sox soxi play rec aplay arecord espeak espeak-ng lame flac mediainfo yt-dlp youtube-dl"
    " convert magick mogrify identify montage exiftool blender meshlab gnuplot graphviz inkscape gimp xvfb Xvfb ngrok"
    " cloudflared open-webui nvidia-cuda-mps-control nvidia-ctk locust"
)
"""What documents of learned programs call beside their own."""
STARTS_ELSEWHERE = _names(
    "tmux screen byobu ssh docker docker-compose podman singularity apptainer nvidia-docker enroot kubectl sbatch qsub bsub salloc"
    " xargs parallel parallel-ssh pdsh pssh script su chroot at expect systemd-run vagrant modal heroku"
)
"""Programs that start what their words name, in another place or at another time."""
KNOWN_PROGRAMS = MAKES_FILES | starters() | _FILES | _MACHINE | _PACKAGES | _BUILDS | _LEARNING
"""Programs of every machine: no misspelt console script of a repository is taken for one, and nothing is said of them."""
MAKES_SCRIPT = frozenset(["git", "cp", "mv", "ln", "touch", "tee", "cat", "echo", "printf"])
INSTALLS = re.compile(r"\b(?:setuptools|distutils|skbuild)\b")
"""What reads the words of `setup.py install`."""
INTERPRETERS = ("python", "torchrun", "accelerate", "deepspeed")
"""Programs whose names are long enough that a slip of one is no other program."""
LIKE_INTERPRETERS = _names(
    "ipython bpython jython cython xpython hython vpython rpython gpython mpython pythonw pythonx cpython"
)
"""Programs one letter from an interpreter."""
