"""Many delivery rows: each result kept once and whole, so that a run can be cut at any moment and gone on with."""

import functools
import hashlib
import json
from pathlib import Path

import msgspec

from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.folder_lock import lock_folder
from ml_agent.benchmarks.form_d.agents import SCRIPT_SECONDS
from ml_agent.benchmarks.form_d.row import JUDGE_SECONDS, Agent, Delivery, Terms, do_row
from ml_agent.benchmarks.form_d.rows import Row, load_rows
from ml_agent.benchmarks.kept_rows import KeptRows
from ml_agent.benchmarks.predict.live import Progress
from ml_agent.benchmarks.subjects.respondent import with_key

KEPT = "deliveries.jsonl"
AROUND_SECONDS = 600.0
"""What bringing a repository, starting sandboxes and an agent's own slowness to end may take besides."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to do and where to put it."""

    rows: tuple[Row, ...]
    archives: Path
    """Source distributions by their sha256; what is missing is downloaded."""
    out: Path
    """Folder: deliveries.jsonl, and records/ with what agents left. Several agents may share it, one after the other."""
    agent: Agent
    terms: Terms

    @property
    def config(self) -> str:
        """Changes with everything that shapes a result; the endpoint's key and address are no part of it."""
        terms = self.terms
        model = {"model": terms.endpoint.model, "temperature": terms.endpoint.temperature}
        rest = msgspec.to_builtins([terms.limits, terms.reply_tokens, terms.place], enc_hook=str)
        shaping = json.dumps([self.agent.label, model, rest], sort_keys=True)
        return hashlib.sha256(shaping.encode()).hexdigest()[:16]


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A line of deliveries.jsonl."""

    config: str
    model: str
    delivery: Delivery


def pick_rows(source: str) -> tuple[Row, ...]:
    """The rows of `delivery`, or of `delivery:NAME,NAME`. BenchError names what there is."""
    rows = load_rows()
    head, _, listed = source.partition(":")
    names = [name.strip() for name in listed.split(",")] if listed else list(rows)
    if head != "delivery" or (unknown := [name for name in names if name not in rows]):
        said = ", ".join(unknown) if head == "delivery" else source
        raise BenchError(f"form D has no rows {said}: give `delivery`, or `delivery:` and names of {', '.join(rows)}")
    return tuple(rows[name] for name in dict.fromkeys(names))


def run(plan: Plan, engine: Engine) -> tuple[Delivery, ...]:
    """Do every row that has no result that counts yet; returns the result of each row, in order.

    Raises BenchError where results cannot be kept.
    """
    plan.archives.mkdir(parents=True, exist_ok=True)
    with lock_folder(plan.out, plan.out):
        kept = KeptRows(plan.out / KEPT, Kept)
        done = {one.delivery.row: one.delivery for one in kept.rows if one.config == plan.config}
        todo = [row for row in plan.rows if row.name not in done or done[row.name].infrastructure]
        sent = msgspec.structs.replace(plan, rows=())  # a row is sent with all of it
        work = Work(
            carry_out=functools.partial(_carry_out, plan=sent),
            lost=functools.partial(_lost, plan=sent),
            label=lambda row: row.name,
            seconds=_longest(plan.terms),
        )
        with Progress(len(plan.rows), len(plan.rows) - len(todo), plan.agent.label) as progress:
            for one in engine(work, todo):
                try:
                    kept.add(Kept(config=plan.config, model=plan.terms.endpoint.model, delivery=one))
                except OSError as error:
                    raise BenchError(f"{plan.out / KEPT} cannot be written: {error.strerror or error}") from error
                done[one.row] = one
                tokens = one.prompt_tokens + one.completion_tokens
                progress.add(one.row, tokens, 0.0, one.infrastructure or one.refusal)
    return tuple(done[row.name] for row in plan.rows)


def _longest(terms: Terms) -> float | None:
    """Seconds after which a row's process is ended, whatever it hangs in; None where an agent has no limit of time."""
    if terms.limits.seconds is None:
        return None
    return terms.tries * (terms.limits.seconds + SCRIPT_SECONDS + JUDGE_SECONDS + AROUND_SECONDS)


def _carry_out(row: Row, plan: Plan) -> Delivery:
    records = plan.out.absolute() / "records" / plan.agent.label.replace(" ", "-") / row.name
    terms = msgspec.structs.replace(plan.terms, endpoint=with_key(plan.terms.endpoint))
    try:
        return do_row(row, plan.agent, terms, plan.archives.absolute(), records)
    except Exception as error:  # noqa: BLE001 - a full disk or a defect in one row must not stop the others; it is the row's
        return _lost(row, f"{type(error).__name__}: {error}", plan)


def _lost(row: Row, reason: str, plan: Plan) -> Delivery:
    return Delivery(row=row.name, agent=plan.agent.label, infrastructure=reason)
