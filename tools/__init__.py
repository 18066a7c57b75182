"""What the agent knows how to do to the world; every part is usable alone."""
