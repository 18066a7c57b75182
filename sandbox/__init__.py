"""One contract for running commands apart from the host, and its implementations."""
