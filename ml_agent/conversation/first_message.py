"""The first message of a conversation: what the repository is, its likeliest entry points, options, documented calls, code and files.

`open_thread` makes it. `_Task` finds what could be shown, once; `_opening` writes the message with so much room for each part as one of
the `LEVELS` gives, from the richest on until it is short enough. The words around are in `prompts/solve.j2`.
"""

import posixpath
import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import msgspec

from ml_agent.conversation.description import about_of, declared_of
from ml_agent.conversation.entries import (
    ASIDE,
    Entry,
    blocks_of,
    calls_of,
    in_short,
    installed_names,
    is_idle_aside,
    is_mere_code,
    leaning_to_code,
    likely_entries,
    likely_passages,
    likely_subcommands,
    with_tested_values,
)
from ml_agent.conversation.files import (
    CUT,
    configuration,
    facts_of,
    files_not_there,
    head_of,
    is_configuration,
    keys_of,
    likely_files,
    named_files,
    nearest,
    says,
    takes_settings,
)
from ml_agent.conversation.limits import LEVELS, MOST_TOKENS, SizeLimits
from ml_agent.conversation.listing import called, line_of, name_of, options_of
from ml_agent.conversation.objects import (
    ObjectSizeLimits,
    likely_modules,
    likely_objects,
    methods_used,
    object_lines,
    outline,
)
from ml_agent.conversation.uses import uses_of
from ml_agent.model.thread import Thread
from ml_agent.navigator import Workspace
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText, joined
from ml_agent.request import Request
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.python_api.model import ApiObject
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.tokens import count_tokens
from ml_agent.understanding import wanted_kind

ENTRIES = 4
_OPTIONS_OF_CODE = (1200,)
_CODE, _EITHER = 1.6, 0.9
"""So much better, or about as well, documented code fits than documented calls do."""
_FEWEST_OPTIONS = 3
"""Of a program with which anything can be told what to do."""
_CALLS = (3, 1, 1)
"""Documented calls that are shown of the first entry points."""
_PASSAGES, _PASSAGES_OF_CODE = 1, 3
_PASSAGE = 700
_MUCH = 3
"""So much more of a passage is looked at for what those before it do not say."""
_FILES = 4
_FILE_NAMES = 300
_OTHERS = 6
_ENTRY_NAMES = 240
_OTHER_NAMES = 240
_MODULES = 2
_HEADS = 2
_SETTINGS, _SETTINGS_LINES, _SETTINGS_LINE = 900, 30, 120
"""Characters, lines, and characters of a line of a configuration that a call names; what has longer lines is data."""
_TREE = 300
_LONGEST_DESCRIPTION = 140
_SHARED, _LACKED = 3, 8
"""So many options in common, and so few that only the other one has, say an entry point in terms of another."""
_OWN_OPTIONS = 900
_SAME_NAMES = 160
"""Characters in which options that another program has, too, are listed; of more those are named that it lacks."""
_INSTALLS = re.compile(
    r"[ \t]*(?:[$>#!%] ?)?(?:sudo |!|python3? -m )*+(?:(?:pip3?|conda|mamba|uv pip|apt|apt-get|brew|poetry|make) (?:-\S+ )*(?:install|create|add|activate|develop)\b"
    r"|(?:[\w./-]{1,80}/)?pip3? install\b|git clone\b|(?:virtual|v)env |(?:source|\.) \S{1,80}activate|python3? setup\.py (?:install|develop|build)\b|cd [\w./-]+$)"
)
"""How a line begins that gets the repository, or what it needs: an answer needs none."""
_SAME = 60
"""Characters by which a command is known again."""


def system(can_run: bool = True) -> PromptText:
    """Who the model is; the same for all tasks of runs with a sandbox, and of those without."""
    return render("solve", **_nothing(), can_run=can_run)["system"]


def open_thread(request: Request, workspace: Workspace, environment: Sequence[str] = ()) -> Thread:
    """The conversation before the first reply; `environment` are lines about that in which the answer runs."""
    task = _Task(request, workspace)
    opening: Thread | None = None
    for limits in LEVELS:
        opening = _opening(task, environment, limits)
        if count_tokens(f"{system()}{opening.opening}{opening.task}").n <= MOST_TOKENS:
            break
    assert opening is not None
    return opening


