"""docopt: several patterns, alternatives, groups, and options with their descriptions."""

from collections.abc import Callable

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]


def test_what_is_needed(script: Script, option: Find) -> None:
    signature = script('''
        """Usage:
          users (-n NAME | --user <name>) (-f FILE | --file FILE) --place=<p> [-v | -vv] [<more>]...

        Options:
          -n NAME --nickname NAME  Who.
          -f FILE --file FILE      Where.
          -v --verbose             Say more.
        """
        from docopt import docopt
        docopt(__doc__)
        ''')
    required = {one.dest for one in signature.options if one.required}
    assert required == {"file", "place"} and signature.one_of == (("nickname", "user"),)
    assert option(signature, "name").nargs == "?" and option(signature, "more").nargs == "*"
    assert option(signature, "verbose").repeatable
