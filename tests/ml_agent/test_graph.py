"""The graph as it is compiled, and the state that its nodes share."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

from ml_agent import graph
from ml_agent.phases import PHASES
from ml_agent.state import State

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_in_the_docs_is_the_compiled_graph() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "draw-graph.py", "--check"], check=False)
    assert done.returncode == 0, "stale: run scripts/draw-graph.py"


def test_nodes_stand_in_running_order_and_name_their_successors() -> None:
    order = [name for name in vars(graph) if name in PHASES]
    assert tuple(order) == PHASES
    for name in PHASES:
        successors = get_args(get_args(get_type_hints(getattr(graph, name))["return"])[0])
        assert successors and set(successors) <= {*PHASES, "__end__"}


def test_every_key_that_a_node_writes_is_in_the_state() -> None:
    """LangGraph drops unknown keys silently."""
    source = (ROOT / "ml_agent" / "graph.py").read_text()
    keys = {
        key for block in re.findall(r"update=\{(.*?)\}", source, re.DOTALL) for key in re.findall(r'"(\w+)":', block)
    }
    assert keys and keys <= set(State.__annotations__)
