"""Programs of ours that run inside a sandbox, under the repository's Python; standard library only."""
