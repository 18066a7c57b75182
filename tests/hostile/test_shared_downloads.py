"""What was downloaded and made for other runs: neither a build nor a package reaches any of it, nor runs with the index in reach."""

import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import docker
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement

from ml_agent.sandbox.bubblewrap import find_bubblewrap, other_user
from ml_agent.sandbox.contract import Command, Policy, Sandbox
from ml_agent.sandbox.docker_environments import DOWNLOADS
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.image import ensure_image
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.sandbox.local_place import builds, downloads, setups
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.setup.uv import (
    Metadata,
    Package,
    Wanted,
    compile_text,
    install_text,
    look_text,
    name_of,
    read_lock,
    requirements_text,
)
from ml_agent.sandbox.task import Source, Task
from tests.servers.git_folders import write_files
from tests.wheels import make_wheel

KINDS = [
    pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.xdist_group("docker-sandbox")]),
    pytest.param("bubblewrap", marks=pytest.mark.xdist_group("bubblewrap-sandbox")),
]
PROJECT = '[build-system]\nrequires = ["shared"]\nbuild-backend = "hook"\nbackend-path = ["."]\n[project]\nname = "own"\nversion = "1.0"\n'
HOOK = r'''
import glob, hashlib, os, pathlib, sys, zipfile

def forge():
    """Write over what may be shared with others, and lay links and programs where the installer works next."""
    base = os.environ["VIRTUAL_ENV"]
    for place in (sys.prefix, base, "/mnt", "/workspace"):
        for path in glob.glob(place + "/**/shared/__init__.py", recursive=True):
            try:
                pathlib.Path(path).write_text("VALUE = 666\n")
            except OSError:
                pass
    build = pathlib.Path(base, ".build")
    key = hashlib.sha256(repr(("shared", "wanted", "")).encode()).hexdigest()[:12]  # the next environment of a build
    for name, target in {f"env-{key}": "@SHARED@/planted", "files": "@SHARED@/planted"}.items():
        if not os.path.lexists(build / name):
            os.symlink(target, build / name)

def get_requires_for_build_wheel(config_settings=None):
    forge()
    return ["wanted"]

def build_wheel(folder, config_settings=None, metadata_directory=None):
    forge()
    name = "own-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as made:
        made.writestr("own.py", "BUILT = 1\n")
        made.writestr("own-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
        made.writestr("own-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr("own-1.0.dist-info/RECORD", "own.py,,\n")
    return name
'''
PATH_FILE = "import glob; [open(p + '/ran', 'w') for p in glob.glob('/mnt/setups/uv*') + glob.glob('/workspace/uv')]\n"
"""A line of a package's own that Python runs wherever it starts: it leaves a mark where only the installer may write."""
RUN = "import shared\nprint('value', shared.VALUE)\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package index: two packages; where they are of the same address, all runs share what was downloaded."""
    root = tmp_path / "index"
    for name in ("shared", "wanted"):
        made = make_wheel(root / "files", name, "1.0", {f"{name}/__init__.py": "VALUE = 3\n", f"{name}.pth": PATH_FILE})
        write_files(root, {f"simple/{name}/index.html": f"<a href='/files/{made}'>x</a>"})

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    yield
    server.shutdown()


def _printed(kind: str, root: Path, notes: list[str], more: Sequence[str] = (), folder: str = ".") -> str:
    """What a run of a repository prints, with `more` requirements than it declares."""
    policy, logs = Policy(network="install", run_id=f"shared-{os.getpid()}"), root.parent / "logs"
    sandbox: Sandbox = DockerSandbox(policy, log_folder=logs) if kind == "docker" else BubblewrapSandbox(policy, logs)
    session = Session(sandbox, Source(root=root, version=root.name), notes.append, notes.append)
    try:
        assert not more or session.install(more, "asked for").ok
        response = session.run(Task(text="python run.py", folder=folder))
        return response.stdout + response.stderr
    finally:
        session.close()


