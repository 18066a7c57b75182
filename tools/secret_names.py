"""Which names of environment variables say that they hold a secret: one list for what is hidden and for what is refused."""

import re
from collections.abc import Mapping

_WORDS = frozenset(
    [
        "key",
        "token",
        "secret",
        "secrets",
        "password",
        "passwd",
        "passphrase",
        "credential",
        "credentials",
        "auth",
        "authorization",
        "cookie",
        "pat",
    ]
)
_ENDINGS = re.compile(r"\w(?:password|passwd|passphrase|passcode|token|secret|secrets|credentials?|apikey|key|pass)$")
"""Of one part of a name: PGPASSWORD, HFTOKEN, OPENAIKEY, SSHPASS."""
_NO_SECRETS = re.compile(
    r"\w*(?:monkey|donkey|turkey|turnkey|hockey|jockey|whiskey|lackey|hotkey|mickey"
    r"|bypass|compass|trespass|overpass|underpass|encompass|(?:low|high|band|all|num|multi|single|one|two)pass)"
)
_OF_DATA = frozenset(
    {"sort", "primary", "foreign", "group", "index", "label", "bos", "eos", "pad", "unk", "mask", "sep", "cls"}
)
"""What stands before `key` or `token` where that is one of a table or of a vocabulary: SORT_KEY, EOS_TOKEN."""
_SHORT = frozenset({"pwd", "pass"})
"""Secrets at the end of a name of several parts: MYSQL_PWD, DB_PASS; PWD alone is a folder."""


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment for a process that has no business with secrets."""
    return {name: value for name, value in environment.items() if not names_a_secret(name)}


def names_a_secret(variable: str) -> bool:
    """Whether a variable's name says that it holds a secret."""
    parts = [part.rstrip("0123456789") for part in re.split(r"[^a-z0-9]+", variable.lower())]
    parts = [part for part in parts if part]
    if len(parts) > 1 and parts[-1] in ("key", "token") and parts[-2] in _OF_DATA:
        parts = parts[:-2]
    says = (part for part in parts if _ENDINGS.search(part) is not None and _NO_SECRETS.fullmatch(part) is None)
    return not _WORDS.isdisjoint(parts) or any(says) or (len(parts) > 1 and parts[-1] in _SHORT)
