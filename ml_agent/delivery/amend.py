"""It ran, and what should come out did not: what to tell, and what rules can mend.

A person would look at what the program did write: name the output by the program's own option, copy the file to where it was
asked for, or keep what was printed.
"""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.delivery.content_process import ContentNotJudged, judge_apart
from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement
from ml_agent.delivery.judge import RunOutputs, content_of, places_of
from ml_agent.delivery.text_kinds import TEXT_KINDS, InvalidContent
from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.tools.commandline.edit import Call, parse_one, remove_option, set_option
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option

MOST_NAMED = 6
PRINTED_LINES = 12
_OUTPUT_NAME = re.compile(
    r"(?:^|_)(?:out|output|outputs|save|saved|dest|destination|result|results|export|report|target|to|write|dump)(?:_|$|dir|path|file|name)"
)
_OUTPUT_HELP = re.compile(
    r"\b(?:output|writ(?:e|es|ten)|sav(?:e|es|ed)|stor(?:e|es|ed)|result|destination|export)", re.IGNORECASE
)
_FOLDER_NAME = re.compile(r"(?:dir|directory|folder|root)$")


def missing_text(judgements: Sequence[Judgement], made: Sequence[CreatedFile], stdout: str) -> str:
    """What a person would be told: what is missing, and what was written instead; empty where nothing is missing."""
    missing = [one.said for one in judgements if one.verdict == "missing"]
    if not missing:
        return ""
    wrote = ", ".join(one.path for one in made[:MOST_NAMED]) + (", …" if len(made) > MOST_NAMED else "")
    lines = [
        f"exit 0, but {'; '.join(missing)}",
        f"the program wrote {wrote}" if wrote else "the program wrote no file",
    ]
    printed = [line for line in stdout.splitlines() if line.strip()][-PRINTED_LINES:]
    if printed and not wrote:
        lines.append("it printed: " + " | ".join(printed)[:600])
    return "\n".join(lines)


def amendments(
    draft: Draft, judgements: Sequence[Judgement], workspace: Workspace, scene: RunOutputs
) -> Iterator[Draft]:
    """Drafts that may deliver what was missing, best first; each mends all that is missing or is none."""
    missing = [one.expectation for one in judgements if one.verdict == "missing" and one.expectation.path]
    written = {made.path for made in scene.made}
    if not missing or any(place in written for one in missing for place in places_of(one.path, scene.workdir)):
        return  # what lies in the right place and is wrong, no moving mends
    for way in (_by_option, _by_copy, _by_keeping_output):
        text: str | None = draft.text
        for expected in missing:
            text = way(_with(draft, text), expected, workspace, scene) if text is not None else None
        if text is not None and text != draft.text:
            because = f"{draft.because}; its output is brought to {', '.join(one.path for one in missing)}"
            yield msgspec.structs.replace(_with(draft, text), because=because.lstrip("; "))


def _with(draft: Draft, text: str) -> Draft:
    return msgspec.structs.replace(draft, text=text, findings=(), ledger=())


def _by_option(draft: Draft, expected: Expectation, workspace: Workspace, scene: RunOutputs) -> str | None:
    """Give the path to the option that names the output: the one that has the written file's path as its value, or says so."""
    if draft.kind != "bash" or any(char in expected.path for char in "*?"):
        return None
    for signature in workspace.index.signatures.get(draft.entry, ()):
        call = parse_one(draft.text, signature)
        if call is None:
            continue
        ranked = sorted(
            ((rank, option) for option in signature.options if (rank := _rank(option, call, expected, scene))),
            key=lambda pair: -pair[0],
        )
        if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            continue
        option = ranked[0][1]
        value = (
            posixpath.dirname(expected.path) or "."
            if _is_folder(option) and expected.kind != "folder"
            else expected.path
        )
        try:
            return set_option(call, option.dest, value).text()
        except RenderError:
            continue
    return None


def _rank(option: Option, call: Call, expected: Expectation, scene: RunOutputs) -> int:
    """How sure it is that an option names the output that is missing; 0 where it is not."""
    if option.type not in ("str", "path", "unknown") or option.choices or option.nargs not in (None, "?"):
        return 0
    given = next(
        (part.values[0] for part in call.arguments if part.dest == option.dest and part.values), option.default
    )
    named = option.dest.lower().replace("-", "_")
    says = bool(_OUTPUT_NAME.search(named)) or bool(re.match(r"(?:out|save|log|result)", named))
    says = says or (
        bool(_OUTPUT_HELP.search(option.help)) and not re.search(r"\bevery\b|\bhow\b|\bwhether\b", option.help)
    )
    if isinstance(given, str) and given and _was_written(given, expected, option, scene):
        return 4 + says
    if _is_folder(option) and expected.kind != "folder":
        return 0
    if says:
        return 2 if given in (None, "") else 1
    return 0


def _is_folder(option: Option) -> bool:
    return bool(_FOLDER_NAME.search(option.dest.lower()))


