"""What was judged is what `reproduce.sh` would do: the answer runs in the checkout, the environment of the recorded steps and the user's files alone."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.draft import Draft
from ml_agent.execution import Executor, FileExpectations, Outcome
from ml_agent.navigator import Workspace
from ml_agent.runs import new_run
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Network, Policy
from ml_agent.sandbox.docker_sandbox import DockerSandbox
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.settings import load_settings
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex
from tests.servers.git_folders import write_files
from tests.wheels import make_wheel

HELD_BY = "sandbox.session, Sandbox.begin_clean"
KINDS = [
    pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.xdist_group("docker-sandbox")]),
    pytest.param("bubblewrap", marks=pytest.mark.xdist_group("bubblewrap-sandbox")),
]
PREDICT = """
import argparse, csv, json, os, random, subprocess, sys, scaling
from model.net import predict
p = argparse.ArgumentParser()
p.add_argument("--rows", type=int)
p.add_argument("--out")
args = p.parse_args()
with open(args.out, "w") as file:
    rows = csv.writer(file)
    for n in range(args.rows):
        rows.writerow([n, scaling.scaled(predict(n, json.load(open("weights.json"))))])
    rows.writerow(["shell", subprocess.run("echo $((6 * 7)); git --version | wc -w", shell=True, capture_output=True, text=True).stdout])
    extra = sorted(set(os.listdir(".")) - {"data", "weights.json", "model", "predict.py", "README.md", "requirements.txt", args.out})
    rows.writerow(["beside", *extra, *os.listdir("data"), *(name for place in ("/tmp", "/var/tmp", "/dev/shm") for name in os.listdir(place) if "forged" in name)])
    rows.writerow(["home", *(name for name in os.listdir(os.path.expanduser("~")) if "forged" in name)])
"""
FILES = {
    "predict.py": PREDICT,
    "model/__init__.py": "",
    "model/net.py": "def predict(n, weights):\n    return n * weights['w']\n",
    "weights.json": '{"w": 3}\n',
    "requirements.txt": "scaling\n",
    "README.md": "# Predict\n\n```bash\npython predict.py --rows 5 --out result.csv\n```\n",
}
ANSWER = "python predict.py --rows 5 --out result.csv"
SPOILT = "def predict(n, weights):\\n    return 666\\n"
SITE = '"$VIRTUAL_ENV"/lib/python3*/site-packages'
_FORGER = """
import os, sys
os.makedirs("/tmp/forged", exist_ok=True)
open("/tmp/forged/scaling.py", "w").write("def scaled(x): return 666")
"""


def _python(code: str) -> str:
    return f"python - <<'END'\n{code}\nEND"


def _cached(module: str, flag: str = "UNCHECKED_HASH") -> str:
    """Code compiled into a cache that Python takes for a module's without a look at its source."""
    return _python(
        "import importlib.util, os, py_compile\n"
        f"spec = importlib.util.find_spec({module!r})\n"
        "open('/tmp/forged.py', 'w').write('def predict(n, weights): return 666\\ndef scaled(x): return 666\\nDictWriter = None\\ndef writer(f): raise SystemExit\\n')\n"
        f"py_compile.compile('/tmp/forged.py', spec.cached, spec.origin, invalidation_mode=py_compile.PycInvalidationMode.{flag})"
    )


