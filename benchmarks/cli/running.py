"""`ml-agent bench predict` and `run`: rows answered by a navigator, or worked on by an agent."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.cli.tables import grouped

if TYPE_CHECKING:
    from ml_agent.benchmarks.form_l import Summary
    from ml_agent.benchmarks.work import OwnAgent, PeerAgent, Terms
    from ml_agent.model.budget import Limits

_Attempts = Annotated[
    int, typer.Option("--attempts", min=1, help="Number of answers that are requested for each row; only in form L.")
]


class Answerer(NamedTuple):
    """Who answers, and with what."""

    setting: Annotated[
        Literal["agent", "repo"],
        typer.Option(
            "--setting",
            help="agent: the request names the task's folder in the repository; repo: the agent must find the folder.",
        ),
    ] = "agent"
    navigator: Annotated[
        Literal["offline", "llm"],
        typer.Option("--navigator", help="Who answers: offline (ML-Agent without a model) or llm (with one)."),
    ] = "offline"
    attempts: _Attempts = 1
    model: o.Model = ""
    base_url: o.BaseUrl = ""


class AgentOptions(NamedTuple):
    """Which agent, in which form, and where it works."""

    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            help="The agent, by its name in `ml-agent bench agents list`; in forms A and D also offline or llm (ML-Agent itself).",
        ),
    ]
    form: Annotated[
        Literal["A", "D", "L"],
        typer.Option(
            "--form",
            help="What the agent must do. A: leave a run.sh that works. D: deliver files. L: write a command or code.",
        ),
    ] = "A"
    attempts: _Attempts = 1
    setting: Annotated[
        Literal["agent", "repo"],
        typer.Option(
            "--setting",
            help="Form L. agent: the request names the task's folder in the repository; repo: the agent must find the folder.",
        ),
    ] = "agent"
    home: o.Home = None
    sandbox: o.SandboxName = "auto"
    unisolated: o.Unisolated = False
    image: o.Image = ""


class Errand(NamedTuple):
    """What all forms are told."""

    manner: AgentOptions
    source: o.Source
    out: Path
    terms: "Terms"
    work: o.Work


@grouped
def predict(source: o.Source, out: o.Predictions, answerer: Answerer, limits: o.RowLimits, work: o.Work) -> int:
    """Answer all rows that do not have an answer from the same configuration yet.

    Exit code 0: every row has a result, which may be an error.

    Example:

        ml-agent bench predict --tasks rows.jsonl --repos repos --out out.jsonl --navigator offline --attempts 5 --jobs 2
    """
    from ml_agent.benchmarks.form_l import Plan
    from ml_agent.benchmarks.form_l import predict as run
    from ml_agent.benchmarks.navigators import respondent
    from ml_agent.model.budget import Limits

    name = answerer.navigator
    manner, talk = AgentOptions(agent=name), o.ModelChoice(answerer.model, answerer.base_url)
    terms = _terms(manner, talk, limits, Limits())
    if name == "llm":
        _see_model(f"--navigator {name}", terms)
    who = respondent(name, terms, answerer.setting, answerer.attempts)
    rows = o.load_rows(source.tasks, source.sample, source.limit)
    o.see_repositories(source.repos, rows.tasks)
    plan = Plan(tasks=tuple(rows.tasks), repos=source.repos, out=out, who=who, retry_failed=work.retry_failed)
    with o.engine_of(work) as carry_out:
        return _finish(run(plan, carry_out), out, rows.bad)


def _finish(summary: "Summary", out: Path, bad: int) -> int:
    """Tell how it went; the exit code says whether every row has a result."""
    o.tell(f"no answer {line}" for line in summary.failed)
    o.tell([f"{summary.answered} of {summary.rows + bad} rows answered: {out}"])
    if bad:
        o.tell([f"{bad} rows have no result"])
    return 1 if bad else 0


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
    """Run an agent on rows; rows that are done with the same configuration are skipped.

    The limits are the same for every agent; the sandbox in which it runs enforces them. Exit code 0: every row has a result, right or wrong.

    Limits of form A: 10 requests and 1,800 s for each row, as in the published runs of OpenHands.

    Limits of form L: 30 requests and 900 s for each attempt. `bench score` reads the file OUT/predictions.jsonl.

    Limits of form D: 40 requests and 1,800 s for each row. Form D has its own rows (`--tasks delivery`, or `delivery:NAME,NAME`);
    their archives are downloaded into --repos. OUT/deliveries.jsonl has the judge's verdict on each result, and the agent's own claim.
    Several agents may share the folder OUT; `ml-agent bench report OUT` compares them.

    The agents' logs are in OUT/records.

    Examples:

        ml-agent bench run --form A --agent openhands --tasks rows.jsonl --repos repos --out outputs/openhands --model gpt-4o

        ml-agent bench run --form L --agent aider --tasks rows.jsonl --repos repos --out outputs/aider --model gpt-4o --jobs 2

        ml-agent bench run --form D --agent mini-swe-agent --tasks delivery --repos archives --out outputs/delivery --model gpt-4o
    """
    from ml_agent.benchmarks.work import LIMITS

    errand = Errand(manner, source, out, _terms(manner, talk, limits, LIMITS[manner.form]), work)
    if manner.form == "L":
        return _form_l(errand)
    figures, lost = _form_a(errand) if manner.form == "A" else _form_d(errand)
    o.tell(f"no result {line}" for line in lost)
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        o.tell(f"{name.replace('_', ' ')}: {'-' if value is None else value}" for name, value in figures.items())
    return 1 if figures["without_result"] else 0


def _terms(manner: AgentOptions, talk: o.ModelChoice, limits: o.RowLimits, usual: "Limits") -> "Terms":
    """The usual limits, with those that were given in their place, and the model's endpoint without its key."""
    import msgspec

    from ml_agent.benchmarks.subjects.places import Place
    from ml_agent.benchmarks.work import Terms
    from ml_agent.conversation.configured import endpoint_of
    from ml_agent.model.endpoint import Endpoint
    from ml_agent.settings import load_settings

    names = {"max_tokens": "tokens", "max_cost": "usd", "max_calls": "calls", "max_seconds": "seconds"}
    said = {names[name]: value for name, value in limits._asdict().items() if value is not None}
    kept = msgspec.structs.replace(usual, **said)
    settings = load_settings(model=talk.model or None, base_url=talk.base_url or None)
    endpoint = Endpoint(model="")
    if settings.model and manner.agent != "offline":
        found = endpoint_of(load_settings(navigator="llm", model=settings.model, base_url=settings.base_url or None))
        # a slow model may take all of the row's time for one long prompt
        timeout = max(found.timeout, kept.seconds or 0.0)
        endpoint = msgspec.structs.replace(found, timeout=timeout, api_key="")
    return Terms(
        endpoint=endpoint,
        limits=kept,
        reply_tokens=talk.reply_tokens,
        place=Place(sandbox=manner.sandbox, unisolated=manner.unisolated, image=manner.image or None),
        tries={"A": 3, "D": 2, "L": 1}[manner.form],
    )


