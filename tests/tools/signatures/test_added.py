"""What a package that adds a framework can say of a library, and what the check makes of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ml_agent.tools.check.subcommands import check_subcommand
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.plugins import shows_tracebacks
from ml_agent.tools.signatures import argparse_reader
from ml_agent.tools.signatures.added import Arguments, CommandLine, Value, option, replace
from ml_agent.tools.signatures.control_flow import signatures_of
from ml_agent.tools.signatures.interpreter import Factory, Interpreter
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.sources import Sources
from tests.tools.conftest import write_files

PAGE = (Path(__file__).parents[3] / "docs/extending.md").read_text("utf-8")
Says = Callable[[str], list[str]]


def printed(place: int) -> dict[str, Factory]:
    """What one of the page's examples gives."""
    names: dict[str, dict[str, Factory]] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[place], names)
    return names["FACTORIES"]


@pytest.fixture
def says(tmp_path: Path) -> Callable[..., Says]:
    """What is said of the words behind a script: the severity and the code of each finding."""

    def read(factories: dict[str, Factory], script: str, **more: str) -> Says:
        write_files(tmp_path, {"main.py": script, **{f"{name}.py": text for name, text in more.items()}})
        run = Interpreter(Sources(tmp_path), "main.py", factories)
        run.run_script()
        found = [one for event in run.parsed for one in signatures_of(event.parser)]
        return lambda words: _judge(found, words.split())

    return read


def _judge(signatures: list[Signature], words: list[str]) -> list[str]:
    signature = choose(signatures, words)
    call = Invocation(program="python", name="main.py", target="script", words=tuple(words))
    found = parse_call(signature, words).findings if signature else check_subcommand(signatures, call)
    return [f"{one.severity} {one.code}" for one in found]


def test_an_object(says: Callable[..., Says]) -> None:
    check = says(
        printed(1),
        'import tinyargs\np = tinyargs.Parser()\np.opt("--lr", default=0.1)\np.title("x")\np.go()\np.opt("--late")\n',
    )
    assert (
        check("--lr 3") == []
        and check("--lr x") == ["error bad-type"]
        and check("--late 3") == ["error unknown-option"]
    )


@pytest.mark.parametrize(
    "call", ['p.add("--size")', "p.add(len_of)", "@p.add\ndef f(): pass", "@p.add(name='x')\ndef f(): pass"]
)
def test_a_method_that_no_package_reads(says: Callable[..., Says], call: str) -> None:
    check = says(
        printed(1),
        f"import tinyargs\ndef len_of(): pass\np = tinyargs.Parser()\n{call}\np.opt('n', default=1)\np.go()\n",
    )
    assert set(check("--size 3")) == {"unsure cannot-tell"} and check("train") == ["unsure bad-type"]


APP = """
from typing import Annotated
import cmdapp

app = cmdapp.App()

@app.command
def train(path: str, rate: float = 0.1, verbose: bool = False, *, out: str):
    pass

@app.command(name="eval")
def evaluate(*files: str, size: Annotated[int, cmdapp.Parameter("--big", help="how big")] = 3):
    pass

if __name__ == "__main__":
    app()
"""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("train x --out y --rate 0.5 --verbose", []),
        ("train x", ["error missing-required"]),
        ("train x y --out z", ["error too-many-arguments"]),
        ("train x --out y --big 3", ["error unknown-option"]),
        ("eval a b c --big 3", []),
        ("eval --big x", ["error bad-type"]),
        ("eval --size 3", ["error unknown-option"]),
        ("trian x", ["error missing-required"]),
    ],
)
def test_subcommands(says: Callable[..., Says], words: str, found: list[str]) -> None:
    assert says(printed(2), APP)(words) == found


def test_a_function_without_an_object(says: Callable[..., Says]) -> None:
    script = "import easyargs\n@easyargs.command\ndef main(path, *, out: str, top_k: int = 3):\n    pass\neasyargs.run(main)\n"
    check = says(printed(3), script)
    assert check("x --out y --top-k 1") == [] and check("x --out y --top-k a") == ["error bad-type"]
    assert check("x") == ["error missing-required"] and check("x y --out z") == ["error too-many-arguments"]
    check = says(printed(3), script.replace("top_k: int = 3", "**more"))
    assert check("x --out y --size 3") == ["unsure cannot-tell"]


