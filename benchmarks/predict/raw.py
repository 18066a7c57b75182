"""One completion with the published prompt: the baseline that reads what it is shown and nothing else."""

import re
from pathlib import Path
from typing import NamedTuple

import openai

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.predict import contexts
from ml_agent.benchmarks.predict.config import Config
from ml_agent.conversation.configured import endpoint_of
from ml_agent.model.budget import Budget, load_prices
from ml_agent.model.memory import Memory
from ml_agent.model.replies import Reply, read_reply
from ml_agent.model.sender import ClientParts, RequestBody, Sender
from ml_agent.prompts.untrusted import verbatim

OUTPUT_TOKENS = 1024
# The wording is the benchmark's own (gersteinlab/ML-Bench, scripts/api, MIT licence): a baseline must be asked as published.
TASK = (
    "Suppose you are a data scientist, you will read the following README file and write {kind} to do the task described by "
    "the user.\nYou want to help me with this task:\n{instruction}\n"
)
SHOWN = {
    "oracle": "If you want to use the code segment and script in the following segment, you can use it directly:\n{text}\n",
    "retrieval": "Here is part of a README of this Github Repo, you might refer to it to write the script:\n{text}\n",
    "code": "Here is the README of this Github Repo, you might refer to it to write the script:\n{text}\n",
}
FORM = "\nIn your answer, the script should be generated between ``` and ```. Don't generate multiple code blocks"
HINT = ". Most answers can be directly found in the above segment. You might need to modify the code a little bit to make it work."
LANGUAGES = ("python", "bash", "script", "")
_WHOLE_BLOCK = re.compile(r"```.*```", re.DOTALL)


class Answer(NamedTuple):
    """What was taken out of a reply."""

    text: str
    trouble: str
    """Why it is none, or not the whole of it."""


def ask(config: Config, budget: Budget, question: str, attempt: int) -> Answer:
    """Ask a model once, within a budget; the answer as the published script takes it out of the reply."""
    settings = config.settings()
    parts = ClientParts(memory=Memory(), prices=load_prices(settings.prices))
    sender = Sender(endpoint_of(settings), budget, lambda event, **fields: None, parts)
    temperature = 1.0 if config.attempts > 1 else 0.0  # as published
    body = RequestBody(
        messages=({"role": "user", "content": verbatim(question)},),
        options={"max_tokens": OUTPUT_TOKENS, "temperature": temperature, "seed": attempt},
    )
    try:
        reply = read_reply(sender.send("raw", body, "text"))
    except openai.APIError as error:
        raise sender.final(error) from error
    finally:
        sender.close()
    text = extract(reply.content)
    return Answer(text, _trouble(reply, text))


def _trouble(reply: Reply, text: str) -> str:
    """What the reply lacks: a published script takes what there is and says nothing, so that a row failed without a reason."""
    if reply.cut_off and not _WHOLE_BLOCK.search(reply.content):
        return f"the reply was cut off at its limit of {OUTPUT_TOKENS} tokens"
    if reply.refusal:
        return f"the model refused: {reply.refusal}"
    return "" if text else "the reply is empty"


def prompt(shown: Visible, root: Path, config: Config) -> str:
    """The published prompt of the setting; "agent" shows the README of the task's folder."""
    if config.setting == "oracle":
        text = shown.oracle
    elif config.setting == "retrieval":
        text = contexts.retrieved(shown.instruction, contexts.readme(root, shown.path))
    elif config.setting == "code":
        text = contexts.code(root, config.context_tokens, config.model)
    else:
        text, _ = contexts.cut(contexts.readme(root, shown.path), config.context_tokens, config.model)
    kind = "a python script" if config.setting == "code" else "a script"
    shape = SHOWN.get(config.setting, SHOWN["code"])
    ending = HINT if config.setting == "oracle" else ""
    return TASK.format(kind=kind, instruction=shown.instruction) + shape.format(text=text) + FORM + ending + "\n"


def extract(reply: str) -> str:
    """The first fenced block, by the published order of languages; a reply without one is taken as it is."""
    for language in LANGUAGES:
        found = re.search(rf"```{language}\n*(.*?)\n*```", reply, re.DOTALL)
        if found:
            return found.group(1)
    return reply.strip()