def _downloads(kind: str) -> str:
    """Names of what lies where only the installer may write."""
    if kind == "bubblewrap":
        return " ".join(path.name for path in setups().rglob("*"))
    with closing(docker.from_env()) as client:
        place = {DOWNLOADS: {"bind": "/downloads", "mode": "ro"}}
        command = ["find", "/downloads/", "-maxdepth", "3", "-printf", "%f "]
        said: bytes = client.containers.run(
            ensure_image(client), command, remove=True, network_mode="none", volumes=place
        )
        return said.decode()


@pytest.mark.promise("What an index says of a file becomes no path of the host.", by="sandbox.setup.uv")
@pytest.mark.parametrize("said", ["../../../../tmp/x", "0" * 63, "0" * 64 + "/x", "0" * 64 + "\\n"])
def test_only_a_digest_is_a_digest(said: str) -> None:
    file = f'url = "https://index.invalid/x-1.0.tar.gz", hashes = {{ sha256 = "{said}" }}'
    (package,) = read_lock(
        f'[[packages]]\nname = "x"\nversion = "1.0"\nsdist = {{ {file} }}\nwheels = [{{ {file} }}]\n'
    )
    assert package.source is not None and package.source.sha256 == "" and package.hashes == ()


@pytest.mark.promise(
    "What is downloaded and made for other runs is changed by no build and no package.",
    by="sandbox.local, sandbox.docker_environments, sandbox.setup.builder",
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_build_changes_nothing_that_another_run_is_given(kind: str, index: None, tmp_path: Path) -> None:
    if kind == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    shared = "/workspace/uv" if kind == "docker" else f"/mnt/setups/{downloads(other_user()).name}"
    files = {"pyproject.toml": PROJECT, "hook.py": HOOK.replace("@SHARED@", shared), "run.py": RUN}
    write_files(tmp_path / "hostile", {**files, "requirements.txt": "shared\n"})
    write_files(tmp_path / "honest", {"requirements.txt": "shared\n", "run.py": RUN})
    notes: list[str] = []
    said = _printed(kind, tmp_path / "hostile", notes)
    assert "value" in said, (said, notes)
    assert _printed(kind, tmp_path / "honest", notes) == "value 3\n", notes
    assert not {"ran", "planted"} & set(_downloads(kind).split())


@pytest.mark.promise("What was built before serves the same files alone.", by="sandbox.setup.builder")
@pytest.mark.parametrize("kind", KINDS)
def test_a_package_is_built_once_for_the_same_files(kind: str, index: None, tmp_path: Path) -> None:
    if kind == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    hook = HOOK.replace("    name =", "    print('compiling')\n    name =")
    files = {
        "pyproject.toml": PROJECT.replace('"shared"', ""),
        "hook.py": hook.replace('["wanted"]', "[]").replace('"BUILT = 1\\n"', 'f"BUILT = {os.urandom(8)!r}\\n"'),
        "run.py": "import own\nprint('built', own.BUILT)\n",
    }
    write_files(tmp_path / "a/same", files)
    write_files(tmp_path / "b/same", {**files, "hook.py": files["hook.py"] + "\n"})
    notes: list[str] = []
    first = _printed(kind, tmp_path / "a/same", notes)
    assert first.startswith("built b"), (first, notes)
    assert "building the repository's own package: compiling\n" in "".join(notes), notes
    assert _printed(kind, tmp_path / "a/same", notes, ["wanted"]) == first, notes
    assert _printed(kind, tmp_path / "b/same", notes, ["shared"]) not in (first, ""), notes
    kept = list(builds().rglob("*.whl"))
    assert len(kept) == 2 and all(file.parent.stat().st_mode & 0o77 == 0 for file in kept)


FOREIGN = [
    "$(touch ran)",
    "`touch ran`",
    "x; touch ran",
    "x'; touch ran; '",
    'x"; touch ran; "',
    "x\ntouch ran",
    "x $(touch ran)",
]


@pytest.mark.promise("What a repository or a package says is no command of the installer.", by="sandbox.setup.uv")
@pytest.mark.parametrize("word", FOREIGN)
def test_nothing_that_is_said_is_a_word_of_bash(word: str, tmp_path: Path) -> None:
    said = Metadata(name=word, version=word, requires=(word,), python=word, extras=(word,))
    wanted = Wanted(
        requirements=(word,), constraints=(word,), day=word, young=(word,), settled=word, ready=(word,)
    )  # fmt: skip
    package = Package(name=word, version=word)
    for text in (compile_text(wanted, [said]), install_text([package], seeds=False), look_text([word], word)):
        programs = {"ML_AGENT_UV": "/bin/true", "ML_AGENT_PYTHON": "/bin/true", "VIRTUAL_ENV": str(tmp_path / "venv")}
        subprocess.run(
            ["bash", "-c", text], cwd=tmp_path, env={"PATH": os.environ["PATH"], **programs}, timeout=60, check=False
        )
        assert not list(tmp_path.rglob("ran")), text


@pytest.mark.promise("A requirement is no option, no path and no address of the installer.", by="sandbox.setup.uv")
@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("six-r /etc@:#;='\"\\\n\r\u2028>1.0[]"), max_size=30))
@example("six\n -r /etc/passwd")
@example("six; python_version > '3\n-r /etc/passwd'")
@example("--index-url http://x.invalid")
@example("six@file:/etc/passwd")
@example("six @ ./x.whl")
@example("git+https://x.invalid/y#egg=six")
def test_a_file_of_requirements_has_nothing_else(text: str) -> None:
    lines = ["yaml", text, "numpy<2"]
    done = subprocess.run(
        ["bash", "-c", requirements_text("/dev/stdout", lines)], capture_output=True, timeout=60, check=True
    )
    found = [Requirement(line) for line in done.stdout.decode().splitlines()]
    assert [one.name for one in (found[0], found[-1])] == ["yaml", "numpy"]
    assert len(found) <= 3 and not any(one.url for one in found)


