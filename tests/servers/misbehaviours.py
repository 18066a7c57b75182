"""What model servers and models get wrong, each as seen in the field; for ModelServer(misbehaviour=...)."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.servers.model_server import Answer, Misbehaviour, Response, Seen, completion, put, refusal

Text = Callable[[Seen, Answer], str]


def first(times: int, misbehaviour: Misbehaviour) -> Misbehaviour:
    """The misbehaviour for the first requests only."""
    return lambda seen, answer: misbehaviour(seen, answer) if seen.number <= times else None


def saying(text: Text, **changes: Any) -> Misbehaviour:
    """The reply is this text, whatever was asked for."""
    return lambda seen, answer: completion({"content": text(seen, answer)}, seen, **changes)


def always(response: Response) -> Misbehaviour:
    """The same response to everything."""
    return lambda _seen, _answer: response


def spoiling(change: Callable[[str], str]) -> Misbehaviour:
    """The arguments' JSON is changed on its way, in tool calls and in text."""

    def spoil(seen: Seen, answer: Answer) -> Response:
        message = put(answer, seen)
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = change(call["function"]["arguments"])
        if "content" in message:
            message["content"] = change(message["content"])
        return completion(message, seen)

    return spoil


def with_values(change: Callable[[Any], Any]) -> Misbehaviour:
    """Every value of the arguments is changed."""

    def spoil(seen: Seen, answer: Answer) -> Response:
        arguments = {name: change(value) for name, value in answer.arguments.items()}
        return completion(put(Answer(answer.name, arguments), seen), seen)

    return spoil


def _call_of(seen: Seen, answer: Answer) -> dict[str, Any]:
    return {"name": answer.name or next(iter(seen.functions), ""), "arguments": answer.arguments}


def _unless_text(response: Response, parts: tuple[str, ...]) -> Misbehaviour:
    """Refuse requests that carry one of these parts."""
    return lambda seen, _answer: response if any(part in seen.body for part in parts) else None


def _refuse_long(most: int) -> Misbehaviour:
    def refuse(seen: Seen, _answer: Answer) -> Response | None:
        if seen.prompt_tokens <= most:
            return None
        words = f"This model's maximum context length is {most} tokens. Please reduce the length of the messages."
        return refusal(400, words, "context_length_exceeded")

    return refuse


def _two_calls(seen: Seen, answer: Answer) -> Response:
    good = {
        "type": "function",
        "id": "b",
        "function": {**_call_of(seen, answer), "arguments": json.dumps(answer.arguments)},
    }
    bad = {"type": "function", "id": "a", "function": {"name": "finish_everything", "arguments": "{}"}}
    if "tools" in seen.body:
        return completion({"tool_calls": [bad, good]}, seen)
    return completion(
        {"content": f'{{"name": "finish_everything", "arguments": {{}}}}\n{json.dumps(_call_of(seen, answer))}'}, seen
    )


def _unknown_function(seen: Seen, answer: Answer) -> Response:
    call = {"name": "run_shell", "arguments": json.dumps({"command": "ls"})}
    message: Mapping[str, Any] = {"tool_calls": [{"id": "a", "type": "function", "function": call}]}
    return completion(message if "tools" in seen.body else {"content": json.dumps(call)}, seen)


def _cut_off(seen: Seen, answer: Answer) -> Response:
    return completion({"content": json.dumps(_call_of(seen, answer))[:-4]}, seen, finish_reason="length")


def _invalid_utf8(seen: Seen, answer: Answer) -> Response:
    good = completion({**put(answer, seen), "refusal": None, "note": "@@"}, seen)
    return Response(body=good.body.replace(b"@@", b"\xff\xfe\x80"))


def _half_closed(seen: Seen, answer: Answer) -> Response:
    return Response(body=completion(put(answer, seen), seen).body, cut=40)


def _enormous(seen: Seen, answer: Answer) -> Response:
    return completion({"content": "the answer is " * 620_000}, seen)


def _legacy_call(seen: Seen, answer: Answer) -> Response:
    call = _call_of(seen, answer)
    return completion({"function_call": {**call, "arguments": json.dumps(call["arguments"])}}, seen)


def _object_arguments(seen: Seen, answer: Answer) -> Response:
    return completion({"tool_calls": [{"id": "a", "type": "function", "function": _call_of(seen, answer)}]}, seen)


