"""What a command really did, seen from inside: each program of the repository and how it ended, whatever the last status."""
