"""`ml-agent bench make`: rows for any repository, made from what it documents and from what its entry points take.

`seeds` finds entry points and what documents show of them, `vary` chooses options and values, `reference` writes the command and has
the repository's own parser read it, `wording` and `phrases` write the request, `run` does it for many repositories.
"""
