"""Which repairs rules propose, in which order, and when they give up."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ml_agent.sandbox.diagnosis import Diagnosis, Fix, RunLocation
from ml_agent.sandbox.diagnosis.refine import refine
from ml_agent.sandbox.repair import MAX_PER_FAILURE, Repair, pick
from ml_agent.sandbox.repair_rules import FailureContext, candidates
from ml_agent.sandbox.task import Source, Task


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def scene(root: Path, text: str = "python train.py", **more: object) -> FailureContext:
    settings = {"python": (3, 11), "pythons": ((3, 11), (3, 12), (3, 9), (3, 7)), **more}
    date = str(settings.pop("date", ""))
    folder = str(settings.pop("folder", "."))
    return FailureContext(source=Source(root=root, date=date), task=Task(text=text, folder=folder), **settings)  # type: ignore[arg-type]


def diagnosis(code: str, subject: str = "", fix: Fix | None = None) -> Diagnosis:
    return Diagnosis(code=code, category="environment", message="m", subject=subject, evidence=("e",), fix=fix)


def proposed(found: Diagnosis, at: FailureContext) -> list[tuple[str, tuple[str, ...]]]:
    return [(repair.kind, repair.arguments) for repair in candidates(found, at)]


def test_a_module_of_the_repository_before_any_distribution(tmp_path: Path) -> None:
    write(tmp_path, "src/lumen/__init__.py", "")
    write(tmp_path, "train.py", "import lumen")
    write(tmp_path, "setup.py", "")
    found = proposed(diagnosis("missing-module", "lumen.x"), scene(tmp_path))
    assert found[0] == ("path", ("src",))


def test_the_repositorys_own_version_of_a_distribution(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "opencv-python==4.5\n")
    found = proposed(diagnosis("missing-module", "cv2"), scene(tmp_path))
    assert found[0] == ("install", ("opencv-python==4.5",))
    assert not proposed(diagnosis("missing-module", "cv2"), scene(tmp_path, left_out=("opencv-python==4.5",)))
    write(tmp_path, "setup.cfg", "[metadata]\nname = opencv-python\n")
    *before, last = proposed(diagnosis("missing-module", "cv2"), scene(tmp_path, date="2019-03-01", pythons=((3, 7),)))
    assert before and last == ("install", ("opencv-python==4.5",)), "another version than the one that was asked for"


def test_older_versions_then_older_python_by_date(tmp_path: Path) -> None:
    fix = Fix(kind="constrain", arguments=("tensorflow<2",), python="3.7")
    found = proposed(diagnosis("removed-api", "x", fix), scene(tmp_path, date="2019-05-01"))
    assert found == [
        ("install", ("tensorflow<2", "--python 3.7")),
        ("install", ("tensorflow<2",)),
        ("install", ("--exclude-newer 2019-05-01", "--python 3.7")),
    ]
    by_hand = proposed(diagnosis("removed-api", "x", fix), scene(tmp_path, date="2019-05-01", chosen=True))
    assert by_hand == found[:2]  # another day's libraries are not those that the author chose


def test_libraries_of_its_time_are_no_others_for_what_was_just_changed(tmp_path: Path) -> None:
    found = diagnosis("exception", "x", Fix(kind="by-date"))
    assert proposed(found, scene(tmp_path, date="2019-05-01"))
    assert not proposed(found, scene(tmp_path, date=datetime.now(UTC).date().isoformat()))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("<=3.10", "3.9"),
        ("<=3.9", "3.9"),
        ("<=3.8", "3.7"),
        ("<=3.6", None),
        (">=3.12", "3.12"),
        (">=3.13", None),
        (">=3.10", None),
    ],
)
def test_the_nearest_python(tmp_path: Path, wanted: str, expected: str | None) -> None:
    found = proposed(diagnosis("wrong-python", "x", Fix(kind="python", arguments=(wanted,))), scene(tmp_path))
    assert [arguments for _, arguments in found] == ([(f"--python {expected}",)] if expected else [])


def test_a_file_beside_the_script(tmp_path: Path) -> None:
    write(tmp_path, "src/main.py", "open('config.json')")
    write(tmp_path, "src/config.json", "{}")
    place = RunLocation(root=tmp_path, entry=tmp_path / "src/main.py")
    assert refine(diagnosis("missing-file", "config.json"), place).code == "wrong-folder"


@pytest.mark.parametrize("workspace", ["/workspace", "/home/me/.cache/ml-agent/sandboxes/sandbox-ab1_c/workspace"])
def test_a_path_of_the_workspace_is_one_of_the_repository(tmp_path: Path, workspace: str) -> None:
    place = RunLocation(root=tmp_path, folder="src", entry=tmp_path / "src/train.py")
    found = refine(diagnosis("missing-file", f"{workspace}/src/vocab.json"), place)
    assert found.subject == "vocab.json" and "src/vocab.json in the repository" in found.message
    folder = refine(diagnosis("missing-folder", "x", Fix(kind="folder", arguments=(f"{workspace}/logs",))), place)
    assert folder.fix is not None and folder.fix.arguments == ("../logs",)
    other = refine(diagnosis("missing-file", "/data/workspace/x.json"), place)
    assert "/data/workspace/x.json, a place outside" in other.message


def test_the_card_is_hidden_where_there_is_none(tmp_path: Path) -> None:
    found = proposed(diagnosis("no-cuda", "x", Fix(kind="cpu")), scene(tmp_path, "python train.py --steps 5"))
    assert found == [("environment", ("CUDA_VISIBLE_DEVICES=",))]


def test_a_failure_has_its_share_and_no_more() -> None:
    many = [Repair(kind="install", arguments=(str(n),)) for n in range(20)]
    history: list[Repair] = []
    while (repair := pick(many, history, "same")) is not None:
        history.append(repair)
    assert len(history) == MAX_PER_FAILURE
    assert pick(many, history, "another") is not None
