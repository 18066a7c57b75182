"""The Python packages and modules of a repository, read without importing them.

`read` makes the facts of one file, `modules` says which file a dotted name means, `resolver` follows a name through definitions,
imports and base classes; `index.ApiIndex` is what others ask. `requirements` and `distributions` know what the repository needs.
"""
