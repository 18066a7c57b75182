"""Installs requirements in a sandbox, asking for less where the repository asks for what cannot be had."""

import shlex
from collections.abc import Callable, Sequence

import msgspec

from ml_agent.sandbox.contract import Command, OnOutput, Response, Sandbox
from ml_agent.sandbox.setup.pip_errors import PipFailure, read_pip_failure, relaxed
from ml_agent.sandbox.setup.requirements import distribution_of

MAX_TRIES = 8
"""That may have taken long; a version that there is not is told at once, and of old pins each is."""
MAX_LOOKS = 60
"""Those among them: a repository may ask for thousands of what there is not."""
TIMEOUT = 1800.0
"""Seconds for one installation; large wheels take long on slow lines."""
BINARY_ONLY = (
    "numpy,scipy,pandas,matplotlib,scikit-learn,scikit-image,torch,torchvision,torchaudio,tensorflow,tokenizers,safetensors,"
    "opencv-python,opencv-python-headless,opencv-contrib-python,h5py,pyarrow,llvmlite,numba,grpcio,onnx,onnxruntime,jaxlib,"
    "sentencepiece,Pillow,lxml,cryptography,tables,shapely,faiss-cpu,decord,spacy,thinc,blis,statsmodels,xgboost,lightgbm,polars,pydantic-core"
)
"""Built from source these need compilers and many minutes; another version that comes ready is taken instead."""


EDITABLE = "-e ."
"""The repository itself."""


class InstallResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of installing."""

    command: str
    """The command that worked; empty when none did."""
    requirements: tuple[str, ...] = ()
    """What was asked for in it."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Requirements that had to be left out or changed, each with pip's reason."""
    failure: PipFailure | None = None
    """Why nothing could be installed."""
    changed: bool = False
    """Whether a failed try may have left something behind."""


def install(
    sandbox: Sandbox,
    requirements: Sequence[str],
    constraints: Sequence[str] = (),
    on_output: OnOutput | None = None,
    strict: bool = False,
    pins: Sequence[str] = (),
) -> InstallResult:
    """Install what can be installed; with `strict` exactly what is asked for, or nothing.

    `constraints` hold in any case; `pins`, what the repository says of packages that others bring along, as long as they do
    not stand in the way. Raises SandboxLostError.
    """
    asked, wishes = list(requirements), list(pins)
    dropped: dict[str, str] = {}
    failure: PipFailure | None = None
    changed, tries = False, 0
    for _ in range(MAX_LOOKS):
        if not asked or tries == MAX_TRIES:
            break
        command = pip_command(asked, [*constraints, *wishes])
        response = sandbox.run(Command(text=command, timeout=TIMEOUT, install=True), on_output)
        if response.ok:
            return InstallResult(command=command, requirements=tuple(asked), dropped=tuple(dropped.items()))
        output = response.stdout + "\n" + response.stderr
        changed = changed or "Installing collected packages" in output
        failure = _failure_of(response, output)
        tries += failure.kind != "not-found"
        following = None if strict else _next_try(asked, wishes, failure, dropped)
        if following is None:
            break
        asked, wishes = following
    return InstallResult(command="", dropped=tuple(dropped.items()), failure=failure, changed=changed)


def pip_command(requirements: Sequence[str], constraints: Sequence[str] = ()) -> str:
    """The command line; constraints are written to a file first, for pip takes them no other way."""
    options = f"--prefer-binary --only-binary {BINARY_ONLY}"
    line = f"python -I -m pip install {options}"
    if constraints:
        words = " ".join(shlex.quote(text) for text in constraints)
        return f"printf '%s\\n' {words} > ~/constraints.txt && {line} -c ~/constraints.txt {_quote(requirements)}"
    return f"{line} {_quote(requirements)}"


def _quote(requirements: Sequence[str]) -> str:
    return " ".join(text if text == EDITABLE else shlex.quote(text) for text in requirements)


def _failure_of(response: Response, output: str) -> PipFailure:
    if response.ended != "exited":
        return PipFailure(kind=response.ended, line=f"the installation ended: {response.ended}")
    return read_pip_failure(output)


def _next_try(
    asked: list[str], wishes: list[str], failure: PipFailure, dropped: dict[str, str]
) -> tuple[list[str], list[str]] | None:
    """What to ask for after a failure: first without the wish that is in the way, then for less; None when that is all.

    Where what is asked for contradicts itself all wishes go: they belong to the versions that are given up, and pip would try
    one version after another to meet them.
    """
    rest = [pin for pin in wishes if distribution_of(pin) not in failure.names]
    if len(rest) < len(wishes):
        return asked, rest
    less = _ask_for_less(asked, failure, dropped)
    if less is not None:
        return less, [] if failure.kind == "conflict" else rest
    return (asked, []) if wishes else None


def _ask_for_less(asked: list[str], failure: PipFailure, dropped: dict[str, str]) -> list[str] | None:
    """The requirements for the next try; None when trying again is of no use."""
    ways: dict[str, Callable[[], list[str] | None]] = {
        "not-found": lambda: _without(asked, failure, dropped),
        "build": lambda: _without(asked, failure, dropped),
        "git": lambda: _without_git(asked, failure, dropped),
        "conflict": lambda: _unpin(asked, failure, dropped),
    }
    way = ways.get(failure.kind)
    return way() if way else None


def _without(asked: list[str], failure: PipFailure, dropped: dict[str, str]) -> list[str] | None:
    """Relax the requirement that failed, or leave it out; where it is another's dependency, relax all pins."""
    found = [text for text in asked if distribution_of(text) in failure.names]
    if not found:
        return _unpin(asked, failure, dropped)
    replaced = []
    for text in asked:
        if text not in found:
            replaced.append(text)
            continue
        dropped[text] = failure.line
        softer = relaxed(text, failure.versions)
        if softer is not None and softer not in dropped:
            replaced.append(softer)
    return replaced


def _without_git(asked: list[str], failure: PipFailure, dropped: dict[str, str]) -> list[str] | None:
    if not any("git+" in text for text in asked):
        return None
    replaced = []
    for text in asked:
        name = distribution_of(text)
        if "git+" in text and (not failure.names or name in failure.names):
            dropped[text] = failure.line
            replaced.append(name)
        else:
            replaced.append(text)
    return replaced if replaced != asked else None


def _unpin(asked: list[str], failure: PipFailure, dropped: dict[str, str]) -> list[str] | None:
    """Without the pins that contradict each other; without any pin when it is not said which."""
    some = [text for text in asked if distribution_of(text) in failure.names and relaxed(text, ()) is not None]
    targets = some or [text for text in asked if relaxed(text, ()) is not None and "+cpu" not in text]
    if not targets:
        return None
    for text in targets:
        dropped[text] = failure.line
    return [(relaxed(text, ()) or text) if text in targets else text for text in asked]
