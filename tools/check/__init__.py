"""Checks of a draft against a repository, before anything runs."""
