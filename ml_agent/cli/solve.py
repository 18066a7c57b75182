"""`ml-agent solve` and `ml-agent resume`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ml_agent.card import card, is_answer
from ml_agent.cli import options as o
from ml_agent.cli.many import answer_file
from ml_agent.console import Terminal
from ml_agent.delivery.expected import check_stated
from ml_agent.endings import Ending
from ml_agent.errors import UsageError
from ml_agent.job import Job
from ml_agent.observer import Observer
from ml_agent.request import check_instruction
from ml_agent.run_index import known_run
from ml_agent.run_job import begin_job, job_of, run_job, settings_of
from ml_agent.settings import Settings, load_settings
from ml_agent.terminal import write_out

NO_MODEL = (
    "no model    tables thought alone: on a repository that is new to them they are right for few requests, a capable model for nearly all. "
    "--model NAME with OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, or gguf:/path; --navigator grounded says this no more"
)
"""What a model would add, and how to get one."""


def solve(
    instruction: Annotated[str, typer.Argument(help="The task in one sentence, with every value that matters.")] = "",
    repo: o.Repo = "",
    commit: o.Commit = "",
    path: o.Folder = "",
    catalog: o.Catalog = "",
    arg: o.Arg = None,
    model: o.Model = None,
    navigator: o.Navigator = None,
    fallback: o.Fallback = None,
    model_mode: o.ModelMode = None,
    model_profile: o.ModelProfile = None,
    sandbox: o.Sandbox = None,
    unisolated: o.Unisolated = None,
    run: o.Run = None,
    expect: o.Expect = None,
    network: o.Network = None,
    gpus: o.Gpus = None,
    runtime: o.Runtime = None,
    timeout: o.Timeout = None,
    max_cost: o.MaxCost = None,
    max_tokens: o.MaxTokens = None,
    max_attempts: o.MaxAttempts = None,
    max_seconds: o.MaxSeconds = None,
    record: o.Record = "",
    replay: o.Replay = "",
    out: o.Out = None,
    trust_folder: o.TrustFolder = None,
    keep_outputs: o.KeepOutputs = None,
    force: o.Force = False,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
    ask: o.Ask = False,
    many: o.Many = None,
    jobs: o.Jobs = 1,
) -> int:
    """Find the repository, write the command, check it, run it, repair it.

    Examples:

        ml-agent solve "cluster 600 points into 4 groups" --catalog sample --run full

        ml-agent solve "fine-tune BERT on MRPC with batch size 16" --model gpt-4o --max-cost 0.50

        ml-agent solve --many instructions.jsonl --out results.jsonl --jobs 4 --run none
    """
    _see_that_it_can_be(instruction if many is None else many.name, sandbox, run, expect or ())
    settings = load_settings(
        model=model, navigator=navigator, model_mode=model_mode, model_profile=model_profile, sandbox=sandbox, unisolated=unisolated, run=run, network=network,
        gpus=gpus, runtime=runtime, timeout=timeout, max_cost=max_cost, max_tokens=max_tokens, max_attempts=max_attempts, max_seconds=max_seconds, trust_folder=trust_folder, fallback=fallback,
    )  # fmt: skip
    if many:
        _see_that_lines_say_it(instruction, repo, commit, path, catalog, arg, record, replay, expect, keep_outputs, force, as_json, ask)  # fmt: skip
        return answer_file(many, settings, out, jobs, quiet)
    job = Job(
        instruction=instruction, repository=repo, commit=commit or None, path=path, catalog=catalog, arguments=_pairs(arg),
        record=record, replay=replay, expect=tuple(expect or ()), keep_outputs=_whole(keep_outputs), force=force, show_inputs=True,
    )  # fmt: skip
    return _finish(begin_job(job, settings, out, _progress(quiet, verbose, ask)), as_json, quiet, _hint(settings))


def _hint(settings: Settings) -> str:
    return NO_MODEL if settings.navigator == "auto" and not settings.thinks_with_model else ""


def _pairs(texts: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    return tuple(map(_pair, texts or ()))


def _whole(folder: Path | None) -> str:
    return str(folder.absolute()) if folder else ""


def _see_that_lines_say_it(*said: object) -> None:
    """UsageError where one run is described beside a file of them."""
    if any(said):
        raise UsageError(
            "--many: each line of the file says its instruction, repo, commit, path, catalog and arguments"
        )


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
        write_out(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    elif is_answer(result):
        write_out(result["answer"]["text"].rstrip("\n") + "\n")
    if not quiet:
        for line in (*card(result), *([hint] if hint else [])):
            _say(line)
    return ending.exit_code


def _say(line: str) -> None:
    Terminal(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)
