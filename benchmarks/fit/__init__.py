"""Learns the grounded core's tables from rows with references: `python -m benchmarks.fit`."""
