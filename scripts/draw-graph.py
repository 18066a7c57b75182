"""Draw the compiled graph into docs/architecture.md.   draw-graph.py [--check]: exit 1 when the picture is stale."""

import re
import sys
from pathlib import Path

from ml_agent.graph import build

PAGE = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"
REGION = re.compile(r"(<!-- graph:.*?-->\n```mermaid\n).*?(```\n<!-- /graph -->)", re.DOTALL)


def drawn(page: str) -> str:
    """The page with the picture of the graph as it is compiled now."""
    picture = build().get_graph().draw_mermaid().strip() + "\n"
    return REGION.sub(lambda match: match[1] + picture + match[2], page)


def main() -> int:
    """Write the page, or say whether it is stale."""
    page = PAGE.read_text(encoding="utf-8")
    fresh = drawn(page)
    if "--check" in sys.argv[1:]:
        return int(fresh != page)
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
