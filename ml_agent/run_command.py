"""Run a command or code of the caller's in the sandbox, in a repository that is set up for it."""

from pathlib import Path

import msgspec

from ml_agent.assemble import assemble
from ml_agent.draft import Draft
from ml_agent.errors import ConfigurationError
from ml_agent.execution import Outcome
from ml_agent.job import Job
from ml_agent.navigator import Given
from ml_agent.observer import Observer
from ml_agent.run_job import config_of
from ml_agent.runs import new_run
from ml_agent.settings import Settings
from ml_agent.tools.candidates import Candidate


class CommandRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a command did."""

    outcome: Outcome
    folder: Path
    """Its run folder, with logs and outputs."""


def run_command(draft: Draft, repository: str, settings: Settings, observer: Observer | None = None) -> CommandRun:
    """Set the repository up and run the draft in it; a failing program is an outcome, not an error.

    Raises ConfigurationError where nothing isolates here.
    """
    job = Job(instruction=draft.text, repository=repository, path=draft.workdir)
    folder = new_run(settings.runs_dir, None, config_of(job, settings))
    services = assemble(job, settings, folder, observer)
    try:
        if services.executor is None:
            raise ConfigurationError(services.no_executor)
        candidate = Candidate(full_name=repository, url=repository)
        checkout = services.workspaces.checkout(candidate)
        candidate = msgspec.structs.replace(candidate, url=checkout.url)
        workspace = services.workspaces.open(candidate, checkout.root, checkout.version, Given(path=draft.workdir))
        draft = msgspec.structs.replace(draft, workdir=workspace.path)
        outcome = services.executor.run(workspace, draft, [])
        folder.publish_outputs(outcome.outputs_in)
        return CommandRun(outcome=outcome, folder=folder.path)
    finally:
        services.close()
