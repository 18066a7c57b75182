"""The conversation in which a model finds the repository: it searches, looks, searches again, and chooses."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from ml_agent.conversation.description import is_aside
from ml_agent.conversation.loop import NoAnswer
from ml_agent.finder import CANDIDATES, FEW_STARS, MOST_SEARCHES
from ml_agent.model.client import ModelClient, silent
from ml_agent.model.functions import as_function
from ml_agent.model.prompt import Prompt
from ml_agent.model.replies import RawCall, UnusableReply, accepted, as_written, plain_name
from ml_agent.model.thread import ToolCall, Turn
from ml_agent.prompts import functions
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText, joined, lines_in, neutral
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate, Look, Source, Wanted, distinct, similar
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.documents.read import is_readme, parse_document
from ml_agent.tools.errors import SearchError
from ml_agent.tools.tokens import count_tokens
from ml_agent.trajectory import Emit
from ml_agent.understanding import rank

MOST_CALLS = 8
"""Searches and looks of one conversation."""
MOST_TURNS, MOST_IDLE = 8, 2
"""Replies in all, and in a row that lead nowhere."""
IN_SIGHT = 4_000
"""Tokens of results that stay whole; of older ones the first line stays."""
_ROWS, _FEW_ROWS = 30, 12
"""Repositories shown of a search that is alone in its reply, and of one of several."""
_FEW, _BY_README = 5, 8
"""A search that finds fewer by what repositories say of themselves is asked again in their READMEs; so many more are shown."""
_LONGEST, _TREE, _MOST_NEEDS = 160, 50, 4
_SAID, _CALLED = 1_300, 900
"""Characters of a README's text, and of the calls that it gives."""
_LARGE = 100_000
"""Kilobytes of a repository from which its size is told."""
_FEW_WORDS = 4
"""Blanks of a line that says something."""
_CODE = frozenset(["bash", "python", ""])
_INSTALLS = re.compile(
    r"\s*(?:#|(?:sudo |python\S* -m )?(?:pip|conda|mamba|uv|uvx|git|wget|curl|cd|apt\S*|brew|export|source)\b|python\S* setup\.py|$)"
)
_ENTRY = re.compile(
    r"(?:^|[_-])(?:main|run|train|test|eval\w*|predict\w*|infer\w*|demo|generate|sample|cli|detect|transcribe|convert|finetune|__main__)(?:[_-]|$)"
)
_SETUP = re.compile(r"(requirements.*\.txt|setup\.(py|cfg)|pyproject\.toml|environment.*\.ya?ml|Dockerfile|Makefile)")
_NEEDS = re.compile(
    r"\b(download|weights|checkpoints?|pre-?trained|licen[cs]e agreement|request access|CUDA|GPU)\b", re.I
)
_DROPPED = neutral(" ... (dropped)")
NO_CALL = neutral("That called no function, so nobody read it. Call `choose`, or another function.")
NO_MORE = neutral("No search or look is left: call `choose`.")


