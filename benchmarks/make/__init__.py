"""Makes rows for any repository from the commands that its documents show.

`sources` finds the repositories, `seeds` the documented commands, `rows` varies their values and has the repository's own parser
read the result, `wording` writes the request, `run` does many repositories.
"""
