"""A model at an OpenAI-compatible endpoint: requests, replies, retries, prices."""
