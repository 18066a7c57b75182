"""Scripts that read sys.argv themselves."""

from collections.abc import Callable

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
