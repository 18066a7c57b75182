"""How many tokens a text costs, without a network."""

import contextlib
import functools
import gzip
import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import tiktoken
from tiktoken.model import encoding_name_for_model

from ml_agent.tools.atomic import write_whole
from ml_agent.tools.bounded import read_bytes
from ml_agent.tools.own_cache import own_cache

_BYTES_PER_TOKEN = 4
_LARGEST = 10_000_000
"""Bytes; no rank file is as large."""
_DEFAULT_ENCODING = "o200k_base"


class _RankFile(NamedTuple):
    """A rank file as tiktoken looks for it: the sha1 of its address as name, and its own sha256."""

    name: str
    sha256: str


_RANK_FILES = {
    "o200k_base": _RankFile(
        "fb374d419588a4632f3f557e76b4b70aebbca790", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    ),
    "cl100k_base": _RankFile(
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    ),
}
_LOCK = threading.Lock()


class TokenCount(NamedTuple):
    """A number of tokens, and whether it is what the model will count."""

    n: int
    exact: bool


def count_tokens(text: str, model: str = "") -> TokenCount:
    """The tokens of a text for a model.

    Args:
        text: Any text; special tokens in it count as plain text.
        model: Name as the endpoint knows it, with or without a provider in front (`openai/gpt-4o`). For a model whose
            tokenizer is not known, and for "", the count by o200k_base is an estimate and says so.
    """
    name = _encoding_name(model)
    encoding = load_encoding(name or _DEFAULT_ENCODING)
    if encoding is None:
        return TokenCount(-(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN), exact=False)
    clean = text.encode("utf-8", "replace").decode()
    return TokenCount(len(encoding.encode(clean, disallowed_special=())), exact=name is not None)


def _encoding_name(model: str) -> str | None:
    """The encoding of a model where it is known and its rank file is here."""
    try:
        name = encoding_name_for_model(model.rsplit("/", 1)[-1])
    except KeyError:
        return None
    return name if name in _RANK_FILES else None


@functools.cache
def load_encoding(name: str) -> tiktoken.Encoding | None:
    """The encoding by that name, from the rank file that comes with this package; None where the disk does not let us."""
    try:
        folder = _unpack(_RANK_FILES[name])
    except OSError:
        return None
    with _cache_folder(folder):
        return tiktoken.get_encoding(name)


def _unpack(file: _RankFile) -> Path:
    """The folder that holds the rank file, unpacked at first use."""
    with resources.as_file(resources.files("ml_agent.tools.tiktoken_cache") / f"{file.name}.gz") as packed:
        for folder in (own_cache() / "tiktoken", Path(tempfile.gettempdir())):
            target = folder / file.name
            if _is_whole(target, file):
                return folder
            with contextlib.suppress(OSError):
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, gzip.decompress(packed.read_bytes()))
                return folder
    raise OSError("the tokenizer's data cannot be written to any folder")


def _is_whole(target: Path, file: _RankFile) -> bool:
    """Whether the file is there and right: tiktoken would fetch a wrong one from the network."""
    try:
        return hashlib.sha256(read_bytes(target, _LARGEST)).hexdigest() == file.sha256
    except OSError:
        return False


@contextlib.contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Point tiktoken at a folder for one call; the environment is as before afterwards."""
    with _LOCK:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        try:
            yield
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
