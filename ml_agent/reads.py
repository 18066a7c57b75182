"""Whether requests are read with the sentence encoder, as the settings say."""

from importlib.util import find_spec

from ml_agent.errors import ConfigurationError
from ml_agent.extras import install_extra
from ml_agent.matching.sense import use
from ml_agent.settings import Settings

_NEEDED = ("onnxruntime", "tokenizers")


def read_as_set(settings: Settings) -> None:
    """Read requests of this process with the encoder, or without it. Raises ConfigurationError where it is not installed."""
    if not settings.encoder:
        use(None)
        return
    if any(find_spec(name) is None for name in _NEEDED):
        raise ConfigurationError(f"the setting `encoder` needs an extra: {install_extra('encoder')}")
    from ml_agent.encoder.encoder import shipped  # numpy

    use(shipped())
