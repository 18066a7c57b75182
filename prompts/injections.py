"""Finds lines of a repository that speak to an agent instead of to people: to show them to the user and to mark them for a model.

It reads what a model would read: without marks that have no width, letters of other scripts that look like Latin ones put
back, encoded text decoded, hidden comments as well as shown text. It finds, it proves nothing: what a model may do is limited
elsewhere.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ml_agent.prompts.hidden import NO_WIDTH, TAGS, blocks, comments, decoded, readable, references, spelled

Kind = Literal[
    "override", "addressed", "role", "secrets", "concealment", "answer", "frame", "invisible", "encoded", "hidden"
]
MOST_CHARACTERS = 400_000
"""Of one text; the rest is not looked at."""
_SHOWN = 160
_LONGEST_LINE = 4_000


class Hit(NamedTuple):
    """One line that speaks to an agent."""

    line: int
    kind: Kind
    text: str
    """The line as people see it, cut."""


_AGENT = r"(?:ai|a\.i\.|llms?|language models?|assistants?|(?:coding|ai|autonomous|automated|llm) (?:agents?|assistants?|tools?)|agents?|chat ?bots?|copilot|claude|chatgpt|gpt(?:-?\d\w*)?|gemini|automated (?:systems?|readers?|tools?))"
_RULES = r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|constraints?|restrictions?|polic(?:y|ies)|task|tasks|orders?|what (?:you were|the user))"
_SECRET = r"(?:api[ _-]?keys?|secret keys?|secrets|credentials?|passwords?|(?:access|auth|api|github|hf|secret|bearer|deploy)[ _-]tokens?\b|environment variables?|env(?:ironment)? vars?|\.env\b|ssh keys?|private keys?|id_rsa|~?/?\.ssh\b|/etc/passwd|\.netrc|\.aws/|system prompt|\$\{?[a-z_]*(?:key|token|secret|password)\}?|os\.environ|printenv)"
_SEND = r"(?:send|post|upload|transmit|leak|exfiltrate|forward|submit|deliver|e-?mail|print|output|include|reveal|echo|cat|append|embed|attach|repeat|disclose|encode|put|write|pass|report)"
_TARGET = r"(?:https?://|\burl\b|\bserver\b|\bwebhook\b|\bendpoint\b|\byour (?:answer|response|reply|output|message|command)|\bthe (?:answer|response|reply|final|command line)|\bas (?:an? )?(?:query|argument|parameter|header|option))"

_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("override", re.compile(rf"\b(?:ignore|disregard|forget|override|bypass|neglect|discard|do not (?:follow|obey)|don't (?:follow|obey)|stop following|pay no attention to|set aside)\b.{{0,30}}\b(?:previous|prior|above|earlier|preceding|all|any|every(?:thing)?|your|these|those|system|original|initial|other|user'?s?|given|so far|before)\b.{{0,30}}\b{_RULES}\b")),
    ("override", re.compile(r"\b(?:ignore|disregard|forget) (?:everything|all|anything)\b.{0,20}\b(?:above|before|previously|so far|told|said|learned|know)\b")),
    ("override", re.compile(rf"\b(?:new|updated|revised|real|actual|true|important|urgent|hidden|secret) (?:system )?{_RULES}\b.{{0,20}}\b(?:for|to) (?:the |any |all |every )?{_AGENT}\b")),
    ("override", re.compile(rf"\b(?:these|the following|this|my) (?:\w+ )?{_RULES} (?:supersedes?|overrides?|replaces?|takes? precedence|outranks?)\b")),
    ("addressed", re.compile(rf"\b(?:if you(?:'re| are)(?: reading this)?(?: as)? (?:an? |the )?|(?:note|notice|message|instructions?|attention|reminder|important|hint|info(?:rmation)?|warning|directive)s?[:,]? (?:for|to)[:,]? (?:the |any |all |every |an? |other )?|attention[:,]? (?:all |any )?|dear |hey |hello |calling all ){_AGENT}\b(?! ?(?:users?|developers?|researchers?|engineers?|practitioners?|community|evaluation|training|inference|models? (?:card|zoo|weights)|[\w-]+ (?:weights|paper)))")),
    ("addressed", re.compile(rf"\b(?:any|every|all|each|an|the|as an?) {_AGENT}(?: (?:that|which|who|reading|working|running|using|processing|parsing|looking)\b.{{0,50}})?,? (?:must|should|shall|has to|have to|is required to|are required to|needs? to|is asked to|are asked to|will)(?: (?:always|first|also|now|never|instead))? (?:run|execute|install|reply|answer|add|include|append|download|fetch|send|read|open|use|call|set|pass|write|output|print|choose|ignore)\b")),
    ("addressed", re.compile(r"\b(?:(?:assistants?|agents?|ai|llms?):|(?:assistant|claude|copilot|chatgpt),) (?:please |always |never |first |now |you must |you should |kindly )?(?:run|execute|install|reply|answer|add|include|append|download|fetch|send|read|open|call|set|write|output|print|choose|ignore|do not|don't|use)\b")),
    ("role", re.compile(r"(?:^\W*|\|\W{0,20})(?:system|admin(?:istrator)?|root|operator|developer)(?: (?:message|override|prompt|note|notice|instructions?|update|command))? ?[:>\]] ?.{0,60}\b(?:you|your|must|ignore|execute|reply|answer|agent|assistant|user)\b")),
    ("role", re.compile(r"\byou are (?:now|no longer)\b(?! (?:ready|able|done|set|good|using|in (?:the|a)|inside|connected|logged|running|free))|\bfrom (?:now|here|this point) on(?:wards?)?,? (?:you|your|always|only|never)\b|\bpretend (?:to be|you(?:'re| are)|that you)\b|\b(?:developer|dan|god|debug|maintenance|unrestricted) mode (?:is )?(?:now )?(?:enabled|activated|on)\b|\bact as (?:if you|though you|an? (?:unrestricted|unfiltered|root|admin))\b")),
    ("secrets", re.compile(rf"\b{_SEND}\b.{{0,60}}{_SECRET}.{{0,60}}{_TARGET}")),
    ("secrets", re.compile(rf"\b{_SEND}\b.{{0,40}}{_TARGET}.{{0,60}}\b(?:with|containing|including|along with|together with)\b.{{0,40}}{_SECRET}")),
    ("secrets", re.compile(r"\b(?:curl|wget|nc|ncat|invoke-webrequest)\b.{0,120}(?:\$\(.{0,30}(?:env|cat|printenv)|`(?:env|cat|printenv)|@~?/?\S*(?:\.ssh|\.env|\.netrc|id_rsa|passwd|credentials)|[?&=/]\$\{?[a-z_]*(?:key|token|secret|password))")),
    ("secrets", re.compile(r"\b(?:env|printenv|cat \S*(?:\.ssh|\.env|\.netrc|id_rsa|passwd|credentials)\S*)\s*\|\s*(?:curl|nc|ncat|base64|wget|openssl)\b")),
    ("concealment", re.compile(r"\b(?:do not|don't|dont|never|without|must not|should not|avoid|no need to)\b.{0,15}\b(?:tell|mention|mentioning|inform|informing|reveal|disclose|show|telling|alert|notify|notifying|ask|asking|report)(?:ing)?\b.{0,25}\b(?:the |to |your )?(?:users?|humans?|operator|owner|developers?|anyone|anybody|people)\b(?! (?:guide|study|interface|manual))")),
    ("concealment", re.compile(rf"\b(?:keep|this (?:is|stays|must stay)) (?:this |it )?(?:a )?(?:secret|hidden|confidential|between us)\b|\bdo not (?:mention|reveal|disclose|repeat|quote) (?:this|these|the above)\b.{{0,20}}\b(?:{_RULES}|message|note|comment|text)\b")),
    ("answer", re.compile(r"\b(?:your (?:final |only |first |next )?(?:answer|response|reply|output|command|solution)|the (?:final )?answer) (?:must|should|has to|shall|needs to|is required to) (?:always |only |also |exactly )?(?:be|include|contain|start|begin|end|say|read|use|consist)\b(?! (?:saved|written|similar|identical|stored|something|like|as follows|in the|printed|of shape))")),
    ("answer", re.compile(r"\b(?:always|only|instead|just|simply|immediately)[, ]+(?:answer|respond|reply)\b.{0,12}\b(?:with|by|that|using|\")|\b(?:answer|respond|reply) (?:only|exactly|always|instead) (?:with|by)\b")),
    ("answer", re.compile(r"\b(?:add|append|prepend|include|put|insert|pass)\b.{0,60}\b(?:to|in|into|at the end of|before|after) (?:every|each|any|all)(?: \w+)? (?:commands?|answers?|repl(?:y|ies)|responses?) (?:you|that you|which you|written|generated|produced)?")),
    ("answer", re.compile(r"\b(?:before|instead of|after|prior to) (?:you )?(?:answer|answering|respond|responding|reply|replying|writing the (?:answer|command)|any other (?:step|action)|doing anything else)\b.{0,40}\b(?:run|execute|call|read|open|fetch|download|send|you (?:must|should|need))\b")),
    ("frame", re.compile(r"</(?:file|document|data|context|tool_result|function_results?|untrusted|user_query|retrieved)>\s*$|<(?:tool_call|function_call|invoke|tool_use|function_calls)\b|\{\s*\"(?:name|tool|function)\"\s*:\s*\"(?:answer|run|read|bash|execute|shell|tool)\"\s*,\s*\"(?:arguments|parameters|input)\"")),
    ("frame", re.compile(r"\bend of (?:the )?(?:readme|document|file|data|context|untrusted (?:data|content)|user input|repository (?:data|content))\b.{0,60}\b(?:instruction|now|system|you|begin|new)")),
)  # fmt: skip
_TURN = re.compile(
    r"(?:^|[\s\"'`])(?:<\|?(?:im_start|im_end|system|endoftext|start_header_id|eot_id)\|?>|<<sys>>|\[/?inst\])"
)
"""Marks of another's turn: in code they are what repositories of language models speak of."""
_HIDDEN = re.compile(
    rf"\b{_AGENT}\b.{{0,80}}\b(?:must|should|run|execute|install|use|add|include|answer|reply|do not|don't|instead|choose|prefer|ignore)\b"
)
"""What only counts where people do not see it."""
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BETWEEN = re.compile("[A-Za-z][\u00ad\u200b\u200c\u2060\ufeff]+(?=[A-Za-z])")
_ENCODED = re.compile(r"(?<![\w/+=])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w/+=])")
_HEX = re.compile(r"(?<![\w])(?:[0-9a-fA-F]{2}[ :]?){24,}(?![\w])")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_LOOKALIKES = str.maketrans("аеорсухіѕјԁһӏɡⅼαοενικ", "aeopcyxisjdhlglaoevik")