@pytest.mark.promise("The scheme of an address is no name of a package.", by="sandbox.setup.uv")
def test_an_address_alone_names_nothing() -> None:
    lines = (
        "git+https://x.invalid/y",
        "https://user@x.invalid/y",
        "Six @ git+https://x.invalid/y",
        "six@https://x.invalid",
        "six>=1",
    )
    assert [name_of(line) for line in lines] == ["", "", "six", "six", "six"]


@pytest.mark.promise(
    "No code runs while the package index can be reached.", by="tools.python_api.requirements, sandbox.setup.uv"
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_of_a_package_is_no_command(kind: str, index: None, tmp_path: Path) -> None:
    if kind == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    code = "".join(f"\\{ord(character):03o}" for character in 'touch "$UV_CACHE_DIR/ran"')
    name = """'''x; eval "$(printf '@')"; true'''""".replace("@", code)
    project = PROJECT.replace('"own"', name)
    root = tmp_path / "hostile"
    write_files(root, {"pyproject.toml": project})
    folder = "a $(touch ran) b"
    files = {"hook.py": HOOK, "run.py": RUN + "import own\n", "requirements.txt": "shared\n"}
    write_files(root / folder, {**files, "pyproject.toml": PROJECT})
    notes: list[str] = []
    said = _printed(kind, root, notes, folder=folder)
    assert "value" in said and "Error" not in said, (said, notes)
    assert "ran" not in _downloads(kind).split()


@pytest.mark.promise("The installer reaches the environment that it makes, and no other.", by="sandbox.local")
def test_the_installer_sees_one_environment(index: None, tmp_path: Path) -> None:
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    sandbox = BubblewrapSandbox(Policy(network="install", run_id=f"shared-{os.getpid()}"), tmp_path / "logs")
    sandbox.start()
    try:
        write_files(setups() / "other/venv", {"inside.txt": "of another"})
        tries = 'touch mine "$UV_CACHE_DIR/mine"; touch new; ln -s /etc/passwd note.json; mv venv was; ln -s / venv; rm -rf other'
        done = sandbox.run(Command(text=f'cd "$VIRTUAL_ENV"/..; ls .. ; {tries}; true', install=True))
        (fresh,) = setups().glob("new-*")
        assert set(done.stdout.split()) == {fresh.name, downloads(other_user()).name}
        assert [path.name for path in fresh.iterdir()] == ["venv"] and not (fresh / "venv").is_symlink()
        assert (setups() / "other/venv/inside.txt").exists()
        assert (downloads(other_user()) / "mine").exists(), "what it may write it can write"
    finally:
        sandbox.stop()
