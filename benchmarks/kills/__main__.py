"""`python -m benchmarks.kills`: so many `kill -9` over solve, resume, bench predict, bench run and bench make.

Every moment comes from the seed. A kill is survived where going on gives what an undisturbed run gives, no row is lost or
doubled, no file is half, and no process, container, network, volume or folder is left.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.kills.errands import ErrandFolder, errands, lay
from ml_agent.benchmarks.kills.trial import Trial, UndisturbedRun, kill, undisturbed

MARKS = 7_000_000


def main(arguments: list[str] | None = None) -> int:
    """Kill, go on, report; 1 where a kill was not survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="in all, in equal parts (100)")
    parser.add_argument("--seed", type=int, default=0, help="decides every moment")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this command; repeatable")
    parser.add_argument("--sandbox", default="local,docker", help="one or two, in turn (local,docker)")
    parser.add_argument("--out", type=Path, help="JSON file of all trials")
    options = parser.parse_args(arguments)
    work = Path(tempfile.mkdtemp(prefix="ml-agent-kills-"))
    place = ErrandFolder(folder=work, mark=str(MARKS + os.getpid()))
    lay(place)
    trials = list(_trials(place, options.sandbox.split(","), options.only or (), options.kills, options.seed))
    _show(trials)
    if options.out:
        options.out.write_bytes(msgspec.json.format(msgspec.json.encode(trials)))
    bad = [trial for trial in trials if trial.wrong]
    if bad:
        Console(stderr=True).print(f"what is left of them stands in {work}", highlight=False)
    else:
        shutil.rmtree(work, ignore_errors=True)
    return int(bool(bad))


def _trials(
    place: ErrandFolder, sandboxes: Sequence[str], only: Sequence[str], kills: int, seed: int
) -> Sequence[Trial]:
    """All trials, the commands and sandboxes in turn."""
    kinds = [(way, one) for way in sandboxes for one in errands(way) if not only or one.name in only]
    kinds.sort(key=lambda kind: [one.name for one in errands("local")].index(kind[1].name))
    wholes: dict[tuple[str, str], UndisturbedRun] = {}
    done = []
    for number, (way, errand) in enumerate(islice(cycle(kinds), kills)):
        folder = place.folder / f"{number:03d}"
        if (way, errand.name) not in wholes:
            wholes[way, errand.name] = undisturbed(errand, place, place.folder / f"whole-{way}-{errand.name}")
        trial = kill(errand, place, wholes[way, errand.name], folder, number, seed)
        done.append(msgspec.structs.replace(trial, errand=f"{errand.name} ({way})"))
        said = "; ".join(trial.wrong) or "survived"
        print(f"{number:3d} {done[-1].errand:22} after {trial.moment:6.2f} s: {said}", flush=True)
        if not trial.wrong:
            shutil.rmtree(folder, ignore_errors=True)
    return done


def _show(trials: Sequence[Trial]) -> None:
    table = Table("command", "kills", "survived", box=None)
    for name in dict.fromkeys(trial.errand for trial in trials):
        mine = [trial for trial in trials if trial.errand == name]
        table.add_row(name, str(len(mine)), str(sum(not trial.wrong for trial in mine)))
    Console().print(table)
    print(f"{sum(not trial.wrong for trial in trials)} of {len(trials)} kills survived")


if __name__ == "__main__":
    raise SystemExit(main())
