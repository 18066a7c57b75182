"""READMEs, markdown, rst and notebooks as passages with headings and code.

`read.read_document` chooses the reader; each feeds a `sections.PassageBuilder`, which has `code` clean the blocks: prompts off, and
the language told or guessed.
"""
