"""From a request to a program, on a small repository."""

import ast
from pathlib import Path

import pytest

from ml_agent.grounded.python_drafts import completer
from ml_agent.matching.model import shipped
from ml_agent.matching.python_library import ApiCallable, Library
from ml_agent.matching.python_programs import read_program
from ml_agent.matching.python_reading import read_python_request
from ml_agent.matching.python_retrieval import LibraryIndex
from ml_agent.matching.python_skeletons import ExampleUsage
from ml_agent.matching.python_solver import context_of, shipped_tables, solve_python
from ml_agent.matching.python_tails import TailContext, with_tail
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.model import ApiObject, Parameter

NETS = '''
import torch.nn as nn

class Tagger(nn.Module):
    """Tags words of a sentence.

    Args:
        hidden: width of the hidden layer.
        layers: number of layers.
        dropout: share of activations that are dropped.
        bidirectional: whether sentences are read in both directions.
    """
    def __init__(self, hidden, layers=2, dropout=0.1, bidirectional=False):
        super().__init__()

    def forward(self, x):
        return x

class TaggerTrainer:
    """Trains a tagger on a folder of sentences."""
    def __init__(self, tagger, folder, batch_size=32):
        self.tagger = tagger

    def train(self, steps=100, learning_rate=1e-3):
        """Train for some steps."""

def read_sentences(path, lower=False):
    """Read sentences from a file."""
    return []
'''
README = """# tags
## Training
```python
from tags.nets import Tagger, TaggerTrainer

tagger = Tagger(hidden=128, dropout=0.3)
trainer = TaggerTrainer(tagger, "data/small", batch_size=16)
trainer.train(steps=500)
```
"""


@pytest.fixture
def library_index(tmp_path: Path) -> LibraryIndex:
    """A package with three callables and one documented example."""
    (tmp_path / "tags").mkdir()
    (tmp_path / "tags" / "__init__.py").write_text("")
    (tmp_path / "tags" / "nets.py").write_text(NETS)
    (tmp_path / "README.md").write_text(README)
    return LibraryIndex(Library(RepoIndex.open(tmp_path, "one")))


def answers(library_index: LibraryIndex, text: str) -> list[str]:
    statement = read_python_request(text, (), library_index.library.classes)
    tables = shipped_tables()
    context = context_of(statement, library_index, ExampleUsage(library_index), tables)
    return [one.filled_program.text for one in solve_python(context, tables, shipped(), completer(library_index))]


def calls(library_index: LibraryIndex, text: str) -> dict[str, dict[str, object]]:
    program = read_program(text, library_index.library)
    assert program is not None
    return {call.callee.name: {name: getattr(value, "value", None) for name, value in call.arguments.items()} for call in program.calls}  # fmt: skip


def test_values_go_to_the_calls_of_the_documented_example(library_index: LibraryIndex) -> None:
    """What is asked for takes the place of the example's literals; what nobody asked for is left out."""
    text = answers(
        library_index, "In Python, train a tagger with hidden=256 and 4 layers on the folder data/large for 900 steps."
    )[0]
    made = calls(library_index, text)
    assert made["Tagger"] == {"hidden": 256, "layers": 4}
    assert made["TaggerTrainer"]["folder"] == "data/large"
    assert "batch_size" not in made["TaggerTrainer"]
    assert made["train"] == {"steps": 900}


def test_spelled_keywords_stand_as_they_are(library_index: LibraryIndex) -> None:
    """Code in the request is spelled: with blanks, with ticks."""
    text = answers(library_index, "A Tagger with `hidden = 64`, `dropout` 0.5 and bidirectional=True, in Python")[0]
    assert calls(library_index, text)["Tagger"] == {"hidden": 64, "dropout": 0.5, "bidirectional": True}


def test_calls_come_from_signatures_where_no_example_has_them(library_index: LibraryIndex) -> None:
    """A function that no document shows."""
    text = answers(library_index, "Use read_sentences in Python to read the sentences from data/test.txt, lower case")[
        0
    ]
    assert calls(library_index, text)["read_sentences"]["path"] == "data/test.txt"


def test_an_object_that_a_call_needs_is_made_before(library_index: LibraryIndex) -> None:
    """The trainer wants a tagger."""
    texts = answers(library_index, "TaggerTrainer on the folder data/mine with batch_size=8")
    assert any("tagger = Tagger(" in text and "TaggerTrainer(" in text for text in texts)


def test_an_object_is_no_value_of_a_request(library_index: LibraryIndex) -> None:
    """Neither of the repository's classes nor tensors; what may be a text as well is one."""
    library = library_index.library
    wanted = ["Tagger", "Optional[Tagger]", "torch.Tensor | None", "list[nn.Module]"]
    assert all(library.wants_object(one) for one in wanted)
    assert not any(
        library.wants_object(one) for one in ("", "str", "Union[str, Tagger]", "Optional[int]", "np.ndarray")
    )


