"""A program that does a run and kills its own process with SIGKILL when a phase is entered or left."""

import os
import signal
import sys
from pathlib import Path

from ml_agent.request import Job
from ml_agent.run_job import config_of, run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings


class Killer:
    """Stands where the progress display stands."""

    def __init__(self, phase: str, moment: str) -> None:
        self._when = (phase, moment)

    def on_phase(self, name: str, moment: str, _note: str) -> None:
        if (name, moment) == self._when:
            os.kill(os.getpid(), signal.SIGKILL)

    def on_output(self, _text: str) -> None:
        pass

    def watch(self, _usage: object) -> None:
        pass

    def choose(self, _offered: object) -> None:
        return None

    def close(self) -> None:
        pass


def main() -> None:
    """The run of the command line PHASE enter|leave OUT REPOSITORY INSTRUCTION."""
    phase, moment, out, repository, instruction = sys.argv[1:]
    settings = load_settings(sandbox="local", unisolated=True, run="full", network="none", max_attempts=2)
    job = Job(instruction=instruction, repository=repository)
    folder = new_run(settings.runs_dir, Path(out), config_of(job, settings))
    run_job(job, settings, folder, Killer(phase, moment))
