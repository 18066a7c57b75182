"""Errors of the model client.

ProviderError            4
├── ModelAnswerError     the model answered, but with nothing usable, even after a repair turn
└── EndpointError        the endpoint failed, or refused, and asking again would not help
ConfigurationError       3
└── EndpointSettingError the endpoint refuses the key, or does not know the model
"""

from ml_agent.errors import ConfigurationError, ProviderError


class ModelAnswerError(ProviderError):
    """The model's answers could not be used; another way of deciding must stand in."""


class EndpointSettingError(ConfigurationError):
    """The endpoint answers, and what the user set for it is wrong."""


class EndpointError(ProviderError):
    """The endpoint did not answer; `unreachable` says that nothing will come of asking it again soon."""
