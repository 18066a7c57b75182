"""Run the command-line parser of a script for real, with every library that is not there replaced by stubs.

Host side: `host.run_stubbed(StubRequest(...)) -> StubReport`. It starts `child.py` in its own bare interpreter (isolated mode, no
site-packages, clean environment, limits; inside bubblewrap or a network-less namespace where the machine has one). Modes:

describe  stop where the script parses its command line; report every parser that was asked, with all options
parse     give it `words`, stop after parsing; report the namespace, or the parser's own error message
run       as parse, then go on until the script ends or raises; report the exception (under stubs: a hint, not a proof)
functions import the file, then call the functions that build a parser; report all parsers that were made

The child alone: `python -I -S child.py '<StubRequest as JSON>' REPORT_FD`; it needs nothing but the standard library (3.8+) and
writes one JSON object, a StubReport, to the file descriptor.
"""
