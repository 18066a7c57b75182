"""One completion with the published prompt: the baseline that reads what it is shown and nothing else."""

import re
from pathlib import Path
from typing import NamedTuple

import openai
from rank_bm25 import BM25Okapi

from ml_agent.benchmarks.data import Setting, Visible
from ml_agent.conversation.configured import endpoint_of
from ml_agent.model.budget import Budget, load_prices
from ml_agent.model.memory import Memory
from ml_agent.model.replies import Reply, read_reply
from ml_agent.model.sender import ClientParts, RequestBody, Sender
from ml_agent.prompts.untrusted import verbatim
from ml_agent.settings import Settings
from ml_agent.tools.files import Tree
from ml_agent.tools.tokens import count_tokens

WINDOW = 10
"""Sentences in a window of the published retrieval (gersteinlab/ML-Bench, utils/bm25.py)."""
MAX_FILE_BYTES = 1_000_000
_SENTENCE = re.compile(r"(?<=[.!?])['\")\]]*\s+(?=[A-Z0-9\"'(\[#])")
OUTPUT_TOKENS = 1024
# The wording is the benchmark's own (gersteinlab/ML-Bench, scripts/api, MIT licence): a baseline must be asked as published.
TASK = (
    "Suppose you are a data scientist, you will read the following README file and write {kind} to do the task described by "
    "the user.\nYou want to help me with this task:\n{instruction}\n"
)
SHOWN = {
    "oracle": "If you want to use the code segment and script in the following segment, you can use it directly:\n{text}\n",
    "retrieval": "Here is part of a README of this Github Repo, you might refer to it to write the script:\n{text}\n",
    "code": "Here is the README of this Github Repo, you might refer to it to write the script:\n{text}\n",
}
FORM = "\nIn your answer, the script should be generated between ``` and ```. Don't generate multiple code blocks"
HINT = ". Most answers can be directly found in the above segment. You might need to modify the code a little bit to make it work."
LANGUAGES = ("python", "bash", "script", "")
_WHOLE_BLOCK = re.compile(r"```.*```", re.DOTALL)


class Answer(NamedTuple):
    """What was taken out of a reply."""

    text: str
    trouble: str
    """Why it is none, or not the whole of it."""


def ask(settings: Settings, budget: Budget, question: str, seed: int, temperature: float) -> Answer:
    """Ask a model once, within a budget; the answer as the published script takes it out of the reply."""
    parts = ClientParts(memory=Memory(), prices=load_prices(settings.prices))
    sender = Sender(endpoint_of(settings), budget, lambda event, **fields: None, parts)
    body = RequestBody(
        messages=({"role": "user", "content": verbatim(question)},),
        options={"max_tokens": OUTPUT_TOKENS, "temperature": temperature, "seed": seed},
    )
    try:
        reply = read_reply(sender.send("raw", body, "text"))
    except openai.APIError as error:
        raise sender.final(error) from error
    finally:
        sender.close()
    text = extract(reply.content)
    return Answer(text, _trouble(reply, text))


def _trouble(reply: Reply, text: str) -> str:
    """What the reply lacks: a published script takes what there is and says nothing, so that a row failed without a reason."""
    if reply.cut_off and not _WHOLE_BLOCK.search(reply.content):
        return f"the reply was cut off at its limit of {OUTPUT_TOKENS} tokens"
    if reply.refusal:
        return f"the model refused: {reply.refusal}"
    return "" if text else "the reply is empty"


def prompt(shown: Visible, root: Path, setting: Setting, tokens: int, model: str) -> str:
    """The published prompt of the setting, with at most so many tokens of the repository; "agent" shows the README of the task's folder."""
    if setting == "oracle":
        text = shown.oracle
    elif setting == "retrieval":
        text = retrieved(shown.instruction, readme(root, shown.path))
    elif setting == "code":
        text = code(root, tokens, model)
    else:
        text, _ = cut(readme(root, shown.path), tokens, model)
    kind = "a python script" if setting == "code" else "a script"
    shape = SHOWN.get(setting, SHOWN["code"])
    ending = HINT if setting == "oracle" else ""
    return TASK.format(kind=kind, instruction=shown.instruction) + shape.format(text=text) + FORM + ending + "\n"


def extract(reply: str) -> str:
    """The first fenced block, by the published order of languages; a reply without one is taken as it is."""
    for language in LANGUAGES:
        found = re.search(rf"```{language}\n*(.*?)\n*```", reply, re.DOTALL)
        if found:
            return found.group(1)
    return reply.strip()


def readme_file(root: Path, folder: str) -> Path | None:
    """The README of the task's folder, else of the nearest folder above that has one."""
    if not root.is_dir():
        return None
    place, tree = root / (folder or "."), Tree(root)
    while True:
        named = (f for f in place.glob("*") if f.name.lower().startswith("readme"))
        found = sorted((f for f in named if tree.is_file(f.relative_to(root).as_posix())), key=_readme_order)
        if found:
            return found[0]
        if place in (root, place.parent):
            return None
        place = place.parent


def readme(root: Path, folder: str) -> str:
    """Its text; "" where there is none."""
    file = readme_file(root, folder)
    return Tree(root).read_text(file.relative_to(root).as_posix()) if file else ""


def _readme_order(path: Path) -> tuple[int, str]:
    suffixes = (".md", ".rst", ".txt", "")
    suffix = path.suffix.lower()
    return (suffixes.index(suffix) if suffix in suffixes else len(suffixes), path.name)


def retrieved(instruction: str, text: str) -> str:
    """The window of sentences that BM25 finds best, words split at blanks, as published."""
    sentences = split_sentences(text)
    if not sentences:
        return ""
    windows = [" ".join(sentences[at : at + WINDOW]).split() for at in range(len(sentences))]
    windows = [w for w in windows if w]
    best = BM25Okapi(windows).get_top_n(instruction.split(), windows, n=1)[0]
    return " ".join(best)


def split_sentences(text: str) -> list[str]:
    """Sentences by end marks before a new beginning; as published it was NLTK's punkt, which needs data of its own."""
    return [s for s in _SENTENCE.split(text.strip()) if s]


def code(root: Path, tokens: int, model: str = "") -> str:
    """The files of a repository, READMEs first, each under its path, cut at a number of tokens."""
    files = sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink() and ".git" not in p.parts)
    files.sort(key=lambda p: "README" not in p.name.upper())
    parts: list[str] = []
    left = tokens
    for path in files:
        if left <= 0:
            break
        part = _part(path, root)
        if part:
            part, used = cut(part, left, model)
            parts.append(part)
            left -= used
    return "".join(parts)


def _part(path: Path, root: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return ""
        return f"\n=== {path.relative_to(root).as_posix()} ===\n{path.read_text(encoding='utf-8')}\n"
    except (OSError, UnicodeDecodeError):
        return ""


def cut(text: str, tokens: int, model: str = "") -> tuple[str, int]:
    """The beginning of a text that has at most so many tokens, and their number."""
    used = count_tokens(text, model).n
    while used > tokens and text:
        text = text[: max(0, int(len(text) * tokens / used) - 1)]
        used = count_tokens(text, model).n
    return text, used
