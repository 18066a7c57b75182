"""The conversation in which a model answers a request: first message, functions, loop, verdict."""