def _was_written(value: str, expected: Expectation, option: Option, scene: RunOutputs) -> bool:
    """Whether the program wrote to the option's value: that file, or into that folder one with the name that is missing."""
    written = {made.path for made in scene.made}
    name = posixpath.basename(expected.path)
    if _is_folder(option) and expected.kind != "folder":
        return any(posixpath.join(place, name) in written for place in places_of(value, scene.workdir))
    if expected.kind == "folder":
        return any(path.startswith(f"{place}/") for place in places_of(value, scene.workdir) for path in written)
    return any(place in written for place in places_of(value, scene.workdir))


def _by_copy(draft: Draft, expected: Expectation, _workspace: Workspace, scene: RunOutputs) -> str | None:
    """Copy the one file that is what was asked for, under another name or elsewhere."""
    if any(char in expected.path for char in "*?"):
        return None
    source = _folder_instead(expected, scene) if expected.kind == "folder" else _file_instead(expected, scene)
    if source is None:
        return None
    source = posixpath.relpath(source, scene.workdir)
    parent = expected.path if expected.kind == "folder" else posixpath.dirname(expected.path)
    if draft.kind == "python":
        return _python_copy(draft.text, source, expected, parent)
    made = f"mkdir -p {shlex.quote(parent)} && " if parent else ""
    whole = f"cp -r {shlex.quote(source)}/." if expected.kind == "folder" else f"cp {shlex.quote(source)}"
    return f"{draft.text.rstrip()} && {made}{whole} {shlex.quote(expected.path)}"


def _python_copy(code: str, source: str, expected: Expectation, parent: str) -> str:
    lines = [code.rstrip(), "", "import os", "import shutil", ""]
    if expected.kind == "folder":
        return "\n".join([*lines, f"shutil.copytree({source!r}, {expected.path!r}, dirs_exist_ok=True)", ""])
    folder = [f"os.makedirs({parent!r}, exist_ok=True)"] if parent else []
    return "\n".join([*lines, *folder, f"shutil.copyfile({source!r}, {expected.path!r})", ""])


def _file_instead(expected: Expectation, scene: RunOutputs) -> str | None:
    """The file that passes for what is missing: by its name, else the only one."""
    fitting = [made.path for made in scene.made if made.path not in scene.own and _passes(made, expected, scene)]
    same_name = [path for path in fitting if posixpath.basename(path) == posixpath.basename(expected.path)]
    found = same_name or fitting
    return found[0] if len(found) == 1 else None


def _passes(made: CreatedFile, expected: Expectation, scene: RunOutputs) -> bool:
    ending = posixpath.splitext(expected.path)[1].lower()
    if posixpath.splitext(made.path)[1].lower() not in (ending, "", ".txt", ".out", ".log"):
        return False
    if posixpath.splitext(made.path)[1].lower() != ending and expected.kind in ("text", "file"):
        return False
    try:
        return content_of(made.path, made.size, expected, scene).valid
    except ContentNotJudged:
        return False


def _wrote_alike(expected: Expectation, scene: RunOutputs) -> bool:
    """Whether the program wrote files that may be what is missing: what it prints then only tells of them."""
    stem = posixpath.splitext(posixpath.basename(expected.path))[0]
    written = [made for made in scene.made if made.path not in scene.own]
    return any(posixpath.basename(made.path).startswith(stem) or _passes(made, expected, scene) for made in written)


def _folder_instead(expected: Expectation, scene: RunOutputs) -> str | None:
    """The one folder that holds all that was written."""
    folders = {posixpath.dirname(made.path) for made in scene.made if made.path not in scene.own and made.size}
    common = posixpath.commonpath(list(folders)) if folders and "" not in folders else ""
    return common if common not in ("", ".", scene.workdir) else None


def _by_keeping_output(draft: Draft, expected: Expectation, workspace: Workspace, scene: RunOutputs) -> str | None:
    """Keep what was printed, where it is what was asked for; an option that was given the path and did not write there goes."""
    if draft.kind != "bash" or expected.kind not in TEXT_KINDS or (expected.kind == "text" and scene.made):
        return None
    if re.search(r"[;&|<>\n]", draft.text.strip()) or _wrote_alike(expected, scene):
        return None
    try:
        judge_apart(scene.stdout.encode(), True, expected)
    except (InvalidContent, ContentNotJudged):
        return None
    parent = posixpath.dirname(expected.path)
    made = f"mkdir -p {shlex.quote(parent)} && " if parent else ""
    return f"{made}{_without_path(draft, expected.path, workspace)} > {shlex.quote(expected.path)}"


def _without_path(draft: Draft, path: str, workspace: Workspace) -> str:
    """The command without options that have nothing but a path and need not be given."""
    text = draft.text.strip()
    for signature in workspace.index.signatures.get(draft.entry, ()):
        call = parse_one(text, signature)
        named = [one.option for one in call.arguments if one.values == (path,)] if call is not None else []
        for option in named:
            if call is not None and option is not None and option.flags and not option.required:
                try:
                    return remove_option(call, option.dest).text().strip()
                except RenderError:
                    continue
    return text
