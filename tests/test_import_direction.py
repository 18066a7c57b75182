"""What the rooms may import of each other, read from the source: function-level imports and names in strings count, too."""

import tomllib

import pytest

from tests.sources import MAY_IMPORT, ROOT, circle, contents, module_graph, neighbour_graphs, room_of, sources


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_run_downward(room: str) -> None:
    forbidden = MAY_IMPORT.keys() - MAY_IMPORT[room] - {room}
    wrong = [
        f"{path.relative_to(ROOT)}:{one.line} imports {one.module}"
        for path in sources(room)
        for one in contents(path).imports
        if room_of(one.module) in forbidden
    ]
    assert not wrong


def test_there_are_no_circles_of_modules() -> None:
    assert circle(module_graph()) == []


def test_there_are_no_circles_of_packages() -> None:
    graphs = neighbour_graphs(module_graph())
    assert {"ml_agent", "ml_agent.tools", "ml_agent.sandbox", "ml_agent.benchmarks"} <= graphs.keys()
    assert [found for graph in graphs.values() if (found := circle(graph))] == []


def test_the_bench_hangs_on_the_command_line_by_its_entry_point_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"ml_agent.commands": {"bench": "ml_agent.benchmarks.cli:app"}}