class SearchConversation:
    """One conversation about one request."""

    def __init__(self, client: ModelClient, source: Source, emit: Emit = silent, *, gpu: bool = False) -> None:
        self._client, self._source, self._emit, self._gpu = client, source, emit, gpu
        self._functions = tuple(map(as_function, functions.finding()))
        self._seen: dict[str, Candidate] = {}
        self._calls = self._searches = 0
        self._rows = _ROWS
        self._chosen: list[Candidate] = []

    def candidates(self, request: Request) -> list[Candidate]:
        """What the model chose with its reasons, best first; where it chose none, what it saw, by our own ranking.

        Raises NoAnswer where it neither chose nor saw any, SearchError, ModelError, EndpointSettingError, BudgetExceededError.
        """
        turns: list[Turn] = []
        texts = render("search", instruction=request.instruction, calls=MOST_CALLS, gpu=self._gpu)
        prompt = Prompt(phase="search", system=texts["system"], question=texts["question"])
        asked: list[str] = []
        idle = 0
        while not self._chosen and len(turns) < MOST_TURNS and idle < MOST_IDLE:
            reply = self._client.converse(prompt, self._functions, in_sight(turns), max_output_tokens=500)
            looks = sum(call.name != "choose" for call in reply.calls)
            self._rows = _ROWS if looks < 2 else _FEW_ROWS
            done = [self._carry_out(call) for call in reply.calls]
            results = tuple(result for _, result in done) or (NO_CALL,)
            turns.append(Turn(said=reply.content.strip()[:_LONGEST], calls=tuple(c for c, _ in done), results=results))
            new = [text for call, _ in done if (text := str(call)) not in asked]
            asked += new
            idle = 0 if new else idle + 1
        found = (self._chosen or rank(request.instruction, list(self._seen.values())))[:CANDIDATES]
        if not found:
            raise NoAnswer("no repository was found: the model named none, and its searches found none")
        return [msgspec.structs.replace(one, score=float(CANDIDATES - place)) for place, one in enumerate(found)]

    def _carry_out(self, raw: RawCall) -> tuple[ToolCall, PromptText]:
        try:
            call = accepted(raw, self._functions)
        except UnusableReply as problem:
            made = ToolCall(name=plain_name(raw.name), arguments=as_written(raw.arguments)[0])
            return made, neutral(f"not done: {problem}")
        made = ToolCall(name=call.name, arguments=call.arguments)
        result = self._choose(**call.arguments) if call.name == "choose" else self._looked(call.name, call.arguments)
        self._emit("tool", name=call.name, arguments=call.arguments, result=result[:500])
        return made, result

    def _looked(self, name: str, arguments: dict[str, Any]) -> PromptText:
        """The result of a search or a look; where GitHub fails after something was seen, the model has to do with that."""
        if self._calls >= MOST_CALLS:
            return NO_MORE
        self._calls += 1
        act: dict[str, Callable[..., PromptText]] = {
            "search": self._search,
            "look": self._look,
            "similar": self._similar,
        }
        try:
            return act[name](**arguments)
        except SearchError as error:
            if not self._seen:
                raise
            return neutral(f"not done: {error}. Choose from what you saw or know.")

    def _search(self, **asked: Any) -> PromptText:
        """By name, description and topics; where those bring few, by README too: half of all projects name their field only there."""
        wanted = Wanted(**asked)
        found = self._source.search(wanted)
        self._searches += 1
        if len(found) >= _FEW or not wanted.query or self._searches >= MOST_SEARCHES:
            return self._listed(found)
        wider = msgspec.structs.replace(wanted, in_readme=True, min_stars=max(wanted.min_stars, FEW_STARS))
        self._searches += 1
        try:
            more = self._source.search(wider)
        except SearchError:
            if not found:
                raise
            more = []  # what was found has to do
        return self._listed(distinct([*found, *more[:_BY_README]]), f" ({len(found)} by name, description or topics)")

    def _similar(self, repository: str) -> PromptText:
        found = self._known(repository)
        return self._listed(similar(self._source, found)) if found else _absent(repository)

    def _look(self, repository: str) -> PromptText:
        found = self._source.look(repository)
        if found is None:
            return _absent(repository)
        self._seen[found.candidate.full_name.lower()] = found.candidate
        return neutral("\n".join(about(found)))

    def _listed(self, found: Sequence[Candidate], told: str = "") -> PromptText:
        for one in found[: self._rows]:
            self._seen.setdefault(one.full_name.lower(), one)
        more = f"; {self._rows} shown" if len(found) > self._rows else ""
        return neutral("\n".join([f"{len(found)} found{told}{more}", *map(line_of, found[: self._rows])]))

    def _choose(self, best_first: Sequence[dict[str, str]]) -> PromptText:
        absent = []
        for one in best_first:
            found = self._known(one["repository"])
            if found is None:
                absent.append(one["repository"])
            elif found.full_name not in [other.full_name for other in self._chosen]:
                self._chosen.append(msgspec.structs.replace(found, why=one["why"].strip()))
        return joined("\n", map(_absent, absent)) if absent else neutral("Noted.")

    def _known(self, name: str) -> Candidate | None:
        """A repository that was seen, else looked up; taken at the model's word where GitHub cannot be asked."""
        name = name.strip().removeprefix("https://github.com/").strip("/")
        if name.lower() in self._seen:
            return self._seen[name.lower()]
        try:
            return self._source.find(name)
        except SearchError:
            return Candidate(full_name=name, url=name, source="github") if name.count("/") == 1 else None


