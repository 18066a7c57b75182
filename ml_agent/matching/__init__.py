"""Matches a request with the entry points of a repository: values to slots, entry points to requests, by learned tables."""
