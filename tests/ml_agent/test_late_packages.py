"""Packages that nothing here uses are left unloaded at start, and are whole for whoever asks."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ml_agent.late_packages import TRACING
from ml_agent.samples import repository_path

_START = "import sys\nfrom ml_agent.late_packages import leave_unloaded\nleave_unloaded()\nleave_unloaded()\n"


_LEFT = (
    "langchain_protocol.protocol", "langgraph_sdk", "langsmith.client", "langsmith.run_helpers", "langsmith.run_trees", "langsmith.utils",
    "pydantic.v1", "requests",
)  # fmt: skip
_RUN = f"print([name for name in {_LEFT} if name in sys.modules and type(sys.modules[name]).__name__ != 'LatePackage'])"


def said(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    call = subprocess.run(
        [sys.executable, "-c", _START + code],
        capture_output=True, text=True, timeout=120, check=True, env=os.environ | environment,
    )  # fmt: skip
    return call.stdout.strip()


_EACH = """
import json, os, traceback
for code in json.loads(os.environ["CODES"]):
    print(json.dumps(code), flush=True)
    if os.fork() == 0:
        try:
            exec(code, {"__name__": "__main__", "sys": sys})
        except BaseException:
            print(traceback.format_exc())
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def said_each(before: str, codes: Sequence[str]) -> dict[str, str]:
    """What each piece of code prints in a process of its own, forked from a fresh interpreter that did what comes before."""
    lines = said(before + _EACH, CODES=json.dumps(codes)).splitlines()
    marks = [json.dumps(code) for code in codes]
    places = [lines.index(mark) for mark in marks]
    return {
        code: "\n".join(lines[at + 1 : end])
        for code, at, end in zip(codes, places, [*places[1:], len(lines)], strict=True)
    }


@pytest.mark.parametrize("environment", [{}, dict.fromkeys(TRACING, "true")])
def test_a_solve_without_a_model_loads_none_of_them(tmp_path: Path, environment: dict[str, str]) -> None:
    """Nor does it report anything to LangSmith where the environment asks LangGraph to."""
    words = ["solve", "train the perceptron", "--repo", str(repository_path("planar-nets")), "--run", "none", "--quiet"]
    code = f"from ml_agent.cli import run\nprint(run({[*words, '--out', str(tmp_path / 'run')]}))\n{_RUN}"
    assert said(code, **environment).splitlines()[-2:] == ["0", "[]"]


REAL = (
    "from langchain_core.tracers.schemas import Run; from langsmith.run_trees import RunTree\n"
    "run = Run(name='a', run_type='chain'); print(type(run) is RunTree and isinstance(run, Run) and 'name' in Run.model_fields)",
    "from langchain_core.tracers.schemas import Run\nclass Mine(Run): pass\n"
    "from langsmith import RunTree; print(issubclass(Mine, RunTree) and issubclass(Mine, Run))",
)
BEHIND_THE_GRAPH = (
    "from langchain_core.tracers.schemas import Run\n"
    "print(not isinstance(1, Run) and type(sys.modules['langsmith.run_trees']).__name__ == 'LatePackage')",
    "from pydantic.v1 import BaseModel\nclass Old(BaseModel): pass\n"
    "from langchain_core.utils.pydantic import is_pydantic_v1_subclass; print(is_pydantic_v1_subclass(Old))",
    "from requests import HTTPError; print(issubclass(HTTPError, OSError))",
    "import requests.adapters\nfrom requests.sessions import HTTPAdapter\n"
    "kept = requests.adapters.__spec__.loader; print(HTTPAdapter is requests.adapters.HTTPAdapter and 'Source' in type(kept).__name__)",
    "import github, docker, requests; print(issubclass(docker.errors.APIError, requests.HTTPError))",
    "import pydantic.v1.fields, pydantic.v1\n"
    "print(pydantic.v1.fields.ModelField is sys.modules['pydantic.v1.main'].ModelField)",
    "import requests; print(issubclass(requests.HTTPError, OSError))",
    "from langsmith.run_helpers import tracing_context, get_tracing_context\n"
    "with tracing_context(tags=['a']): print(get_tracing_context()['tags'] == ['a'])",
    "from langchain_core.callbacks.manager import CallbackManager\n"
    "from langsmith.run_helpers import tracing_context\n"
    "with tracing_context(tags=['a'], enabled=False): print(CallbackManager.configure().tags == ['a'])",
)


def test_late_names_are_the_real_ones_once_something_is_done_with_them() -> None:
    assert said_each("", REAL) == dict.fromkeys(REAL, "True")
    assert said_each("import langgraph.graph\n", BEHIND_THE_GRAPH) == dict.fromkeys(BEHIND_THE_GRAPH, "True")


def test_the_graph_is_built_without_them() -> None:
    code = "import ml_agent.graph\nml_agent.graph.build()\nprint('langgraph_sdk.client' in sys.modules, 'numpy' in sys.modules)"
    assert said(code) == "False False"


ASKED = (
    "from langgraph_sdk import get_client; print(callable(get_client))",
    "import langgraph_sdk; print(callable(langgraph_sdk.get_client))",
    "import langgraph_sdk.auth, langgraph_sdk; print(langgraph_sdk.Auth is langgraph_sdk.auth.Auth)",
    "import langgraph_sdk; print(hasattr(langgraph_sdk, 'get_client') and not hasattr(langgraph_sdk, 'nothing'))",
    "import langgraph_sdk; print(not hasattr(langgraph_sdk, '__wrapped__') and type(langgraph_sdk).__name__ == 'LatePackage')",
    "from langchain_protocol.protocol import *; print(isinstance(MessagesData, object) and 'langchain_protocol.protocol' in sys.modules)",
    "from snowballstemmer import stemmer; print(stemmer('english').stemWord('models') == 'model')",
    "import json.decoder; print(json.decoder.JSONDecoder is not None)",
)


def test_whoever_asks_for_a_name_gets_it() -> None:
    assert said_each("", ASKED) == dict.fromkeys(ASKED, "True")


def test_what_is_needed_at_start_stays_small() -> None:
    code = (
        "import ml_agent.cli, ml_agent.cli.solve\n"
        "print(sorted({'numpy', 'docker', 'markdown_it', 'openai', 'git', 'github', 'tiktoken'} & sys.modules.keys()))"
    )
    assert said(code) == "[]"
