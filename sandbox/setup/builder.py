"""Describes and builds what comes as sources: never where a network is in reach."""

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.files import entries
from ml_agent.sandbox.local_place import builds, keep_build
from ml_agent.sandbox.pip_settings import read_pip_settings
from ml_agent.sandbox.setup.ladder import day_for, is_old
from ml_agent.sandbox.setup.system import LACKS, packages_for
from ml_agent.sandbox.setup.uv import (
    BUILD,
    NO_VERSION,
    Metadata,
    Refusal,
    Source,
    install_text,
    link_text,
    name_of,
    read_refusal,
    requirements_text,
)
from ml_agent.sandbox.uv_program import NO_INDEX
from ml_agent.tools.bounded import read_toml
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.python_api.distributions import distributions_of

INSTALL_SECONDS = 1800.0
"""For one installation; large wheels take long on slow lines."""
DESCRIBE_SECONDS = 240.0
BUILD_SECONDS = 1500.0
Note = Callable[[str], None]
MOST_SAID = 2000
"""Last lines of a build that are kept."""
MOST_TURNS = 7
"""Modules that a build may turn out to need one after another."""
MOST_LOCK = 64 * 1024**2
MOST_WHEEL = 256 * 1024**2
"""Bytes of a built wheel that is kept."""
BUILT_FORMAT = 1
"""Goes up where what was built before may serve no more."""
CARRIED = ".ml-agent-wheel"
"""The way of a wheel between the host and a sandbox: through its workspace."""
_PLAIN = ("plain",)
"""In the place of pins, where nothing is compiled."""
_INSTALLED = re.compile(r"^(\w[\w.]*)-([^-\s]+)\.dist-info$", re.MULTILINE)
_WHEEL = re.compile(r"[\w.+!-]{1,200}\.whl", re.ASCII)
_INSIDE = Path(__file__).with_name("inside")
_MARK, _BESIDE = "ML-AGENT ", "ML-AGENT-BESIDE"
_ANSWERS = ("ML-AGENT>", "ML-AGENT+")
"""How lines of our own scripts begin."""
_LEGACY = ("setuptools", "wheel")
_COMPILED = ("pyx", "c", "cc", "cpp", "cxx", "cu", "f", "f90", "rs", "go", "i")
"""Ends of the names of what is compiled."""
_TOOLS = re.compile(r"^[ \t]*(?:import|from)[ \t]+(numpy|Cython|pybind11|cffi|pkgconfig)\b", re.MULTILINE)
"""What a setup.py builds with that says nothing of it elsewhere; it may do without, and then leave its compiled parts out."""
_BOUNDS = (
    ("setuptools<58", "2021-09-05", (3, 11)),  # use_2to3
    ("setuptools<66", "2023-01-14", (3, 11)),  # versions such as 0.x
    ("setuptools<81", "2025-06-01", None),  # pkg_resources
    ("cython<3", "2023-07-17", None),
    ("numpy<2", "2024-06-16", None),
    ("pybind11<3", "2025-07-10", None),
    ("packaging<22", "2022-12-07", None),
)
"""What broke builds of sources that are older than it, and the last Python that the version before works with."""
_BUILD_FILES = "pyproject.toml setup.py setup.cfg"
_BY_TAG = (
    "setuptools.?scm|versioningit|hatch.vcs|pbr|dynamic.versioning|git.version|scm_version|versioneer|flit.scm|vcs"
)
_TAGGED = (
    "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*; "
    "{ git rev-parse HEAD || { git init -q . && git add -A && git -c user.name=x -c user.email=x@localhost commit -q -m x; }; "
    "git describe --tags || { git tag v0.0.1 && touch .git/no-version; }; } >/dev/null 2>&1"
)
"""A version that is asked of tags: in a copy without them there is one."""
_NO_LINKS = f'for link in "{BUILD}" "{BUILD}"/* "{BUILD}"/files/*; do [ ! -L "$link" ] || rm "$link" || exit 1; done'
NO_MODULE = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '?([A-Za-z_]\w*)")
"""The top of a module that is missing."""
_NO_HEADER = re.compile(r"fatal error: ['\"]?(numpy|pybind11)/")
"""A package's header that a build does without asking for the package."""
_SPOKEN = re.compile(r"(?i)^\s*+(?:\w*Error\b|\S+: (?:fatal )?error:|fatal|.*command '.*' failed|.*not found)")
_OLD_C = re.compile(
    r"longintrepr\.h: No such file|has no member named .(?:(?:cur)?exc_type|tp_print|use_tracing|ob_digit)\b"
    r"|to function .(?:PyCodeObject ?\* ?)?PyCode_New\b|incomplete type(?:def)? .PyFrameObject\b"
)
"""What compilers say of C that Cython made for older Pythons."""
_OF_COMPILER = re.compile(r"^\S+:\d+(?::\d+)?: (?:fatal )?error:")
_FIRST, _LAST, _LONGEST = 4, 28, 400
"""Lines of a failed step that are told: its first errors and its end; and characters of one of the former."""


