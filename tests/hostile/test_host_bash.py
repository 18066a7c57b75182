"""Bash itself is the judge: what it substitutes in a random text, the gate must have seen."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ml_agent.tools.check.host_bash import bash_risks
from ml_agent.tools.check.host_scope import HostScope

TRAP = "$(touch sprung)"
PIECES = [
    TRAP, TRAP, "`touch sprung`", "'", "'", '"', "\\", "\\\n", "#", " ", " ", "\n", "\n", ";", "|", "&&", "(", ")", "{ ", "}", "[", "]",
    "[[ ", " ]]", "$", "$$", "$'", "\\'", '$"', "${", "}", "${x:-", "${#x}", "${x@P}", "${x#", "$((", "((", "))", "$((N))", "$[", "N=", "x=", "a[",
    "]=1", "a=(", "<<E\n", "<<'E'\n", "<<-E\n", "<<\\E\n", "\nE\n", "\n\tE\n", "E", "<<<", "<(", ">(", ">", "<", "&", "!", "*", "echo ", "true ", "a", "x",
    "eval ", "bash -c ", "let ", "test -v ", "printf -v ", "declare -i ", "declare ", "trap ", " EXIT", "unset ", "read ", " -eq 0", "if true\nthen ",
    "\nfi\n", "case x in ", "x) ", ";; ", " esac", "while false\ndo ", "\ndone", "f() ", "function f ", "for x in ", "time ", "coproc ", "\t", "\r", "~", "=",
    "PS4=", "set -x;", "BASH_ENV=", "shopt -s extglob\n", "@(", "?(", "alias ", "$x", "${a[", "]}", "${!x}", "export ", "it's ", "source <(echo ", "env -S ",
]  # fmt: skip
PLAIN = [
    "'", "'", "'", '"', '"', "\\", "#", " #", " ", "\n", "\\\n", " \\\n", "$x", "${x}", "$$", "$", "<<<", ">x ", "<", "& ", "; ", "|", "! ", "{", "}",
    "=", "x=", " [", "a", "\t", "\r", "~", "*", ",", "..", "$?", "$!", "$-", "$#", "$@", "true ", "time ", "if ", "then ", "else\n", "\x0b", "\u00a0", "x[", "+=",
]  # fmt: skip
"""What the gate reads exactly; there quotes and comments may hide something."""
_AROUND = st.one_of(*(st.lists(st.sampled_from(pieces), max_size=7).map("".join) for pieces in (PIECES, PLAIN)))
TEXTS = st.lists(st.tuples(_AROUND, st.just(TRAP), _AROUND).map("".join), min_size=40, max_size=60)
KNOWN = [
    "(true)# it's\necho $(touch sprung)'", "cat <<E\nit's\nE\necho $(touch sprung)'", "<<E\nit's $(touch sprung)\nE", "a[ # ]=$(touch sprung)",
    "N='a[$(touch sprung)]'; echo $((N))", "x='$(touch sprung)'; echo ${x@P}", "[[ 'a[$(touch sprung)]' -eq 0 ]]", "echo $$'a\\' $(touch sprung) ''",
    "bash -c '$(touch sprung)'", "echo a\\\n# 'x\n' $(touch sprung) '", "a=(x)# it's\n$(touch sprung)'", "echo $\\\n(touch sprung)",
    'echo "$\\\n(touch sprung)"', "N=a\\[\\$\\(touch\\ sprung\\)\\]; let N", "test -v 'a[$(touch sprung)]'", "PS4='$(touch sprung)'; set -x; true",
    "a=(1); unset 'a[$(touch sprung)]'", "printf -v 'a[$(touch sprung)]' x", "read 'a[$(touch sprung)]' <<< x", "echo $'a\\' $(touch sprung)\n' $(touch sprung)",
    "case x in (x)# it's\necho $(touch sprung);; esac", "cat <<-E # it's\n\t$(touch sprung)\n\tE", "cat <<'E' <<F\n'\nE\n$(touch sprung)\nF",
    "<<E\n<<<'$(touch sprung)'", "cat <<E\n\tE\necho '$(touch sprung)'", "cat <<A <<B\na\nA\n<<<'$(touch sprung)'",
]  # fmt: skip
_RUN = """
cd /tmp
for file in /texts/*; do
  mkdir -p "w/${file##*/}"
  (cd "w/${file##*/}" && ulimit -u 64 -f 64 2>/dev/null; timeout -s KILL 2 bash "$file" </dev/null >/dev/null 2>&1)
  [ -e "w/${file##*/}/sprung" ] && echo "${file##*/}"
done
true
"""


def sprung(texts: list[str], folder: Path) -> list[str]:
    """Those of the texts whose substitution bash ran, isolated from this machine."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for place, text in enumerate(texts):
        (folder / str(place)).write_text(text, newline="")
    done = subprocess.run(
        ["bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
         "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", str(folder), "/texts", "--unshare-all", "--die-with-parent",
         "--new-session", "--clearenv", "--setenv", "PATH", "/usr/bin", "bash", "-c", _RUN],
        capture_output=True, text=True, timeout=300, check=True, env={"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return [texts[int(place)] for place in done.stdout.split()]


isolated = pytest.mark.skipif(
    shutil.which("bwrap") is None
    or subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], check=False).returncode != 0,
    reason="bubblewrap does not work here",
)


@isolated
@pytest.mark.promise("What bash substitutes, the gate sees.", by="tools.check.host_bash, bash in bubblewrap")
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=TEXTS)
@example(texts=KNOWN)
def test_what_bash_runs_was_seen(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    ran = sprung(texts, tmp_path_factory.getbasetemp() / "texts")
    assert [text for text in ran if not bash_risks(text, HostScope())] == []


@isolated
def test_the_judge_sees_what_runs(tmp_path: Path) -> None:
    assert sprung([TRAP, f"'{TRAP}'", f"# {TRAP}"], tmp_path / "texts") == [TRAP]
    ran = sprung(KNOWN, tmp_path / "texts")
    assert len(ran) > len(KNOWN) // 2, "most of these run what they hold"
