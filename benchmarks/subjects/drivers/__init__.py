"""Programs that run in the environments of other agents, one file each; nothing of ours can be imported there."""
