"""Predictions of form L: many rows, each answered apart from the others, resumable.

`config` says who answers and how, `unit` answers one piece of work, `rows` keeps results on disk, `run` puts them together.
"""