def _forgeries() -> dict[str, str]:
    """Drafts that leave something for the next one: names and bash."""
    module = f"printf '{SPOILT}def scaled(x): return 666\\n'"
    found = {
        f"a compiled {one} {flag}": _cached(one, flag)
        for one in ("model.net", "scaling", "csv", "json", "argparse", "random")
        for flag in ("UNCHECKED_HASH", "CHECKED_HASH", "TIMESTAMP")
    }
    beside = "csv json random argparse subprocess scaling os re numpy sitecustomize usercustomize encodings copy types"
    for name in beside.split():
        found[f"a module {name} beside the program"] = (
            f"{module} > {name}.py; mkdir -p model; {module} > model/{name}.py"
        )
    for name in ("csv", "json", "random", "scaling", "sitecustomize", "usercustomize", "model"):
        found[f"a module {name} in the environment"] = (
            f"for d in {SITE}; do {module} > $d/{name}.py; mkdir -p $d/{name}; {module} > $d/{name}/__init__.py; {module} > $d/{name}/net.py; done"
        )
        found[f"a module {name} in the home"] = (
            f'd=$(python -m site --user-site); mkdir -p "$d"; {module} > "$d/{name}.py"'
        )
    for name in ("predict.py", "model/net.py", "model/__init__.py", "weights.json", "requirements.txt"):
        found[f"{name} written anew"] = f"{module} > {name}; echo '{{\"w\": 222}}' > weights.json"
        found[f"{name} replaced by a link"] = (
            f"mkdir -p ~/forged; {module} > ~/forged/file; ln -sf ~/forged/file {name}"
        )
        found[f"{name} changed with its old time"] = f"touch -r {name} ~/t; {module} > {name}; touch -r ~/t {name}"
        found[f"no {name}"] = f"rm {name}"
    places = {
        "the environment": f"for d in {SITE}; do cd $d; {{}}; cd - >/dev/null; done",
        "the home": 'cd "$(mkdir -p ~/.local/lib/python3.11/site-packages; echo ~/.local/lib/python3.11/site-packages)"; {}',
    }
    for place, way in places.items():
        for kind, line in {
            "a path file": "import builtins; builtins.forged = 1; exec(open(chr(47)+'tmp/forged.pth.py').read())",
            "a path": "/tmp/forged",
            "a path file that is last": "import sys; sys.path.insert(0, chr(47) + 'tmp/forged')",
        }.items():
            found[f"{kind} in {place}"] = f"{_python(_FORGER)}; " + way.format(
                f'echo "{line}" > {"zzz" if "last" in kind else "aaa"}.pth'
            )
    for name in ("python", "python3", "git", "sh", "bash", "wc", "echo", "env"):
        found[f"a program {name} of the environment"] = (
            f'rm -f "$VIRTUAL_ENV/bin/{name}"; printf "#!/bin/sh\\necho 666\\n" > "$VIRTUAL_ENV/bin/{name}"; /bin/chmod +x "$VIRTUAL_ENV/bin/{name}"'
        )
    for name, text in {
        ".bashrc": "alias python=false",
        ".profile": "PATH=/tmp/forged",
        ".bash_profile": "exit",
        ".pythonrc": "raise SystemExit",
        ".gitconfig": "[alias]\\nversion = !false",
        ".config/pip/pip.conf": "[global]\\nindex-url = http://x",
        ".pydistutils.cfg": "[install]",
        ".netrc": "machine x",
        ".inputrc": "x",
    }.items():
        found[f"a file {name} of the home"] = f'mkdir -p ~/.config/pip; printf "{text}\\n" > ~/{name}; touch ~/forged'
    found |= {
        "the environment's settings": 'sed -i s/false/true/ "$VIRTUAL_ENV/pyvenv.cfg"; d=$(python -m site --user-site); mkdir -p "$d"; echo "print(666)" > "$d/usercustomize.py"',
        "a hook of git": "git init -q .; mkdir -p .git/hooks; printf '#!/bin/sh\\necho forged > result.csv\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/*; touch data/forged",
        "the result itself": "echo 0,666 > result.csv; chmod 444 result.csv",
        "the result as a link": "echo 0,666 > ~/forged; ln -s ~/forged result.csv",
        "the result as a folder": "mkdir result.csv",
        "a closed folder": "mkdir forged; touch forged/x; chmod 000 forged model",
        "a workspace that is closed": "chmod 000 .",
        "a process that goes on": "(setsid sh -c \"while :; do sleep 0.05; echo '0,666' > /workspace/result.csv; echo 'raise SystemExit' > /workspace/predict.py; done\" >/dev/null 2>&1 &)",
        "a process that is stopped": "(setsid sh -c 'kill -STOP $$; echo 0,666 > /workspace/result.csv' &)",
        "temporary files": "for d in /tmp /var/tmp /dev/shm; do mkdir -p $d/forged/in; touch $d/forged/in/file; chmod 000 $d/forged/in; done",
        "files of our own names": "mkdir -p ~/.ml-agent; echo 'exit 0' > ~/.ml-agent/watch.sh; echo nonsense > ~/.ml-agent/notes; echo 'raise SystemExit' > ~/.ml-agent/hook.py; echo x > ml_agent_answer.py; touch ~/forged",
        "a marker of ours": "rm -f /tmp/.ml-agent-began; ln -s /workspace/weights.json /tmp/.ml-agent-began",
        "the user's file": "echo 666 > data/own.txt; echo 666 > data/forged.txt",
        "attributes": "chmod -R a-w . ; chmod a-x model",
        "a deep folder": _python("import os\nfor _ in range(1200):\n    os.mkdir('forged')\n    os.chdir('forged')"),
        "many files": "mkdir forged; cd forged; for i in {1..3000}; do : > $i; done",
    }
    return found


