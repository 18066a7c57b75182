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