@pytest.mark.parametrize(
    "body",
    [
        "    path: str\n    top_k: int = 3\n    plot: bool = False\n",
        "    def __init__(self, path: str, top_k: int = 3, plot: bool = False): ...\n",
    ],
)
@pytest.mark.parametrize(("base", "unknown"), [("", "error unknown-option"), ("(foreign.Base)", "unsure cannot-tell")])
def test_a_class(says: Callable[..., Says], body: str, base: str, unknown: str) -> None:
    script = f"import dataclasses, easyargs, foreign\n@dataclasses.dataclass\nclass Train{base}:\n{body}easyargs.run(Train)\n"
    check = says(printed(3), script)
    assert check("x --top-k 1 --plot") == [] and check("x --top-k a") == ["error bad-type"]
    assert check("--plot") == ["error missing-required"]
    assert check("x --lr 3")[:1] == [unknown if "def" not in body else "error unknown-option"]


def test_a_parser_of_argparse_keeps_its_options(says: Callable[..., Says]) -> None:
    def parse(run: Interpreter, name: str, call: Arguments) -> None:
        line = CommandLine(run, name, call)
        line.declare(option("--conf"), call)
        line.command("", call.get(0, "parser"))
        line.parse()

    script = """import argparse, conflib
p = argparse.ArgumentParser()
p.add_argument("--rate", type=float)
p.add_argument("data", nargs="*", type=int)
args = conflib.parse(p)
"""
    check = says({**argparse_reader.FACTORIES, "conflib.parse": parse}, script)
    assert check("--rate 0.5 --conf x 3") == [] and check("--ra 0.5") == ["warning abbreviated-option"]
    assert check("--rate x") == ["error bad-type"] and check("--late 3") == ["error unknown-option"]
    check = says({"conflib.parse": parse}, "import conflib\nfrom elsewhere import p\nconflib.parse(p)\n")
    assert check("--conf x") == [] and check("--late 3")[:1] == ["unsure cannot-tell"]


class App(CommandLine):
    """An application with a function of its own, and with applications inside it."""

    def do_default(self, call: Arguments) -> None:
        """@app.default."""
        self._fill(self.command(""), call.get(0, "function"))

    def do_add(self, call: Arguments) -> None:
        """app.add(other)."""
        other = call.get(0, "app")
        self.command(other.arguments.get(0, "name"), other)

    def do_command(self, call: Arguments) -> None:
        """@app.command."""
        self._fill(self.command(call.get(0, "function").name), call.get(0, "function"))

    def do___call__(self, call: Arguments) -> None:
        """app()."""
        self.parse()

    def _fill(self, line: CommandLine, function: Value) -> None:
        for made in line.parameters(function, by_place="both"):
            line.declare(made)


INNER = """
import other
app = other.App()
data = other.App("data")
app.add(data)

@app.default
def main(first: int, second: int = 3, plot: bool = False):
    pass

@data.command
def fetch(url: str):
    pass

app()
"""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("1 2", []),
        ("--first 1", []),
        ("2 --first 1", []),
        ("1 --plot 2", []),
        ("--second 2", ["error missing-required"]),
        ("1 2 true 4", ["error too-many-arguments"]),
        ("data fetch --url x", []),
        ("data fetch x y", ["error too-many-arguments"]),
        ("data fetch", ["error missing-required"]),
    ],
)
def test_by_place_or_by_name(says: Callable[..., Says], words: str, found: list[str]) -> None:
    assert says({"other.App": App}, INNER)(words) == found


def test_an_application_in_itself_ends(says: Callable[..., Says]) -> None:
    says({"other.App": App}, "import other\napp = other.App('a')\napp.add(app)\napp()\n")


def test_modules_that_only_register(says: Callable[..., Says]) -> None:
    script = "import other\nfrom shared import app\nimport more\napp()\n"
    shared = "import other\napp = other.App()\n"
    check = says(
        {"other.App": App},
        script,
        shared=shared,
        more="from shared import app\n@app.command\ndef go(x: int):\n    pass\n",
    )
    assert check("go 3") == [] and check("go x") == ["error bad-type"]


