"""Wrong code, which mypy must refuse line by line: a plain string or path at a place that takes a gated one. Never run.

`make check` holds it: each line says which error it is, and under `--strict` an error that does not come is one itself.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BytesIO
    from pathlib import Path, PurePosixPath

    from markupsafe import Markup
    from rich.console import Console

    from ml_agent.cli.solve import asker
    from ml_agent.model.prompt import Prompt
    from ml_agent.model.thread import PromptMessage, Thread, ToolMessage, Turn
    from ml_agent.progress import Progress
    from ml_agent.prompts.untrusted import PromptText, joined, neutral
    from ml_agent.sandbox.files import copy_tree, write_tar
    from ml_agent.sandbox.held_folder import HeldFolder
    from ml_agent.sandbox.inner_path import safe_relative
    from ml_agent.tools.git import Git, Limits, Operand

    text = ""
    gated = neutral(text)

    # A path below a workspace or a folder of results.
    place = HeldFolder(Path())
    place.make_folder(PurePosixPath(text))  # type: ignore[arg-type]
    place.write(PurePosixPath(text), Path(), 0o644)  # type: ignore[arg-type]
    place.write_bytes(safe_relative("a").pure, b"", 0o644)  # type: ignore[arg-type]
    place.link(PurePosixPath(text), Path())  # type: ignore[arg-type]
    place.read(safe_relative("a") / text, 1)  # type: ignore[operator]
    copy_tree(Path(), place, PurePosixPath(text))  # type: ignore[arg-type]
    write_tar(Path(), PurePosixPath(text), BytesIO(), 0)  # type: ignore[arg-type]

    # An argument of git, which runs on the host.
    limits = Limits(deadline=0)
    Git(Path()).run("fetch", limits, text)  # type: ignore[arg-type]
    Git(Path()).run(text, limits)  # type: ignore[arg-type]
    Git(Path()).run("gc", limits)  # type: ignore[arg-type]
    Git(Path()).run("checkout", limits, Operand("a").text)  # type: ignore[arg-type]

    # A terminal.
    Progress(Console())  # type: ignore[arg-type]
    asker(Console())  # type: ignore[arg-type]

    # HTML.
    shown: Markup = text  # type: ignore[assignment]
    page: Markup = f"{Markup('<b>')}{text}"  # type: ignore[assignment]

    # A prompt.
    Prompt(phase="plan", system=gated, evidence=text, question=gated)  # type: ignore[arg-type]
    Prompt(phase="plan", system=gated, evidence=f"{gated}{text}", question=gated)  # type: ignore[arg-type]
    Prompt(phase="plan", system=gated, evidence=gated + text, question=gated)  # type: ignore[arg-type]
    Prompt(phase="plan", system=text, question=gated)  # type: ignore[arg-type]
    Prompt(phase="plan", system=gated, question=text)  # type: ignore[arg-type]
    Turn(results=(text,))  # type: ignore[arg-type]
    Thread(opening=text, task=gated)  # type: ignore[arg-type]
    Thread(opening=gated, task=gated).with_result(text)  # type: ignore[arg-type]
    message: PromptMessage = {"role": "user", "content": text}  # type: ignore[typeddict-item]
    result: ToolMessage = {"role": "tool", "tool_call_id": "1", "content": text}  # type: ignore[typeddict-item]
    answer: PromptText = text  # type: ignore[assignment]
    joined("\n", [text])  # type: ignore[list-item]
