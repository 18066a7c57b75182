"""Rows of 109 repositories, requests written for training by people who read the repositories, not by users; commits in `commits.toml`."""
