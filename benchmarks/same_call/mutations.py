"""Mutations of references, to show that the scorer tells every one of them from the reference.

`python -m benchmarks.same_call.mutations --tasks FILE --repos DIR` makes of every reference all answers with one option dropped,
one value changed (also one that is given by its place), one option added that nobody asked for, a sibling script or function, or a whole call
left out or added, and prints the share that fails.
"""

import ast
import copy
import os
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.data import Task, load_tasks, repository_folder
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.same_call.code import SWITCHES
from ml_agent.benchmarks.same_call.model import CodeCall, Observation, Program
from ml_agent.benchmarks.same_call.observation import observe
from ml_agent.benchmarks.same_call.options import Options, options_of
from ml_agent.benchmarks.same_call.values import same
from ml_agent.benchmarks.strict.script_variables import signature_reader

BAR = 0.99
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE]-?\d+)?$")
MOST = 3
"""Mutants of one kind of one reference."""


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One changed reference."""

    kind: str
    """dropped, changed, positional, added, sibling or calls."""
    about: str
    text: str


def mutants(task: Task, root: Path) -> list[Mutant]:
    """All mutants of a task's reference; none that says the same in other words."""
    seen = observe(task.output, root, task.folder, task.prefix_code)
    made = _of_code(task.output, seen) if task.kind == "python" else _of_command(task, seen, root)
    kept: dict[str, list[Mutant]] = {}
    for mutant in made:
        if mutant.text != task.output and len(kept.setdefault(mutant.kind, [])) < MOST:
            kept[mutant.kind].append(mutant)
    return [m for group in kept.values() for m in group]


def _of_command(task: Task, seen: Observation, root: Path) -> Iterator[Mutant]:
    yield from _other_steps(task.output, seen, root)
    for program in seen.programs:
        words = list(program.words)
        texts = [shlex.quote(w) for w in words]
        at = _place(task.output, words)
        if at is None:
            continue
        before = at

        def text(kept: Sequence[str], head: str = before) -> str:
            return " ".join([head.rstrip(), *kept]) + "\n"

        defaults = options_of(program, root)
        for first, last in _options(words):
            name = " ".join(words[first:last])
            if not _is_default(words[first:last], defaults):
                yield Mutant(kind="dropped", about=name, text=text(texts[:first] + texts[last:]))
        for n, word in enumerate(words):
            is_value = n > 0 and words[n - 1].startswith("-")
            changed = _changed_word(word, is_value=True)
            if changed is not None:
                kind = "changed" if is_value or changed.startswith(word.partition("=")[0] + "=") else "positional"
                yield Mutant(kind=kind, about=word, text=text([*texts[:n], shlex.quote(changed), *texts[n + 1 :]]))
        for extra in _additions(program, root):
            yield Mutant(kind="added", about=" ".join(extra), text=text([*texts, *map(shlex.quote, extra)]))
        for sibling in _siblings(program, root):
            old = posixpath.basename(program.file)
            place = before.rfind(old)
            if place >= 0:
                yield Mutant(
                    kind="sibling",
                    about=sibling,
                    text=text(texts, before[:place] + sibling + before[place + len(old) :]),
                )


def _other_steps(text: str, seen: Observation, root: Path) -> Iterator[Mutant]:
    """The answer without one of its programs, and with one more."""
    lines = text.replace("\\\n", " ").splitlines()
    for program in seen.programs if len(seen.programs) > 1 else ():
        name = posixpath.basename(program.file or program.name)
        kept = [line for line in lines if name not in line]
        if name and len(kept) == len(lines) - 1:
            yield Mutant(kind="calls", about=f"without {name}", text="\n".join(kept) + "\n")
    yield Mutant(kind="calls", about="with rm", text=f"rm -rf outputs\n{text}")
    for program in seen.programs[:1]:
        for sibling in list(_siblings(program, root))[:1]:
            own = shlex.quote(str(root / posixpath.dirname(program.file) / sibling))
            starter = "python" if sibling.endswith(".py") else "bash"
            yield Mutant(kind="calls", about=f"with {sibling}", text=f"{starter} {own}\n{text}")


def _place(text: str, words: Sequence[str]) -> str | None:
    """What stands before the last words of a command."""
    joined = text.replace("\\\n", " ").rstrip()
    for start in range(len(joined)):
        if start and not joined[start - 1].isspace():
            continue
        try:
            if shlex.split(joined[start:]) == list(words):
                return joined[:start]
        except ValueError:
            continue
    return None