def _other_case(value: Any) -> Any:
    return value.swapcase() if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _half_a_character(seen: Seen, answer: Answer) -> Response:
    return completion(
        {**put(answer, seen), "note": "hi \ud83d", "reasoning": json.dumps({"a": "\ude00 b \ud83d"})}, seen
    )


MISBEHAVIOURS: dict[str, Misbehaviour] = {
    # The model's words
    "wrong JSON": saying(lambda _seen, _answer: '{"script": train.py, lr = }'),
    "trailing commas": spoiling(lambda text: text.replace("}", ",}", 1)),
    "Python literals for JSON": spoiling(lambda text: text.replace('"', "'").replace("null", "None")),
    "comments in JSON": spoiling(lambda text: text.replace("{", "{ // the answer\n", 1)),
    "prose around JSON": saying(
        lambda s, a: f"Sure! Here is the call:\n\n{json.dumps(_call_of(s, a))}\n\nHope this helps."
    ),
    "tool call as fenced text": saying(lambda s, a: f"```json\n{json.dumps(_call_of(s, a), indent=2)}\n```"),
    "tool call as tagged text": saying(lambda s, a: f"<tool_call>\n{json.dumps(_call_of(s, a))}\n</tool_call>"),
    "call after thoughts": saying(lambda s, a: f'<think>maybe {{"script": 1}}?</think>{json.dumps(_call_of(s, a))}'),
    "two calls": _two_calls,
    "call to an unknown function": _unknown_function,
    "legacy function_call": _legacy_call,
    "arguments as an object": _object_arguments,
    "enum in the wrong case": with_values(_other_case),
    "numbers as strings": with_values(_as_text),
    "empty content": saying(lambda _seen, _answer: ""),
    "refusal": saying(lambda _seen, _answer: "I'm sorry, but I can't help with that."),
    "question back": saying(lambda _seen, _answer: "Could you please provide the necessary details?"),
    "a shell plan": saying(lambda _seen, _answer: "```bash\ncd repo\npython train.py\n```\nThen finish."),
    "the schema for an answer": saying(
        lambda s, _answer: json.dumps(next(iter(s.functions.values()), {"type": "object"}))
    ),
    "cut off": _cut_off,
    "enormous output": _enormous,
    # The server
    "tools not supported": _unless_text(refusal(400, "registry/model:latest does not support tools"), ("tools",)),
    "tools need a flag": _unless_text(refusal(500, "tools param requires --jinja flag"), ("tools",)),
    "nothing but text": _unless_text(
        refusal(400, "Unsupported fields: tools, response_format of type json_schema"), ("tools", "response_format")
    ),
    "temperature not supported": _unless_text(
        refusal(400, "Unsupported value: 'temperature' must be 1"), ("temperature",)
    ),
    "max_tokens renamed": _unless_text(
        refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), ("max_tokens",)
    ),
    "context too small": _refuse_long(700),
    "429 with Retry-After": first(2, always(refusal(429, "slow down", retry_after="1"))),
    "429 without Retry-After": first(2, always(refusal(429, "slow down"))),
    "429 for hours": always(refusal(429, "slow down", retry_after="7200")),
    "quota used up": always(refusal(429, "You exceeded your current quota", "insufficient_quota")),
    "500 then fine": first(2, always(refusal(500, "internal error"))),
    "500 for ever": always(refusal(500, "internal error")),
    "502 with HTML": first(
        1, always(Response(body=b"<html>bad gateway</html>", status=502, headers={"content-type": "text/html"}))
    ),
    "HTML with status 200": always(Response(body=b"<html>log in</html>", headers={"content-type": "text/html"})),
    "no choices": always(Response(body=b'{"id": "x", "object": "chat.completion", "choices": []}')),
    "timeout": always(Response(body=b"{}", delay=30.0)),
    "drip": always(Response(body=b'{"choices": []}' + b" " * 4000, drip=0.02)),
    "half-closed stream": _half_closed,
    "invalid UTF-8": _invalid_utf8,
    "usage missing": lambda s, a: completion(put(a, s), s, usage=None),
    "half a character": _half_a_character,
    "brackets without end": spoiling(lambda _text: "[" * 100_000),
    "objects without end": spoiling(lambda _text: '{"a":' * 100_000),
    "usage absurd": lambda s, a: completion(put(a, s), s, usage={"prompt_tokens": "many", "completion_tokens": -5}),
    "key refused": always(refusal(401, "Incorrect API key provided", "invalid_api_key")),
    "model unknown": always(refusal(404, "The model `m` does not exist", "model_not_found")),
}
