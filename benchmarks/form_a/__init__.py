"""ML-Bench-A: an agent works on a row in a sandbox and leaves a run.sh there, which is then run.

`words` is what the agent is told, `check` runs and judges run.sh, `row` does one row, `output` writes and sums up rows, `run` does many.
"""