class _Task:
    """What is asked for, where, and what is found for it, whatever room each part of the message gets."""

    def __init__(self, request: Request, workspace: Workspace) -> None:
        self.request, self.workspace = request, workspace
        self.found = likely_entries(request, workspace, ENTRIES + _OTHERS)
        self.kind = _kind_of_answer(request, self.apart, workspace)
        self.wants_code = wanted_kind(request.instruction) == "python"
        self._subcommands: dict[Entry, list[Signature]] = {}
        self._tested: dict[Signature, Signature] = {}

    @cached_property
    def apart(self) -> list[Entry]:
        """The likely entry points without tests and set-up that nobody asks for."""
        return [one for one in self.found if not is_idle_aside(one, self.request.instruction, self.workspace)]

    @cached_property
    def steered(self) -> list[Entry]:
        """The entry points that may be run, the likeliest first; for code without those that are only to be imported."""
        fitting = [one for one in self.apart if not self.wants_code or any(signature.options for signature in one)]
        return [one for one in fitting if one not in self.mere_code]

    @cached_property
    def named_entries(self) -> list[Entry]:
        """The entry points that the request names as files, such as `tools/train.py`: then no others are shown with their options."""
        paths = named_files(self.request.instruction, self.workspace, ENTRIES) if self.kind != "code" else []
        return [one for one in self.steered if one[0].path in paths and any(signature.options for signature in one)]

    @cached_property
    def mere_code(self) -> list[Entry]:
        """Entry points that a task in code may import, and nobody runs."""
        if self.kind == "command" or self.wants_code:
            return []
        return [one for one in self.apart if is_mere_code(one, self.request.instruction, self.workspace)]

    @cached_property
    def description(self) -> str:
        """What the repository is."""
        index = self.workspace.index
        text = self.workspace.candidate.description or declared_of(index.sources) or about_of(index)
        return text if len(text) <= _LONGEST_DESCRIPTION else text[:_LONGEST_DESCRIPTION].rpartition(" ")[0] + " ..."

    @cached_property
    def tree(self) -> str:
        """What is in the repository."""
        return tree_of(self.workspace.index.files, _TREE)

    @cached_property
    def passages(self) -> list[Passage]:
        """The passages of documents that fit best."""
        most = _PASSAGES if self.kind == "command" else _PASSAGES_OF_CODE
        return likely_passages(self.request.instruction, self.workspace, most, self.kind == "code")

    @cached_property
    def objects(self) -> list[ApiObject]:
        """The classes and functions that are likeliest needed."""
        return likely_objects(self.request.instruction, self.workspace, LEVELS[0].api, self.passages)

    @cached_property
    def files(self) -> list[str]:
        """The files whose names fit."""
        return _files(self.steered, self.passages, self.request, self.workspace)

    @cached_property
    def heads(self) -> list[str]:
        """The files whose beginning is shown."""
        return _files_with_heads(self.steered[:ENTRIES], self)

    def subcommands(self, entry: Entry) -> list[Signature]:
        """The signatures of an entry point, the likeliest first."""
        if entry not in self._subcommands:
            self._subcommands[entry] = likely_subcommands(entry, self.request.instruction)
        return self._subcommands[entry]

    def tested(self, signature: Signature) -> Signature:
        """A signature with the values that the program tests."""
        if signature not in self._tested:
            self._tested[signature] = with_tested_values(signature, self.workspace)
        return self._tested[signature]

    def named(self, entry: Entry) -> Sequence[Signature]:
        """The signatures of an entry point, the likeliest subcommands first; of several installed names the likeliest first."""
        if len(entry) == 1:
            return entry
        found = self.subcommands(entry)
        likeliest = next((one.name for one in found if one.name), "") if len(installed_names(entry)) > 1 else ""
        found = sorted(found, key=lambda one: likeliest not in ("", one.name) and bool(one.name))
        return [*(entry[:1] if not likeliest else ()), *found]


