"""What lets anybody do a run again: reproduce.sh, Dockerfile, requirements.lock."""

import json
import re
import shlex
from pathlib import Path, PurePosixPath

from ml_agent.sandbox.script_lines import LOGIN_PATH, comment, exported, folders_made, inside
from ml_agent.sandbox.session import SessionRecord

_COMMIT = re.compile(r"[0-9a-f]{40}")
_CODE_FILE = re.compile(r"(?<![\w./-])[\w./-]+\.py\b")
RUN_MARKS = ("trajectory.jsonl", "checkpoints.sqlite")
"""Files that together mark the folder of a run of this program, which is no part of the repository that it lies in."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PINNED = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.!+-]+", re.ASCII)
LOCKED = "--no-deps -r"
"""The list is complete, and what contradicts itself on paper may be what a repair made and ran."""
OWN_PACKAGE = "--no-deps -e ."
"""What the package needs is in the list."""
CHOICE_OF_PYTHON = "for python in "
"""How the line begins from which a reproduction sets its environment up."""


def artifacts(record: SessionRecord) -> dict[str, str]:
    """File names with their texts."""
    return {
        "reproduce.sh": reproduce_script(record),
        "Dockerfile": dockerfile(record),
        "requirements.lock": lock_file(record),
    }


def lock_file(record: SessionRecord) -> str:
    """The versions that were installed with the hashes of their files, as pip reads them; the repository itself is no part of it."""
    lines = []
    for package in (one for one in record.packages if _PINNED.fullmatch(one.pin)):
        hashes = [f"--hash=sha256:{digest}" for digest in package.hashes if _DIGEST.fullmatch(digest)]
        lines.append(" ".join([package.pin, *hashes]) + "\n")
    return "".join(lines)


def reproduce_script(record: SessionRecord) -> str:
    """A script that clones at the commit, sets up and runs, in a folder of its own: `reproduce.sh [FOLDER]`."""
    python = f"python{record.python}"
    parts = [
        "#!/usr/bin/env bash",
        comment(f"Does the run again: {_said_source(record)}, the environment, the program."),
        "#   usage: reproduce.sh [FOLDER]   FOLDER is made; default: reproduced. Its files are then in FOLDER/repository.",
        "set -euo pipefail",
        'case "${1:-}" in -*) echo "usage: reproduce.sh [FOLDER]" >&2; exit 2 ;; esac',
        'here=$(cd "$(dirname "$0")" && pwd)',
        "work=${1:-reproduced}",
        '[ ! -e "$work" ] || { echo "$work exists: name another folder, as in reproduce.sh FOLDER" >&2; exit 2; }',
        'mkdir -p "$work/home"; work=$(cd "$work" && pwd)',
        """trap '[ $? -ne 0 ] || echo "done; the files are in $work/repository" >&2' EXIT""",
        *([comment(f"Debian packages that it needs: {' '.join(record.system)}")] if record.system else []),
        *[comment(f"tried: {one.rung.said}: {one.ended}") for one in record.attempts],
        *_checkout(record, '"$work/repository"'),
        *_inputs(record, '"$work/repository"'),
        f'{CHOICE_OF_PYTHON}{python} "${{PYENV_ROOT:-$HOME/.pyenv}}"/versions/{record.python}.*/bin/python3 python3; do',
        '  "$python" -I -c "" 2>/dev/null && break; python=; done',  # pyenv has programs that only say what to choose
        f'[ "$python" ] || {{ echo "{python} is needed" >&2; exit 2; }}',
        f'"$python" -I -m venv{_pip(record)} "$work/venv"',
        'export PATH="$work/venv/bin:$PATH" HOME="$work/home" PYTHONUNBUFFERED=1',
        LOGIN_PATH,
        *([f'python -I -m pip install -q {LOCKED} "$here/requirements.lock"'] if lock_file(record) else []),
        *own_package(record, '"$work/repository"'),
        *run_lines(record, '"$work/repository"'),
    ]
    return "\n".join(parts) + "\n"


def dockerfile(record: SessionRecord) -> str:
    """An image that does the same; its first line says how it is built and run, and what it makes copied out: files of the user's
    are mounted.

    What comes from a repository stands in commands in JSON only: no other instruction takes every text as a value.
    """
    packages = " ".join(["git", *record.system])
    fetched = " && ".join(f"({line})" for line in _checkout(record, "/workspace"))
    context = "." if _has_address(record) else shlex.quote(str(record.source.root))
    lines = [
        comment(
            f"docker build -t again -f Dockerfile {context} && {{ docker run --name again {_mounts(record)}again; "
            "docker cp again:/workspace made; docker rm again; }"
        ),
        f"ARG BASE=python:{record.python}-slim",
        "FROM ${BASE}",
        "USER root",
        f"RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*",
        "WORKDIR /workspace",
        f"RUN {_json(LOGIN_PATH)}",
        *([f"RUN {_json(fetched)}"] if _has_address(record) else ["COPY . /workspace"]),
        *([f"RUN {_json(_locked_install(record))}"] if lock_file(record) else []),
        *[f"RUN {_json(line)}" for line in own_package(record, "/workspace")],
        f"CMD {_json(chr(10).join(run_lines(record, '/workspace')))}",
    ]
    return "\n".join(lines) + "\n"


def _checkout(record: SessionRecord, folder: str) -> list[str]:
    """Lines that lay the repository in a folder (already quoted): at its commit, or a copy where it has none."""
    source = record.source
    if _is_cloned(record):
        url = shlex.quote(source.url)
        return [
            f"git init -q {folder}",
            f"git -C {folder} remote add origin {url}",
            f"git -C {folder} fetch -q --depth 1 origin {source.version} || git -C {folder} fetch -q origin",
            f"git -C {folder} checkout -q {source.version}",
        ]
    is_run = " -a ".join(f"-e {{}}/{name}" for name in RUN_MARKS)
    others = rf'-type d \( -samefile "$work" -o -exec test {is_run} \; \) -prune -o'
    made = r"-type d \( -name .git -o -name __pycache__ \) -prune -o"
    return [
        f"mkdir -p {folder}",
        f"(cd {shlex.quote(str(source.root))}",
        rf'  newer=$(find . -mindepth 1 {made} {others} -type f -newer "$here/reproduce.sh" -print -quit)',
        '  [ -z "$newer" ] || echo "warning: $PWD has changed since the run, such as $newer" >&2',
        f"  find . -mindepth 1 {others} -print0 |",
        f"  tar --null --no-recursion -T - -cf -) | tar -xf - -C {folder}",
    ]


def _inputs(record: SessionRecord, root: str) -> list[str]:
    """Lines that put the user's own files where the program runs, below `root` (already quoted)."""
    lines = []
    for path in record.inputs:
        parent = f"{root}/{shlex.quote(str(PurePosixPath(record.task.folder, path).parent))}"
        lines.append(f"mkdir -p {parent}; cp -RL {shlex.quote(str(record.inputs_from / path))} {parent}/")
    return lines