def _agent(errand: Errand, peer: "type[PeerAgent]") -> "PeerAgent | OwnAgent":
    """Who works. BenchError where it has no model, AgentMissingError where it is not installed, ProviderError where no endpoint answers."""
    from ml_agent.benchmarks.subjects.agents import agents_home, find_agent
    from ml_agent.benchmarks.work import OwnAgent, with_key
    from ml_agent.model.endpoint import ask_endpoint

    name = errand.manner.agent
    if name == "offline":
        return OwnAgent("offline")
    found = None if name == "llm" else find_agent(name, agents_home(errand.manner.home))
    _see_model(f"--agent {name}", errand.terms)
    if found is None:
        return OwnAgent("llm")
    ask_endpoint(with_key(errand.terms).endpoint)
    return peer(*found)


def _see_model(option: str, terms: "Terms") -> None:
    """BenchError where no model is named."""
    from ml_agent.benchmarks.errors import BenchError

    if not terms.endpoint.model:
        raise BenchError(f"{option} needs --model (or ML_AGENT_MODEL)")


def _rows(errand: Errand) -> o.Rows:
    rows = o.load_rows(errand.source.tasks, errand.source.sample, errand.source.limit)
    o.see_repositories(errand.source.repos, rows.tasks)
    o.clear_up()
    return rows


