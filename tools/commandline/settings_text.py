"""One word that holds several settings: "lr=0.01,names=[a,b]", or JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ml_agent.tools.signatures.model import Held, Option

_PAIR = re.compile(r"\s*+(?P<key>[A-Za-z_][\w.]*+)\s*+=(?P<value>\s*+\[[^\]]*+\]\s*+|[^,\[\]]*+)(?:,|$)")
"""As `tf.contrib.training.HParams.parse` reads it."""
_LONGEST = 20_000
_TRUTH = {"true": True, "false": False, "none": None, "null": None}


def pairs_of(text: str, held: Held) -> list[tuple[str, str]] | None:
    """The settings of a text with their values; None where it is no such text."""
    if len(text) > _LONGEST:
        return None
    if held == "json":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return [(str(key), _word(value)) for key, value in found.items()] if isinstance(found, dict) else None
    pairs, at = [], 0
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            return None
        pairs.append((match["key"], match["value"].strip()))
        at = match.end()
    return pairs


def settings_text(settings: Sequence[Option], given: Mapping[str, Any], own: Any = None) -> str:
    """The word that gives settings their values.

    Args:
        settings: of one holder.
        given: by dest: the values.
        own: what the holder is given beside them.
    """
    held = settings[0].held
    pairs = dict(pairs_of(str(own), held) or ()) if own else {}
    pairs |= {option.dest: _word(given[option.dest]) for option in settings}
    if held == "json":
        return json.dumps({key: _as_json(value) for key, value in pairs.items()})
    return ",".join(f"{key}={value}" for key, value in pairs.items())


def _word(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, bool) else json.dumps(value)


def _as_json(word: str) -> Any:
    """A word as JSON has it."""
    if word.lower() in _TRUTH:
        return _TRUTH[word.lower()]
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word