def _opening(task: _Task, environment: Sequence[str], limits: SizeLimits) -> Thread:
    """The first message with so much room for each part."""
    request, workspace, kind = task.request, task.workspace, task.kind
    code, room = kind != "command" and not task.named_entries, _room_for_options(task, limits)
    entries = task.named_entries or task.steered[:ENTRIES]
    others = [*(one for one in task.steered if one not in entries), *task.mere_code]
    calls = [] if task.wants_code else _calls(entries, task, limits.call)
    options = _options(task, room, 1 if code else limits.subcommands)
    texts = render(
        "solve",
        name=workspace.candidate.full_name,
        description=task.description,
        tree=task.tree,
        folder=_folder(workspace),
        environment=environment,
        learned=request.learned,
        entries=[
            line_of(task.named(entry), workspace.path, 0 if place < len(room) else _ENTRY_NAMES, request.instruction)
            for place, entry in enumerate(entries)
        ],
        others=_names(others, workspace),
        options=options,
        calls=calls,
        passages=_passages(task.passages, request, calls, limits.passage if code else _PASSAGE),
        files=", ".join(task.files),
        heads=[*_heads(task, limits.head), *_given(calls, task)],
        absent=", ".join(files_not_there(request.instruction, workspace, _FILES)),
        instruction=request.instruction,
        can_run=True,  # for the system's part, which is rendered by itself
        **(_code(task, limits) if code or not entries else {"api": [], "modules": []}),
        uses=_uses(task, limits.uses) if kind == "code" else [],
    )
    parts = [text for name, text in texts.items() if name not in ("system", "question") and text]
    return Thread(opening=joined("\n\n", parts), task=texts["question"])


def _kind_of_answer(
    request: Request, found: Sequence[Entry], workspace: Workspace
) -> Literal["command", "code", "either"]:
    """What the wording asks for; where it leaves that open, what the documents do for a like task.

    A library whose entry points take hardly an option is used from Python, whatever its documents show.
    """
    wanted = wanted_kind(request.instruction)
    if wanted != "either":
        return "code" if wanted == "python" else "command"
    if not any(len(one.options) >= _FEWEST_OPTIONS for entry in found[:ENTRIES] for one in entry):
        return "either"
    leaning = leaning_to_code(request.instruction, workspace)
    return "code" if leaning > _CODE else "either" if leaning > _EITHER else "command"


def _room_for_options(task: _Task, limits: SizeLimits) -> tuple[int, ...]:
    """Characters for the options of the first entry points: none where the wording wants code, few where the documents show it."""
    if task.wants_code:
        return ()
    if task.named_entries:
        return limits.options[: len(task.named_entries)]
    return {"code": _OPTIONS_OF_CODE, "either": limits.options[:2]}.get(task.kind, limits.options)


def _code(task: _Task, limits: SizeLimits) -> dict[str, list[Any]]:
    """What a task in Python needs: the likeliest classes and functions, and what their files define."""
    request, workspace, passages = task.request, task.workspace, task.passages
    objects = task.objects[: limits.api]
    used = methods_used(passages, workspace.index)
    classes = accumulate(one.kind == "class" for one in objects)
    modules = likely_modules(objects, passages, workspace)[:_MODULES]
    return {
        "api": [
            object_lines(
                one,
                workspace,
                request.instruction,
                ObjectSizeLimits.of(limits, place, several, used),
            )
            for place, (one, several) in enumerate(zip(objects, classes, strict=True))
        ],
        "modules": [
            {"path": one.path, "text": text}
            for one in modules
            if (text := outline(one, request.instruction, workspace, objects, limits.module))
        ],
    }


def _calls(entries: Sequence[Entry], task: _Task, most: int) -> list[dict[str, str]]:
    """The documented calls of the first entry points, each on one line; of one with subcommands those of the likeliest."""
    request, workspace = task.request, task.workspace
    return [
        {
            "place": f"{one.path}:{one.line} {one.headings[-1] if one.headings else ''}".strip(),
            "text": in_short(_plain(one.text), request.instruction, most),
        }
        for entry, number in zip(entries, _CALLS, strict=False)
        for one in calls_of(task.subcommands(entry)[0], entry, request.instruction, workspace, number)
    ]


def _uses(task: _Task, room: Sequence[int]) -> list[dict[str, str]]:
    """How the likeliest entry points use the repository's code."""
    texts = (
        (entry[0].path, uses_of(entry[0].path, task.request.instruction, task.workspace, most))
        for entry, most in zip(task.found, room, strict=False)
    )
    return [{"path": path, "text": text} for path, text in texts if text]