def _options(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(first, behind last) of each option with its values, and of each setting."""
    n = 0
    while n < len(words):
        end = n + 1
        if _is_flag(words[n]) and "=" not in words[n]:
            while end < len(words) and not _is_flag(words[end]) and not (end > n + 1 and "=" in words[end]):
                end += 1
        if _is_flag(words[n]) or "=" in words[n]:
            yield n, end
        n = end


def _is_flag(word: str) -> bool:
    return word.startswith("-") and not NUMBER.match(word) and word != "-"


def _is_default(words: Sequence[str], options: Options) -> bool:
    """Whether an option says what would be so without it."""
    typed = list(words[1:]) or [words[0].partition("=")[2]]
    names = {words[0].lstrip("-+~").partition("=")[0].replace("-", "_")}
    names |= {name for name, given in options.words.items() if list(given) == typed and typed != [""]}
    found = [n for n in names if n in options.values and n in options.defaults]
    return any(same(options.values[n], options.defaults[n]) for n in found)


def _changed_word(word: str, *, is_value: bool) -> str | None:
    """A word with another value; None where it has none."""
    head, equals, value = word.partition("=")
    if equals and (word.startswith("-") or head.isidentifier() or "." in head):
        inner = _changed_word(value, is_value=True)
        return None if inner is None else f"{head}={inner}"
    if _is_flag(word) or not is_value:
        return None
    if NUMBER.match(word):
        return str(float(word) * 2 + 1) if "." in word or "e" in word.lower() else str(int(word) * 2 + 1)
    if word.lower() in ("true", "false"):
        return "False" if word.lower() == "true" else "True"
    stem, dot, suffix = word.rpartition(".")
    return f"{stem}_other.{suffix}" if dot and suffix.isalnum() else f"{word}_other"


def _additions(program: Program, root: Path) -> Iterator[list[str]]:
    """Options that the program takes and nobody asked for."""
    given = {w.lstrip("-").partition("=")[0] for w in program.words}
    signatures = signature_reader(root).read(program.file) if program.file else ()
    for signature in signatures[:1]:
        for option in signature.options:
            names = {f.lstrip("-") for f in option.flags} | {option.dest}
            if (
                names & given
                or option.required
                or option.level
                or not (option.flags or signature.syntax == "overrides")
            ):
                continue
            value = _other_value(option.type, option.choices, option.default)
            if option.switch:
                if option.switch_value != (option.default or "False"):
                    yield [option.flags[-1]]
            elif value is not None and option.nargs in (None, "1", "?"):
                yield [f"{option.dest}={value}"] if signature.syntax == "overrides" else [option.flags[-1], value]
    if not signatures:
        yield ["--one_more_option", "3"]


def _other_value(kind: str, choices: Sequence[str], default: str | None) -> str | None:
    if choices:
        return next((c for c in choices if c != default), None)
    if kind in ("int", "float"):
        return "17" if default != "17" else "18"
    return "something" if kind in ("str", "path") else None


def _siblings(program: Program, root: Path) -> Iterator[str]:
    """Other scripts of the same folder."""
    if program.file:
        own = root / program.file
        others = [p.name for p in sorted(own.parent.glob(f"*{own.suffix}")) if p.name != own.name]
        yield from (name for name in others if not name.startswith("_"))


def _of_code(text: str, seen: Observation) -> Iterator[Mutant]:
    tree = ast.parse(text)
    own = {c.name.rpartition(".")[2].removesuffix("()"): c for c in seen.calls if c.own}
    own |= {c.name.split(".")[-2]: c for c in seen.calls if c.own and c.name.endswith("__init__")}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _last(n.func) in own]
    for number, node in enumerate(n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if node not in calls:
            continue
        call = own[_last(node.func)]
        for place, keyword in enumerate(node.keywords):
            if keyword.arg is None or _says_default(keyword.value, call.defaults.get(keyword.arg)):
                continue
            yield _mutant(tree, number, "dropped", keyword.arg, lambda c, p=place: c.keywords.pop(p))
            if isinstance(keyword.value, ast.Constant):
                yield _mutant(tree, number, "changed", keyword.arg, lambda c, p=place: _change(c.keywords[p]))
        for place, value in enumerate(node.args):
            if isinstance(value, ast.Constant) and value.value is not None:
                yield _mutant(tree, number, "positional", str(place), lambda c, p=place: _change_place(c, p))
        yield from _add_arguments(tree, number, node, call)
    yield from _other_calls(tree, own)
    for imported in ast.walk(tree):
        if isinstance(imported, ast.ImportFrom):
            for alias in imported.names:
                if alias.name in own and own[alias.name].name.endswith(f".{alias.name}"):
                    changed = re.sub(rf"\b{re.escape(alias.name)}\b", alias.name + "2", text)
                    yield Mutant(kind="sibling", about=alias.name, text=changed)


def _other_calls(tree: ast.Module, own: Mapping[str, CodeCall]) -> Iterator[Mutant]:
    """The program without a call that stands alone, and with a call made once more with another value."""
    for number, statement in enumerate(ast.walk(tree)):
        call = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Expr, ast.Assign)) or not isinstance(call, ast.Call):
            continue
        name = _last(call.func)
        if name not in own or name in SWITCHES:
            continue
        if isinstance(statement, ast.Expr):
            yield _without(tree, number, name)
        constant = any(isinstance(v, ast.Constant) for v in [*call.args, *(k.value for k in call.keywords)])
        if constant and not name[:1].isupper():
            yield _twice(tree, number, name)


def _without(tree: ast.Module, number: int, name: str) -> Mutant:
    other = copy.deepcopy(tree)
    statement = list(ast.walk(other))[number]
    statement.value = ast.Constant(value=None)  # type: ignore[attr-defined]
    return Mutant(kind="calls", about=f"without {name}", text=ast.unparse(ast.fix_missing_locations(other)))


def _twice(tree: ast.Module, number: int, name: str) -> Mutant:
    other = copy.deepcopy(tree)
    statement = list(ast.walk(other))[number]
    call = copy.deepcopy(statement.value)  # type: ignore[attr-defined]
    keyword = next((k for k in call.keywords if isinstance(k.value, ast.Constant)), None)
    if keyword is not None:
        _change(keyword)
    else:
        _change_place(call, next(n for n, v in enumerate(call.args) if isinstance(v, ast.Constant)))
    for parent in ast.walk(other):
        for body in (getattr(parent, field, None) for field in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and statement in body:
                body.insert(body.index(statement), ast.Expr(value=call))
    return Mutant(kind="calls", about=f"{name} again", text=ast.unparse(ast.fix_missing_locations(other)))


def _add_arguments(tree: ast.Module, number: int, node: ast.Call, call: CodeCall) -> Iterator[Mutant]:
    given = {k.arg for k in node.keywords} | set(call.arguments)
    for name, default in list(call.defaults.items())[:3]:
        if name not in given and isinstance(default, (bool, int, float, str)):
            value = (
                (not default)
                if isinstance(default, bool)
                else default + "x"
                if isinstance(default, str)
                else default + 7
            )
            keyword = ast.keyword(arg=name, value=ast.Constant(value=value))
            yield _mutant(tree, number, "added", name, lambda c, k=keyword: c.keywords.append(k))


def _last(function: ast.expr) -> str:
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _says_default(node: ast.expr, default: object) -> bool:
    try:
        return bool(ast.literal_eval(node) == default)
    except (ValueError, TypeError, SyntaxError):
        return False


def _change_place(call: ast.Call, place: int) -> None:
    changed = ast.keyword(arg="", value=call.args[place])
    _change(changed)
    call.args[place] = changed.value


def _change(keyword: ast.keyword) -> None:
    value = getattr(keyword.value, "value", None)
    if isinstance(value, bool):
        new: object = not value
    else:
        new = value * 2 + 1 if isinstance(value, (int, float)) else f"{value}_other"
    keyword.value = ast.Constant(value=new)  # type: ignore[arg-type]


def _mutant(tree: ast.Module, number: int, kind: str, about: str, change: object) -> Mutant:
    """The program with one of its calls changed."""
    other = copy.deepcopy(tree)
    call = [n for n in ast.walk(other) if isinstance(n, ast.Call)][number]
    change(call)  # type: ignore[operator]
    return Mutant(kind=kind, about=f"{_last(call.func)}: {about}", text=ast.unparse(ast.fix_missing_locations(other)))


def rates(tasks: Sequence[Task], repos: Path, jobs: int = 0) -> dict[str, tuple[int, list[str]]]:
    """For each kind: how many mutants there were, and which of them pass."""
    work = [(t, root, m) for t in tasks if (root := repository_folder(t, repos)) for m in mutants(t, root)]
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        verdicts = list(pool.map(lambda w: same_call(w[0], w[2].text, w[1]), work))
    found: dict[str, tuple[int, list[str]]] = {}
    for (task, _, mutant), verdict in zip(work, verdicts, strict=True):
        number, passed = found.get(mutant.kind, (0, []))
        line = [f"{task.key} {mutant.about}: {mutant.text.strip()[-200:]!r}"] if verdict.passed else []
        found[mutant.kind] = (number + 1, passed + line)
    return found


def main(
    tasks: Annotated[str, typer.Option("--tasks")],
    repos: Annotated[Path, typer.Option("--repos")],
    jobs: Annotated[int, typer.Option("--jobs")] = 0,
) -> None:
    """Print the shares and what passed; the exit code says whether the bar is met."""
    found = rates(load_tasks(tasks).tasks, repos, jobs)
    table = Table("mutation", "mutants", "fail", box=None)
    for kind, (number, passed) in sorted(found.items()):
        table.add_row(kind, str(number), f"{100 * (1 - len(passed) / number):.1f} %")
        for line in passed:
            Console(stderr=True).print(f"passes: {kind} {line}", highlight=False, markup=False, soft_wrap=True)
    Console().print(table)
    number, missed = sum(n for n, _ in found.values()), sum(len(p) for _, p in found.values())
    raise typer.Exit(0 if number and 1 - missed / number >= BAR else 1)


if __name__ == "__main__":
    typer.run(main)
