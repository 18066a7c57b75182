"""A run for people: one page in a browser, or lines in a terminal."""
