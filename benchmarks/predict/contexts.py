"""What the raw navigator reads of a repository, by setting."""

import re
from pathlib import Path

from rank_bm25 import BM25Okapi

from ml_agent.tools.files import Tree
from ml_agent.tools.tokens import count_tokens

WINDOW = 10
"""Sentences in a window of the published retrieval (gersteinlab/ML-Bench, utils/bm25.py)."""
MAX_FILE_BYTES = 1_000_000
_SENTENCE = re.compile(r"(?<=[.!?])['\")\]]*\s+(?=[A-Z0-9\"'(\[#])")


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
