"""Classes and functions of packages that are not loaded, given to LangGraph and LangChain, which import them and do not use them.

Each stands for the real one and loads it when something is done with it. Whoever else asks for such a name gets the package loaded.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Union

NAMES: Mapping[str, frozenset[str]] = {
    "langsmith.client": frozenset({"Client"}),
    "langsmith.run_trees": frozenset({"RunTree"}),
    "langsmith.run_helpers": frozenset({"get_tracing_context", "_set_tracing_context"}),
    "langsmith.utils": frozenset({"tracing_is_enabled"}),
    "langchain_core.tracers._compat": frozenset({"run_construct", "run_copy", "run_to_dict"}),
    "langchain_protocol.protocol": frozenset(
        {
            "ContentBlock", "ContentBlockDelta", "ContentBlockDeltaData", "ContentBlockFinishData", "ContentBlockStartData",
            "FinalizedContentBlock", "InvalidToolCall", "LifecycleCause", "MessageFinishData", "MessageMetadata",
            "MessageStartData", "MessagesData", "ServerToolCall", "ServerToolCallChunk", "ToolCall", "ToolCallChunk", "UsageInfo",
        }
    ),
    "pydantic.v1": frozenset({"BaseModel", "create_model"}),
    "requests": frozenset({"HTTPError", "Response"}),
}  # fmt: skip
"""By module. None of them is a value: a late name can be called, be a base, and stand in an annotation or in isinstance."""
_ANSWERS: Mapping[tuple[str, str], Callable[[], object]] = {
    ("langsmith.run_helpers", "get_tracing_context"): lambda: defaultdict(lambda: None),
    ("langsmith.utils", "tracing_is_enabled"): lambda: False,
}
"""What a call gives while the module is not loaded: nobody can have begun to trace."""
_THEIRS = frozenset({"langgraph", "langchain_core"})
_BETWEEN = frozenset({"importlib", "langsmith", "langchain_protocol"})
"""Packages that pass on what they are asked for."""


class LateName:
    """A class or function of a module that is not loaded yet."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the real one; one that can be answered without its module is."""
        answer = _ANSWERS.get((self._module, self._name))
        if answer is not None and not arguments and not named and not _is_loaded(self._module):
            return answer()
        return self._real()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        """Of the real one; what typing looks for (`__parameters__`) is not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._real(), name)

    def __mro_entries__(self, _bases: tuple[object, ...]) -> tuple[Any, ...]:
        """The real class, as a base."""
        return (self._real(),)

    def __instancecheck__(self, value: object) -> bool:
        """While the module is not loaded, nothing is of its classes."""
        return _is_loaded(self._module) and isinstance(value, self._real())

    def __subclasscheck__(self, kind: type) -> bool:
        """As for instances."""
        return _is_loaded(self._module) and issubclass(kind, self._real())

    def __or__(self, other: Any) -> Any:
        """In an annotation."""
        return Union[self, other]  # noqa: UP007  # this is what `|` does

    def __ror__(self, other: Any) -> Any:
        """In an annotation."""
        return Union[other, self]  # noqa: UP007

    def _real(self) -> Any:
        return getattr(import_module(self._module), self._name)


def late_name(module: str, name: str) -> LateName:
    """What stands for that name of that module."""
    return LateName(module, name)


def asked_by_langgraph() -> bool:
    """Whether the code that asks a module for a name, two calls up, is LangGraph's or LangChain's."""
    frame = sys._getframe(2)
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        frame = frame.f_back
    return _package(frame.f_globals) in _THEIRS


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]


def _is_loaded(module: str) -> bool:
    """Whether the module, or a part of the package, has been run."""
    found = sys.modules.get(module)
    return type(found) is ModuleType or any(name.startswith(f"{module}.") for name in list(sys.modules))