class Plain(CommandLine):
    """Options with two spellings of one value, and what is set to what it cannot be."""

    def do_both(self, call: Arguments) -> None:
        """By place or by name."""
        name = call.get(0, "name")
        self.declare(replace(option(name), nargs="?"), call)
        self.declare(replace(option(f"--{name}"), required=True), call)

    def do_wrong(self, call: Arguments) -> None:
        """A number of values that is no text."""
        text = call.get(1, "text")
        self.declare(replace(option("--x"), nargs=call.get(0, "nargs"), help=text, type=text, choices=text), call)

    def do_go(self, call: Arguments) -> None:
        """parser.go()."""
        self.parse()


def test_two_options_for_one_value(says: Callable[..., Says]) -> None:
    check = says({"other.P": Plain}, "import other\np = other.P()\np.both('x')\np.go()\n")
    assert check("3") == check("--x 3") == [] and set(check("")) == {"error missing-required"}


def test_what_is_not_known_is_left_out_and_what_cannot_be_is_an_error(
    says: Callable[..., Says], tmp_path: Path
) -> None:
    script = "import other\np = other.P()\np.wrong({}, input())\np.go()\n"
    assert says({"other.P": Plain}, script.format("'2'"))("--x 1 2") == ["unsure bad-choice"] * 2
    run = Interpreter(Sources(tmp_path), "main.py", {"other.P": Plain})
    (tmp_path / "main.py").write_text(script.format("2"))
    run.run_script()
    assert not run.parsed and not run.complete


def test_an_annotation_that_is_no_type_is_a_note(says: Callable[..., Says]) -> None:
    seen: dict[str, object] = {}

    class Tool(CommandLine):
        def do_command(self, call: Arguments) -> Value:
            for made in self.parameters(call.get(0, "function")):
                seen[made.dest] = made.notes
                self.declare(made)
            self.parse()
            return None

    script = """import tool
t = tool.Tool()
@t.command
def main(*, epochs: "e" = 5, rate: "float" = 0.5, files: tool.REQUIRED = "x", size: int = 2): ...
"""
    check = says({"tool.Tool": Tool}, script)
    assert (seen["epochs"], seen["rate"], seen["size"]) == (("e",), (), ())
    assert [one.name for one in seen["files"]] == ["tool.REQUIRED"]  # type: ignore[attr-defined]
    assert check("--rate x") == ["error bad-type"]


def test_functions_that_share_a_command_line(says: Callable[..., Says]) -> None:
    script = """import toolbox
@toolbox.command
def fit(data, rate: float = 0.1): ...
@toolbox.command
def show(path): ...
toolbox.run()
"""
    more = "import toolbox\n@toolbox.command\ndef score(path, top: int = 5): ...\n"
    check = says(printed(4), f"import more\n{script}", more=more)
    assert check("fit a.csv --rate 3") == [] and check("show x") == []
    assert check("score x --top 3") == [] and check("score x --tip 3") == ["error unknown-option"]
    assert check("fit a.csv --rte 3") == ["error unknown-option"]


def test_the_members_of_an_enumeration_have_names_and_values(says: Callable[..., Says]) -> None:
    class Tool(CommandLine):
        def do_run(self, call: Arguments) -> Value:
            for made in self.parameters(call.get(0, "function")):
                self.declare(replace(made, choices=made.names))
            self.parse()
            return None

    script = """import enum, tool
class Kind(enum.Enum):
    FAST = 1
    SLOW = 2
def main(kind: Kind): ...
tool.Tool().run(main)
"""
    check = says({"tool.Tool": Tool}, script)
    assert check("FAST") == [] and check("1") == ["error bad-choice"]


@pytest.mark.parametrize(("setting", "shown"), [("0", False), ("", False), ("1", True)])
def test_where_an_error_was_raised_is_shown_if_asked_for(
    setting: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ML_AGENT_DEBUG", setting)
    assert shows_tracebacks() is shown
