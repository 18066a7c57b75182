"""What an agent of others leaves as outputs: it brings no file of this machine to the judge, and lies nowhere else."""

from pathlib import Path

from ml_agent.benchmarks.form_d.run import bring_out
from ml_agent.benchmarks.subjects.places import Place, open_place
from ml_agent.sandbox.contract import Command
from tests.hostile.conftest import Canaries

HELD_BY = "benchmarks.form_d.run, sandbox.unpack"


def test_outputs_bring_no_file_of_this_machine_along_and_lie_in_their_folder(
    tmp_path: Path, canaries: Canaries
) -> None:
    sandbox = open_place(Place(sandbox="local", unisolated=True), tmp_path / "logs")
    sandbox.start()
    records = tmp_path / "records"
    key = canaries.home / ".ssh/id_rsa"
    links = f"ln -s {key} outputs/key; ln -s {canaries.home} outputs/home; ln -s .. outputs/up"
    text = f"mkdir -p row/outputs && cd row && echo 1 > outputs/x.csv && echo 2 > other.csv && {links}"
    assert sandbox.run(Command(text=text)).ok
    bring_out(sandbox, "row", records)
    sandbox.stop()
    assert not canaries.leaked_into(records)
    assert not (records / "other.csv").exists()
    assert all(path.resolve().is_relative_to(records) for path in records.rglob("*"))
    assert (records / "outputs/x.csv").read_text() == "1\n"
