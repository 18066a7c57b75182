"""Command lines, read and written.

Bash text: `lexer` makes tokens of it, `shell.parse_command` simple commands, `invocation` says what each calls through wrappers and
launchers, `grammar` whether bash can read it at all. Words behind a program: `words.parse_call` reads them against a signature, as
the program's own library would (`argparse_words`, `hydra_words`, `other_words`); `render` writes a call as words.
"""
