"""Following several ways through a program, and what is certain afterwards.

A fact says which values of a command-line argument the program goes on with. What is known on every way that neither
raises nor was followed in vain holds behind them. A way that returns early is remembered until its function ends.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ml_agent.tools.signatures.control_flow import Collector, Condition, Facts, Flow, Machine, ProgramRaised
from ml_agent.tools.signatures.values import Frame


class FollowedBranch(NamedTuple):
    """One way that was followed."""

    flow: Flow | None
    """How it ended; None where it raises."""
    facts: Facts
    """What is known at its end."""
    returned: list[Facts]
    """What is known at each place where it may have returned before."""


def follow_way(
    run: Machine, frame: Frame, action: Callable[[], Flow], condition: Condition | None = None, place: str = ""
) -> FollowedBranch:
    """Follow one way under a condition that was tested at `place`."""
    run.uncertain += 1
    depth = len(run.collectors)
    run.collectors.append(Collector(run.uncertain))
    if condition is not None and not condition.negated:
        run.collectors[-1].found[condition.dest] = (condition, place)
    uncertain, returned, base = run.uncertain, frame.returned, frame.base
    frame.returned, frame.base = [], depth
    flow: Flow | None = None
    try:
        flow = action()
    except ProgramRaised:
        flow = None
    finally:
        inner, facts = frame.returned, known_here(run, frame)
        frame.returned, frame.base = returned, base
        del run.collectors[depth:]
        run.uncertain = uncertain - 1
    return FollowedBranch(flow, facts, inner)


def known_here(run: Machine, frame: Frame) -> Facts:
    """The facts of the way that we are on, since its beginning."""
    facts: Facts = {}
    for collector in run.collectors[frame.base :]:
        facts.update(collector.found)
    return facts


def common(ways: Sequence[Facts]) -> Facts:
    """What holds whichever way was taken: the values of all of them, where all know some."""
    facts: Facts = {}
    for dest, (first, place) in ways[0].items() if ways else ():
        known = [way[dest] for way in ways if dest in way and way[dest][0].fold == first.fold]
        if len(known) == len(ways):
            values = frozenset().union(*(condition.values for condition, _ in known))
            facts[dest] = (Condition(dest, first.fold, values), known[-1][1] if len(known) > 1 else place)
    return facts


def accept_all(run: Machine, facts: Facts) -> None:
    """Note facts where we are."""
    for condition, place in facts.values():
        run.accept(condition, place)


def merge_ways(run: Machine, frame: Frame, ways: Sequence[FollowedBranch]) -> Flow:
    """The flow behind a branching; raises ProgramRaised where every way does."""
    staying = [way.facts for way in ways if way.flow is Flow.NORMAL]
    returned = [facts for way in ways for facts in way.returned]
    returned += [way.facts for way in ways if way.flow is Flow.RETURN]
    leaving = [way.flow for way in ways if way.flow in (Flow.BREAK, Flow.CONTINUE)]
    if not staying and not returned and not leaving:
        raise ProgramRaised
    if not staying and not leaving:
        accept_all(run, common(returned))
        return Flow.RETURN
    if returned:
        here = known_here(run, frame)
        frame.returned += [{**here, **facts} for facts in returned]
    if not staying:
        return leaving[0] or Flow.NORMAL
    if leaving or returned:
        run.uncertain += 1  # lowered again where the function or loop ends
    if returned and not leaving:
        run.collectors.append(Collector(run.uncertain))
    accept_all(run, common(staying))
    return Flow.NORMAL


def follow_function(run: Machine, frame: Frame, action: Callable[[], object]) -> None:
    """Follow the body of a function; what is certain at all its ends is certain behind the call."""
    uncertain, depth = run.uncertain, len(run.collectors)
    frame.base = depth
    run.collectors.append(Collector(run.uncertain))
    raised = complete = False
    try:
        action()
        complete = True
    except ProgramRaised:
        raised = complete = True
        if not frame.returned:
            raise
    finally:
        ends = frame.returned if raised else [*frame.returned, known_here(run, frame)]
        run.uncertain = uncertain
        del run.collectors[depth:]
        if not complete:
            accept_all(run, common(ends))  # too long to be followed to its end: what was seen so far still holds
    accept_all(run, common(ends))
