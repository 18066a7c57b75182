"""Thinking with a model: the client for any OpenAI-compatible endpoint, and the navigator that decides with it."""
