"""What a repository is, in a line: as its setup files or the first sentences of its README say it, for one that no catalogue describes."""

import re
from collections.abc import Iterator
from itertools import dropwhile, islice

from ml_agent.tools.documents.model import Passage
from ml_agent.tools.documents.read import is_readme
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.setup_files import description_of
from ml_agent.tools.signatures.sources import SETUP_FILES, Sources

_FEW_WORDS = 5
_LONG_TITLE = 4
_MOST_PARAGRAPHS = 4
"""That are looked at; what follows says how something is done."""
_DATES = r"\W{0,8}(?:(?:\d{1,2}[./ -])?(?:19|20)\d\d\b|\d{1,2}/\d{1,2}\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d)"
_NEWS = re.compile(
    rf"{_DATES}|\W{{0,8}}(?:(?:latest |recent )?(?:news|updates?|updated|releases?|announcements?|important|notes?|notice|warning|status|todo|"
    r"figure|fig|figs|table|authors?|add(?:ed)?|improve[ds]?|extend|fix(?:es|ed)?|new|we started|please)\b(?!-)|we (?:have )?(?:released?|added?|updated?|just)\b)|"
    r".{0,200}\b(?:is now available|(?:now|just|newly|been) released|new release|no longer|discord|slack|star (?:us|on)|subscribe|sponsor)",
    re.IGNORECASE,
)
"""How a line begins or what it has in it that tells what happened, or whom to ask, rather than what there is."""
_NEWS_HEADING = re.compile(
    r"\W*(?:\w+\W+){0,2}(?:news|updates?|what'?s new|change ?log|releases?|announcements?|history|contents|citation|licen[cs]e|"
    r"installation|requirements|dependencies|sponsors?|todo)(?:\W+\w+)?\W*",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:here |in our (?:\w+ )?\w+, )?(?:we|this|in this|the goal of (?:the|this)) (?:proposed?|present(?:ed)?|is|repo(?:sitory)?|project|package|library|codebase|code|directory|framework|work|release)\b|"
    r"(?:welcome to )?(?:(?:an?|the|open|source|official|simple|customized|faithful|unofficial|clean|minimal|python3?|pytorch|tensorflow|jax|keras|original|training|new) ){0,4}(?:re)?-?(?:implementation|code|codebase|library|toolkit|"
    r"framework|repository|toolbox|reproduction)\b|.{1,80}?\b(?:is|are) (?:an?|the|our) |.{1,60}?\b(?:provides?|contains?|stands for|aims to) ",
    re.IGNORECASE,
)
"""How a line begins that says what something is."""
_SMALL = frozenset(["a", "an", "the", "of", "for", "in", "to", "is", "with", "and", "using", "from", "by", "on"])
"""Words that a sentence has, and a row of badges has not."""
_LINKS = re.compile(r"\s[|•·]\s.*\s[|•·]\s")


def declared_of(sources: Sources) -> str:
    """What the setup files say that the repository is, "" where they do not."""
    return description_of(*(sources.text(name) or "" for name in SETUP_FILES))


def about_of(index: RepoIndex) -> str:
    """What the main README says first of what the repository is, before news, links and captions, else its title; "" where it says nothing."""
    top = [one for one in index.passages if is_readme(one.path) and "/" not in one.path]
    paragraphs = list(islice((text for one in top for text in _prose(one)), _MOST_PARAGRAPHS))
    titles = (one.headings[0] for one in top[:1] if one.headings)
    says = (text for text in paragraphs if _SAYS.match(text))
    return next(says, "") or next((title for title in titles if _is_title(title)), "") or next(iter(paragraphs), "")


def _is_title(heading: str) -> bool:
    """Whether a heading says more than a name, and no news."""
    return len(heading.split()) >= _LONG_TITLE and not _NEWS.match(heading) and not _LINKS.search(heading)


def is_aside(passage: Passage) -> bool:
    """Whether a passage is about news, installation, licence and the like, by its heading."""
    return any(map(_NEWS_HEADING.fullmatch, passage.headings[-1:]))


def _prose(passage: Passage) -> Iterator[str]:
    """The paragraphs of a passage that is not about news, from their first line of prose on, without those that tell news."""
    if is_aside(passage):
        return
    code = {line for block in passage.blocks for line in block.text.split("\n")}
    for paragraph in re.split(r"\n\s*\n", passage.text):
        lines = [line.strip() for line in paragraph.split("\n") if line not in code]
        rest = list(dropwhile(lambda line: not _is_prose(line), lines))
        if rest and not _NEWS.match(rest[0]):
            yield " ".join(rest)


def _is_prose(line: str) -> bool:
    """Whether a line is of a sentence, rather than badges, links, names or a heading."""
    words = line.split()
    small = not line.isascii() or any(word.lower() in _SMALL for word in words)
    return len(words) > _FEW_WORDS and line[0].isalpha() and small and not _LINKS.search(line)
