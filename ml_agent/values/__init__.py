"""Every value that the user states, with the words around it that say what it is for."""

from ml_agent.values.extract import extract, structural

__all__ = ["extract", "structural"]