def _passages(
    passages: Sequence[Passage], request: Request, calls: Sequence[dict[str, str]], most: int
) -> list[dict[str, str]]:
    """The passages that tell something that the documented calls do not; of one that is mostly like those before it the rest."""
    known = {_plain(call["text"])[:_SAME] for call in calls}
    shown: set[str] = set()
    new = []
    for one in passages:
        text = blocks_of(one, most, request.instruction)
        own = {line.strip() for line in text.splitlines() if not _INSTALLS.match(line)}
        if any(call in _plain(text) for call in known):
            continue
        if len(own - shown) * 2 <= len(own):
            text = _rest(blocks_of(one, _MUCH * most, request.instruction), shown, most)
        if text:
            new.append({"place": f"{one.path}:{one.line} {' / '.join(one.headings[-2:])}", "text": text})
            shown.update(line.strip() for line in text.splitlines())
    return new


def _rest(text: str, shown: Collection[str], most: int) -> str:
    """The lines that were not shown before, in at most so many characters; "" where there are none."""
    lines = [
        line
        for line in text.splitlines()
        if line.strip() not in shown and line.lstrip()[:1] != "#" and not _INSTALLS.match(line)
    ]
    kept = [line for place, line in enumerate(lines) if sum(len(one) + 1 for one in lines[: place + 1]) <= most]
    return "\n".join(["...", *kept]) if kept else ""


def _plain(text: str) -> str:
    """A command on one line, without what only lays it out."""
    return " ".join(text.replace("\\\n", " ").split())


def _files(entries: Sequence[Entry], passages: Sequence[Passage], request: Request, workspace: Workspace) -> list[str]:
    """The files whose names fit, but for those that the message names anyway."""
    shown = {*(entry[0].path for entry in entries), *(one.path for one in passages)}
    fitting = [path for path in likely_files(request.instruction, workspace, _FILES) if path not in shown]
    return [path for place, path in enumerate(fitting) if sum(map(len, fitting[: place + 1])) <= _FILE_NAMES]


def _files_with_heads(entries: Sequence[Entry], task: _Task) -> list[str]:
    """The files that the request names, the likeliest entry point where it is steered from within, and the configuration that fits
    best where the command line of the likeliest changes what it says."""
    workspace, words = task.workspace, task.request.instruction
    steered = [
        entry[0].path
        for entry in entries[:1]
        if (entry[0].kind == "shell" or not any(one.options for one in entry))
        and not ASIDE.search(entry[0].path)
        and (task.kind == "command" or not _is_told(entry[0].path, task))
    ]
    known = {entry[0].path for entry in entries if any(one.options for one in entry)}
    named = [path for path in named_files(words, workspace, _HEADS) if path not in known]
    steering = [one for entry in entries[:1] for one in task.subcommands(entry)[:1] if takes_settings(one)]
    chosen = [path for _ in steering if (path := configuration(entries[0], words, workspace, _FILES))]
    return list(dict.fromkeys([*named, *chosen, *steered]))


def _is_told(path: str, task: _Task) -> bool:
    """Whether a file is a module of a package, or in a folder, and its classes and functions are told by themselves."""
    beside = posixpath.join(posixpath.dirname(path), "__init__.py")
    inside = "/" in path and path in {one.path for one in task.objects}
    return path.endswith(".py") and (inside or task.workspace.index.sources.exists(beside))


def _heads(task: _Task, most: int) -> list[dict[str, str]]:
    """How files begin in at most so many characters each; of long configurations the keys."""
    workspace, words = task.workspace, task.request.instruction
    heads = {path: head_of(path, workspace, most) for path in task.heads}
    facts = {path: facts_of(path, workspace)[:most] for path, text in heads.items() if not text}
    shown = [{"path": path, "text": text, "what": "begins"} for path, text in heads.items() if text]
    shown += [{"path": path, "text": text, "what": "is"} for path, text in facts.items() if text]
    settings = {path: keys_of(path, words, workspace, most) for path, text in heads.items() if text.endswith(CUT)}
    return [
        {**one, "text": settings[one["path"]], "what": "sets"} if settings.get(one["path"]) else one for one in shown
    ]


