"""What comes around the calls of a program: weights that are loaded, random input, results that are printed and saved."""

import ast
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.evidence import nearness
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.python_programs import Program, quoted
from ml_agent.matching.terms import alphanumeric, terms

_WEIGHTS = frozenset({".pt", ".pth", ".ckpt", ".bin", ".tar", ".pkl"})
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})
_ABOUT_WEIGHTS = re.compile(r"\b(?:weights|state dict|network|model|parameters)\b")
_NUMPY, _TORCH = "import numpy as np", "import torch"
_Ways = Sequence[tuple[Set[str], str, str]]
"""Endings of files, what is imported for them, and what is done with one."""
_EXPRESSIONS: _Ways = (
    (_PICTURES, "import cv2", "cv2.imread({})"), ({".npy"}, _NUMPY, "np.load({})"), (_WEIGHTS, _TORCH, "torch.load({})"),
    ({".txt"}, "", "open({}).read().splitlines()"),
)  # fmt: skip
_READING: _Ways = (
    (_WEIGHTS, _TORCH, "data = torch.load({})"), ({".npy"}, _NUMPY, "data = np.load({})"),
    (_PICTURES, "from PIL import Image", "image = Image.open({})"), ({".json"}, "import json", "data = json.load(open({}))"),
)  # fmt: skip
_WRITING: _Ways = (
    (_WEIGHTS, _TORCH, "torch.save({}, {})"), ({".npy", ".npz"}, _NUMPY, "np.save({1}, {0})"),
    (_PICTURES, "from torchvision.utils import save_image", "save_image({}, {})"),
    ({".json"}, "import json", 'json.dump({}, open({}, "w"), indent=2)'),
)  # fmt: skip
_INVENTED = re.compile(
    r"\b(?:random|invented|made-up|dummy|noise|synthetic|rand|black|all-ones|zeros|ones|fake)\b", re.IGNORECASE
)
_KEY = frozenset({"entry", "key", "under"})
_SHAPE = re.compile(r"\d+(?:[x×,]\d+)+")
_BATCH = frozenset({"batch", *terms("image picture photo scan face")})
"""What stands beside the number of a batch."""
_SIZES = ("image_size", "img_size", "input_size", "size")
_CHANNELS = ("channels", "in_chans", "in_channels", "num_in_ch", "in_ch")


class TailContext(NamedTuple):
    """A filled program with what the request says besides."""

    statement: ParsedRequest
    program: Program
    given: dict[str, str]
    """By name of a parameter: what some call is given."""
    left: Sequence[Mention]
    """Values that no call takes."""


def with_tail(context: TailContext) -> str:
    """The program with lines for the values that no call takes."""
    imports: dict[str, None] = {}
    text = _resize_random_input(_insert_inputs(context, imports), context)
    model = _model(context.program)
    paths = [one for one in context.left if one.kind == "path" and alphanumeric(one.value)]
    open_paths = [one for one in paths if alphanumeric(one.value) not in alphanumeric(text)]
    written = [one for one in open_paths if _is_output(context.statement, one)]
    lines: list[str] = []
    for one in (path for path in open_paths if path not in written):
        lines += _read(one, model, context, imports)
    result = _result(context.program)
    if model and is_invented(context.statement) and _takes_one(context.program, model):
        imports["import torch"] = None
        lines += [f"x = torch.randn({_shape(context)})", f"output = {model}(x)"]
        result = "output"
    for one in written:
        lines += _save_lines(one, result or model, model, context.statement, imports)
    shown = re.search(r"\b(?:print|show|display)", context.statement.text, re.IGNORECASE) is not None
    if shown and result and "print(" not in text:
        shape = ".shape" if re.search(r"\bshape\b", context.statement.text) else ""
        lines.append(f"print({result}{shape})")
    fresh = [line for line in imports if line not in text]
    return "\n".join([*fresh, text, *lines]) + "\n" if lines or fresh else text + "\n"


def is_invented(statement: ParsedRequest) -> bool:
    """Whether the request wants random or made-up input."""
    return _INVENTED.search(statement.text) is not None


def _model(program: Program) -> str:
    """The variable of the last network that is made."""
    found = ""
    for call in program.calls:
        instances = call.callee.library.index.api.instances
        kind = instances.class_of(call.callee.object)
        if call.variable and kind is not None and instances.has(kind, "load_state_dict") is True:
            found = call.variable
    return found


def _result(program: Program) -> str:
    """The variable that is bound last, where it holds what a call gives and no object that is only made."""
    made = {call.variable for call in program.calls if call.callee.object.kind == "class"}
    for statement in reversed(program.tree.body):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            called = statement.value
            names = [node.id for node in ast.walk(statement.targets[0]) if isinstance(node, ast.Name)]
            own = any(call.node is called for call in program.calls)
            applied = isinstance(called.func, ast.Name) and called.func.id in made
            if names and (applied or (own and names[0] not in made)):
                return names[0]
    return ""


