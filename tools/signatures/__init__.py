"""Entry points read as typed functions, without importing or running anything of the repository.

`programs` finds what can be started, by the text of files alone. `read.SignatureReader` gives the signatures of one file: the
`interpreter` follows the script from its first line to where it parses its command line, one syntax tree at a time
(`statements`, `expressions`, `calls`; what a value may be stands in `values`). Library objects that read command lines, such as an
ArgumentParser, are modelled by the `…_reader` modules; each has FACTORIES, by the library's dotted names, and its objects list the
`model.Signature`s of what they collected. Whatever cannot be followed leaves a signature open (`accepts_unknown`, `unseen`): the
check then says that it cannot tell, and why. Scripts of the shell, makefiles and scripts that read `sys.argv` have readers of
their own, which look at the text.
"""
