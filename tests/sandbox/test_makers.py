"""How a file that is not there can be come by: each way, written so that it can be run as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.sandbox.makers import MissingFile, makers_of


def write(root: Path, name: str, text: str = "") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def made(root: Path, path: str, **more: object) -> bool:
    """Whether the first way that is proposed brings the file about, run where the program ran."""
    missing = MissingFile(root=root, path=path, **more)  # type: ignore[arg-type]
    command = makers_of(missing)[0]
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    subprocess.run(["bash", "-c", command], cwd=missing.here, env=environment, check=True, timeout=240)
    return (missing.here / path.replace("\\\\", "\\")).is_file()


@pytest.mark.parametrize("asked", ["data/train.csv", r"Data\Train.csv", r"Data\\Train.csv", r"data\train.csv"])
def test_a_path_that_only_windows_finds(tmp_path: Path, asked: str) -> None:
    write(tmp_path, "Data/Train.csv")
    assert made(tmp_path, asked)


def test_a_path_seen_from_a_folder_below(tmp_path: Path) -> None:
    write(tmp_path, "src/Config.json")
    assert made(tmp_path, "config.json", folder="src")


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ("config.example.json", "config.json"),
        ("config.json.example", "config.json"),
        ("config_template.yaml", "config.yaml"),
        ("conf/default-settings.toml", "conf/settings.toml"),
        (".env.sample", ".env"),
    ],
)
def test_settings_from_their_example(tmp_path: Path, there: str, asked: str) -> None:
    write(tmp_path, there, "x")
    assert made(tmp_path, asked)


def test_a_file_that_the_user_names_is_made_of_no_other(tmp_path: Path) -> None:
    for name in ("config.example.json", "Words.txt", "prepare.py"):
        write(tmp_path, name, "open('made.json', 'w')")
    for path in ("config.json", "words.txt"):
        assert makers_of(MissingFile(root=tmp_path, path=path)) and not makers_of(
            MissingFile(root=tmp_path, path=path, named=True)
        )
    assert makers_of(MissingFile(root=tmp_path, path="made.json", named=True)) == ["python prepare.py"]


def test_a_documented_command_with_its_arguments(tmp_path: Path) -> None:
    write(tmp_path, "tools/prep.py", "import sys\nopen(sys.argv[1], 'w')")
    write(tmp_path, "train.py")
    write(tmp_path, "README.md", "```\npython tools/prep.py <out>/vocab.json\n$ python tools/prep.py vocab.json\n```\n")
    assert makers_of(MissingFile(root=tmp_path, path="vocab.json")) == ["python tools/prep.py vocab.json"]
    assert made(tmp_path, "vocab.json")


def test_the_script_itself_and_unknown_scripts_make_nothing(tmp_path: Path) -> None:
    entry = write(tmp_path, "train.py", "open('log.txt', 'w')")
    write(tmp_path, "README.md", "    python train.py --log log.txt\n    python gone.py log.txt\n")
    assert makers_of(MissingFile(root=tmp_path, path="log.txt", entry=entry)) == []


def test_a_command_of_a_readme_in_a_folder_runs_there(tmp_path: Path) -> None:
    write(tmp_path, "data/get.sh", "echo x > $1")
    write(tmp_path, "data/README.md", "    bash get.sh words.txt\n")
    assert makers_of(MissingFile(root=tmp_path, path="data/words.txt")) == ["(cd data && bash get.sh words.txt)"]


def test_nothing_is_made_outside_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, "config.example.json")
    for path in ("/etc/config.json", "../config.json"):
        assert makers_of(MissingFile(root=tmp_path, path=path)) == []