class Steps:
    """Runs our own commands in a sandbox: the installer's, with the package index, and builds, without."""

    def __init__(self, sandbox: Sandbox, root: Path, note: Note, on_output: OnOutput | None) -> None:
        """`root`: the repository whose files are put there."""
        self.sandbox, self.note, self.on_output = sandbox, note, on_output
        self.system: tuple[str, ...] = ()
        """Debian packages that were installed."""
        self.beside, self.said_beside = "", ""
        """A text of the installer that runs beside the next step of it and ends with that, and what it printed."""
        self.failed: dict[str, BuildFailure] = {}
        """Builds that failed for good, by their keys; another way to an environment need not wait for them again."""
        self._root = root

    def install(self, text: str, seconds: float = INSTALL_SECONDS) -> Response:
        """A step of the installer, which follows no link that a build may have laid where it works."""
        beside, self.beside = self.beside, ""
        if beside:
            end = f'ended=$?; wait; echo; echo {_BESIDE}; cat "$beside"; exit $ended'
            text = f'mkdir -p "{BUILD}"; beside=$(mktemp); ({beside}\n) >"$beside" 2>/dev/null &\n({text}\n)\n{end}'
        done = self.sandbox.run(Command(text=f"{_NO_LINKS}\n{text}", timeout=seconds, install=True), self.on_output)
        if beside and done.log:
            self.said_beside = read_text(Path(done.log), MOST_LOCK).rpartition(_BESIDE)[2]
        return done

    def offline(self, text: str, seconds: float = BUILD_SECONDS, doing: str = "") -> Response:
        """A step that may run code of packages and of the repository; where `doing` says what it does, its lines are told behind that."""
        tell, rest = self.on_output, ""

        def told(said: str) -> None:
            nonlocal rest
            *lines, rest = (rest + said).split("\n")
            lines = [line for line in lines if line.strip() and not line.startswith(_ANSWERS)]
            if tell is not None:  # also where it has nothing to tell: whoever listens may end the run
                tell("".join(f"{doing}{line}\n" for line in lines if doing))

        return self.sandbox.run(Command(text=text, timeout=seconds), told if tell else None)

    @cached_property
    def built(self) -> Path:
        """What was built beside this repository before, on the host and out of reach of what runs in sandboxes.

        It serves the same files alone: whatever of a repository ran in the sandbox before a build was in those files, and no
        answer's code runs before an environment is whole.
        """
        digest = hashlib.sha256(f"{BUILT_FORMAT}{self.sandbox.name}{read_pip_settings()!r}".encode())
        for path, relative in entries(self._root.resolve()):
            held = str(path.readlink()) if path.is_symlink() else path.stat().st_mode & 0o111 if path.is_file() else -1
            digest.update(repr((str(relative), held)).encode())
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        return builds() / digest.hexdigest()[:32]


class BuildFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why sources cannot be described or built."""

    lines: tuple[str, ...]
    lasting: bool = False
    """Whether the build itself failed, so that it fails again."""
    late: bool = False
    """Whether it was not done in its time, or C is for older Pythons, which other versions of what it needs do not change."""

    @property
    def line(self) -> str:
        """One line of it: what it says that it lacks, else the compiler's first error, else its last one."""
        lacking = next((line.strip() for line in self.lines if LACKS.search(line)), "")
        compiled = next((line.strip() for line in self.lines if _OF_COMPILER.search(line)), "")
        return (lacking or compiled or self.lines[-1])[:300] if self.lines else "the build failed without a message"


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """The repository, or a folder of it, as sources."""

    folder: str
    day: str
    """Of its last commit, YYYY-MM-DD, or ""."""


