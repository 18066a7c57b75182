"""Test support that ships with the agent: servers that behave as real ones do, good and bad."""
