"""What a bash text can do beyond starting a program."""

import pytest

from tools.check.bash_powers import bash_powers


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
