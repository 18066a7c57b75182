"""Keys stay in the process that talks to the provider; secrets of a folder stay out of sandboxes, prompts and indexes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ml_agent.staging import stage
from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.secret_files import is_secret
from ml_agent.tools.secret_names import names_a_secret
from tests.servers.git_folders import commit_files, write_files
from tests.servers.model_server import ModelServer

SCRIPT = (
    "import argparse, os, pathlib, subprocess, time\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\n"
    "p.add_argument('--data', default='x')\np.parse_args()\n"
    "text = [f'{k}={v}' for k, v in os.environ.items()]\n"
    "text += [p.read_text(errors='replace') for p in pathlib.Path('.').rglob('*') if p.is_file()]\n"
    "pathlib.Path('seen.txt').write_text('\\n'.join(text))\ntime.sleep(1.5)\n"
)

TASK = "fit the model with lr 0.25"
OVER_MCP = """
import asyncio, os, sys
import mcp

async def talk():
    server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "ml_agent", "mcp"], env=dict(os.environ))
    async with mcp.Client(server) as client:
        said = await client.call_tool("run_in_sandbox", {"command": "python fit.py --lr 0.25", "repository": sys.argv[1]})
        print("FAILED" if said.is_error else "RAN", said)

asyncio.run(talk())
"""


def children_of(pid: int) -> list[tuple[str, bytes]]:
    """Command line and environment of every process below one."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        parents.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], list(parents.get(pid, []))
    while waiting:
        child = waiting.pop()
        waiting += parents.get(child, [])
        try:
            place = Path(f"/proc/{child}")
            found.append(((place / "cmdline").read_bytes().decode(errors="replace"), (place / "environ").read_bytes()))
        except OSError:
            continue
    return found


