"""Rows of eighteen repositories as users meet them, six each, written by people who read the repositories; `--tasks wild`."""
