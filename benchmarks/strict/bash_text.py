"""The text of a shell answer without what does nothing: comments, `echo` arguments, assignments that nothing reads."""

import re
from collections.abc import Callable

OPERATORS = ("&&", "||", ";;", ";", "|&", "|", "&", "\n")
SILENT = ("echo", "printf", ":", "true", "false")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
DECLARATORS = ("export", "declare", "local", "typeset", "readonly")
RUNTIME = re.compile(
    r"(CUDA|NCCL|OMP|MKL|TF|TORCH|PYTORCH|HF|TRANSFORMERS|WANDB|XLA|NVIDIA|PYTHON|LD)_?\w*$|MASTER_(ADDR|PORT)$|WORLD_SIZE$|RANK$"
)


class Piece:
    """One simple command: its words as written, and the operator that ends it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.end = ""


def commands(text: str) -> list[Piece]:
    """The simple commands of a script, comments left out, quotes kept."""
    text = text.replace("\\\r\n", " ").replace("\\\n", " ")
    pieces, piece, word, at = [], Piece(), "", 0

    def close_word() -> None:
        nonlocal word
        if word:
            piece.words.append(word)
            word = ""

    while at < len(text):
        char = text[at]
        operator = next((o for o in OPERATORS if text.startswith(o, at)), "")
        if char in "'\"`":
            end = _closing(text, at)
            word += text[at:end]
            at = end
        elif char == "\\":
            word += text[at : at + 2]
            at += 2
        elif char == "#" and not word:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif operator and not (operator == "&" and (word.endswith(">") or text[at + 1 : at + 2] == ">")):
            close_word()
            piece.end = operator
            pieces.append(piece)
            piece = Piece()
            at += len(operator)
        elif char.isspace():
            close_word()
            at += 1
        else:
            word += char
            at += 1
    close_word()
    return [p for p in [*pieces, piece] if p.words]


def _closing(text: str, at: int) -> int:
    """The place after the quote that closes the one at `at`; the end of the text where it stays open."""
    quote, at = text[at], at + 1
    while at < len(text):
        if text[at] == "\\" and quote != "'":
            at += 2
            continue
        if text[at] == quote:
            return at + 1
        at += 1
    return len(text)


def strip_bash(text: str, reads: Callable[[str], bool] = lambda name: False) -> str:
    """The script with only what counts, one command a line.

    Args:
        text: the script.
        reads: whether the repository reads an environment variable of this name.
    """
    pieces = commands(text)
    whole = "\n".join(" ".join(p.words) for p in pieces)

    def used(name: str) -> bool:
        return bool(RUNTIME.match(name)) or reads(name) or bool(re.search(r"\$\{?" + name + r"\b", whole))

    lines = []
    for piece in pieces:
        words = _without_assignments(piece.words, used)
        redirected = any(w.startswith(">") or w.endswith(">") for w in words)
        if words and words[0] in SILENT and not piece.end.startswith("|") and not redirected:
            continue
        if words:
            lines.append(" ".join(words))
    return "\n".join(lines)


def _without_assignments(words: list[str], used: Callable[[str], bool]) -> list[str]:
    """The words without leading assignments (also after `export`) that nothing reads."""
    rest = words[1:] if words[0] in DECLARATORS else words
    kept: list[str] = []
    for at, word in enumerate(rest):
        match = ASSIGNMENT.match(word)
        if match is None and words[0] not in DECLARATORS:
            return kept + rest[at:]
        if match is not None and used(match.group(1)):
            kept.append(word)
    return kept


def assignments(text: str) -> str:
    """Only the assignments and exports of a script: what of a prefix stays in force for the answer."""
    kept = []
    for piece in commands(text):
        words = piece.words[1:] if piece.words[0] in DECLARATORS else piece.words
        if words and all(ASSIGNMENT.match(w) for w in words):
            kept.append("export " + " ".join(words))
    return "\n".join(kept)
