"""Whether requests are read with the sentence encoder, as the settings say."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ml_agent.errors import ConfigurationError
from ml_agent.matching.sense import use_encoder
from ml_agent.settings import Settings

if TYPE_CHECKING:
    from ml_agent.encoder.encoder import Encoder

_NEEDED = ("onnxruntime", "tokenizers")


def read_as_set(settings: Settings) -> None:
    """Read requests of this process with the encoder, or without it. Raises ConfigurationError where what it runs on is missing."""
    missing = [name for name in _NEEDED if settings.encoder and find_spec(name) is None]
    if missing:
        raise ConfigurationError(
            f"the sentence encoder needs {' and '.join(missing)}: install that, or set ML_AGENT_ENCODER=false"
        )
    use_encoder(_load if settings.encoder else None)


def _load() -> "Encoder":
    from ml_agent.encoder.encoder import shipped  # numpy

    return shipped()
