"""Draw the compiled graph into docs/architecture.md.   draw-graph.py [--check]: exit 1 when the picture is stale."""

import re
import sys

from page_region import write_or_check

from ml_agent.graph import build

REGION = re.compile(r"(<!-- graph:.*?-->\n```mermaid\n).*?(```\n<!-- /graph -->)", re.DOTALL)


def drawn(page: str) -> str:
    """The page with the picture of the graph as it is compiled now."""
    picture = build().get_graph().draw_mermaid().strip() + "\n"
    return REGION.sub(lambda match: match[1] + picture + match[2], page)


if __name__ == "__main__":
    sys.exit(write_or_check(drawn))