def test_a_parameter_that_takes_a_function_takes_no_value(library_index: LibraryIndex) -> None:
    """By its name, where nothing is said of its type."""
    names = ["env_fn", "loss_func", "callbacks", "fnord", "hookah"]
    made = ApiObject(
        name="shelf.run", kind="function", path="shelf.py", parameters=tuple(Parameter(name=one) for one in names)
    )
    assert list(ApiCallable(made, library_index.library).slots(0)) == ["fnord", "hookah"]


def test_a_processor_is_the_device(library_index: LibraryIndex, tmp_path: Path) -> None:
    """A word for hardware is written as a parameter called so takes it; a card with its number stays."""
    (tmp_path / "tags" / "nets.py").write_text(NETS + "\ndef score(path, device='cuda'):\n    return 1\n")
    library_index = LibraryIndex(Library(RepoIndex.open(tmp_path, "two")))
    for said, device in (("on the processor", "cpu"), ("on the graphics card", "cuda"), ("with device='cuda:1' on the GPU", "cuda:1")):  # fmt: skip
        text = answers(library_index, f"Use score in Python for data/a.txt {said}")[0]
        assert calls(library_index, text)["score"].get("device", "cuda") == device, text


def test_things_are_imported_as_their_folder_does(tmp_path: Path) -> None:
    """Code that runs in a folder below the root names modules from there, and those elsewhere not at all."""
    for folder in ("nets", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}_all.py").write_text("def build(width=3):\n    return width\n")
    library = Library(RepoIndex.open(tmp_path, "one"), "nets")
    assert [library.import_of(one) for one in library.callables] == [("nets_all", "build")]


def test_a_file_s_name_is_no_statement(tmp_path: Path) -> None:
    """What is no name of a module is not imported, wherever the code runs."""
    for name in ("good", "a import os; os.getcwd() #", "b\nimport os", "class", "two-words"):
        (tmp_path / "nets" / name).mkdir(parents=True)
        (tmp_path / "nets" / name / "part.py").write_text("def build(width=3):\n    return width\n")
    for folder, module in ((".", "nets.good.part"), ("nets", "good.part")):
        library = Library(RepoIndex.open(tmp_path, "one"), folder)
        assert [library.import_of(one) for one in library.callables] == [(module, "build")]


def test_random_input_fills_one_open_place_alone(library_index: LibraryIndex) -> None:
    """Where several values are missing nobody knows which of them is a tensor."""
    for code, filled in (("t = Tagger(hidden=...)", True), ("t = Tagger(hidden=..., layers=...)", False)):
        program = read_program(f"from tags.nets import Tagger\n{code}\n", library_index.library)
        assert program is not None
        statement = read_python_request("with a random batch of 8 pictures")
        assert ("=torch.randn(" in with_tail(TailContext(statement, program, {}, statement.mentions))) is filled


def test_weights_and_random_input_come_around_the_calls(library_index: LibraryIndex) -> None:
    """Values that no call takes are loaded, sampled and saved."""
    statement = read_python_request(
        "Load weights/tagger.pt into it, run a random batch of 8 pictures, save the output to out/scores.npy"
    )
    program = read_program("from tags.nets import Tagger\ntagger = Tagger(hidden=4)\n", library_index.library)
    assert program is not None
    text = with_tail(TailContext(statement, program, {}, statement.mentions))
    assert 'torch.load("weights/tagger.pt"' in text
    assert "torch.randn(8, 3, 224, 224)" in text
    assert 'np.save("out/scores.npy", output)' in text


def test_a_file_s_name_stays_text_in_the_program(library_index: LibraryIndex) -> None:
    """A quote or a backslash in it ends no literal."""
    statement = read_python_request("Load 'weights/a\"+evil()+\".pt' into it and save the output to 'out/b\\c\".npy'")
    program = read_program("from tags.nets import Tagger\ntagger = Tagger(hidden=4)\n", library_index.library)
    assert program is not None
    text = with_tail(TailContext(statement, program, {}, statement.mentions))
    named = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    called = {
        node.func.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert 'weights/a"+evil()+".pt' in named and "evil" not in called, text


def test_a_second_way_in_a_block_is_cut_off(library_index: LibraryIndex) -> None:
    """Statements are read in order; what is given by place is known by name."""
    program = read_program(
        "from tags.nets import *\nfrom tags import nets\nt = nets.Tagger(8, 3)\nt(1)\n", library_index.library
    )
    assert program is not None
    assert [(call.callee.name, tuple(call.arguments)) for call in program.calls] == [("Tagger", ("hidden", "layers")), ("forward", ("x",))]  # fmt: skip
