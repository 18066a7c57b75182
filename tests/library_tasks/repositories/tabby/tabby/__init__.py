"""Small tables."""

from tabby.table import Table, read

__all__ = ["Table", "read"]
