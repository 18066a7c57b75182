"""Models in a conversation of function calls: one that is capable, and those that lead nowhere; for ModelServer(brain=...)."""

from collections.abc import Sequence

from tests.servers.model_server import Answer, Brain, Seen, first_choice

SETTINGS = {
    "navigator": "llm",
    "model": "m",
    "api_key": "sesame",
    "run": "full",
    "sandbox": "local",
    "unisolated": True,
}
"""Of a run with such a model that goes to its end."""


def replies(seen: Seen) -> int:
    """How many replies the conversation holds already."""
    return sum(message["role"] == "assistant" for message in seen.body["messages"])


def able(talk: Brain) -> Brain:
    """Talks as `talk` says where it is offered `answer`, and takes the first of everything else."""

    def brain(seen: Seen) -> Answer:
        if "answer" in seen.functions:
            return talk(seen)
        least = first_choice(seen)
        return Answer(least.name, {**least.arguments, **({"possible": True} if "possible" in least.arguments else {})})

    return brain


def saying(*calls: Answer) -> Brain:
    """These calls, one a reply, the last one for ever."""
    return able(lambda seen: calls[min(replies(seen), len(calls) - 1)])


def command(text: str) -> Answer:
    """An answer that is a command line."""
    return Answer("answer", {"kind": "command", "text": text})


def _wandering(seen: Seen) -> Answer:
    return Answer("find", {"query": f"thing number {replies(seen)}"})


def _stubborn(texts: Sequence[str]) -> Brain:
    """Answers and disputes in turn."""

    def brain(seen: Seen) -> Answer:
        count = replies(seen)
        if count % 2:
            return Answer("dispute", {"finding": "all of it", "why": f"I know better, for the {count}th time"})
        return command(texts[count // 2 % len(texts)])

    return able(brain)


NOWHERE: dict[str, Brain] = {
    "calls unknown functions": saying(Answer("run_shell", {"command": "ls"})),
    "reads the same file for ever": saying(Answer("read", {"path": "README.md"})),
    "finds something else for ever": able(_wandering),
    "gives functions the wrong arguments": saying(Answer("read", {"file": 3})),
    "leaves the tree": saying(Answer("read", {"path": "../../etc/passwd"}), Answer("read", {"path": "/etc/passwd"})),
    "disputes everything": _stubborn(["python nothing.py --a 1", "python no_such.py"]),
    "rejects": saying(Answer("reject", {"why": "it is about birds"})),
    "repeats a wrong answer": saying(command("python nothing_of_the_kind.py")),
    "answers nothing": saying(command("")),
    "answers other wrong things for ever": able(lambda seen: command(f"python no_{replies(seen)}.py")),
}
"""Models that never come to a sound answer; each has to end honestly."""
