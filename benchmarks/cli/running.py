"""`ml-agent bench run`: an agent on many rows, in either form of ML-Bench."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.benchmarks.cli.answering import finish
from ml_agent.cli.groups import grouped

if TYPE_CHECKING:
    from ml_agent.benchmarks.engines import Engine
    from ml_agent.benchmarks.form_a.row import Settings, Solver
    from ml_agent.benchmarks.subjects.respondent import AgentConfig
    from ml_agent.model.budget import Limits

_Agent = Annotated[
    str,
    typer.Option(
        "--agent",
        help="One of `ml-agent bench agents list`; in forms A and D also offline or llm, which are ML-Agent.",
    ),
]
_Form = Annotated[
    Literal["A", "D", "L"],
    typer.Option("--form", help="A: leave a run.sh that works. D: deliver files. L: write the command or code."),
]
_Attempts = Annotated[int, typer.Option("--attempts", min=1, help="Answers a row; form L.")]
_Setting = Annotated[Literal["agent", "repo"], typer.Option("--setting", help="repo hides the task's folder; form L.")]


class Errand(NamedTuple):
    """What both forms are told."""

    config: "AgentConfig"
    rows: o.Rows
    repos: Path
    out: Path
    retry_failed: bool


class AgentOptions(NamedTuple):
    """Which agent, in which form, and where it works."""

    agent: _Agent
    form: _Form = "A"
    attempts: _Attempts = 1
    setting: _Setting = "agent"
    home: o.Home = None
    sandbox: o.SandboxName = "auto"
    unisolated: o.Unisolated = False
    image: o.Image = ""


@grouped
def run(
    manner: AgentOptions,
    source: o.Source,
    out: o.Folder,
    talk: o.ModelChoice,
    limits: o.RowLimits,
    work: o.Work,
    as_json: o.AsJson = False,
) -> int:
    """Run an agent on rows; what is already done with the same configuration stays.

    Limits are the same for every agent and are kept from outside: 10 requests and 1,800 s a row in form A (as OpenHands runs it),
    30 requests and 900 s an attempt in form L. Form A writes OUT/output.jsonl in OpenHands' shape; form L writes
    OUT/predictions.jsonl. OUT/records keeps what agents left. Exit code 0 says that every row has a result.

    Form D has rows of its own: `--tasks delivery`, or `delivery:NAME,NAME`; --repos keeps their repositories' archives, which are
    downloaded where they are missing. 40 requests and 1,800 s a row. OUT/deliveries.jsonl keeps what each row's judge says of what
    came out, beside the agent's own word; several agents may share OUT, and `ml-agent bench report OUT` puts them side by side.

    Examples:

        ml-agent bench run --form A --agent openhands --tasks rows.jsonl --repos repos --out outputs/openhands --model gpt-4o

        ml-agent bench run --form L --agent aider --tasks rows.jsonl --repos repos --out outputs/aider --model gpt-4o --jobs 2

        ml-agent bench run --form D --agent mini-swe-agent --tasks delivery --repos archives --out outputs/delivery --model gpt-4o
    """
    config = _config(manner, talk, _limits(manner.form, limits.budget()))
    if manner.form == "D":
        return _form_d(config, source, out, work, as_json)
    solver = _solver(manner.form, config)
    rows = o.load_rows(source.tasks, source.sample)
    o.see_repositories(source.repos)
    errand = Errand(config, rows, source.repos, out, work.retry_failed)
    o.clear_up()
    with o.engine_of(work) as carry_out:
        if solver is None:
            return _form_l(errand, carry_out)
        settings = _settings(config)
        return _form_a(errand, settings, solver, carry_out, as_json)


def _config(manner: AgentOptions, talk: o.ModelChoice, limits: "Limits") -> "AgentConfig":
    from ml_agent.benchmarks.subjects.places import Place
    from ml_agent.benchmarks.subjects.respondent import AgentConfig, agents_home
    from ml_agent.settings import load_settings

    settings = load_settings(model=talk.model or None, base_url=talk.base_url or None)
    return AgentConfig(
        agent=manner.agent, home=agents_home(manner.home), model=settings.model, base_url=settings.base_url, setting=manner.setting,
        attempts=manner.attempts, reply_tokens=talk.reply_tokens, limits=limits,
        place=Place(sandbox=manner.sandbox, unisolated=manner.unisolated, image=manner.image or None),
    )  # fmt: skip


def _see_model(config: "AgentConfig") -> "Literal['offline', 'llm'] | None":
    """Which of ML-Agent's own navigators the agent is, None for another agent. BenchError where it has no model,
    ProviderError where no endpoint answers."""
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.subjects.respondent import see_that_it_answers

    if config.agent == "offline":
        return "offline"
    if not config.model:
        raise BenchError(f"--agent {config.agent} needs --model (or ML_AGENT_MODEL)")
    if config.agent == "llm":
        return "llm"
    see_that_it_answers(config.endpoint())
    return None


def _solver(form: str, config: "AgentConfig") -> "Solver | None":
    """Who solves rows of form A; None in form L, where the agent is looked for all the same.

    AgentMissingError where it is not installed, ProviderError where no endpoint answers.
    """
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.form_a.own import NAVIGATORS, OwnSolver
    from ml_agent.benchmarks.form_a.row import AgentSolver
    from ml_agent.benchmarks.subjects.respondent import find_agent

    if config.agent in NAVIGATORS and form == "L":
        raise BenchError(f"--agent {config.agent} in form L is `ml-agent bench predict --navigator {config.agent}`")
    if config.agent not in NAVIGATORS:
        find_agent(config.agent, config.home)
    if own := _see_model(config):
        return OwnSolver(own, config.place)
    return None if form == "L" else AgentSolver(*find_agent(config.agent, config.home))


def _settings(config: "AgentConfig") -> "Settings":
    from ml_agent.benchmarks.form_a.row import Settings

    return Settings(
        endpoint=config.endpoint(with_key=False),
        limits=config.limits,
        reply_tokens=config.reply_tokens,
        place=config.place,
    )


def _limits(form: str, given: "Limits") -> "Limits":
    """The form's own limits, with those that were given in their place."""
    import msgspec

    from ml_agent.benchmarks.form_a.row import LIMITS
    from ml_agent.benchmarks.form_d.row import LIMITS as DELIVERY
    from ml_agent.benchmarks.subjects.model import DEFAULT_LIMITS

    of_form = {"A": LIMITS, "D": DELIVERY, "L": DEFAULT_LIMITS}[form]
    said = {name: value for name, value in msgspec.structs.asdict(given).items() if value is not None}
    return msgspec.structs.replace(of_form, **said)


