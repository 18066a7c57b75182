"""Texts for a model that the user describes in words: a prompt, a caption, a question."""

import re

from ml_agent.matching.terms import terms

_SLOTS = frozenset(terms("prompt caption question text sentence description query style"))
_LEAD = re.compile(
    r"\b(?:generat\w+|creat\w+|draw\w*|paint\w*|produc\w+|render\w*|make|recreat\w+|featur\w+|showcas\w+|shows?|showing|depict\w*|contain\w*|describ\w+)\s+"
    r"(?:of\s+)?(?P<phrase>[^,.;:!?'\"`]{3,120})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\b(?:determin\w+|identify\w*|highlight\w*|find\w*|detect\w*|know\w*|tell\w*|ask\w*|locat\w+|recogni\w+|assess\w*)\s+(?P<phrase>[^,.;:!?'\"`]{3,120})",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"\b(?:into|in)\s+(?P<phrase>an?\s[^,.;:!?]{3,80}?(?:style|styled|painting|masterpiece|art)\w*)", re.IGNORECASE
)
_TAIL = re.compile(
    r"(?<!\s)\s++(?:using|utili[sz]ing|with the|by|via|that is|for this|from the|through|within|employing|in the (?:image|photograph|picture)|on my)\b.*$",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:the|some|my|these|this|that|me|us)\s+", re.IGNORECASE)
_LONG = 2


def is_prose(slot: str, text: str) -> bool:
    """Whether a literal is a prompt, a caption, a question."""
    return bool(set(terms(slot)) & _SLOTS) and len(text.split()) > _LONG


def phrase_for(slot: str, text: str, instruction: str) -> str | None:
    """The user's own words for a literal of prose; None where the user says nothing of the kind."""
    parts = set(terms(slot))
    if parts & set(terms("style")):
        return _find_phrase(_STYLE, instruction) or _find_phrase(_LEAD, instruction)
    if parts & set(terms("question")) or text.rstrip().endswith("?"):
        phrase = _find_phrase(_QUESTION, instruction)
        return f"{phrase[0].upper()}{phrase[1:]}?" if phrase else None
    return _find_phrase(_LEAD, instruction) or _find_phrase(_STYLE, instruction)


def _find_phrase(pattern: re.Pattern[str], instruction: str) -> str | None:
    for match in pattern.finditer(instruction):
        phrase = _OPENING.sub("", _TAIL.sub("", match["phrase"]).strip()).strip()
        if len(phrase) > _LONG and not re.search(r"\b(?:code|script|snippet|instructions)\b", phrase):
            return phrase
    return None
