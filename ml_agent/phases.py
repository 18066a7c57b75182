"""What every node shares: it is announced, its budget is checked, and running out of it is an ending."""

import time
from collections.abc import Callable
from typing import Any

from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from ml_agent.endings import Ending
from ml_agent.errors import BudgetExceededError, ModelError
from ml_agent.services import Services
from ml_agent.state import State

PHASES = ("understand", "search", "rank", "plan", "generate", "check", "execute", "diagnose")

Node = Callable[[State, Services], Command[Any]]
"""A node as it is written in graph.py."""


def ended(ending: Ending, message: str, **update: Any) -> Command[Any]:
    """Leave the graph."""
    return Command(update={**update, "ending": ending.label, "message": message}, goto=END)


def as_node(node: Node) -> Any:
    """Wrap a node: announce it, check the limits before it spends anything, keep the budget in the state.

    The result is what `add_node` takes; its protocols cannot be named from outside LangGraph.
    """
    name = node.__name__

    def run(state: State, runtime: Runtime[Services]) -> Command[Any]:
        services = runtime.context
        services.observer.on_phase(name, "enter", "")
        started = time.monotonic()
        try:
            services.budget.check_time()
            command = node(state, services)
        except BudgetExceededError as error:
            command = ended(Ending.BUDGET, str(error))
            services.notes.setdefault(name, f"stopped: the limit of {error.what} is reached")
        except ModelError as error:
            command = ended(Ending.MODEL_GONE, str(error))
            services.notes.setdefault(name, f"ended: {error}")
        except Exception as error:  # recorded, then raised: the command line turns it into one line
            services.trajectory.emit("error", phase=name, type=type(error).__name__, message=str(error))
            raise
        update = command.update
        assert isinstance(update, dict)  # nodes return nothing else
        update["budget"] = services.budget.to_dict()
        note = services.notes.pop(name, "")
        seconds = round(time.monotonic() - started, 3)
        services.trajectory.emit("phase", phase=name, goto=command.goto, seconds=seconds, note=note)
        services.observer.on_phase(name, "leave", note)
        return command

    run.__name__ = name
    # LangGraph draws the edges from this annotation.
    run.__annotations__["return"] = node.__annotations__["return"]
    return run
