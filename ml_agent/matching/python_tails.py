"""What comes around the calls of a program: weights that are loaded, random input, results that are printed and saved."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.features import nearness
from ml_agent.matching.mentions import Mention, Statement
from ml_agent.matching.python_programs import Program
from ml_agent.matching.terms import plain, terms

_WEIGHTS = frozenset({".pt", ".pth", ".ckpt", ".bin", ".tar", ".pkl"})
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})
_INVENTED = re.compile(
    r"\b(?:random|invented|made-up|dummy|noise|synthetic|rand|black|all-ones|zeros|ones|fake)\b", re.IGNORECASE
)
_KEY = frozenset({"entry", "key", "under"})
_SHAPE = re.compile(r"\d+(?:[x×,]\d+)+")
_IMAGES = frozenset(terms("image picture photo scan face"))
_SIZES = ("image_size", "img_size", "input_size", "size")
_CHANNELS = ("channels", "in_chans", "in_channels", "num_in_ch", "in_ch")


class Scene(NamedTuple):
    """A filled program with what the request says besides."""

    statement: Statement
    program: Program
    given: dict[str, str]
    """By name of a parameter: what some call is given."""
    left: Sequence[Mention]
    """Values that no call takes."""


def with_tail(scene: Scene) -> str:
    """The program with lines for the values that no call takes."""
    text = scene.program.text.rstrip("\n")
    model = _model(scene.program)
    open_paths = [
        one for one in scene.left if one.kind == "path" and plain(one.value) and plain(one.value) not in plain(text)
    ]
    written = [one for one in open_paths if _is_output(scene.statement, one)]
    imports: dict[str, None] = {}
    lines: list[str] = []
    for one in (path for path in open_paths if path not in written):
        lines += _read(one, model, scene, imports)
    result = _result(scene.program)
    if model and _INVENTED.search(scene.statement.text) and not _is_called(scene.program, model):
        imports["import torch"] = None
        lines += [f"x = torch.randn({_shape(scene)})", f"output = {model}(x)"]
        result = "output"
    for one in written:
        lines += _saved(one, result or model, model, scene.statement, imports)
    if (
        re.search(r"\b(?:print|show|display)", scene.statement.text, re.IGNORECASE)
        and (result or model)
        and "print(" not in text
    ):
        shape = ".shape" if re.search(r"\bshape\b", scene.statement.text) else ""
        lines.append(f"print({result or model}{shape})")
    fresh = [line for line in imports if line not in text]
    return "\n".join([*fresh, text, *lines]) + "\n" if lines else text + "\n"


def _model(program: Program) -> str:
    """The variable of the last network that is made."""
    found = ""
    for call in program.calls:
        instances = call.thing.library.index.api.instances
        kind = instances.class_of(call.thing.object)
        if call.makes and kind is not None and instances.has(kind, "load_state_dict") is True:
            found = call.makes
    return found


def _result(program: Program) -> str:
    """The variable of the last function or method that gives something."""
    return next(
        (call.makes for call in reversed(program.calls) if call.makes and call.thing.object.kind != "class"), ""
    )


def _is_called(program: Program, name: str) -> bool:
    return any(call.thing.name in {"forward", "__call__"} for call in program.calls) or f"{name}(" in program.text


def _is_output(statement: Statement, one: Mention) -> bool:
    out, into = nearness(statement, one).cues
    return out > into


def _read(one: Mention, model: str, scene: Scene, imports: dict[str, None]) -> Iterator[str]:
    """Lines that read a file."""
    suffix, name = PurePosixPath(one.value).suffix.lower(), f'"{one.value}"'
    if suffix in _WEIGHTS and model:
        imports["import torch"] = None
        key = _key(scene)
        yield f'checkpoint = torch.load({name}, map_location="cpu")'
        yield f"{model}.load_state_dict(checkpoint{key})"
        yield f"{model}.eval()"
    elif suffix in _WEIGHTS:
        imports["import torch"] = None
        yield f"data = torch.load({name})"
    elif suffix == ".npy":
        imports["import numpy as np"] = None
        yield f"data = np.load({name})"
    elif suffix in _PICTURES:
        imports["from PIL import Image"] = None
        yield f"image = Image.open({name})"
    elif suffix == ".json":
        imports["import json"] = None
        yield f"data = json.load(open({name}))"
    elif suffix:
        yield f"lines = open({name}).read().splitlines()"


def _key(scene: Scene) -> str:
    """The entry of a checkpoint that is meant."""
    for one in scene.left:
        before = {token.value.lower() for token in scene.statement.tokens[max(0, one.first - 3) : one.first]}
        if one.kind in {"name", "text"} and before & _KEY:
            return f'["{one.value}"]'
    return ""


def _shape(scene: Scene) -> str:
    """The shape of random input: what is written out, or a batch of pictures of the network's own size."""
    for one in scene.left:
        if (
            one.kind == "number"
            and _SHAPE.fullmatch(one.value.replace(" ", ""))
            and len(re.findall(r"\d+", one.value)) > 2
        ):
            return ", ".join(re.findall(r"\d+", one.value))
    numbers = [one for one in scene.left if one.kind == "number" and one.value.isdigit()]
    batch = next(
        (
            one.value
            for one in numbers
            if {"batch", *_IMAGES} & {*nearness(scene.statement, one).lead, *nearness(scene.statement, one).next}
        ),
        None,
    )
    batch = batch or next((one.value for one in numbers), "1")
    size = next((scene.given[name] for name in _SIZES if name in scene.given), None)
    size = size or next((one.value for one in numbers if one.value != batch), "224")
    channels = next((scene.given[name] for name in _CHANNELS if name in scene.given), "3")
    return f"{batch}, {channels}, {size}" if "seq_len" in scene.given else f"{batch}, {channels}, {size}, {size}"


def _saved(one: Mention, result: str, model: str, statement: Statement, imports: dict[str, None]) -> Iterator[str]:
    """Lines that write a file."""
    suffix, name = PurePosixPath(one.value).suffix.lower(), f'"{one.value}"'
    if not result:
        return
    if suffix in _WEIGHTS:
        imports["import torch"] = None
        weights = (
            model and re.search(r"\b(?:weights|state dict|network|model|parameters)\b", statement.text) is not None
        )
        yield f"torch.save({model}.state_dict(), {name})" if weights else f"torch.save({result}, {name})"
    elif suffix in {".npy", ".npz"}:
        imports["import numpy as np"] = None
        yield f"np.save({name}, {result})"
    elif suffix in _PICTURES:
        imports["from torchvision.utils import save_image"] = None
        yield f"save_image({result}, {name})"
    elif suffix == ".json":
        imports["import json"] = None
        yield f'json.dump({result}, open({name}, "w"), indent=2)'
    elif suffix:
        yield f'with open({name}, "w") as file:'
        yield f"    file.write(str({result}))"