FORGERIES = _forgeries()
GROUPS = 4
"""Drafts that are run together; the ones that hinder others come last in theirs."""
_HINDERS = ("closed", "no ", "many files", "deep folder", "attributes", "a process", "a program")
LISTED = "README.md\nmodel\npredict.py\nrequirements.txt\nscaling.py\nweights.json"


class Trial:
    """An executor with a repository, and the same user's file at each run."""

    def __init__(self, kind: str, folder: Path, network: Network) -> None:
        self.root, self.mine = folder / "repository", folder / "mine"
        write_files(
            self.root, FILES if network == "install" else {**FILES, "scaling.py": "def scaled(x):\n    return x * 2\n"}
        )
        write_files(self.mine, {"data/own.txt": "mine\n"})
        run = new_run(folder / "runs", folder / "run", {})
        policy = Policy(network=network, run_id=f"forged-{os.getpid()}")
        sandbox = (
            DockerSandbox(policy, log_folder=run.logs) if kind == "docker" else BubblewrapSandbox(policy, run.logs)
        )
        self.executor = Executor(sandbox, load_settings(run="full"), run, lambda *_, **__: None, lambda _: None)
        self.workspace = Workspace(
            index=RepoIndex.open(self.root, "v"), candidate=Candidate(full_name="a/b", url=str(self.root))
        )
        self.folder = run

    def run(self, text: str) -> Outcome:
        """Run a draft."""
        wanted = FileExpectations(inputs=("data/own.txt",), folder=self.mine)
        return self.executor.run(self.workspace, Draft(kind="bash", text=text, source="llm"), (), wanted)

    def result(self) -> str:
        """What an honest answer makes."""
        outcome = self.run(ANSWER)
        assert outcome.response.ok, outcome.response
        made = {one.path for one in outcome.made}
        assert made == {"result.csv"} and outcome.outputs == ("result.csv",), outcome
        return (self.folder.path / outcome.outputs_in / "result.csv").read_text()


@pytest.fixture
def trial(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, Network], Trial]]:
    make_wheel(tmp_path / "wheels", "scaling", "1.0", {"scaling.py": "def scaled(x):\n    return x * 2\n"})
    for name, value in {"FIND_LINKS": str(tmp_path / "wheels"), "NO_INDEX": "1", "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    made: list[Trial] = []

    def make(kind: str, network: Network) -> Trial:
        if kind == "bubblewrap" and find_bubblewrap() is None:
            pytest.skip("bubblewrap does not work here")
        made.append(Trial(kind, tmp_path, network))
        return made[-1]

    yield make
    for one in made:
        one.executor.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("network", "by"), [("install", "a draft"), ("none", "a probe")])
def test_nothing_that_was_left_before_counts(
    kind: str, network: Network, by: str, trial: Callable[[str, Network], Trial]
) -> None:
    one = trial(kind, network)
    honest = one.result()
    assert honest.startswith("0,0\n1,6\n") and "666" not in honest
    names = sorted(FORGERIES, key=lambda name: (any(word in name for word in _HINDERS), name))
    assert len(set(FORGERIES.values())) >= 100
    for at in range(GROUPS):
        group = names[at::GROUPS]
        text = "\n".join(f"(\n{FORGERIES[name]}\n) </dev/null >/dev/null 2>&1" for name in group)
        if by == "a draft":
            one.run(text)
        else:
            one.executor.probe(one.workspace, text)
            assert one.executor.probe(one.workspace, "ls -A") == LISTED
        assert one.result() == honest, group
