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


Repo = Annotated[str, _option(WHERE, "OWNER/NAME, URL or folder; found by search if not given.", "--repo")]
Commit = Annotated[str, _option(WHERE, "Commit to use.", "--commit")]
Folder = Annotated[str, _option(WHERE, "Folder inside the repository to work in.", "--path")]
Catalog = Annotated[
    str,
    _option(
        WHERE,
        "JSON Lines catalogue to use instead of GitHub, for the search and for --repo: a file, or `sample`, which is included.",
        "--catalog",
    ),
]
Arg = Annotated[
    list[str] | None,
    _option(WHERE, "Value for an option of the program that is found, NAME=VALUE; repeatable.", "--arg"),
]
Model = Annotated[str | None, _option(MODEL, "Model name.", "--model")]
BaseUrl = Annotated[str | None, _option(MODEL, "Address of the model's endpoint (OPENAI_BASE_URL).", "--base-url")]
Navigator = Annotated[
    str | None, _option(MODEL, "auto (a model if one is configured), offline (no model) or llm.", "--navigator")
]
Fallback = Annotated[
    str | None,
    _option(MODEL, "offline: continue without the model if it stops answering; default: the run ends.", "--fallback"),
]
ModelMode = Annotated[str | None, _option(MODEL, "How the model is called: auto, tools or text.", "--model-mode")]
Sandbox = Annotated[str | None, _option(RUN, "auto, docker, local (bubblewrap) or none.", "--sandbox")]
Unisolated = Annotated[
    bool | None, _option(RUN, "Allow running without isolation if there is no sandbox.", "--unisolated/--no-unisolated")
]
Run = Annotated[
    str | None, _option(RUN, "probe (default: run for a while), full (run to the end) or none (only check).", "--run")
]
Expect = Annotated[
    list[str] | None,
    _option(RUN, "A file or folder that the run must produce, PATH or PATH:KIND; repeatable.", "--expect"),
]
Network = Annotated[
    str | None, _option(RUN, "none, install (default: the package index during set-up) or full.", "--network")
]
Gpus = Annotated[str | None, _option(RUN, "GPUs to use: none, all, or device numbers.", "--gpus")]
Timeout = Annotated[float | None, _option(RUN, "Time limit of one execution in seconds.", "--timeout")]
MaxCost = Annotated[float | None, _option(LIMITS, "Limit in USD.", "--max-cost")]
MaxTokens = Annotated[int | None, _option(LIMITS, "Limit of prompt and output tokens together.", "--max-tokens")]
MaxAttempts = Annotated[
    int | None, _option(LIMITS, "Commands that the model may try for one repository (default 5).", "--max-attempts")
]
MaxSeconds = Annotated[float | None, _option(LIMITS, "Time limit of the run in seconds.", "--max-seconds")]
Record = Annotated[str, _option(OUTPUT, "Record model, GitHub and sandbox traffic in this folder.", "--record")]
Replay = Annotated[str, _option(OUTPUT, "Replay a run that --record saved in this folder; no network.", "--replay")]
Out = Annotated[Path | None, _option(OUTPUT, "Run folder to create (default: runs/ID).", "--out")]
TrustFolder = Annotated[
    bool | None, _option(RUN, "Trust all of ml-agent.toml in the working folder.", "--trust-folder")
]
KeepOutputs = Annotated[Path | None, _option(OUTPUT, "Copy the run's output files into this folder.", "--keep-outputs")]
Force = Annotated[bool, _option(OUTPUT, "Let --keep-outputs overwrite files.", "--force")]
AsJson = Annotated[
    bool, _option(OUTPUT, "Print the whole result as JSON; on one line if the output is not a terminal.", "--json")
]
Quiet = Annotated[
    bool, _option(OUTPUT, "No progress on stderr, only errors and what must be run before the answer.", "--quiet", "-q")
]
Verbose = Annotated[bool, _option(OUTPUT, "Show every detail and all sandbox output.", "--verbose", "-v")]
Ask = Annotated[
    bool, _option(WHERE, "Ask which repository, and which answer if none is likely enough (needs a terminal).", "--ask")
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
        raise UsageError(f"--{flag} {value}: {error.problem}; --help shows how") from error


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