def _takes_one(program: Program, name: str) -> bool:
    """Whether a network was not called yet, and takes one tensor."""
    if any(call.callee.name in {"forward", "__call__"} for call in program.calls) or f"{name}(" in program.text:
        return False
    made = next(call.callee for call in program.calls if call.variable == name)
    instances = made.library.index.api.instances
    kind = instances.class_of(made.object)
    forward = instances.method(kind, "forward") if kind is not None else None
    return forward is None or sum(one.required for one in forward.parameters) <= 1


_OPEN = re.compile(r"(?<==)\.\.\.(?=[,)])")
_DRAWN = re.compile(r"torch\.(randn?|zeros|ones)\((?P<shape>\d+(?:,\s*\d+){2,})\)")


def _insert_inputs(context: TailContext, imports: dict[str, None]) -> str:
    """The program with the files of the request, or random input, where a call must have something of which nothing is known."""
    text = context.program.text.rstrip("\n")
    inputs = [one for one in context.left if one.kind == "path" and not _is_output(context.statement, one)]
    for one in inputs:
        if _OPEN.search(text):
            name = quoted(one.value)
            read = _by_ending(_EXPRESSIONS, one, imports).format(name) or name
            text = _OPEN.sub(read.replace("\\", r"\\"), text, count=1)
    if len(_OPEN.findall(text)) == 1 and is_invented(context.statement):
        imports["import torch"] = None
        text = _OPEN.sub(f"torch.randn({_shape(context)})", text)
    return text


def _by_ending(table: _Ways, one: Mention, imports: dict[str, None]) -> str:
    """What a table has for files with the ending of one, "" for none; what that imports is noted."""
    suffix = PurePosixPath(one.value).suffix.lower()
    line, way = next(((line, way) for endings, line, way in table if suffix in endings), ("", ""))
    if line:
        imports[line] = None
    return way


def _resize_random_input(text: str, context: TailContext) -> str:
    """The program with random input of the size that the request says in place of the example's."""
    numbers = any(one.kind == "number" for one in context.left)
    found = _DRAWN.search(text)
    if not found or not numbers or not is_invented(context.statement):
        return text
    shape = _shape(context)
    return text[: found.start("shape")] + shape + text[found.end("shape") :]


def _is_output(statement: ParsedRequest, one: Mention) -> bool:
    out, into = nearness(statement, one).cues
    return out > into


def _read(one: Mention, model: str, context: TailContext, imports: dict[str, None]) -> Iterator[str]:
    """Lines that read a file."""
    suffix, name = PurePosixPath(one.value).suffix.lower(), quoted(one.value)
    if suffix in _WEIGHTS and model:
        imports["import torch"] = None
        yield f'checkpoint = torch.load({name}, map_location="cpu")'
        yield f"{model}.load_state_dict(checkpoint{_key(context)})"
        yield f"{model}.eval()"
    elif suffix:
        way = _by_ending(_READING, one, imports) or "lines = open({}).read().splitlines()"
        yield way.format(name)


def _key(context: TailContext) -> str:
    """The entry of a checkpoint that is meant."""
    for one in context.left:
        before = {token.value.lower() for token in context.statement.tokens[max(0, one.first - 3) : one.first]}
        if one.kind in {"name", "text"} and before & _KEY:
            return f"[{quoted(one.value)}]"
    return ""


def _shape(context: TailContext) -> str:
    """The shape of random input: what is written out, or a batch of pictures of the network's own size."""
    for one in (one for one in context.left if one.kind == "number"):
        sides = re.findall(r"\d+", one.value)
        if _SHAPE.fullmatch(one.value.replace(" ", "")) and len(sides) > 2:
            return ", ".join(sides)
    numbers = [one for one in context.left if one.kind == "number" and one.value.isdigit()]
    beside = [(one.value, nearness(context.statement, one)) for one in numbers]
    batches = (value for value, near in beside if not _BATCH.isdisjoint(near.lead | near.next))
    batch = next(batches, numbers[0].value if numbers else "1")
    size = next((context.given[name] for name in _SIZES if name in context.given), None)
    size = size or next((one.value for one in numbers if one.value != batch), "224")
    channels = next((context.given[name] for name in _CHANNELS if name in context.given), "3")
    return f"{batch}, {channels}, {size}" if "seq_len" in context.given else f"{batch}, {channels}, {size}, {size}"


def _save_lines(
    one: Mention, result: str, model: str, statement: ParsedRequest, imports: dict[str, None]
) -> Iterator[str]:
    """Lines that write a file."""
    suffix, name = PurePosixPath(one.value).suffix.lower(), quoted(one.value)
    if not result or not suffix:
        return
    if suffix in _WEIGHTS and model and _ABOUT_WEIGHTS.search(statement.text):
        result = f"{model}.state_dict()"
    way = _by_ending(_WRITING, one, imports)
    if way:
        yield way.format(result, name)
    else:
        yield f'with open({name}, "w") as file:'
        yield f"    file.write(str({result}))"
