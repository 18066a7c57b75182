"""Makes the navigator that thinks with a model, and the model's client, as the settings and the tape want them."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from ml_agent.conversation.navigator import LlmNavigator, ModelOptions
from ml_agent.conversation.tools import TaskEnvironment
from ml_agent.errors import ConfigurationError
from ml_agent.model.budget import Budget, load_prices
from ml_agent.model.client import ModelClient
from ml_agent.model.endpoint import OPENAI, Endpoint
from ml_agent.model.memory import EarlierReplies, Memory
from ml_agent.model.sender import ClientParts
from ml_agent.model.transport import NetworkTransport
from ml_agent.model.waiting import CheckCancelled, never_cancelled
from ml_agent.navigator import Navigator
from ml_agent.replay.tape import Tape
from ml_agent.replay.transport import TapeTransport
from ml_agent.settings import Settings
from ml_agent.trajectory import Emit

MEMORY = "endpoints.json"


@dataclass
class ModelContext:
    """What a model's part of a run is made with."""

    budget: Budget
    emit: Emit
    tape: Tape | None = None
    environment: TaskEnvironment | None = None
    stand_in: Callable[[], Navigator] | None = None
    """Makes the navigator that goes on where the model is gone."""
    check_cancelled: CheckCancelled = never_cancelled
    """Called while the model is waited for; what it raises ends the waiting."""
    earlier: EarlierReplies = field(default_factory=EarlierReplies)
    """Of the same run, before it was cut."""


def endpoint_of(settings: Settings) -> Endpoint:
    """The endpoint and model that the settings name."""
    return Endpoint(
        model=settings.model,
        base_url=settings.base_url or OPENAI,
        api_key=settings.api_key.get_secret_value(),
        mode=settings.model_mode,
        timeout=settings.model_timeout,
    )


def check_price(settings: Settings) -> None:
    """ConfigurationError where money is limited and nobody knows what the model costs; one on this machine costs nothing."""
    endpoint = endpoint_of(settings)
    if settings.max_cost is None or load_prices(settings.prices).find(endpoint.model, local=endpoint.loopback):
        return
    raise ConfigurationError(
        f"--max-cost needs a known price, but the price of {endpoint.model} is not known; name a file of prices (ML_AGENT_PRICES), "
        "or leave --max-cost out and limit --max-tokens"
    )


def configured_navigator(settings: Settings, around: ModelContext) -> LlmNavigator:
    """The navigator that thinks with the model of the settings; with a tape, recorded or played back.

    Raises ConfigurationError where the endpoint needs a key, or the price file is broken.
    """
    options = ModelOptions(environment=around.environment, gpu=settings.gpus != "none", stand_in=around.stand_in)
    return LlmNavigator(configured_client(settings, around), around.emit, options)


def configured_client(settings: Settings, around: ModelContext) -> ModelClient:
    """The client for the model of the settings."""
    endpoint, tape = endpoint_of(settings), around.tape
    parts = ClientParts(
        # What is learned of an endpoint shapes its requests: a recording must begin with as little as its replay.
        memory=Memory(settings.cache_dir / MEMORY if tape is None else None),
        prices=load_prices(settings.prices),
        check_cancelled=around.check_cancelled,
        earlier=around.earlier,
    )
    if tape is not None:
        transport = TapeTransport(tape, None if tape.replaying else NetworkTransport())
        parts = msgspec.structs.replace(parts, transport=transport)
    if tape is not None and tape.replaying:
        parts = msgspec.structs.replace(parts, sleep=lambda _: None)
    return ModelClient(endpoint, around.budget, around.emit, parts)
