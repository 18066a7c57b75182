"""List all modules in docs/architecture.md, by folder.   list-modules.py [--check]: exit 1 when the list is stale."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from page_region import write_or_check

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("ml_agent", "tools", "prompts", "sandbox", "benchmarks")
REGION = re.compile(r"(<!-- modules:.*?-->\n).*?(<!-- /modules -->)", re.DOTALL)


def rows() -> Iterator[str]:
    """A line of the table for each package: its folder, what it is, its modules."""
    for room in ROOMS:
        for package in sorted((ROOT / room).rglob("__init__.py")):
            folder = package.parent
            modules = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("__"))
            if "repositories" not in package.parts:
                name, said = folder.relative_to(ROOT).as_posix(), _first_sentence(package)
                yield f"| `{name}/` | {said} | {', '.join(f'`{one}`' for one in modules)} |\n"


def _first_sentence(package: Path) -> str:
    said = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    return " ".join(re.split(r"(?<=\.)\s|\n\n", said.strip())[0].split()).replace("|", "\\|")


def listed(page: str) -> str:
    """The page with the modules that there are now."""
    table = "| folder | what it is | modules |\n|---|---|---|\n" + "".join(rows())
    return REGION.sub(lambda match: match[1] + table + match[2], page)


if __name__ == "__main__":
    sys.exit(write_or_check(listed))