def _form_l(errand: Errand, engine: "Engine") -> int:
    from ml_agent.benchmarks.predict.run import Plan, predict
    from ml_agent.benchmarks.subjects.respondent import agent

    plan = Plan(
        tasks=tuple(errand.rows.tasks),
        repos=errand.repos,
        out=errand.out / "predictions.jsonl",
        who=agent(errand.config, errand.out / "records"),
        retry_failed=errand.retry_failed,
    )
    return finish(predict(plan, engine), plan.out, errand.rows.bad)


def _form_a(errand: Errand, settings: "Settings", solver: "Solver", engine: "Engine", as_json: bool) -> int:
    from ml_agent.benchmarks.form_a.output import summary_table
    from ml_agent.benchmarks.form_a.run import Plan, run

    plan = Plan(
        tasks=tuple(errand.rows.tasks),
        repos=errand.repos,
        out=errand.out,
        solver=solver,
        settings=settings,
        retry_failed=errand.retry_failed,
    )
    done = run(plan, engine)
    figures = {**summary_table(done.summary), "without_result": done.without_result + errand.rows.bad}
    o.tell(f"no result {line}" for line in done.failed)
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        o.tell(f"{name.replace('_', ' ')}: {'-' if value is None else value}" for name, value in figures.items())
    return 1 if figures["without_result"] else 0


def _form_d(config: "AgentConfig", source: o.Source, out: Path, work: o.Work, as_json: bool) -> int:
    from ml_agent.benchmarks.form_d.agents import OwnAgent, PeerAgent
    from ml_agent.benchmarks.form_d.image import with_compiler
    from ml_agent.benchmarks.form_d.row import JUDGE, Agent, Terms
    from ml_agent.benchmarks.form_d.run import Plan, pick_rows, run
    from ml_agent.benchmarks.subjects.install import install
    from ml_agent.benchmarks.subjects.respondent import find_agent

    rows = pick_rows(source.tasks)
    found = None if config.agent in ("offline", "llm") else find_agent(config.agent, config.home)
    own = _see_model(config)
    agent: Agent = PeerAgent(*found) if found else OwnAgent(own or "offline")
    terms = Terms(
        endpoint=config.endpoint(with_key=False),
        judge=install(config.home, "judge", JUDGE, lambda line: o.tell([line])),
        limits=config.limits,
        reply_tokens=config.reply_tokens,
        place=with_compiler(config.place),
    )
    o.clear_up()
    with o.engine_of(work) as carry_out:
        done = run(Plan(rows=rows, archives=source.repos, out=out, agent=agent, terms=terms), carry_out)
    lost = [one for one in done if one.infrastructure]
    o.tell(f"no result {one.row}: {one.infrastructure}" for one in lost)
    counts = {
        "rows": len(done),
        "without_result": len(lost),
        "delivered": sum(one.delivered for one in done),
        "false_claims": sum(one.claim is True and not one.delivered and not one.infrastructure for one in done),
        "right_results_refused": sum(one.claim is False and one.delivered for one in done),
    }
    if as_json:
        sys.stdout.write(json.dumps(counts) + "\n")
    else:
        o.tell(f"{name.replace('_', ' ')}: {value}" for name, value in counts.items())
    return 1 if lost else 0
