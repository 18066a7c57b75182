"""`ml-agent solve` and `ml-agent resume`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ml_agent.card import card, is_answer
from ml_agent.console import Terminal
from ml_agent.delivery.expected import check_stated
from ml_agent.endings import Ending
from ml_agent.errors import UsageError
from ml_agent.job import Job
from ml_agent.observer import Observer
from ml_agent.request import check_instruction
from ml_agent.run_index import known_run
from ml_agent.run_job import begin_job, job_of, run_job, settings_of
from ml_agent.settings import load_settings

NO_MODEL = (
    "no model    tables thought alone: on a repository that is new to them they are right for few requests, a capable model for nearly all. "
    "--model NAME with OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, or gguf:/path; --navigator grounded says this no more"
)
"""What a model would add, and how to get one."""

_WHERE, _MODEL, _RUN, _LIMITS, _OUTPUT = "Where to look", "Thinking", "Running", "Limits", "Output"


def _option(panel: str, text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel)


_Fallback = Annotated[
    str | None, _option(_MODEL, "grounded: go on without the model where it cannot be had; else the run ends.")
]
_Expected = Annotated[
    list[str] | None, _option(_RUN, "A file or folder that must come out, PATH or PATH:KIND; repeatable.")
]
_Trusted = Annotated[bool | None, _option(_RUN, "Take all of the working folder's ml-agent.toml.", "--trust-folder")]
_Verbose = Annotated[bool, _option(_OUTPUT, "Every detail, and every line that the sandbox prints.", "--verbose", "-v")]
_Asking = Annotated[
    bool, _option(_WHERE, "Ask which answer is meant where none is likely enough; on a terminal.", "--ask")
]


def solve(
    instruction: Annotated[str, typer.Argument(help="The task in one sentence, with every value that matters.")],
    repo: Annotated[str, _option(_WHERE, "OWNER/NAME, URL or folder; searched for when not given.")] = "",
    commit: Annotated[str, _option(_WHERE, "Commit to use.")] = "",
    path: Annotated[str, _option(_WHERE, "Folder of the task inside the repository.")] = "",
    catalog: Annotated[str, _option(_WHERE, "JSONL catalogue to search instead of GitHub, or `sample`.")] = "",
    arg: Annotated[list[str] | None, _option(_WHERE, "A value by name, NAME=VALUE; repeatable.")] = None,
    model: Annotated[str | None, _option(_MODEL, "Model name at the endpoint, or gguf:/path.")] = None,
    navigator: Annotated[str | None, _option(_MODEL, "auto, grounded (no model) or llm.")] = None,
    fallback: _Fallback = None,
    model_mode: Annotated[str | None, _option(_MODEL, "auto, tools, json or text.")] = None,
    model_profile: Annotated[str | None, _option(_MODEL, "auto, tools or form: what the model can do.")] = None,
    sandbox: Annotated[str | None, _option(_RUN, "auto, docker, local or none.")] = None,
    unisolated: Annotated[bool | None, _option(_RUN, "Allow a plain process group where nothing isolates.")] = None,
    run: Annotated[str | None, _option(_RUN, "probe (default), full or none.")] = None,
    expect: _Expected = None,
    network: Annotated[str | None, _option(_RUN, "none, install (default) or full.")] = None,
    gpus: Annotated[str | None, _option(_RUN, "none, all, or device numbers.")] = None,
    runtime: Annotated[str | None, _option(_RUN, "Of Docker's containers, such as runsc (gVisor).")] = None,
    timeout: Annotated[float | None, _option(_RUN, "Seconds one execution may take.")] = None,
    max_cost: Annotated[float | None, _option(_LIMITS, "USD.")] = None,
    max_tokens: Annotated[int | None, _option(_LIMITS, "Prompt and output tokens together.")] = None,
    max_attempts: Annotated[int | None, _option(_LIMITS, "Drafts per repository (5).")] = None,
    max_seconds: Annotated[float | None, _option(_LIMITS, "Wall time of the run.")] = None,
    record: Annotated[str, _option(_OUTPUT, "Record model, GitHub and sandbox into this folder.")] = "",
    replay: Annotated[str, _option(_OUTPUT, "Answer from such a folder; no network.")] = "",
    out: Annotated[Path | None, _option(_OUTPUT, "Run folder to make (default: runs/ID).")] = None,
    trust_folder: _Trusted = None,
    keep_outputs: Annotated[Path | None, _option(_OUTPUT, "Copy what the run made into this folder.")] = None,
    force: Annotated[bool, _option(_OUTPUT, "Let --keep-outputs replace files.", "--force")] = False,
    as_json: Annotated[bool, _option(_OUTPUT, "Print the whole result as JSON.", "--json")] = False,
    quiet: Annotated[bool, _option(_OUTPUT, "No progress on stderr.", "--quiet", "-q")] = False,
    verbose: _Verbose = False,
    ask: _Asking = False,
) -> int:
    """Find the repository, write the command, check it, run it, repair it.

    Examples:

        ml-agent solve "train a GAT on Citeseer with learning rate 0.005" --repo dmlc/dgl --path examples/pytorch/gat

        ml-agent solve "cluster 600 points into 4 groups" --catalog sample --run full

        ml-agent solve "fine-tune BERT on MRPC with batch size 16" --model gpt-4o --max-cost 0.50
    """
    _see_that_it_can_be(instruction, sandbox, run, expect or ())
    settings = load_settings(
        model=model, navigator=navigator, model_mode=model_mode, model_profile=model_profile, sandbox=sandbox, unisolated=unisolated, run=run,
        network=network, gpus=gpus, runtime=runtime, timeout=timeout, max_cost=max_cost, max_tokens=max_tokens,
        max_attempts=max_attempts, max_seconds=max_seconds, trust_folder=trust_folder, fallback=fallback,
    )  # fmt: skip
    job = Job(
        instruction=instruction, repository=repo, commit=commit or None, path=path, catalog=catalog,
        arguments=tuple(_pair(text) for text in arg or ()), record=record, replay=replay, expect=tuple(expect or ()),
        keep_outputs=str(keep_outputs.absolute()) if keep_outputs else "", force=force, show_inputs=True,
    )  # fmt: skip
    result = begin_job(job, settings, out, _progress(quiet, verbose, ask))
    tells = not quiet and settings.navigator == "auto" and not settings.thinks_with_model
    return _finish(result, as_json, quiet, NO_MODEL if tells else "")


def _see_that_it_can_be(instruction: str, sandbox: str | None, run: str | None, expect: Sequence[str]) -> None:
    """UsageError where nothing is asked, or what is asked excludes itself."""
    check_instruction(instruction)
    if sandbox == "none" and run not in (None, "none"):
        raise UsageError(f"--sandbox none --run {run}: without a sandbox nothing can be run; leave --run out")
    check_stated(expect)


def resume(
    run: Annotated[str, typer.Argument(help="A run's folder, id, or the beginning of its id.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every detail.")] = False,
) -> int:
    """Go on with a run that was cut; a finished one is only told again.

    Example:

        ml-agent resume 20260101-120000-1a2b3c
    """
    folder = known_run(load_settings(), run)
    config = folder.config()
    settings = load_settings(**settings_of(config))
    return _finish(run_job(job_of(config), settings, folder, _progress(quiet, verbose)), as_json, quiet)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--arg {text}: write NAME=VALUE")
    return name.strip().lstrip("-"), value


def _progress(quiet: bool, verbose: bool = False, ask: bool = False) -> Observer | None:
    if quiet and (verbose or ask):
        raise UsageError(f"--quiet and {'--verbose' if verbose else '--ask'} exclude each other")
    if quiet:
        return None
    from ml_agent.progress import Progress

    if not ask:
        return Progress(Terminal(stderr=True), verbose=verbose)
    from ml_agent.cli.ask import asker

    return Progress(Terminal(stderr=True), verbose=verbose, ask=asker(Terminal(stderr=True)))


def _finish(result: dict[str, Any], as_json: bool, quiet: bool, hint: str = "") -> int:
    ending = Ending.named(result["ending"])
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    elif is_answer(result):
        sys.stdout.write(result["answer"]["text"].rstrip("\n") + "\n")
    if not quiet:
        for line in (*card(result), *([hint] if hint else [])):
            _say(line)
    return ending.exit_code


def _say(line: str) -> None:
    Terminal(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
