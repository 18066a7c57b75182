"""Packages that nothing here uses are left unloaded at start, and are whole for whoever asks."""

import subprocess
import sys

import pytest

_START = "import sys\nfrom ml_agent.late_packages import leave_unloaded\nleave_unloaded()\nleave_unloaded()\n"


def said(code: str) -> str:
    """What a fresh interpreter prints."""
    call = subprocess.run([sys.executable, "-c", _START + code], capture_output=True, text=True, timeout=60, check=True)
    return call.stdout.strip()


def test_the_graph_is_built_without_them() -> None:
    code = "import ml_agent.graph\nml_agent.graph.build()\nprint('langgraph_sdk.client' in sys.modules, 'numpy' in sys.modules)"
    assert said(code) == "False False"


@pytest.mark.parametrize(
    "code",
    [
        "from langgraph_sdk import get_client; print(callable(get_client))",
        "import langgraph_sdk; print(callable(langgraph_sdk.get_client))",
        "import langgraph_sdk.auth, langgraph_sdk; print(langgraph_sdk.Auth is langgraph_sdk.auth.Auth)",
        "import langgraph_sdk; print(hasattr(langgraph_sdk, 'get_client') and not hasattr(langgraph_sdk, 'nothing'))",
        "import langgraph_sdk; print(not hasattr(langgraph_sdk, '__wrapped__') and type(langgraph_sdk).__name__ == 'LatePackage')",
        "import json.decoder; print(json.decoder.JSONDecoder is not None)",
    ],
)
def test_whoever_asks_for_a_name_gets_it(code: str) -> None:
    assert said(code) == "True"


def test_what_is_needed_at_start_stays_small() -> None:
    code = (
        "import ml_agent.cli, ml_agent.cli.solve\n"
        "print(sorted({'numpy', 'docker', 'bashlex', 'markdown_it', 'openai', 'git', 'github', 'tiktoken'} & sys.modules.keys()))"
    )
    assert said(code) == "[]"
