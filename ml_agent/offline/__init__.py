"""Answers without a model: documented calls and entry points, with the values that a request states."""
