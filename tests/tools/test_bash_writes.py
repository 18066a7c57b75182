"""Which files commands write, and where they may run."""

import pytest

from ml_agent.tools.check.bash_writes import folders_of, option_values, written


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("tee -a out.txt", ["out.txt"]), ("tee /tmp/log", []), ("rm -r a b", ["a", "b"]), ("chmod +x a", ["a"]), ("cp a b c", ["c"]),
        ("cp -t d a", ["d", "a"]), ("mv --target-directory=d a", ["d", "a"]), ("dd if=a of=b", ["b"]), ("sed -i s/a/b/ c", ["s/a/b/", "c"]),
        ("sed s/a/b/ c", []), ("find a -delete", ["a"]), ("find a -fprint b", ["b"]), ("git clone https://h/x d", ["d"]), ("git clone https://h/x", []),
        ("git log d", []), ("tar czf a.tgz b", ["a.tgz"]), ("tar xzf a.tgz -C d", ["d"]), ("wget -qO a https://h", ["a"]), ("curl -oa https://h", ["a"]),
        ("curl --output=/dev/null https://h", []), ("cat a", []),
    ],
)  # fmt: skip
def test_what_a_command_writes(command: str, paths: list[str]) -> None:
    name, *words = command.split()
    assert written(name, words) == paths


def test_values_of_options_in_every_form() -> None:
    words = ["-o", "a", "-ob", "-qo", "c", "-o=d", "--out", "e", "--out=f", "--outer=g", "o", "-o"]
    assert option_values(words, ("-o", "--out")) == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("python a.py", ()), ("cd a && python b.py", ()), ("cd a && cd b && python c.py | tee d", ()), ("cd a; python b.py", (".", "a")),
        ("cd a || python b.py", (".", "a")), ("if x; then cd a; fi; python b.py", (".", "a")), ("pushd a && python b.py", (".", "a")),
        ("cd a; cd b; python c.py", (".", "a", "a/b", "b")), ("cd; python a.py", ("", ".")), ("popd; python a.py", (".",)),
    ],
)  # fmt: skip
def test_where_commands_may_run(text: str, folders: tuple[str, ...]) -> None:
    assert folders_of(text) == folders
