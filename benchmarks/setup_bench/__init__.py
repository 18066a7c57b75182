"""The set-up bench: small broken repositories, set up, run, diagnosed and repaired by rules alone."""