def _given(calls: Sequence[dict[str, str]], task: _Task) -> list[dict[str, str]]:
    """The configuration that the documented calls name, of several the one that is said, whole, where it is small."""
    words = task.request.instruction
    named = dict.fromkeys(path for call in calls for path in named_files(call["text"], task.workspace, _HEADS))
    settings = [path for path in named if is_configuration(path) and path not in task.heads]
    path = nearest(settings, words)
    path = path if len(settings) == 1 or says(words, path) else ""
    text = head_of(path, task.workspace, _SETTINGS) if path else ""
    lines = text.split("\n")
    small = len(lines) <= _SETTINGS_LINES and max(map(len, lines)) <= _SETTINGS_LINE and not text.endswith(CUT)
    return [{"path": path, "text": text, "what": "says"}] if text and small else []


def tree_of(files: Sequence[str], most: int) -> str:
    """What is in a repository: its folders with the number of files in each, then the files at its top."""
    folders: dict[str, int] = {}
    for path in files:
        folder, slash, _ = path.partition("/")
        if slash:
            folders[folder] = folders.get(folder, 0) + 1
    top = [path for path in files if "/" not in path and not path.startswith(".")]
    first = [f"{name}/ ({count})" for name, count in folders.items() if not name.startswith(".")]
    text = ", ".join([*top, *first])
    return text if len(text) <= most else text[:most].rpartition(", ")[0] + ", ..."


def _folder(workspace: Workspace) -> str:
    inside = "" if workspace.path in ("", ".") else f"its folder {workspace.path}"
    return inside or "its root folder"


def _options(task: _Task, room: Sequence[int], subcommands: int) -> list[dict[str, str]]:
    """The options of the first entry points; of one with subcommands those of the likeliest, of the first one of several."""
    shown: list[dict[str, str]] = []
    entries = enumerate((task.named_entries or task.steered)[: len(room)])
    best_of = [task.subcommands(entry)[: subcommands if not at else 1] for at, entry in entries]
    pairs = ((best, most) for several, most in zip(best_of, room, strict=False) for best in several if best.options)
    seen: dict[tuple[str, tuple[str, ...]], Signature] = {}
    for best, most in pairs:
        if (best.path, best.subcommand) in seen:
            continue  # the same program under its other name
        known = task.tested(best)
        text = _beside_others(known, seen.values(), task) or options_of(known, task.request.instruction, most)
        seen[best.path, best.subcommand] = known
        shown.append({"name": called(best, task.workspace.path), "text": text})
    return shown


def _beside_others(best: Signature, others: Collection[Signature], task: _Task) -> str:
    """The options of an entry point as those of one that is shown, and what it has beside them; "" where that says no less."""
    for other in others:
        common = set(map(_look, best.options)) & set(map(_look, other.options))
        lacks = [option for option in other.options if _look(option) not in common]
        if len(common) < _SHARED or len(lacks) > _LACKED:
            continue
        own = tuple(option for option in best.options if _look(option) not in common)
        rest = msgspec.structs.replace(best, options=own)
        text = options_of(rest, task.request.instruction, _OWN_OPTIONS)
        where, lacked = called(other, task.workspace.path), ", ".join(map(name_of, lacks))
        listed = ", ".join(name_of(option) for option in best.options if _look(option) in common)
        same = f"as {where} has them: {listed}"
        if len(listed) > max(len(lacked), _SAME_NAMES):
            same = f"all that {where} has" + (f" but {lacked}" if lacked else "")
        return f"{same}\nits own:\n{text}" if own else same
    return ""


def _look(option: Option) -> tuple[object, ...]:
    return option.flags, option.dest, option.default, option.choices


def _names(entries: Sequence[Entry], workspace: Workspace) -> str:
    """How further entry points are called, without more about them."""
    text = ", ".join(dict.fromkeys(called(entry[0], workspace.path).split(" ")[0] for entry in entries))
    return text if len(text) <= _OTHER_NAMES else text[:_OTHER_NAMES].rpartition(", ")[0]


def _nothing() -> dict[str, object]:
    texts = ("name", "description", "tree", "folder", "others", "files", "absent", "instruction")
    lists = ("learned", "environment", "entries", "options", "calls", "api", "modules", "uses", "passages", "heads")
    return {**dict.fromkeys(texts, ""), **{name: [] for name in lists}}
