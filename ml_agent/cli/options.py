"""Options of `ml-agent solve`, and of commands that share them; each is declared once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ml_agent.errors import UsageError, WrongSettingError

WHERE, MODEL, RUN, LIMITS, OUTPUT = "Where to look", "Thinking", "Running", "Limits", "Output"


def _option(panel: str, text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel)


Repo = Annotated[
    str, _option(WHERE, "The repository: OWNER/NAME, a URL or a folder. Without it a repository is searched.", "--repo")
]
Commit = Annotated[str, _option(WHERE, "Commit of the repository to use.", "--commit")]
Folder = Annotated[str, _option(WHERE, "Folder of the repository in which the task is done.", "--path")]
Catalog = Annotated[
    str,
    _option(
        WHERE,
        "Where to look for repositories instead of GitHub: a JSON Lines file, or `sample`, a catalogue that is included.",
        "--catalog",
    ),
]
Arg = Annotated[
    list[str] | None,
    _option(
        WHERE,
        "A value that the answer must use, as OPTION=VALUE of the repository's program, such as lr=0.1; repeatable.",
        "--arg",
    ),
]
Model = Annotated[str | None, _option(MODEL, "Name of the model, such as gpt-4o.", "--model")]
BaseUrl = Annotated[str | None, _option(MODEL, "Address of the model's endpoint (OPENAI_BASE_URL).", "--base-url")]
Navigator = Annotated[
    str | None,
    _option(
        MODEL,
        "Who writes the answer: llm (a model), offline (no model), or auto (a model if one is configured).",
        "--navigator",
    ),
]
Fallback = Annotated[
    str | None,
    _option(
        MODEL,
        "What to do if the model stops answering. offline: continue without it; by default the run ends.",
        "--fallback",
    ),
]
ModelMode = Annotated[
    str | None,
    _option(
        MODEL,
        "How the model is called: with tool calls (tools), with JSON in text (text), or as it supports (auto).",
        "--model-mode",
    ),
]
Sandbox = Annotated[
    str | None,
    _option(
        RUN,
        "Where the answer runs: docker, local (bubblewrap), none (nowhere), or auto (Docker, else bubblewrap).",
        "--sandbox",
    ),
]
Unisolated = Annotated[
    bool | None,
    _option(RUN, "Run without isolation if neither Docker nor bubblewrap works.", "--unisolated/--no-unisolated"),
]
Run = Annotated[
    str | None,
    _option(
        RUN,
        "How far the answer is run: none (only checked), probe (for 60 seconds, the default) or full (to the end).",
        "--run",
    ),
]
Expect = Annotated[
    list[str] | None,
    _option(RUN, "A file or folder that the run must produce, PATH or PATH:KIND; repeatable.", "--expect"),
]
Network = Annotated[
    str | None,
    _option(
        RUN,
        "Which network the sandbox has: none, install (default: only the package index, only during set-up) or full.",
        "--network",
    ),
]
Gpus = Annotated[str | None, _option(RUN, "GPUs to use: none, all, or device numbers.", "--gpus")]
Timeout = Annotated[
    float | None, _option(RUN, "Seconds that one execution of the answer may take (default 1800).", "--timeout")
]
MaxCost = Annotated[
    float | None, _option(LIMITS, "The most that the model may cost in this run, in USD.", "--max-cost")
]
MaxTokens = Annotated[
    int | None, _option(LIMITS, "How many tokens the model may use, prompts and replies together.", "--max-tokens")
]
MaxAttempts = Annotated[
    int | None, _option(LIMITS, "How many answers the model may try for one repository (default 5).", "--max-attempts")
]
MaxSeconds = Annotated[float | None, _option(LIMITS, "Seconds that the whole run may take.", "--max-seconds")]
Record = Annotated[
    str, _option(OUTPUT, "Folder in which all traffic with the model, GitHub and the sandbox is recorded.", "--record")
]
Replay = Annotated[str, _option(OUTPUT, "Folder that --record wrote: repeat that run without a network.", "--replay")]
Out = Annotated[
    Path | None, _option(OUTPUT, "Folder to create for the run and all its files (default: runs/ID).", "--out")
]
TrustFolder = Annotated[
    bool | None,
    _option(
        RUN,
        "Use all settings of ml-agent.toml in the working folder, also those that allow the network, higher limits or less isolation.",
        "--trust-folder",
    ),
]
KeepOutputs = Annotated[
    Path | None, _option(OUTPUT, "Folder into which the files that the run made are copied.", "--keep-outputs")
]
Force = Annotated[bool, _option(OUTPUT, "Let --keep-outputs overwrite files.", "--force")]
AsJson = Annotated[bool, _option(OUTPUT, "Print the whole result as JSON.", "--json")]
Quiet = Annotated[
    bool,
    _option(
        OUTPUT,
        "Print no progress, only errors and the set-up commands that you must run before the command of the answer.",
        "--quiet",
        "-q",
    ),
]
Verbose = Annotated[
    bool, _option(OUTPUT, "Print every detail of the progress, and all output of the sandbox.", "--verbose", "-v")
]
Ask = Annotated[
    bool,
    _option(
        WHERE,
        "Let you choose the repository, and the answer if no candidate is likely to be right; needs a terminal.",
        "--ask",
    ),
]


@contextmanager
def named_as_flags(given: Mapping[str, object]) -> Iterator[None]:
    """Turn a wrong setting into UsageError where the command line gave it.

    Args:
        given: flags by their names in `Settings`; None where one was not given.
    """
    try:
        yield
    except WrongSettingError as error:
        value = given.get(error.setting)
        if value is None:
            raise
        flag = error.setting.replace("_", "-")
        raise UsageError(f"--{flag} {value} is wrong: {error.problem}; --help shows what it takes") from error


class WhereToLook(NamedTuple):
    """Which repository, and what is known beside the sentence."""

    repo: Repo = ""
    commit: Commit = ""
    path: Folder = ""
    catalog: Catalog = ""
    arg: Arg = None
    ask: Ask = False


class Execution(NamedTuple):
    """Settings of thinking, running and limits, by their names in `Settings`; None where an option was not given."""

    model: Model = None
    base_url: BaseUrl = None
    navigator: Navigator = None
    fallback: Fallback = None
    model_mode: ModelMode = None
    sandbox: Sandbox = None
    unisolated: Unisolated = None
    run: Run = None
    network: Network = None
    gpus: Gpus = None
    timeout: Timeout = None
    trust_folder: TrustFolder = None
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_attempts: MaxAttempts = None
    max_seconds: MaxSeconds = None


class Limits(NamedTuple):
    """Limits of a run, by their names in `Settings`; None where an option was not given."""

    timeout: Timeout = None
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_attempts: MaxAttempts = None
    max_seconds: MaxSeconds = None


class Kept(NamedTuple):
    """What should come out of a continued run, and where it goes."""

    expect: Expect = None
    out: Out = None
    keep_outputs: KeepOutputs = None
    force: Force = False


class Products(NamedTuple):
    """What should come out, where it goes, and what is recorded."""

    expect: Expect = None
    record: Record = ""
    replay: Replay = ""
    out: Out = None
    keep_outputs: KeepOutputs = None
    force: Force = False


class Printing(NamedTuple):
    """What is printed, and how much."""

    as_json: AsJson = False
    quiet: Quiet = False
    verbose: Verbose = False
