"""A small sentence encoder: what the tokens of a request and options mean, as vectors."""
