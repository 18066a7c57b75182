"""Texts as vectors: MiniLM-L6, trained further on requests whose words are marked with the options that they mean.

The graph and its vocabulary lie beside this file; `python -m benchmarks.encoder` makes them. Weights are kept in eight bits and computed with
in full, so that every processor gives the same vectors but for rounding.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml_agent.tools.content_cache import ContentCache

Vectors = NDArray[np.float32]
SIZE = 256
"""Of a vector."""
_MOST_TOKENS, _MOST_CHARACTERS = 320, 4000
"""Of a request; what stands behind them has no vectors."""
_MOST_OF_A_TEXT = 56
"""Tokens of an option."""
_BATCH = 24
_KEPT = 60_000
"""Vectors in memory: 1 KB each."""
_THREADS = 2


class EncodedRequest(NamedTuple):
    """A request as the encoder reads it."""

    offsets: NDArray[np.int64]
    """(tokens, 2): where each begins and ends in the text; the same for those that stand for no character."""
    vectors: Vectors
    """(tokens, SIZE): their products with the vectors of options are log-odds."""
    idle: Vectors
    """(tokens,): log-odds of a token's meaning no option."""


class Encoder:
    """Reads texts; the model is loaded with the first one.

    Args:
        model: the graph, in ONNX.
        vocabulary: of its tokens, as `tokenizers` writes it.
    """

    def __init__(self, model: bytes, vocabulary: str) -> None:
        self.model, self.vocabulary = model, vocabulary
        self._lock = threading.Lock()
        self._vectors: dict[str, Vectors] = {}
        self._kept: ContentCache | None = None
        self._folder: Path | None = None

    def keep_in(self, folder: Path) -> None:
        """Keep the vectors of options on disk, in the folder that was named last."""
        with self._lock:
            if self._folder == folder:
                return
            if self._kept is not None:
                self._kept.close()
            self._folder = folder
            self._kept = ContentCache(folder / "vectors.sqlite", hashlib.sha256(self.model).hexdigest())

    def close(self) -> None:
        """Write what is not yet on disk; vectors are kept in memory alone from then on."""
        with self._lock:
            if self._kept is not None:
                self._kept.close()
            self._kept = self._folder = None

    @lru_cache(maxsize=64)  # noqa: B019  (there is one encoder in a process)
    def read(self, text: str) -> EncodedRequest:
        """The tokens of a request."""
        encoding = self._tokenizer.encode(_whole(text[:_MOST_CHARACTERS]))
        ids, offsets = encoding.ids[:_MOST_TOKENS], encoding.offsets[:_MOST_TOKENS]
        tokens, idle = self._run(["tokens", "idle"], [ids])
        return EncodedRequest(np.array(offsets, np.int64), tokens[0], idle[0])

    def options(self, several: Sequence[str]) -> Vectors:
        """(texts, SIZE): the vectors of options, each described in words."""
        texts = [_whole(text) for text in several]
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._vectors and not self._load(text)]
            missing.sort(key=len)
            for start in range(0, len(missing), _BATCH):
                self._make(missing[start : start + _BATCH])
            if missing and self._kept is not None:
                self._kept.write()
            found = [self._vectors[text] for text in texts]
            if len(self._vectors) > _KEPT:
                self._vectors.clear()
        return np.stack(found) if found else np.zeros((0, SIZE), np.float32)

    def _load(self, text: str) -> bool:
        raw = self._kept.load((text,), bytes) if self._kept is not None else None
        if raw is None or len(raw) != 2 * SIZE:
            return False
        self._vectors[text] = np.frombuffer(raw, np.float16).astype(np.float32)
        return True

    def _make(self, texts: Sequence[str]) -> None:
        several = [one.ids[:_MOST_OF_A_TEXT] for one in self._tokenizer.encode_batch(list(texts))]
        (rows,) = self._run(["option"], several)
        for text, row in zip(texts, rows.astype(np.float16), strict=True):
            # As it will be read from the disk: an answer must not depend on who asked before.
            self._vectors[text] = row.astype(np.float32)
            if self._kept is not None:
                self._kept.store((text,), row.tobytes())

    def _run(self, wanted: list[str], several: Sequence[Sequence[int]]) -> list[Vectors]:
        width = max(map(len, several))
        ids = np.zeros((len(several), width), np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(several):
            ids[row, : len(one)], mask[row, : len(one)] = one, 1
        return self._session.run(wanted, {"ids": ids, "mask": mask})  # type: ignore[no-any-return]

    @property
    def _tokenizer(self) -> Any:
        return _tokenizer(self.vocabulary)

    @property
    def _session(self) -> Any:
        return _session(self.model)


def _whole(text: str) -> str:
    """A text of as many characters, without halves of such: bytes that are no UTF-8 are read as them."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=2)
def _tokenizer(vocabulary: str) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_str(vocabulary)


@lru_cache(maxsize=2)
def _session(model: bytes) -> Any:
    # Since 1.29 the library tells its maker what it runs and writes to the user's home, unless told so before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Weights of eight bits are made full ones once, when the model is loaded.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def shipped() -> Encoder:
    """The encoder that ships with the program."""
    place = files(__package__)
    return Encoder(place.joinpath("model.onnx").read_bytes(), place.joinpath("tokenizer.json").read_text("utf-8"))
