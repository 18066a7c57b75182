"""Entry points read as typed functions, without importing or running anything of the repository."""
