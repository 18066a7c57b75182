"""Scripts that read sys.argv themselves."""

from collections.abc import Callable

from ml_agent.tools.commandline.render import render_words
from ml_agent.tools.signatures.model import Signature

Script = Callable[..., Signature]


def test_sys_argv(script: Script) -> None:
    signature = script("""
        import sys
        if len(sys.argv) < 3:
            sys.exit("usage")
        source = sys.argv[1]
        target = sys.argv[2]
    """)
    assert signature.framework == "sysargv" and signature.syntax == "plain"
    assert [o.dest for o in signature.options] == ["source", "target"]


def test_sys_argv_is_named_and_typed_by_what_it_is_assigned_to(script: Script) -> None:
    signature = script("""
        import sys
        from pathlib import Path
        path = Path(sys.argv[1])
        query = sys.argv[2]
        how_many = int(sys.argv[3]) if len(sys.argv) > 3 else 5
        both = sys.argv[4] + sys.argv[1]
    """)
    found = [(one.dest, one.type, one.default, one.required) for one in signature.options]
    assert found == [
        ("path", "path", None, True), ("query", "str", None, True), ("how_many", "int", "5", True), ("arg4", "str", None, True)
    ]  # fmt: skip


def test_a_default_that_nobody_types_is_none(script: Script) -> None:
    huge, long = "0x" + "F" * 6000, "x" * 100_000
    signature = script(f"""
        import sys
        n = int(sys.argv[1]) if len(sys.argv) > 1 else {huge}
        t = sys.argv[2] if len(sys.argv) > 2 else "{long}"
    """)
    assert [(one.dest, one.default) for one in signature.options] == [("n", None), ("t", None)]


def test_all_further_arguments_have_a_name(script: Script) -> None:
    for line in (
        "paths = sys.argv[2:] if len(sys.argv) > 2 else '.'",
        "for paths in sys.argv[2:]:\n            print(paths)",
    ):
        signature = script(f"""
        import sys
        method = sys.argv[1]
        {line}
        """)
        assert [(one.dest, one.nargs) for one in signature.options] == [("method", None), ("paths", "*")]
        assert render_words(signature, {"method": "x", "paths": ["a", "b"]}) == ("x", "a", "b")
    signature = script("import sys\nmain(sys.argv[1:])\nlast = sys.argv[3:]\n")
    assert signature.options == () and signature.accepts_unknown


def test_a_script_without_a_docstring_says_its_usage(script: Script) -> None:
    signature = script("""
        import sys
        def usage():
            print('''SYNOPSIS: tool [small|large]

            small:  of few
            ''')
            sys.exit(1)
        size = sys.argv[1] if len(sys.argv) > 1 else usage()
    """)
    assert signature.doc == "SYNOPSIS: tool [small|large] small: of few"