Sources = Source | Project


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """Sources that lie in the sandbox."""

    folder: str
    """As bash finds it; may hold variables."""
    day: str
    """When they were published, YYYY-MM-DD, or ""."""
    requires: tuple[str, ...]
    backend: str
    paths: tuple[str, ...]
    plain: bool
    """Whether nothing in them is compiled."""


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """A wheel that was built."""

    wheel: str
    """Its path as bash finds it."""
    used: tuple[str, ...] = ()
    """Pins of what it was built with."""


class Builder:
    """Sources in one sandbox, for one version of Python."""

    def __init__(self, steps: Steps, python: tuple[int, int]) -> None:
        self._steps, self._python = steps, python
        self._trees: dict[Sources, Tree] = {}
        self._number = count()
        self._plain = dict[Sources, Built]()
        """What was built when it was described."""
        self._environments: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
        """Folders by what was asked for, and what it was held to."""
        self._made: dict[str, tuple[str, ...]] = {}
        """Pins of what is in them."""
        self._needed: dict[str, list[str]] = {}
        """What builds turned out to need, by their folders."""
        self._asked: set[str] = set()
        """Folders whose backend said what it needs."""
        self.said: tuple[str, ...] = ()
        """What the last build said, also where it gave a wheel."""
        self._used: tuple[str, ...] = ()
        self._doing = ""

    def describe(self, name: str, source: Sources) -> Metadata | BuildFailure:
        """What sources say of themselves; remembered by their content. What has no compiled parts is built at once."""
        kept = self._steps.built / f"{self._key(source, ('described',))}.json"
        if kept.is_file():
            return msgspec.json.decode(kept.read_bytes(), type=Metadata)
        tree = self._tree(source)
        if isinstance(tree, BuildFailure):
            return tree
        self._doing = f"building {name}: "
        found = self._ask("wheel" if tree.plain else "metadata", tree, ())
        if tree.plain and isinstance(found, dict):
            self._plain[source] = self._kept(source, _PLAIN, found)
        elif tree.plain and found.lasting:
            found = self._ask("metadata", tree, ())
        if isinstance(found, BuildFailure):
            return found
        said = Metadata.read(found["metadata"])
        keep_build(kept, msgspec.json.encode(said))
        return said

    def wheel(self, name: str, source: Sources, pins: Sequence[str]) -> Built | BuildFailure:
        """Build a wheel with the pinned versions where they are needed, or take the one that was built of the same before."""
        key, self.said = self._key(source, pins), ()
        if source in self._plain:
            return self._plain[source]
        if key in self._steps.failed:
            return self._steps.failed[key]
        if (kept := self._taken(key) or self._taken(self._key(source, _PLAIN))) is not None:
            self._steps.note(f"{name} was built before")
            return kept
        self._steps.note(f"building {name}")
        self._doing = f"building {name}: "
        tree = self._tree(source)
        made = tree if isinstance(tree, BuildFailure) else self._ask("wheel", tree, pins)
        if isinstance(made, BuildFailure):
            if made.lasting or made.late:
                self._steps.failed[key] = made
            return made
        return self._kept(source, pins, made)

    def _key(self, source: Sources, more: Sequence[str]) -> str:
        place = (getattr(self._steps.sandbox, "base", ""), self._python, self._steps.system)
        return hashlib.sha256(repr((source, place, *more)).encode()).hexdigest()[:32]

    def _taken(self, key: str) -> Built | None:
        """A wheel of an earlier build, brought into the sandbox."""
        note, wheel = self._steps.built / f"{key}.json", self._steps.built / f"{key}.whl"
        if not (note.is_file() and wheel.is_file()):
            return None
        kept, out = msgspec.json.decode(note.read_bytes(), type=Built), f"{BUILD}/out/{next(self._number)}"
        self._steps.sandbox.put(wheel, CARRIED)
        laid = self._steps.offline(f'mkdir -p "{out}" && mv {CARRIED} "{out}/{kept.wheel}" && echo "{out}"', 120)
        return Built(wheel=f"{laid.stdout.strip()}/{kept.wheel}", used=kept.used) if laid.ok else None

    def _kept(self, source: Sources, pins: Sequence[str], made: Mapping[str, Any]) -> Built:
        """A wheel that was just built; also on the host, where its name is one, it is not too large and its build lacked nothing."""
        built, key = Built(wheel=str(made.get("wheel")), used=self._used), self._key(source, pins)
        name = built.wheel.rpartition("/")[2]
        content = self._steps.sandbox.get(CARRIED, MOST_WHEEL + 1)
        if _WHEEL.fullmatch(name) and len(content) <= MOST_WHEEL and not packages_for("\n".join(self.said)):
            keep_build(self._steps.built / f"{key}.whl", content)
            keep_build(self._steps.built / f"{key}.json", msgspec.json.encode(Built(wheel=name, used=built.used)))
        return built

    def _tree(self, source: Sources) -> Tree | BuildFailure:
        """The sources, laid into the sandbox once."""
        if source not in self._trees:
            tree = self._copied(source) if isinstance(source, Project) else self._unpacked(source)
            if isinstance(tree, BuildFailure):
                return tree
            self._trees[source] = tree
        return self._trees[source]

    def _copied(self, project: Project) -> Tree | BuildFailure:
        here = "$HOME/project" + ("" if project.folder == "." else f"/{_within(project.folder)}")
        text = (
            f'rm -rf "$HOME/project" && cp -a . "$HOME/project" && cd "$HOME/project"\n'
            f"if cat {_BUILD_FILES} 2>/dev/null | grep -qiE '{_BY_TAG}'; then {_TAGGED}; fi\n{_shown(here)}"
        )
        return _tree_of(here, project.day, self._steps.offline(text, 300))

    def develop(self, wheel: str, folder: str) -> tuple[Refusal | None, tuple[str, ...]]:
        """Install a wheel that leads to the sources in the workspace; why not, and what was laid beside them."""
        script, out = shlex.quote((_INSIDE / "build_hooks.py").read_text(encoding="utf-8")), next(self._number)
        words = f'develop . "{BUILD}/out/{out}" "{wheel}" "$PWD/{_within(folder)}"'
        text = f'made="{BUILD}/out/{out}/develop"; mkdir -p "$made"; "$VIRTUAL_ENV/bin/python" -I -c {script} {words} '
        text += f'|| cp "{wheel}" "$made"\n' + link_text('"$made"/*')
        done = self._steps.offline(text, 600)
        answer = answers(done.stdout)[-1:]
        added = answer[0].get("added", ()) if answer and isinstance(answer[0], dict) else ()
        return None if done.ok else read_refusal(f"{done.stdout}\n{done.stderr}", done.ended), tuple(map(str, added))

    def _unpacked(self, source: Source) -> Tree | BuildFailure:
        key = source.sha256[:16] or hashlib.sha256(source.address.encode()).hexdigest()[:16]
        script = shlex.quote((_INSIDE / "fetch_files.py").read_text(encoding="utf-8"))
        files = shlex.quote(json.dumps([[source.address, source.sha256, source.name]]))
        done = self._steps.install(f'"$ML_AGENT_PYTHON" -I -S -c {script} "{BUILD}/files" {files}', 600)
        if not done.ok:
            return BuildFailure(lines=(f"{source.name} cannot be fetched: {done.why}",))
        here, unpack = f'"$HOME/sources/{key}"', "import shutil, sys; shutil.unpack_archive(sys.argv[1], sys.argv[2])"
        text = (
            f'mkdir -p {here} && "$VIRTUAL_ENV/bin/python" -I -c {shlex.quote(unpack)} "{BUILD}/files/"{shlex.quote(source.name)} {here} '
            f"&& mv {here}/*/ {here}/tree 2>/dev/null; {_shown(f'$HOME/sources/{key}/tree')}"
        )
        return _tree_of(f"$HOME/sources/{key}/tree", source.day, self._steps.offline(text, 300))

    def _ask(self, what: str, tree: Tree, pins: Sequence[str]) -> Any:
        """The backend's answer: with versions of its time, each choice of them that differs from those before."""
        old = [(bound, last) for bound, day, last in _BOUNDS if tree.day and tree.day < day]
        bounds = tuple(bound for bound, last in old if last is None or self._python <= last)
        ways = [((*bounds, *pins), ""), (bounds, ""), ((), "")]
        ways += [(bounds, day_for(self._python, tree.day))] if is_old(tree.day) else []
        tried, failure = set[str](), BuildFailure(lines=())
        for held, day in dict.fromkeys(ways):
            answer = self._ask_with(what, tree, held, day, tried)
            if not isinstance(answer, BuildFailure) or answer.late:
                return answer
            if answer.lines and (not failure.lines or (answer.lasting and not failure.lasting)):
                failure = answer  # that bounds contradict pins says nothing
        return failure

    def _ask_with(self, what: str, tree: Tree, held: tuple[str, ...], day: str, tried: set[str]) -> Any:
        """The same in an environment with what it says that it needs, and with modules that turn out to be missing."""
        needed, answer = self._needed.setdefault(tree.folder, list(tree.requires)), BuildFailure(lines=())
        for _ in range(MOST_TURNS):
            environment = self._environment(needed, held, day)
            if isinstance(environment, BuildFailure):
                return environment
            if environment in tried:
                return answer
            answer = self._call(what, tree, environment)
            if isinstance(answer, list):
                self._asked.add(tree.folder)
            else:
                tried.add(environment)
            said = "\n".join(answer.lines) if isinstance(answer, BuildFailure) else ""
            missing = NO_MODULE.search(said) or _NO_HEADER.search(said)
            extra = ["setuptools<81"] if missing and missing[1] == "pkg_resources" else []
            more = extra or (
                distributions_of(missing[1])[:1] if missing else answer if isinstance(answer, list) else []
            )
            new = [one for one in (NO_VERSION.sub("", str(one)) for one in more) if one not in needed]
            needed += new
            if not new and not isinstance(answer, list):
                return answer
        return answer

    def _environment(self, requires: Sequence[str], held: Sequence[str], day: str) -> str | BuildFailure:
        """An environment with what a build asks for; the folder."""
        key = (*sorted(requires), "", day)
        for (asked, limits), folder in self._environments.items():
            names = {name_of(one) for one in {*limits} ^ {*held}}
            if asked == key and not any(name_of(pin) in names for pin in self._made[folder]):
                return folder
        folder = f"{BUILD}/env-{hashlib.sha256(repr((key, held)).encode()).hexdigest()[:12]}"
        uv = f'"$ML_AGENT_UV" -q pip install --no-build --python "{folder}/bin/python" ${{{NO_INDEX}:-}}'
        uv += f' {f"--exclude-newer {shlex.quote(day)} " * bool(day)}-r "$needs/requires" -c "$needs/held"'
        lines = [install_text((), seeds=False, target=folder)]
        if requires:
            lines += [
                "needs=$(mktemp -d)",
                requirements_text("$needs/requires", requires),
                requirements_text("$needs/held", held),
                f"{uv} || {{ sed -Ei 's/===?[^;,]*//' \"$needs/requires\"; {uv}; }}",  # a pin may have no wheel for this Python
            ]
        lines += [f'cd "{folder}"/lib/python*/site-packages && ls -d -- *.dist-info 2>/dev/null || true']
        done = self._steps.install("\n".join(lines), 600)
        if not done.ok:
            return BuildFailure(
                lines=("a requirement of the build is not available: " + " ".join(said_by(done))[:300],)
            )
        self._made[folder] = tuple("==".join(found) for found in _INSTALLED.findall(done.stdout))
        self._environments[key, tuple(held)] = folder
        return folder

    def _call(self, what: str, tree: Tree, environment: str, anew: str = "") -> Any:
        """What the backend answers. C that Cython made for older Pythons is made anew from what it was made of."""
        script = shlex.quote((_INSIDE / "build_hooks.py").read_text(encoding="utf-8"))
        has = None if tree.folder in self._asked else self._needed[tree.folder]
        given = " ".join(shlex.quote(one) for one in (tree.backend, json.dumps(tree.paths), json.dumps(has), CARRIED))
        words = f'{what} "{tree.folder}" "{BUILD}/out/{next(self._number)}" {given} {anew}'
        plain = "export SETUPTOOLS_SCM_PRETEND_VERSION=0.0.0 PBR_VERSION=0.0.0; "
        text = (
            f'{{ [ -e "{tree.folder}/.git" -a ! -e "{tree.folder}/.git/no-version" ] || {{ {plain} }}; }}; export MAX_JOBS=2 CMAKE_BUILD_PARALLEL_LEVEL=2\n'
            f'PATH="{environment}/bin:$PATH" "{environment}/bin/python" -I -c {script} {words} 2>&1'
        )
        self._used = self._made[environment]
        seconds = BUILD_SECONDS if what == "wheel" and not tree.plain else DESCRIBE_SECONDS
        done = self._steps.offline(text, seconds, self._doing if what == "wheel" else "")
        self.said = tuple(done.stdout.splitlines()[-MOST_SAID:])
        answer = (answers(done.stdout) or [None])[-1]
        if not done.ok or answer is None:
            why = () if done.ended == "exited" else (f"it ended: {done.ended} after {done.seconds:.0f} s",)
            old = _OLD_C.search(done.stdout) is not None
            if old and not anew:
                return self._call(what, tree, environment, "anew")
            late = done.ended == "timeout" or old
            return BuildFailure(lines=(*said_by(done), *why), lasting=done.ended == "exited", late=late)
        return answer


