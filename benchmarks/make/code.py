"""Rows whose answer is Python: documented code with other values, and a request that names the calls."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from ml_agent.benchmarks.make.reference import RefusedCommand
from ml_agent.benchmarks.make.seeds import LEFT_OUT, OPEN, PLACEHOLDER
from ml_agent.benchmarks.make.vary import ValueMaker
from ml_agent.benchmarks.make.wording import Style, UnsayableRequest, join_phrases, quoted
from ml_agent.benchmarks.observation import observe
from ml_agent.benchmarks.observation.model import CodeCall, Observation
from ml_agent.benchmarks.same_call.code import required
from ml_agent.benchmarks.same_call.values import is_unknown, same
from ml_agent.tools.examples import Example
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option

LINES, CALLS, VALUES = 25, 3, 9
"""Of a block, of the repository's calls in it, and of the values that a request names, at most."""
STYLES: tuple[Style, ...] = ("plain", "polite", "flags")


SHAPE = re.compile(r"axis|dim$|ndim|rank|version|.*(?:kernel|stride|pad|dilation|window)")
"""Numbers that cannot be others: an even kernel does not give the size back that an odd one gives."""
DEPTH = re.compile(r"(?:^|_)(?:depth|layers|epochs|steps|iters?|seed)$")
"""Numbers that no other needs to fit."""
PRINTED = re.compile(r"print\(.*\.(?:shape|size\(\))")
"""Code that prints a shape."""
CHANNELS = 4
"""Literals up to this one are channels and batches, which others are multiples of by chance."""
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


class CodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a row of Python is made of."""

    text: str
    instruction: str
    arguments: dict[str, str]
    example: Example


def code_seeds(index: RepoIndex) -> list[Example]:
    """The documented blocks that use the repository's API and are short enough to be asked for."""
    found = [e for e in index.examples if e.kind == "python" and e.api and not LEFT_OUT.search(e.path)]
    short = [
        e for e in found if len(e.text.splitlines()) <= LINES and not PLACEHOLDER.search(e.text) and "..." not in e.text
    ]
    return list({e.text: e for e in short}.values())


def code_row(example: Example, style: Style, varied: ValueMaker, root: Path, repository: str) -> CodeRow:
    """One row.

    Raises:
        RefusedCommand: the block does not run as far as can be told, or has nothing to vary.
        UnsayableRequest: it does more than a request can name.
    """
    text = _vary_numbers(example.text, varied, observe(example.text, root, "."))
    seen = observe(text, root, ".")
    if seen.kind != "python" or seen.failure:
        raise RefusedCommand(f"code: {seen.failure or 'no Python'}")
    calls = [c for c in required(seen.calls) if _values(c) and _is_known(c)]
    if not calls:
        raise RefusedCommand("code: no call of the repository with a value")
    values = [v for c in calls for v in _values(c).values()]
    if len(calls) > CALLS or len(values) > VALUES or len(required(seen.calls)) > CALLS + 1:
        raise UnsayableRequest("the code does too much for one request")
    if any(_says_more(c) for c in required(seen.calls)):
        raise UnsayableRequest("the code gives something that cannot be said")
    if any(not _is_written(v, text) for v in values):
        raise UnsayableRequest("a value is not written in the code")
    if any(isinstance(v, str) and OPEN.search(v) for v in values):
        raise RefusedCommand("code: a placeholder")
    instruction = _request(calls, style, varied.random, repository) + _input(seen.calls, text)
    arguments = {f"{c.name.rpartition('.')[2]} {n}": str(v) for c in calls for n, v in _values(c).items()}
    return CodeRow(text=text, instruction=instruction, arguments=arguments, example=example)


def _is_known(call: CodeCall) -> bool:
    """Whether it is a function of the repository, and not of something that came out of one."""
    return "()" not in call.name


def _says_more(call: CodeCall) -> bool:
    """Whether a call is given what a request does not name: a list, a value reckoned for an option, a part of what is built."""
    if not _is_known(call):
        return bool(_values(call))
    rest = [(n, v) for n, v in call.arguments.items() if n != "self" and not isinstance(v, (str, int, float, bool))]
    optional = any(is_unknown(v) or not same(v, call.defaults[n]) for n, v in rest if n in call.defaults)
    builds = call.name.rpartition(".")[2][:1].isupper()
    return optional or any(
        isinstance(v, (list, tuple)) or (builds and is_unknown(v)) for n, v in rest if n not in call.defaults
    )