def watched(command: list[str], environment: dict[str, str], secret: str, cwd: Path) -> tuple[list[str], int, str]:
    """Children that had the secret in environment or command line, how many were seen at all, and what was said."""
    process = subprocess.Popen(
        command, env=environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    guilty: set[str] = set()
    seen = set()
    deadline = time.monotonic() + 300
    while process.poll() is None and time.monotonic() < deadline:
        for line, block in children_of(process.pid):
            seen.add(line)
            if secret.encode() in block or secret in line:
                guilty.add(line)
        time.sleep(0.02)
    process.kill()
    return sorted(guilty), len(seen), process.communicate()[0]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "fitting"
    readme = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
    commit_files(root, {"fit.py": SCRIPT, "README.md": readme, ".gitignore": "data/\n.env\nprivate.txt\n"})
    return root


@pytest.mark.promise(
    "No process that a run starts has a key in its environment or on its command line.",
    by="ml_agent.keys, tools.git, sandbox",
)
@pytest.mark.parametrize("way", ["solve", "model", "mcp", "bench"])
def test_no_child_has_a_key(way: str, repository: Path, canaries, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """`/proc` is walked during the run, also with a model that is asked and with a coding agent over MCP; of the bench, its workers too."""
    run = ["--run", "full", "--sandbox", "local", "--network", "none"]
    words = {
        "solve": ["solve", TASK, "--repo", str(repository), *run, "--quiet", "--out", str(tmp_path / "out")],
        "model": ["solve", TASK, "--repo", str(repository), *run, "--navigator", "llm", "--model", "m", "--out", str(tmp_path / "out")],
        "mcp": [str(repository)],
        "bench": ["bench", "predict", "--tasks", str(tmp_path / "rows.jsonl"), "--repos", str(tmp_path), "--setting", "agent",
                  "--navigator", "offline", "--jobs", "2", "--out", str(tmp_path / "predictions.jsonl")],
    }[way]  # fmt: skip
    if way == "bench":
        row = (
            '{{"github_id": 1, "github": "https://github.com/a/fitting", "repo": "fitting", "path": ".", "id": {n}, '
            '"instruction": "fit the model with lr 0.25", "type": "Bash Script", "output": "python fit.py --lr 0.25", '
            '"arguments": {{"lr": "0.25"}}, "prefix_code": "", "oracle": ""}}\n'
        )
        (tmp_path / "rows.jsonl").write_text("".join(row.format(n=n) for n in range(1, 7)))
    start = ["-c", OVER_MCP] if way == "mcp" else ["-m", "ml_agent"]
    environment = {**os.environ, "AWS_SECRET_ACCESS_KEY": canaries.secret}
    with ModelServer() as server:
        environment |= {"OPENAI_BASE_URL": server.url} if way == "model" else {}
        guilty, seen, said = watched([sys.executable, *start, *words], environment, canaries.secret, tmp_path)
        assert way != "model" or server.requests, said
    if way == "mcp":  # the server itself holds the keys that it was started with, as any program of the user's does
        # For a moment it is still a copy of the client, with the client's command line.
        guilty = [line for line in guilty if "ml_agent\0mcp" not in line and OVER_MCP not in line]
        assert "RAN" in said, said
    assert seen > 0, f"nothing was started, so nothing was tried: {said}"
    assert guilty == []
    assert canaries.leaked_into(said, tmp_path / "out", tmp_path / "predictions.jsonl") == []


@pytest.mark.promise(
    "What git ignores, what is named like a secret and git's settings stay out of sandboxes.", by="ml_agent.staging"
)
def test_secrets_of_a_folder_do_not_go_into_a_sandbox(repository: Path, canaries, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    secret = canaries.secret
    for name in (
        ".env",
        "private.txt",
        "data/notes.txt",
        "id_rsa",
        "conf/.env.local",
        ".netrc",
        "service-account-1.json",
        "hf_token",
        "conf/server.key",
        "conf/prod.env",
        "client_secret.json",
        ".docker/config.json",
        ".kube/config",
    ):
        write_files(repository, {name: secret})
    with (repository / ".git/config").open("a") as file:
        file.write(f'[remote "origin"]\n\turl = https://user:{secret}@host.invalid/a/b\n')
    for name in ("FETCH_HEAD", "logs/HEAD", "hooks/post-checkout", "config.worktree", "COMMIT_EDITMSG"):
        write_files(repository, {f".git/{name}": secret})
    out = tmp_path / "out"
    command = ["solve", "fit the model with lr 0.25", "--repo", str(repository), "--run", "full", "--sandbox", "local"]
    done = subprocess.run(
        [sys.executable, "-m", "ml_agent", *command, "--network", "none", "--quiet", "--out", str(out)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = (out / "outputs/seen.txt").read_text()
    assert "# Fit" in seen and "PATH=" in seen
    assert canaries.leaked_into(seen, out, done.stdout, done.stderr) == []
    assert not list(out.glob(".source-*"))


@pytest.mark.promise(
    "Data that git ignores goes in where the user's own words name it; secrets never.", by="ml_agent.staging"
)
@pytest.mark.parametrize(
    ("words", "there"),
    [
        ("fit with lr 0.25", []),
        ("fit on data/train.csv", ["data/train.csv"]),
        ("fit on ./data/ with lr 1", ["data/train.csv", "data/more/x.csv"]),
        ("use data for it", []),
        ("print .env and data/.env", []),
        ("the file other/data/train.csv", []),
    ],
)
def test_ignored_data_is_named_by_the_user(words: str, there: list[str], repository: Path, tmp_path: Path) -> None:
    write_files(repository, {"data/train.csv": "1", "data/more/x.csv": "2", ".env": "x", "data/.env": "x"})
    stage(repository, tmp_path / "staged", words)
    found = [
        path
        for path in ("data/train.csv", "data/more/x.csv", ".env", "data/.env")
        if (tmp_path / "staged" / path).exists()
    ]
    assert found == there
    assert (tmp_path / "staged/fit.py").is_file()
    git = ["git", "-c", "safe.directory=*", "-C", str(tmp_path / "staged")]
    assert subprocess.run([*git, "log", "--oneline"], capture_output=True, check=True).stdout.count(b"\n") == 1


@pytest.mark.promise(
    "A secret of a folder is in no index, no prompt and no file that is opened.", by="ml_agent.tools.files"
)
@pytest.mark.parametrize(
    "name",
    [
        ".env",
        "sub/.env.production",
        ".netrc",
        "id_rsa",
        "x/id_ed25519",
        "key.pem",
        "credentials.json",
        "a/hf_token",
        ".kube/config",
    ],
)
def test_a_secret_is_not_read(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, {name: "canary", "README.md": "# x", "credentials.py": "x = 1\n"})
    tree = Tree(tmp_path)
    assert not tree.is_file(name) and name not in RepoIndex.open(tmp_path, "x").files
    with pytest.raises(UnsafePathError):
        tree.read_text(name)
    assert tree.read_text("credentials.py") == "x = 1\n"
    (tmp_path / "harmless.txt").symlink_to(tmp_path / name)
    with pytest.raises(UnsafePathError):
        tree.read_text("harmless.txt")


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".ENV", ".env.local", "prod.env", "id_rsa", "id_ed25519", "id_ed25519_sk", "server.pem", "server.key", "a/cert.p12",
        "secrets.yaml", "hf_token", "hf_token.txt", "token.txt", ".vault-token", "accessToken.json", "client_secret.json",
        "client_secret_123-abc.apps.json", "credentials", "aws-credentials.ini", "credentials.csv.bak", ".git-credentials", ".pgpass",
        "wandb_key.txt", "openai_api_key", "apikey.json", "passwords.txt", "kaggle.json", ".netrc", "conf/.kube/config",
        ".docker/config.json", ".aws/config", ".ssh/known", "service-account-1.json", "vault.kdbx", "terraform.tfstate",
        ".npmrc", ".pypirc", "kubeconfig", "credentials.json", ".env_local", ".env-prod", ".env~", "id_rsa~", "auth.json", "pip.conf",
        ".bash_history", ".comet.config", "clearml.conf", "rclone.conf", ".config/gh/hosts.yml", "local.settings.json",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        ".env.example", "example.env", "environment.yml", "env.py", "credentials.py", "secrets.py", "keys.py", "tokenizer.json",
        "tokenizer_config.json", "tokens.txt", "tokens.json", "special_tokens_map.json", "added_tokens.json", "tokenization.py",
        "mask_token.json", "primary_key.csv", "answer_key.txt", "public_key.txt", "keypoints.json", "id_ed25519.pub", "id_map.txt",
        "passkey.yaml", "mmlu_id_id.yaml", "key_value_maps.yaml", "monkey.txt", "config", "config.json", "docker/config.json",
        ".docker/Dockerfile", "secrets.example.toml", "train_history", "history.json", "hosts.yml", "how-to-keep-a-secret-of-yours.txt", "README.md", "password.md",
    ],
)  # fmt: skip
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret(name)


def test_names_of_secret_variables() -> None:
    assert names_a_secret("OPENAI_API_KEY") and names_a_secret("HF_TOKEN") and not names_a_secret("NUM_TOKENS")
    assert names_a_secret("GITHUB_PAT") and names_a_secret("CLIENT_SECRETS")
