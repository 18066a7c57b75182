"""Ten rows whose answer must produce files, on the small libraries that come with the program; `--tasks delivery`, form D.

Each row has a folder with `inputs`, which are laid into the repository, and a `judge.py`, which runs in the row's own environment and
in the task's folder: exit code 0 where everything is there, else its last line says what is not.
"""
