"""optparse: what it declares, and the words that it takes, held against the real one."""

import contextlib
import io
import shlex
from collections.abc import Callable

import pytest

from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]

PROGRAM = '''
"""Train it."""
from optparse import OptionGroup, OptionParser, make_option

parser = OptionParser("usage: %prog [options] FILE", [make_option("--mode", type="choice", choices=["fast", "good"])], version="%prog 1.0")
parser.add_option("-n", "--epochs", type="int", default=10, help="passes [default: %default]")
parser.add_option("--lr", type=float, default=0.1)
parser.add_option("-v", action="store_true", dest="verbose")
parser.add_option("--size", nargs=2, type="long")
group = OptionGroup(parser, "More")
group.add_option("--seed", "-s", dest="random_seed", action="append")
parser.add_option_group(group)
options, args = parser.parse_args()
'''


def test_what_is_declared_is_read(script: Script, option: Find) -> None:
    signature = script(PROGRAM)
    assert (signature.framework, signature.accepts_unknown, signature.unseen) == ("optparse", False, ())
    assert [one.dest for one in signature.options] == ["mode", "epochs", "lr", "verbose", "size", "random_seed", "args"]
    epochs, size, args = (option(signature, name) for name in ("epochs", "size", "args"))
    assert (epochs.flags, epochs.type, epochs.default) == (("-n", "--epochs"), "int", "10")
    assert epochs.help == "passes [default: 10]"
    assert (option(signature, "lr").type, option(signature, "mode").choices) == ("float", ("fast", "good"))
    assert option(signature, "verbose").switch and option(signature, "verbose").default is None
    assert (size.nargs, size.type, args.positional, args.nargs) == ("2", "int", True, "*")
    assert option(signature, "random_seed").repeatable and not any(one.required for one in signature.options)
    assert [one.flags for one in signature.endings] == [("--version",)]


@pytest.mark.parametrize(
    "words",
    [
        "a.txt -n 5 b.txt", "-n5 --lr=0.2 a", "--epo 3", "--lr -0.5 a", "-vn 3", "--size 3 4", "--mode good", "-s 1 -s 2", "", "-- -x",
        "--nope", "--epochs x", "--mode other", "--size 3", "-x", "--lr", "-v=1 a", "--verbose",
    ],
)  # fmt: skip
def test_words_are_taken_as_by_the_real_one(words: str, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["main.py", *shlex.split(words)])
    real = True
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(PROGRAM, {"__name__": "__main__"})
        except SystemExit:
            real = False
    found = parse_call(script(PROGRAM), shlex.split(words))
    assert (not [one for one in found.findings if one.severity == "error"]) is real
