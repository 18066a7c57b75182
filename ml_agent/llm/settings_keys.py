"""The keys of configurations that a program reads by itself and whose values its command line may change."""

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from ml_agent.llm.listing import options_of
from ml_agent.navigator import Workspace
from ml_agent.tools.signatures.comments import with_comments
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.yaml_keys import flat_options, load_yaml

_MOST_FILES, _MOST_NAMES = 200, 20
_NAMED = re.compile(r"""["']([\w./-]{1,120}\.ya?ml)["']""")
"""A file of settings in a text of code."""
_COMPOSED = re.compile(r"""\bcompose\(\s{0,40}(?:config_name\s?=\s?)?["']([\w./-]{1,120})["']""")
_FOLDER = re.compile(r"""\bconfig_(?:path|module)\s?=\s?["']([\w./-]{1,120})["']""")
"""What a program of hydra's composes itself, and from where."""
_HOLDS = re.compile(r"(?:^|_)(?:opts?|options|overrides?|set|settings|cfg|yml|yaml)(?:_|$)")
_SEVERAL = frozenset({"*", "+", "..."})


def takes_settings(signature: Signature) -> bool:
    """Whether a command line may change what a configuration says: it takes more than its parser lists, or words that are settings."""
    held = (one for one in signature.options if one.nargs in _SEVERAL and one.type in ("str", "unknown"))
    return signature.accepts_unknown or any(_HOLDS.search(one.dest.lower()) for one in held)


def read_by_name(signature: Signature, workspace: Workspace) -> list[str]:
    """The YAML files whose keys an entry point may take beside its options: those that its code names, or composes with hydra, the nearest first."""
    path = signature.path
    if not signature.accepts_unknown or signature.framework == "none":
        return []
    sources = Sources(workspace.index.root, frozenset(workspace.index.files))
    found: dict[str, None] = {}
    for code in islice(sources.closure(path, path) if path.endswith(".py") else (), _MOST_FILES):
        folders = (posixpath.dirname(code), posixpath.dirname(path), "")
        for name in islice(_names(sources.text(code) or ""), _MOST_NAMES):
            places = (posixpath.normpath(posixpath.join(folder, name)) for folder in folders)
            found |= dict.fromkeys(islice((place for place in places if sources.exists(place)), 1))
    return list(found)


def _names(code: str) -> Iterator[str]:
    yield from _NAMED.findall(code)
    for name in _COMPOSED.findall(code):
        for folder in _FOLDER.findall(code):
            yield f"{folder.replace('.', '/') if '/' not in folder else folder}/{name.removesuffix('.yaml')}.yaml"


def keys_of(path: str, words: str, workspace: Workspace, most: int) -> str:
    """The keys of a YAML file with their values, those first that share words with what is asked for; "" where it has none."""
    sources = Sources(workspace.index.root, frozenset(workspace.index.files))
    data = load_yaml(sources, path) if path.endswith((".yaml", ".yml")) else None
    options = (
        [msgspec.structs.replace(one, nargs="?") for one in flat_options(data, path, sources.text(path) or "")]
        if data
        else []
    )
    return (
        options_of(with_comments(sources, Signature(path=path, options=tuple(options))), words, most) if options else ""
    )