def _form_l(errand: Errand) -> int:
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.form_l import Plan, agent_respondent, predict
    from ml_agent.benchmarks.work import PeerAgent

    manner = errand.manner
    if manner.agent in ("offline", "llm"):
        raise BenchError(f"--agent {manner.agent} in form L is `ml-agent bench predict --navigator {manner.agent}`")
    agent = _agent(errand, PeerAgent)
    assert isinstance(agent, PeerAgent)
    rows, records = _rows(errand), errand.out / "records"
    who = agent_respondent(agent, errand.terms, records, manner.setting, manner.attempts)
    plan = Plan(
        tasks=tuple(rows.tasks), repos=errand.source.repos, out=errand.out / "predictions.jsonl", who=who,
        retry_failed=errand.work.retry_failed,
    )  # fmt: skip
    with o.engine_of(errand.work) as carry_out:
        return _finish(predict(plan, carry_out), plan.out, rows.bad)


def _form_a(errand: Errand) -> tuple[dict[str, Any], list[str]]:
    from ml_agent.benchmarks.form_a import Plan, run, summarise
    from ml_agent.benchmarks.work import PeerAgent

    agent, rows = _agent(errand, PeerAgent), _rows(errand)
    plan = Plan(tasks=tuple(rows.tasks), repos=errand.source.repos, out=errand.out, agent=agent, terms=errand.terms)
    with o.engine_of(errand.work) as carry_out:
        done = run(plan, carry_out)
    figures = summarise(done)
    figures["without_result"] += rows.bad
    return figures, [f"{one.row}: {one.infrastructure}" for one in done if one.infrastructure]


def _form_d(errand: Errand) -> tuple[dict[str, Any], list[str]]:
    import msgspec

    from ml_agent.benchmarks.errors import AgentMissingError
    from ml_agent.errors import install_extra

    try:
        from ml_agent.benchmarks.form_d.run import JUDGE, DeliveringAgent, Plan, pick_rows, run, with_compiler
    except ImportError as error:
        raise AgentMissingError(f"form D needs the extra `bench`: {install_extra('bench')}") from error
    from ml_agent.benchmarks.subjects.agents import agents_home
    from ml_agent.benchmarks.subjects.install import install

    rows, agent, home = (
        pick_rows(errand.source.tasks)[: errand.source.limit],
        _agent(errand, DeliveringAgent),
        errand.manner.home,
    )
    judge = install(agents_home(home), "judge", JUDGE, lambda line: o.tell([line]))
    terms = msgspec.structs.replace(errand.terms, place=with_compiler(errand.terms.place))
    plan = Plan(rows=rows, archives=errand.source.repos, out=errand.out, agent=agent, terms=terms, judge=judge)
    o.clear_up()
    with o.engine_of(errand.work) as carry_out:
        done = run(plan, carry_out)
    lost = [one for one in done if one.infrastructure]
    figures = {
        "rows": len(done),
        "without_result": len(lost),
        "delivered": sum(one.delivered for one in done),
        "false_claims": sum(one.false_claim for one in done if not one.infrastructure),
        "right_results_called_failed": sum(one.right_refused for one in done),
    }
    return figures, [f"{one.row}: {one.infrastructure}" for one in lost]
