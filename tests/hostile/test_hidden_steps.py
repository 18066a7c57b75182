"""An answer with the right call hides nothing else that it does from the scorer `same call`."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Kind, Task
from ml_agent.benchmarks.observation.run import can_run
from ml_agent.benchmarks.same_call import same_call
from tests.servers.git_folders import write_files

HELD_BY = "benchmarks.observation.tracing, benchmarks.observation.steps"
pytestmark = pytest.mark.skipif(not can_run(), reason="bubblewrap does not work here")
FIT = "python fit.py --lr 0.1"
CODE = "from util import load\nload('a', 3)\n"
FILES = {
    "fit.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n",
    "util.py": "def load(name, n=1):\n    return name\n",
    "go.sh": f"{FIT}\n",
    "data/x.csv": "1\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repositories") / "sample"
    write_files(folder, FILES)
    return folder.resolve()


def passes(root: Path, reference: str, answer: str, kind: Kind = "bash") -> bool:
    task = Task(
        github_id=1, id=1, github="https://github.com/some/sample", path="./", arguments={}, instruction="", oracle="",
        kind=kind, output=reference,
    )  # fmt: skip
    return same_call(task, answer, root).passed


SHELLS = [
    f"/bin/sh -c '{FIT}; rm -rf data'", f"dash -c '{FIT}; rm -rf data'", f"bash -p -c '{FIT}; rm -rf data'",
    f"env -u BASH_ENV bash -c '{FIT}; rm -rf data'", f"bash -i -c '{FIT}; rm -rf data'",
    f"unset BASH_ENV; bash -c '{FIT}; rm -rf data'", f"BASH_ENV=/tmp/e bash -c '{FIT}'",
    f"ls data | xargs -I X /bin/sh -c '{FIT}; rm -rf data'", f"nohup bash -c '{FIT}; rm -rf data' &",
    f"cat > h.sh <<'E'\n{FIT}\nrm -rf data\nE\n/usr/bin/touch -d 2000-01-01 h.sh; bash h.sh",
    "python() { rm -rf data; command python \"$@\"; }; export -f python; bash go.sh",
    "mkdir /tmp/b; printf '#!/bin/bash\\nrm -rf data\\n' > /tmp/b/ls; chmod +x /tmp/b/ls; PATH=/tmp/b:$PATH; ls; " + FIT,
    f"f() {{ rm -rf data; {FIT}; }}; export -f f; bash -c f",
]  # fmt: skip
TRACES = [
    f"eval 'set +''x'; rm -rf data; {FIT}", f"set +x; rm -rf data; {FIT}", f"shopt -uo xtrace; rm -rf data; {FIT}",
    f"PS4=\nrm -rf data; {FIT}", f"BASH_XTRACEFD=\nrm -rf data; {FIT}", f"exec 198>/dev/null; rm -rf data; {FIT}",
    f"{{ rm -rf data; }} 198>/dev/null; {FIT}", f"cat > /dev/null <<'E'\nrm() {{\nE\nrm -rf data; {FIT}",
]  # fmt: skip
STARTERS = [
    f"perl -e 'system(\"{FIT}\"); system(\"rm -rf data\")'", f"awk 'BEGIN {{ system(\"rm -rf data\") }}'; {FIT}",
    f"find data -name x.csv -exec {FIT} \\; -exec rm {{}} \\;", f"sed -n '1e rm -rf data' go.sh; {FIT}",
    f"sed -n '{'s/a' * 4000}' go.sh; {FIT}",  # hours of looking, and no end of them
    f"/usr/bin/python3 -c 'import shutil; shutil.rmtree(\"data\")'; {FIT}", f"python -m pip uninstall -y torch; {FIT}",
    f"python -c \"import os; os.system('{FIT}; rm -rf data')\"",
    f"python -c \"import subprocess as s; s.run('{FIT}'.split()); s.run(['rm', '-rf', 'data'])\"",
    f"python -c \"import subprocess as s; s.run('{FIT}'.split()); s.Popen(['rm', '-rf', 'data'])\"",
    f"python -c \"import subprocess as s, os; s.run('{FIT}'.split()); os.execvp('rm', ['rm', '-rf', 'data'])\"",
]  # fmt: skip
FILES_OF_OTHERS = [
    f"mkdir /tmp/s; echo 'import os' > /tmp/s/sitecustomize.py; PYTHONPATH=/tmp/s {FIT}", f"echo 'x = 1' > argparse.py; {FIT}",
    f"echo 'x = 1' | tee numpy.py; {FIT}", f"mv data old; {FIT}", f"cp /tmp/util.py ./; {FIT}",
    f"F=util.py; {{ echo 1; }} > $F; {FIT}", f"git push -f; {FIT}", f"conda env remove -n x; {FIT}",
    f"tar czf /tmp/d.tgz data --remove-files; {FIT}",
]  # fmt: skip
PYTHON = [
    "import os\nos.system('cd data && rm x.csv')\n", "import os\nos.popen('mv data old')\n",
    "import subprocess\nsubprocess.run(['rm', '-rf', 'data'])\n", "import subprocess\nsubprocess.Popen('rm -r data'.split())\n",
    "import subprocess\nsubprocess.check_output('echo > util.py', shell=True)\n",
]  # fmt: skip


@pytest.mark.parametrize("answer", [*SHELLS, *TRACES, *STARTERS, *FILES_OF_OTHERS])
def test_more_than_the_call(answer: str, root: Path) -> None:
    assert not passes(root, FIT, answer)


@pytest.mark.parametrize("before", PYTHON)
def test_more_than_the_calls_of_code(before: str, root: Path) -> None:
    assert not passes(root, CODE, before + CODE, "python")


def test_what_harms_nothing(root: Path) -> None:
    harmless = (
        "import os\nimport subprocess\nos.system('ls data; echo x > log')\nsubprocess.run(['rm', '-rf', '/tmp/a'])\n"
    )
    assert passes(root, CODE, harmless + CODE, "python")
    assert (
        passes(root, FIT, "cat > /tmp/h.py <<'E'\nimport os\nos.system('python fit.py --lr 0.1')\nE\nbash go.sh")
        is False
    )
    assert passes(root, FIT, f"python -c \"import subprocess as s; s.Popen('{FIT}'.split())\"")
    assert passes(root, FIT, "log() { echo \"$1\"; }; export -f log; bash -c 'log x'; bash go.sh")
