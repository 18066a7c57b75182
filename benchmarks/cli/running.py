"""`ml-agent bench predict` and `run`: rows answered by a navigator, or worked on by an agent.

Both make a `Plan` of the form, choose an engine, and tell how it went; the exit code says whether every row has a result.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from ml_agent.benchmarks.cli import options as o
from ml_agent.cli.tables import grouped

if TYPE_CHECKING:
    from ml_agent.benchmarks.predictions import Prediction
    from ml_agent.benchmarks.work import OwnAgent, PeerAgent, Terms
    from ml_agent.model.budget import Limits


class AgentOptions(NamedTuple):
    """Which agent, in which form, and in which sandbox."""

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
    sandbox: Annotated[
        Literal["auto", "docker", "local"],
        typer.Option("--sandbox", help="Sandbox in which the agents work: auto, docker or local (bubblewrap)."),
    ] = "auto"
    unisolated: Annotated[
        bool,
        typer.Option("--unisolated", help="Run agents without isolation if neither Docker nor bubblewrap works."),
    ] = False
    image: Annotated[
        str, typer.Option("--image", help="Docker image in which the agents work. Default: ML-Agent's own image.")
    ] = ""


class Errand(NamedTuple):
    """What all forms are told."""

    manner: AgentOptions
    source: o.Source
    out: Path
    talk: o.Talk
    terms: "Terms"
    work: o.Work


@grouped
def predict(
    source: o.Source,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="JSONL file for the predictions; if it has some already, the command continues where it stopped.",
        ),
    ],
    talk: o.Talk,
    limits: o.RowLimits,
    work: o.Work,
    navigator: Annotated[
        Literal["offline", "llm"],
        typer.Option("--navigator", help="Who answers: offline (ML-Agent without a model) or llm (with one)."),
    ] = "offline",
) -> int:
    """Answer all rows that do not have an answer from the same configuration yet.

    Exit code 0: every row has a result, which may be an error.

    Example:

        ml-agent bench predict --tasks rows.jsonl --repos repos --out out.jsonl --navigator offline --attempts 5 --jobs 2
    """
    from ml_agent.benchmarks.form_l import Plan
    from ml_agent.benchmarks.form_l import predict as run
    from ml_agent.benchmarks.navigators import respondent
    from ml_agent.model.budget import Limits

    terms = _terms(AgentOptions(agent=navigator), talk, limits, Limits())
    if navigator == "llm":
        _see_model(f"--navigator {navigator}", terms)
    who = respondent(navigator, terms, talk.setting, talk.attempts)
    rows = _rows(source)
    plan = Plan(tasks=tuple(rows.tasks), repos=source.repos, out=out, who=who)
    with o.engine_of(work) as engine:
        return _finish(run(plan, engine), out, rows.bad)


def _finish(predictions: "list[Prediction]", out: Path, bad: int) -> int:
    """Tell how it went; the exit code says whether every row has a result."""
    failed = [f"no answer {one.key}: {one.error}" for one in predictions if not any(one.output)]
    o.tell([*failed, f"{len(predictions) - len(failed)} of {len(predictions) + bad} rows answered: {out}"])
    if bad:
        o.tell([f"{bad} rows have no result"])
    return 1 if bad else 0


@grouped
def run(
    manner: AgentOptions,
    source: o.Source,
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="Folder for the results; if it has results already, the command continues where it stopped."
        ),
    ],
    talk: o.Talk,
    limits: o.RowLimits,
    work: o.Work,
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

    errand = Errand(manner, source, out, talk, _terms(manner, talk, limits, LIMITS[manner.form]), work)
    if manner.form == "L":
        return _form_l(errand)
    figures, lost = _form_a(errand) if manner.form == "A" else _form_d(errand)
    o.tell(f"no result {line}" for line in lost)
    o.tell(f"{name.replace('_', ' ')}: {'-' if value is None else value}" for name, value in figures.items())
    return 1 if figures["without_result"] else 0


def _terms(manner: AgentOptions, talk: o.Talk, limits: o.RowLimits, usual: "Limits") -> "Terms":
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
    place = Place(sandbox=manner.sandbox, unisolated=manner.unisolated, image=manner.image or None)
    return Terms(endpoint=endpoint, limits=kept, place=place, tries={"A": 3, "D": 2, "L": 1}[manner.form])


def _agent(errand: Errand) -> "PeerAgent | OwnAgent":
    """Who works. BenchError where it has no model, AgentMissingError where it is not installed, ProviderError where no endpoint answers."""
    from ml_agent.benchmarks.subjects.agents import find_agent
    from ml_agent.benchmarks.work import OwnAgent, PeerAgent, with_key
    from ml_agent.model.endpoint import ask_endpoint

    name = errand.manner.agent
    if name == "offline":
        return OwnAgent("offline")
    found = None if name == "llm" else find_agent(name)
    _see_model(f"--agent {name}", errand.terms)
    if found is None:
        return OwnAgent("llm")
    ask_endpoint(with_key(errand.terms.endpoint))
    return PeerAgent(*found)


def _see_model(option: str, terms: "Terms") -> None:
    """BenchError where no model is named."""
    from ml_agent.benchmarks.errors import BenchError

    if not terms.endpoint.model:
        raise BenchError(f"{option} needs --model (or ML_AGENT_MODEL)")


def _rows(source: o.Source) -> o.Rows:
    rows = o.load_rows(source.tasks, source.sample, source.limit)
    o.see_repositories(source.repos, rows.tasks)
    return rows


def _form_l(errand: Errand) -> int:
    from ml_agent.benchmarks.errors import BenchError
    from ml_agent.benchmarks.form_l import Plan, agent_respondent, predict
    from ml_agent.benchmarks.work import PeerAgent

    name, talk = errand.manner.agent, errand.talk
    agent = None if name in ("offline", "llm") else _agent(errand)
    if not isinstance(agent, PeerAgent):
        raise BenchError(f"--agent {name} in form L is `ml-agent bench predict --navigator {name}`")
    rows, out = _rows(errand.source), errand.out / "predictions.jsonl"
    who = agent_respondent(agent, errand.terms, errand.out / "records", talk.setting, talk.attempts)
    plan = Plan(tasks=tuple(rows.tasks), repos=errand.source.repos, out=out, who=who)
    with o.engine_of(errand.work) as engine:
        return _finish(predict(plan, engine), out, rows.bad)


def _form_a(errand: Errand) -> tuple[dict[str, Any], list[str]]:
    """The figures, and why rows have no result."""
    from ml_agent.benchmarks.form_a import Plan, run, summarise

    agent, rows = _agent(errand), _rows(errand.source)
    plan = Plan(repos=errand.source.repos, out=errand.out, agent=agent, terms=errand.terms)
    with o.engine_of(errand.work) as engine:
        done = run(rows.tasks, plan, engine)
    figures = summarise(done)
    figures["without_result"] += rows.bad
    return figures, [f"{one.row}: {one.infrastructure}" for one in done if one.infrastructure]


def _form_d(errand: Errand) -> tuple[dict[str, Any], list[str]]:
    """The figures, and why rows have no result."""
    import msgspec

    from ml_agent.benchmarks.errors import AgentMissingError
    from ml_agent.errors import install_extra

    try:
        from ml_agent.benchmarks.form_d.run import JUDGE, Plan, pick_rows, run, summarise, with_compiler
    except ImportError as error:
        raise AgentMissingError(f"form D needs the extra `bench`: {install_extra('bench')}") from error
    from ml_agent.benchmarks.subjects.agents import agents_home
    from ml_agent.benchmarks.subjects.install import install

    rows, agent = pick_rows(errand.source.tasks)[: errand.source.limit], _agent(errand)
    judge = install(agents_home(), "judge", JUDGE, lambda line: o.tell([line]))
    terms = msgspec.structs.replace(errand.terms, place=with_compiler(errand.terms.place))
    plan = Plan(archives=errand.source.repos, out=errand.out, agent=agent, terms=terms, judge=judge)
    with o.engine_of(errand.work) as engine:
        done = run(rows, plan, engine)
    return summarise(done), [f"{one.row}: {one.infrastructure}" for one in done if one.infrastructure]
