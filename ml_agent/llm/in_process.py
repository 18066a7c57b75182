"""A GGUF model in this process (llama.cpp by way of xllamacpp), behind the same boundary as every endpoint; extra `local`."""

import json
import os
import secrets
import threading
from pathlib import Path
from typing import Any

import httpx

from ml_agent.errors import ConfigurationError
from ml_agent.extras import install_extra
from ml_agent.llm.endpoint import IN_PROCESS, PHASE, Endpoint

_CONTEXT = 16384
"""Tokens, where the user does not say how many."""
_SERVERS: dict[str, Any] = {}
_LOCK = threading.Lock()
_ADAPTER = ".lora.gguf"
"""How the file of an adapter ends; before it stands how the names of the models begin that it was trained for."""
_TRAINED_FOR = frozenset({"choose", "fill"})
"""What adapters are trained for; anything else is asked of the bare model."""


class InProcessTransport(httpx.BaseTransport):
    """Answers requests from the model file; loaded at the first one, then shared by the whole process."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Raises ConfigurationError where the file or the package is missing."""
        self._path = Path(endpoint.model.removeprefix(IN_PROCESS)).expanduser()
        self._context = endpoint.context_tokens or _CONTEXT
        if not self._path.is_file():
            raise ConfigurationError(f"--model {endpoint.model}: no such file; give gguf: and the path of a GGUF file")
        _package()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The model's chat completion, one at a time."""
        body = json.loads(request.content)
        if find_adapter(self._path) is not None:
            body["lora"] = [{"id": 0, "scale": float(request.headers.get(PHASE) in _TRAINED_FOR)}]
        with _LOCK:
            answer = _server(self._path, self._context).handle_chat_completions(body)
        error = answer.get("error", answer if "choices" not in answer else None)
        if error is None:
            return httpx.Response(200, json=answer)
        status = error.get("code") if isinstance(error.get("code"), int) else 500
        return httpx.Response(status, json={"error": error})


def _package() -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigurationError(f"a gguf: model needs the extra `local`: {install_extra('local')}") from error
    return xllamacpp


def is_tuned(endpoint: Endpoint) -> bool:
    """Whether a model answers the form's questions with an adapter that was trained for them."""
    path = Path(endpoint.model.removeprefix(IN_PROCESS)).expanduser()
    return endpoint.model.startswith(IN_PROCESS) and find_adapter(path) is not None


def find_adapter(path: Path) -> Path | None:
    """The adapter that is used with a model: one of the same name beside it, else one that comes along."""
    own = path.with_name(path.stem + _ADAPTER)
    if own.is_file():
        return own
    shipped = sorted((Path(__file__).parent / "adapters").glob(f"*{_ADAPTER}"))
    return next((one for one in shipped if path.name.lower().startswith(one.name.removesuffix(_ADAPTER))), None)


def _server(path: Path, context: int) -> Any:
    """The loaded model; the caller holds the lock."""
    key = f"{path.resolve()}|{context}"
    if key not in _SERVERS:
        package = _package()
        parameters = package.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx, parameters.n_parallel, parameters.use_jinja = context, 1, True
        parameters.cpuparams.n_threads = os.cpu_count() or 1
        parameters.verbosity = 0
        adapter = find_adapter(path)
        if adapter is not None:
            parameters.lora_adapters = [package.CommonAdapterLoraInfo(str(adapter), 1.0)]
        # It also listens on a port of this machine; nobody else is to use it.
        parameters.hostnames, parameters.api_keys = ["127.0.0.1"], [secrets.token_urlsafe(24)]
        try:
            _SERVERS[key] = package.Server(parameters)
        except (
            Exception
        ) as error:  # the package raises bare Exceptions and RuntimeErrors alike for a file it cannot load
            raise ConfigurationError(f"--model gguf:{path}: cannot be loaded: {error}") from error
    return _SERVERS[key]
