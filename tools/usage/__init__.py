"""How a repository is used, by its own documents and scripts."""
