"""The feedback bench: what a model makes of the error lines of its first answer."""
