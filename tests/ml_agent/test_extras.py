"""How to install an optional part is told in one way, which works from a checkout."""

import re
import tomllib

from ml_agent.extras import install_extra
from tests.sources import ROOT

NAMED = re.compile(r"(?:install_extra\(['\"]|pip install '\.\[)([a-z]+)")


def test_every_extra_that_is_named_is_there() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    folders = [path for name in ("ml_agent", "tools", "sandbox", "benchmarks") for path in (ROOT / name).rglob("*.py")]
    texts = [path.read_text("utf-8") for path in (*folders, ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    named = [extra for text in texts for extra in NAMED.findall(text)]
    assert len(named) > 4 and set(named) <= set(declared)
    assert [text for text in texts if re.search(r"pip install '?ml-agent\b", text)] == [], "it is on no index"
    assert install_extra("mcp").startswith("pip install '.[mcp]'")