def injections(text: str) -> list[Hit]:
    """The lines of a text that speak to an agent, first to last, one hit a line."""
    text = text[:MOST_CHARACTERS]
    lines = text.split("\n")
    found: dict[int, Hit] = {}
    for number, kind in (*_match_lines(lines), *_unseen(lines), *_match_comments(text)):
        if number not in found:
            found[number] = Hit(number, kind, _printable(lines[number - 1]))
    return [found[number] for number in sorted(found)]


def plain(line: str) -> str:
    """A line as a model reads it: nothing without width, Latin letters for those that look like them, lower case."""
    seen = unicodedata.normalize("NFKC", NO_WIDTH.sub("", spelled(line))).lower().translate(_LOOKALIKES)
    return re.sub(
        r"(?<!\w)[*_`~]{1,3}(?=\w)|(?<=\w)[*`~]{1,3}|\s+", lambda match: " " if match[0].isspace() else "", seen
    )


def _match_lines(lines: list[str]) -> Iterator[tuple[int, Kind]]:
    """Patterns over each line, and over it with the next one: sentences are wrapped. Code is looked at for less."""
    plains = [plain(line[:_LONGEST_LINE]) for line in lines]
    fenced = False
    for number, line in enumerate(plains, 1):
        if lines[number - 1].lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        following = plains[number] if number < len(plains) else ""
        kind = _kind(line, fenced) or (_across(line, following, fenced) if following else None)
        if kind is not None:
            yield number, kind


