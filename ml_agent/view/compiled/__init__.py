"""The page's template as Python, written by scripts/compile-templates.py: compiling it took 45 ms of each run."""
