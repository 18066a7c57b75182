"""docopt: several patterns, alternatives, groups, and options with their descriptions."""

from collections.abc import Callable

from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.read import SignatureReader

Make = Callable[..., SignatureReader]
Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]


def test_patterns_of_one_command_are_ways_to_call_it(script: Script, option: Find) -> None:
    signature = script('''
        """Shorten texts.

        Usage:
            shorten (lsa | text-rank) <text> [--length=<n>]
            shorten (lsa | text-rank) <text> [--length=<n>] --url=<url>
            shorten (lsa | kl) [--length=<n>] --file=<path>
            shorten --version
            shorten -h | --help

        Options:
            --length=<n>   Count of sentences
                           or a share. [default: 20%]
            -h --help      Show this.
        """
        from docopt import docopt
        docopt(__doc__, version="1")
        ''')
    assert [one.dest for one in signature.options] == ["command", "text", "length", "url", "file"]
    assert option(signature, "command").choices == ("lsa", "text-rank", "kl") and option(signature, "command").required
    assert option(signature, "text").nargs == "?" and not option(signature, "url").required
    length = option(signature, "length")
    assert (length.default, length.help) == ("20%", "Count of sentences or a share.") and not signature.accepts_unknown


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


def test_a_pattern_with_help_beside_others(script: Script) -> None:
    signature = script('''
        """Usage:
          serve [-h] | [--help]
          serve [--config <file>] [--quiet]

        Options:
          -h --help        Show this.
          --config <file>  Settings.
          --quiet          Say nothing.
        """
        import docopt
        docopt.docopt(__doc__)
        ''')
    assert [one.dest for one in signature.options] == ["config", "quiet"] and not signature.accepts_unknown
