"""report.html: one file, no server."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from ml_agent.files import write_atomically
from ml_agent.runs import RunFolder
from ml_agent.trajectory import read_trajectory


def write_report(folder: RunFolder, result: dict[str, Any]) -> None:
    """Render the result and the events of a run; everything shown is escaped."""
    environment = Environment(
        loader=PackageLoader("ml_agent", "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html", "j2"]),
    )
    events = list(read_trajectory(folder.trajectory))
    page = environment.get_template("report.html.j2").render(result=result, events=events)
    write_atomically(folder.path / "report.html", page)
