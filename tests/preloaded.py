"""What the server of `tests.command` imports once: all that commands load late."""

import importlib

for _name in (
    "ml_agent.cli.check", "ml_agent.cli.explain", "ml_agent.cli.runs", "ml_agent.cli.solve", "ml_agent.progress", "ml_agent.view.page",
    "ml_agent.view.report", "ml_agent.sandbox.choose", "ml_agent.tools.signatures.read", "ml_agent.tools.usage.extract",
):  # fmt: skip
    importlib.import_module(_name)
