"""Whether a model is to be trained or used: the model is asked where the wording leaves it open and the offers differ in it."""

from collections.abc import Sequence

from ml_agent.grounded.choices import words_of
from ml_agent.grounded.purpose import is_said, trains
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.client import ModelClient
from ml_agent.llm.offers import Offer
from prompts import functions
from prompts.render import render


def of_purpose(instruction: str, found: Sequence[Offer], client: ModelClient) -> list[Offer]:
    """The offers without those that train, where a trained model is to be used; all of them where that is not sure.

    Only a first offer that trains is ever in doubt.
    """
    others = [offer for offer in found if not _trains(offer)]
    if not others or not _trains(found[0]) or is_said(frozenset(words_of(instruction))):
        return list(found)
    return others if wants_use(instruction, client) else list(found)


def wants_use(instruction: str, client: ModelClient) -> bool:
    """Whether the model says twice that a trained model is to be used, the second time with the answers turned round.

    Small models lean to places in a list.
    """
    answers = (functions.PURPOSES, functions.PURPOSES[::-1])
    return all(_asked(instruction, order, client) == functions.USE for order in answers)


def _trains(offer: Offer) -> bool:
    return offer.draft.kind == "bash" and trains(offer.draft.entry)


def _asked(instruction: str, order: Sequence[str], client: ModelClient) -> str:
    texts = render("purpose", instruction=instruction)
    sections = (Section(name="task", text=texts["task"]),)
    prompt = Prompt(phase="purpose", system=texts["system"], sections=sections, question=texts["question"])
    return str(client.decide(prompt, [functions.purpose(order)], max_output_tokens=24).arguments["purpose"])
