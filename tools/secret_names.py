"""Which names of environment variables say that they hold a secret: one list for what is hidden and for what is refused."""

import re
from collections.abc import Mapping

_WORDS = frozenset(
    [
        "key",
        "apikey",
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


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment for a process that has no business with secrets."""
    return {name: value for name, value in environment.items() if not names_a_secret(name)}


def names_a_secret(variable: str) -> bool:
    """Whether a variable's name says that it holds a secret."""
    return bool(_WORDS & set(re.split(r"_+", variable.lower())))
