"""Low-rank adapters for model files that run in this process."""
