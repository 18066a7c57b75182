"""What commands of every machine do to a check: create files, install, run modules."""

import re
import sys

from ml_agent.tools.launchers import launcher_modules, starters


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


MAKES_FILES = _names(
    "wget curl unzip tar gunzip gzip cp mv git gdown touch mkdir ln rsync aws gsutil kaggle huggingface-cli make svn 7z 2to3"
    " futurize patch sed"
)
"""Programs that may create what a later command uses."""
_BUILTINS = _names(
    "alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec"
    " exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray"
    " readonly return set shift shopt suspend test times trap true type typeset ulimit umask unalias unset wait : [ cls rem"
)
"""Words of the shell itself."""
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
KNOWN_PROGRAMS = MAKES_FILES | starters() | _BUILTINS | _FILES | _MACHINE | _PACKAGES | _BUILDS | _LEARNING
"""Programs of every machine: no misspelt console script of a repository is taken for one, and nothing is said of them."""
KNOWN_MODULES = sys.stdlib_module_names | {m.partition(".")[0] for m in launcher_modules()}
"""Modules of every machine."""
MAKES_SCRIPT = frozenset(["git", "cp", "mv", "ln", "touch", "tee", "cat", "echo", "printf"])
INSTALLS = re.compile(r"\b(?:setuptools|distutils|skbuild)\b")
"""What reads the words of `setup.py install`."""
INTERPRETERS = ("python", "torchrun", "accelerate", "deepspeed")
"""Programs whose names are long enough that a slip of one is no other program."""
LIKE_INTERPRETERS = _names(
    "ipython bpython jython cython xpython hython vpython rpython gpython mpython pythonw pythonx cpython"
)
"""Programs one letter from an interpreter."""
