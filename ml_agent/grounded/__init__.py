"""The navigator that needs no model: retrieval, matching of values to signatures, adaptation of examples."""
