"""Files that a shell answer writes and should not: those of the repository, and modules that take the place of others."""

import posixpath
import re
from collections.abc import Iterator

from ml_agent.benchmarks.same_call.model import Program
from ml_agent.benchmarks.same_call.trace import Place, Trace, is_of_repository
from ml_agent.tools.commandline.shell import parse_command

_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)\w+\1")
_MODULE = (".py", ".pth")


def written_files(text: str, trace: Trace, place: Place) -> Iterator[Program]:
    """One program for each file of the repository that is written over, and for each module that no command names."""
    found = set(_targets(text, trace, place))
    yield from (Program(name="overwrite", words=(file,)) for file in sorted(found) if is_of_repository(file, place))
    named = [word for step in trace.steps if step.invocation.program != "tee" for word in step.typed]
    for file in sorted(one for one in found if one.endswith(_MODULE)):
        if not any(word.endswith(posixpath.basename(file)) for word in named):
            yield Program(name="overwrite", words=(posixpath.basename(file),))


def _targets(text: str, trace: Trace, place: Place) -> Iterator[str]:
    """What the answer redirects into, as its texts and what was carried out of them say; absolute paths."""
    began = posixpath.join(str(place.root), place.folder or ".")
    texts = [(text, "."), *((shell.text, shell.folder) for shell in trace.shells)]
    if any(not shell.text and not shell.theirs for shell in trace.shells):  # it was given its text by standard input
        texts.append((_HERE_DOCUMENT.sub("", text), "."))
    for one, start in texts:
        for sign, target, folder in parse_command(one, prompts=False).redirections:
            if sign.lstrip("0123456789&") in (">", ">|", ">>") and target and not target.startswith("&"):
                yield posixpath.normpath(posixpath.join(began, start, folder, target))
    for step in trace.steps:
        folder = posixpath.join(began, step.invocation.folder or ".")
        operands = step.invocation.words if step.invocation.program == "tee" else ()
        yield from (
            posixpath.normpath(posixpath.join(folder, word)) for word in (*operands, step.stdout) if not step.sourced
        )
    for refused in place.refused_writes:
        folders = {posixpath.join(began, step.invocation.folder or ".") for step in trace.steps} | {began}
        paths = (posixpath.normpath(posixpath.join(folder, refused)) for folder in sorted(folders))
        yield from (path for path in paths if is_of_repository(path, place))
