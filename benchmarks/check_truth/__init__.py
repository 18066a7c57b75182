"""How often the check is wrong: README commands and mutations of them, with the real parser under stubs as judge."""
