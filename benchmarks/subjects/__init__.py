"""Other agents as subjects of the bench: installed into venvs of their own, run headless, their trajectories read."""
