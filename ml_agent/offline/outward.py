"""Options that reach beyond the machine or cannot be undone: they upload, publish, delete, pay or report somewhere.

None of them is ever set unless the request says so itself, whatever an example has or a matching finds likely.
"""

import ast
import re
from pathlib import PurePosixPath

from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.model import Option, Signature

_ACTS = {
    "upload": r"upload\w*|push(?:ed|es|ing)?|publish\w*|releas\w*|shar(?:e|ed|es|ing)|gradio|hub|huggingface|s3|bucket|gcs|pull request|pr",
    "delete": r"delet\w*|remov\w*|eras\w*|purg\w*|wip\w*|clean\w*|prun\w*|overwrit\w*|replac\w*|discard\w*|drop\w*|forc(?:e|ed|es|ing)",
    "report": r"report\w*|wandb|weights (?:and|&) biases|comet\w*|neptune|mlflow|clearml|tensorboard|aim|track\w*|log\w*|telemetry",
    "pay": r"pay\w*|purchas\w*|buy\w*|bill\w*|spend\w*|spot|instance\w*|cloud|aws|gcp|azure",
}
"""By what is done: the words by which a request asks for it."""
_NAMES = {
    "upload": re.compile(
        r"(?:^|[_.-])(?:upload|push|publish|create_pr|release)(?:[_.-]|$)|^share$|(?:to|the)_hub(?:[_.-]|$)|^hub_|^push_to",
        re.IGNORECASE,
    ),
    "delete": re.compile(
        r"(?:^|[_.-])(?:delete|remove|rm|erase|purge|wipe|clean|cleanup|overwrite)(?:[_.-]|$)", re.IGNORECASE
    ),
    "report": re.compile(
        r"(?:^|[_.-])(?:report_to|wandb|comet|neptune|mlflow|clearml|telemetry)(?:[_.-]|$)", re.IGNORECASE
    ),
    "pay": re.compile(r"(?:^|[_.-])(?:pay|purchase|billing|spot_instance)(?:[_.-]|$)", re.IGNORECASE),
}
_HELPS = {
    "upload": re.compile(
        r"\b(?:upload|push|publish)(?:s|es|ed|ing)?\b.{0,60}\b(?:hub|huggingface|s3|bucket|server|cloud|gcs|remote|web)\b|\bpublic link\b",
        re.IGNORECASE,
    ),
    "delete": re.compile(
        r"^\W*(?:if set,?\s+)?(?:delete|remove|erase|purge|wipe|overwrite)s?\b.{0,40}\b(?:files?|folders?|director(?:y|ies)|checkpoints?|data|outputs?|results?)\b",
        re.IGNORECASE,
    ),
    "report": re.compile(
        r"\b(?:wandb|weights (?:and|&) biases|comet|neptune|mlflow|clearml|telemetry)\b", re.IGNORECASE
    ),
    "pay": re.compile(r"\b(?:costs? money|will be (?:billed|charged))\b", re.IGNORECASE),
}


def acts_outward(option: Option) -> str:
    """What an option does beyond the machine or for good: upload, delete, report or pay; "" for nothing of the kind."""
    if option.type in {"int", "float"}:
        return ""
    names = (option.dest, *(flag.lstrip("-").replace("-", "_") for flag in option.flags))
    for act in _ACTS:
        if any(map(_NAMES[act].search, names)) or _HELPS[act].search(option.help):
            return act
    return ""


def asks_for(text: str, option: Option) -> bool:
    """Whether a request says a word for what an option does."""
    act = acts_outward(option)
    return bool(act) and _says(text, act)


def program_acts_unasked(signature: Signature, text: str) -> bool:
    """Whether a program is called after what a request says no word of: `push_to_hub.py`, `tool delete`."""
    names = (PurePosixPath(signature.path).stem, signature.name, *signature.subcommand)
    return any(_NAMES[act].search(name) and not _says(text, act) for act in _ACTS for name in names)


def code_acts_unasked(code: str, text: str) -> bool:
    """Whether Python code calls, or hands a keyword that is not False, for what a request says no word of."""
    tree = parse_python(code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    names = {ast.unparse(node.func) for node in calls}
    names |= {one.arg for node in calls for one in node.keywords if one.arg and not _is_off(one.value)}
    return any(_NAMES[act].search(name) and not _says(text, act) for act in _ACTS for name in names)


def _is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _says(text: str, act: str) -> bool:
    return re.search(rf"(?<![\w-])(?:{_ACTS[act]})(?![\w])", text, re.IGNORECASE) is not None