def _tree_of(folder: str, day: str, shown: Response) -> Tree | BuildFailure:
    if not shown.ok:
        return BuildFailure(lines=said_by(shown))
    _, declared, setup, compiled = (*shown.stdout.split(_MARK), "", "", "")[:4]
    try:
        system = read_toml(declared).get("build-system")
    except ValueError:
        system = None
    system = system if isinstance(system, dict) else {}
    tools = [*_LEGACY, *_TOOLS.findall(setup), *["Cython"] * (".pyx" in compiled)]
    legacy = dict.fromkeys([*tools, *["setuptools<58"] * ("use_2to3" in setup)])
    requires = tuple(one for one in system.get("requires", legacy) if isinstance(one, str))
    backend = str(system.get("build-backend") or "setuptools.build_meta:__legacy__")
    paths = tuple(one for one in system.get("backend-path", ()) if isinstance(one, str))
    return Tree(folder=folder, day=day, requires=requires, backend=backend, paths=paths, plain=not compiled.strip())


def _within(text: str) -> str:
    """A text as it stands between double quotes of bash."""
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _shown(folder: str) -> str:
    """Prints how sources are built, as far as they say."""
    files = (f'head -c 100000 "{folder}/{name}" 2>/dev/null' for name in ("pyproject.toml", "setup.py"))
    shown = "; ".join(f"echo; echo {shlex.quote(_MARK)}; {one}" for one in files)
    named = " -o ".join(f"-name '*.{ending}'" for ending in _COMPILED)
    compiled = f"find \"{folder}\" -type f \\( {named} \\) -printf '%f\\n' | sed 's/.*[.]/./' | sort -u"
    return f'[ -d "{folder}" ] && {{ {shown}; echo; echo {shlex.quote(_MARK)}; {compiled}; true; }}'


def answers(output: str) -> list[Any]:
    """All that scripts of ours said in an output, each over one line or several."""
    found: list[str] = []
    for line in output.splitlines():
        if line.startswith(_ANSWERS[0]):
            found.append(line[9:])
        elif line.startswith(_ANSWERS[1]) and found:
            found[-1] += line[9:]
    read = []
    for text in found:
        with suppress(ValueError):
            read.append(json.loads(text))
    return read


def said_by(done: Response) -> tuple[str, ...]:
    """The last meaningful lines of a failed step, before them the first errors: of a long build these are the reason."""
    lines = [line.rstrip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    last = lines[-_LAST:]
    told = [line.strip() for line in lines if _SPOKEN.match(line)]
    lacked = [line.strip() for line in lines if LACKS.search(line)][:2]
    # A missing module is perhaps one of a program that the build called.
    missing = [line for line in told if NO_MODULE.search(line)][-1:]
    first = [line[:_LONGEST] for line in dict.fromkeys([*lacked, *told[:_FIRST], *missing]) if line not in last]
    return (*first, *last, *told[-1:])
