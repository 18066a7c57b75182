"""Signatures that were read before: they are still good where nothing changed that their script can reach."""

from collections.abc import Callable

import msgspec

from ml_agent.tools.content_cache import content_hash
from ml_agent.tools.reading import IndexWalk
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.word_pattern import any_of

_CONFIGURED = any_of(
    r"\bhydra\b", r"\bOmegaConf\b", r"\byaml\b", r"\bconfigargparse\b", r"\bml_collections\b", r"\bconfig_flags\b"
)
_CONFIGURATION = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg")


class _CachedSignatures(msgspec.Struct, frozen=True, kw_only=True):
    signatures: tuple[Signature, ...]
    looked_at: dict[str, str]
    """Hashes of the files that were looked at besides those that the script imports, by path."""


class SignatureCache:
    """The signatures of earlier readings of the same sources."""

    def __init__(self, sources: Sources, reading: IndexWalk) -> None:
        self._sources = sources
        self._reading = reading
        self._hashes: dict[str, str] = {}

    def recall(self, path: str, how: str, make: Callable[[], tuple[Signature, ...]]) -> tuple[Signature, ...]:
        """What was read of a script before, else what `make` reads now; `how` tells readings of one script apart."""
        if not self._reading.keeps:
            return make()
        reach = self._sources.reach(path)

        def read() -> _CachedSignatures:
            self._sources.asked.clear()
            signatures = make()
            others = self._sources.asked.difference(reach)
            return _CachedSignatures(signatures=signatures, looked_at={p: self._hash(p) for p in others})

        key = (how, path, *(f"{p} {self._hash(p)}" for p in sorted(reach)), self._configuration(reach))
        return self._reading.recall(key, _CachedSignatures, read, self._fits).signatures

    def _fits(self, kept: _CachedSignatures) -> bool:
        return all(self._hash(path) == known for path, known in kept.looked_at.items())

    def _hash(self, path: str) -> str:
        if path not in self._hashes:
            text = self._sources.text(path)
            self._hashes[path] = "" if text is None else content_hash(text.encode("utf-8", "surrogatepass"))
        return self._hashes[path]

    def _configuration(self, reach: set[str]) -> str:
        """The configuration files by name, where the script may look for some."""
        if not any(self._sources.mentions(path, _CONFIGURED) for path in reach):
            return ""
        return "\0".join(sorted(p for p in self._sources.files or () if p.endswith(_CONFIGURATION)))
