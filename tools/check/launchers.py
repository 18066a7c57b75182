"""The own options of launchers of scripts: torchrun, accelerate launch, deepspeed."""

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.findings import Finding
from ml_agent.tools.signatures.known_classes import known_launcher

OWN_OPTIONS = frozenset({"unknown-option", "bad-choice", "bad-type", "missing-value"})


def check_launcher(invocation: Invocation) -> list[Finding]:
    """What is wrong with the options of the launcher that starts a script; [] where it is not known or there is none."""
    signature = known_launcher(invocation.launcher) if invocation.launcher else None
    if signature is None:
        return []
    found = parse_call(signature, invocation.launched).findings
    return [f for f in found if f.code in OWN_OPTIONS and f.severity != "unsure"]
