"""Halves of characters (lone surrogates), which models write and no file can hold."""

from typing import Any


def whole(value: Any) -> Any:
    """A value of JSON with halves of characters joined, or marked where one stands alone: code may write an emoji as two escapes."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole(name): whole(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [whole(one) for one in value]
    return value
