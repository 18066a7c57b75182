"""Write the report's template as Python.   compile-templates.py [--check]: exit 1 when what is there is stale."""

import sys
from importlib.metadata import version
from pathlib import Path

from ml_agent.view.report import TEMPLATE, page_environment

TARGET = Path(__file__).resolve().parent.parent / "ml_agent" / "view" / "compiled" / "report_page.py"
HEAD = '''"""Written by scripts/compile-templates.py from report.html.j2; not to be changed by hand."""

JINJA2 = "{version}"
"""The version that compiled it."""

'''


def compiled() -> str:
    """The module's text, by the jinja2 that is installed."""
    environment = page_environment()
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, TEMPLATE)
    code = environment.compile(source, TEMPLATE, TEMPLATE, raw=True, defer_init=True)
    return HEAD.format(version=version("jinja2")) + code.rstrip("\n") + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(compiled(), encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != compiled():
        sys.exit(f"{TARGET.name} is stale: run scripts/compile-templates.py")