def _across(line: str, following: str, fenced: bool) -> Kind | None:
    """A sentence that goes over two lines; one that stands in the second alone is that line's."""
    both = _kind(f"{line} {following}", fenced)
    return both if both is not None and _kind(following, fenced) is None else None


def _kind(line: str, fenced: bool) -> Kind | None:
    if len(line) < len("</file>"):
        return None
    if not fenced and _TURN.search(line):
        return "role"
    return next((kind for kind, pattern in _PATTERNS if pattern.search(line)), None)


def _unseen(lines: list[str]) -> Iterator[tuple[int, Kind]]:
    """What people cannot see or read: tags, turned text, letters split by nothing, encoded sentences."""
    wrapped = {block.first: block for block in blocks(lines) if _speaks(decoded(block.joined))}
    inside = {first + more for first, block in wrapped.items() for more in range(len(block.words))}
    for number, line in enumerate(lines, 1):
        if (
            TAGS.search(line)
            or len(_BETWEEN.findall(line)) >= 3
            or (_TURNED.search(line) and not _RIGHT_TO_LEFT.search(line))
        ):
            yield number, "invisible"
        elif number - 1 in wrapped or (number - 1 not in inside and any(map(_speaks, _decode(line)))):
            yield number, "encoded"


def _speaks(said: str | None) -> bool:
    """Whether a text that was encoded speaks to an agent, in its first words or in any sentence."""
    text = plain((said or "")[:_LONGEST_LINE])
    return bool(_kind(text, False) or _HIDDEN.search(text))


def _decode(line: str) -> Iterator[str | None]:
    for match in _ENCODED.finditer(line[:_LONGEST_LINE]):
        yield decoded(match[0])
    for match in _HEX.finditer(line[:_LONGEST_LINE]):
        yield readable(bytes.fromhex(re.sub(r"[ :]", "", match[0])))


def _match_comments(text: str) -> Iterator[tuple[int, Kind]]:
    line, counted = 1, 0
    for found in sorted([*comments(text), *references(text)]):
        line, counted = line + text.count("\n", counted, found.start), found.start
        part = text[found.start : found.end][: _LONGEST_LINE + 20].removeprefix("<!--").removesuffix("-->")
        inside = " ".join(plain(words) for words in part.split("\n"))
        if _HIDDEN.search(inside) or _kind(inside, False):
            yield line, "hidden"


def _printable(line: str) -> str:
    text = " ".join("".join(char if char.isprintable() else " " for char in NO_WIDTH.sub("", spelled(line))).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
