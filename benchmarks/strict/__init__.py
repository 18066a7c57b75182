"""The strict scorer: would this answer run in its repository, with the values it was given?

`score(answer, case)` judges by three rules: every value stands where the command or the code uses it (`text`), the kind is the one
that was asked for, and the answer runs as far as can be known without the libraries (`execute`, `inside`).
"""