def _locked_install(record: SessionRecord) -> str:
    """The list stands in the command: the build's context is the repository, and the list is not in it."""
    words = " ".join(map(shlex.quote, lock_file(record).splitlines()))
    return (
        f"printf '%s\\n' {words} > /tmp/requirements.lock && python3 -I -m pip install {LOCKED} /tmp/requirements.lock"
    )


def _mounts(record: SessionRecord) -> str:
    """Options that show the container the user's own files, each followed by a blank."""
    task = record.task
    there = {str(PurePosixPath("/workspace", task.folder, path)): record.inputs_from / path for path in record.inputs}
    there |= {path: Path(path) for path in sorted(task.named) if path.startswith("/") and path in task.text}
    return "".join(f"-v {shlex.quote(f'{path}:{place}:ro')} " for place, path in there.items())


def _has_address(record: SessionRecord) -> bool:
    """Whether the repository can be fetched from anywhere."""
    return _COMMIT.fullmatch(record.source.version) is not None and "://" in record.source.url


def _is_cloned(record: SessionRecord) -> bool:
    """Whether a reproduction gets the very files of the run, from git; a folder of this machine may be one that was only unpacked."""
    url, place = record.source.url, Path(record.source.url)
    there = not place.is_dir() or (place / ".git").exists() or (place / "objects").is_dir()
    return _COMMIT.fullmatch(record.source.version) is not None and bool(url) and there


def _said_source(record: SessionRecord) -> str:
    """Which files a reproduction takes."""
    if _is_cloned(record):
        return "the repository at its commit"
    return f"a copy of {record.source.root} as it then is (the run had its version {record.source.version})"


def own_package(record: SessionRecord, root: str) -> list[str]:
    """The line that installs the repository's own package, without what it needs, in its folder below `root` (already quoted)."""
    if not record.project:
        return []
    pins = " ".join(shlex.quote(pin) for pin in record.built_with if _PINNED.fullmatch(pin))
    held = f"printf '%s\\n' {pins} >/tmp/build.txt; PIP_CONSTRAINT=/tmp/build.txt " if pins else ""
    return [inside(f"{root}/{shlex.quote(record.project)}", f"{held}python -I -m pip install {OWN_PACKAGE}")]


def run_lines(record: SessionRecord, root: str) -> list[str]:
    """Lines that run the program in its folder below `root` (already quoted)."""
    return [
        f"cd {root}/{shlex.quote(record.task.folder)} || exit",
        *([folders_made(record.task.folders)] if record.task.folders else []),
        *_code(record),
        *[exported(name, value) for name, value in record.task.environment.items()],
        record.task.text,
    ]


def _code(record: SessionRecord) -> list[str]:
    """Lines that write Python code that is no file of the repository."""
    if not record.task.code:
        return []
    names = _CODE_FILE.findall(record.task.text)
    name = names[-1] if names else "answer.py"  # before it stand folders of Python's path, which may be called alike
    mark = "END_OF_CODE"
    while mark in record.task.code:
        mark += "_"
    return [f"cat > {shlex.quote(name)} <<'{mark}'", record.task.code.rstrip("\n"), mark]


def _pip(record: SessionRecord) -> str:
    """Setting up pip takes seconds; where nothing is installed, an environment does without."""
    return "" if lock_file(record) or record.project else " --without-pip"


def _json(text: str) -> str:
    """A command in the form that needs no second quoting."""
    return json.dumps(["bash", "-c", text])
