"""The Python packages and modules of a repository, read without importing them."""