def line_of(one: Candidate) -> str:
    """A repository in one line: name, stars, last push, licence, what speaks against it, and what it says of itself."""
    facts = [f"★{one.stars}" if one.stars is not None else "", one.pushed[:7], one.licence or "", *flags(one)]
    facts += [one.language or ""] if one.language != "Python" else []
    facts += [f"{one.size // 1000} MB"] if one.size is not None and one.size >= _LARGE else []
    said = " ".join(one.description.split())[:_LONGEST]
    topics = f" [{', '.join(one.topics[:4])}]" if one.topics else ""
    return f"{one.full_name} ({' '.join(filter(None, facts))}): {said}{topics}"


def flags(one: Candidate) -> list[str]:
    """What of a repository's state a user should know."""
    said = {"archived": one.archived, "fork": one.fork, "no licence": one.licence == ""}
    return [name for name, holds in said.items() if holds]


def about(look: Look) -> list[str]:
    """What a closer look shows: the top of the tree, entry points by name, set-up files, needs, what the README says and how it is called."""
    tree = sorted({path.partition("/")[0] + ("/" if "/" in path else "") for path in look.files})[:_TREE]
    code = [path for path in look.files if path.endswith((".py", ".sh")) and path.count("/") < 3]
    entries = [path for path in code if _ENTRY.search(PurePosixPath(path).stem)]
    setup = [path for path in look.files if "/" not in path and _SETUP.fullmatch(path)]
    passages = parse_document(look.candidate.readme_head, next(filter(_is_main_readme, look.files), "README.md"))
    calls, said = _calls_and_prose(passages)
    needs = [line[:_LONGEST] for line in said if _NEEDS.search(line)][:_MOST_NEEDS]
    parts = {
        "files": " ".join(tree),
        "entry points by name": " ".join(entries[:20]),
        "set-up": " ".join(setup),
        "may need": " / ".join(needs),
        "README": "\n".join(said)[:_SAID],
        "called so": "\n".join(calls)[:_CALLED],
    }
    return [line_of(look.candidate), *(f"{name}: {text}" for name, text in parts.items() if text)]


def _is_main_readme(path: str) -> bool:
    return "/" not in path and is_readme(path)


def _calls_and_prose(passages: Sequence[Passage]) -> tuple[list[str], list[str]]:
    """The lines of a README with which it is called, and those of its text; without lists of names, badges and what only installs."""
    calls: dict[str, None] = {}
    said: dict[str, None] = {}
    for passage in passages:
        blocks = [block for block in passage.blocks if block.language in _CODE and not is_aside(passage)]
        code = {line for block in passage.blocks for line in block.text.splitlines()}
        calls |= dict.fromkeys(
            line for block in blocks for line in block.text.splitlines() if not _INSTALLS.match(line)
        )
        said |= dict.fromkeys(
            line for line in passage.text.splitlines() if line not in code and line.count(" ") >= _FEW_WORDS
        )
    return list(calls), list(said)


def in_sight(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the newest results whole, as far as they fit, and the first line of the others."""
    made: list[Turn] = []
    left = IN_SIGHT
    for turn in reversed(turns):
        results: list[PromptText] = []
        for result in reversed(turn.results):
            size = count_tokens(result).n
            left -= size
            results.append(result if left >= 0 else joined("", [lines_in(result)[0], _DROPPED]))
        made.append(msgspec.structs.replace(turn, results=tuple(reversed(results))))
    return made[::-1]


def _absent(name: str) -> PromptText:
    return neutral(f"{name}: no such repository")
