"""Decision trees and small networks."""

from .data import load_rows
from .network import Network
from .tree import NotFittedError, Tree

__all__ = ["Network", "NotFittedError", "Tree", "load_rows"]
