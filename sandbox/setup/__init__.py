"""Makes the environment that a script of a repository needs, smallest first."""