def _vary_numbers(text: str, varied: ValueMaker, before: Observation) -> str:
    """The block with other numbers where it gives them by name to the repository's own functions."""
    own = {name for call in before.calls if call.own and _is_known(call) for name in call.arguments}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise RefusedCommand("code: it does not parse") from error
    spots = [(name, node) for name, node in _spots(tree) if name in own and not SHAPE.match(name)]
    varied.random.shuffle(spots)
    lines = text.encode().splitlines(keepends=True)
    chosen = spots[: varied.random.randint(1, 3)]
    for name, node in sorted(chosen, key=lambda s: (s[1].lineno, s[1].col_offset), reverse=True):
        whole = isinstance(node.value, int)
        option = Option(dest=name, flags=(name,), type="int" if whole else "float", default=str(node.value))
        wish = varied.wish(option, node.value)
        if wish is not None and fits(text, name, node.value, wish.value) and node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line[: node.col_offset] + repr(wish.value).encode() + line[node.end_col_offset :]
    changed = b"".join(lines).decode()
    if changed == text:
        raise RefusedCommand("code: nothing in it can be varied")
    return changed


def fits(text: str, name: str, old: Any, new: Any) -> bool:
    """Whether a number can be another one as far as the others in a block tell, its comments included.

    It must stand there once, be no part of another whole number in a way that the new one is not, and no quotient of two.
    """
    numbers = [float(n) for n in NUMBER.findall(text)]
    if numbers.count(float(old)) != 1 or new in numbers:
        return False
    if isinstance(old, float) or DEPTH.search(name):
        return True
    if old * old in numbers:
        return False
    others = [n for n in numbers if n > 1 and n == int(n) and n != old]
    if any((n % old == 0) != (n % new == 0) or (n > CHANNELS and (old % n == 0) != (new % n == 0)) for n in others):
        return False
    return not any(n / old in others or n * old in others for n in others)


def _spots(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                value = keyword.value
                if (
                    keyword.arg
                    and isinstance(value, ast.Constant)
                    and type(value.value) in (int, float)
                    and value.value
                ):
                    yield keyword.arg, value


def _values(call: CodeCall) -> dict[str, Any]:
    """The plain values that a call is given, those that are the defaults as well: who reads the code finds them there."""
    return {n: v for n, v in call.arguments.items() if isinstance(v, (str, int, float, bool)) and n != "self"}


def _is_written(value: Any, text: str) -> bool:
    """Whether a value that was seen stands in the code, and did not come out of what runs before."""
    if isinstance(value, str):
        return value in text
    if isinstance(value, bool):
        return str(value) in text
    return float(value) in [float(n) for n in NUMBER.findall(text)]


def _request(calls: Sequence[CodeCall], style: Style, random: Random, repository: str) -> str:
    if any(name.isdigit() for c in calls for name in _values(c)):
        raise UnsayableRequest("an argument has no name")
    if any(len(str(v)) > 60 or "\n" in str(v) for c in calls for v in _values(c).values()):
        raise UnsayableRequest("a value is too long to be said")
    if style == "flags":
        said = "; then ".join(
            f"{_short_name(c)}({', '.join(f'{n}={v!r}' for n, v in _values(c).items())})" for c in calls
        )
        return f"Python code with {repository} that calls {said}."
    steps = ", and then ".join(f"{_verb(c)} with {_enumerate_values(_values(c))}" for c in calls)
    if style == "polite":
        opening = random.choice(
            ("Could you please write Python code that uses", "I would be glad of a Python example that uses")
        )
        return f"{opening} {repository} to {steps}? Thank you very much."
    return f"Write Python with {repository}: {steps}."


def _input(calls: Sequence[CodeCall], text: str) -> str:
    """What is said of the random tensor that an object is called on; "" where none is called.

    Raises:
        UnsayableRequest: it is called on something else, which a request that names the constructor alone would not tell.
    """
    called = [c for c in calls if c.name.endswith("()")]
    if not called:
        return ""
    made = [c for c in calls if c.name.rpartition(".")[2] in ("randn", "rand") and not c.own]
    sizes = [list(c.arguments.values()) for c in made]
    if len(sizes) != 1 or not all(type(n) is int for n in sizes[0]):
        raise UnsayableRequest("the input of the code cannot be said")
    end = " and print the shape of what comes out" if PRINTED.search(text) else ""
    inputs = max(len(c.arguments.keys() - {"self"}) for c in called)
    each = f" for each of its {inputs} arguments" if inputs > 1 else ""
    return f" Call it on random input of the shape {' x '.join(map(str, sizes[0]))}{each}{end}."


def _short_name(call: CodeCall) -> str:
    last = call.name.rpartition(".")[2]
    return ".".join(call.name.removesuffix("()").split(".")[-2:]) if last[:1].islower() else last


def _verb(call: CodeCall) -> str:
    """What is done, without the private modules that an import does not name."""
    parts = [p for p in call.name.removesuffix("()").split(".") if not p.startswith("_")]
    if parts[-1][:1].isupper():
        return f"make {'an' if parts[-1][0] in 'AEIO' else 'a'} {parts[-1]} ({'.'.join(parts[:-1])})"
    return f"call {parts[-1]} of {parts[-2]}" if len(parts) > 1 else f"call {parts[-1]}"


def _enumerate_values(values: dict[str, Any]) -> str:
    return join_phrases([f"{name.replace('_', ' ')} {quoted(value)}" for name, value in values.items()])
