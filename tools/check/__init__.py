"""Checks of a draft against a repository, before anything runs.

`command.check_command` takes bash, `python.check_python` takes Python; both give findings (`tools.findings`): an error is certain,
a warning may be all right, and `unsure` says that nobody here can tell, and why. The modules `host_…` ask something else of a text:
what it would do in the shell of whoever pastes it.
"""
