"""Documents become passages with headings, prose and code."""

import json

import pytest

from ml_agent.tools.documents.code import clean_block
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.documents.read import is_document, is_readme, parse_document


def read(text: str, path: str = "README.md") -> tuple[Passage, ...]:
    return parse_document(text, path)


class TestMarkdown:
    def test_headings_make_a_path(self) -> None:
        passages = read("# Net\nintro\n## Train\nrun it\n### On GPU\nfast\n## Test\ntry\n")
        assert [passage.headings for passage in passages] == [
            ("Net",), ("Net", "Train"), ("Net", "Train", "On GPU"), ("Net", "Test"),
        ]  # fmt: skip
        assert [passage.line for passage in passages] == [1, 3, 5, 7]

    def test_code_keeps_its_place_label_and_line(self) -> None:
        (passage,) = read("# A\n\nTrain:\n\n```bash\npython train.py \\\n  --lr 1\n```\n\nDone.\n")
        (block,) = passage.blocks
        assert (block.text, block.language, block.line) == ("python train.py \\\n  --lr 1", "bash", 6)
        assert passage.text == "Train:\n\npython train.py \\\n  --lr 1\n\nDone."

    def test_html_code_is_code(self) -> None:
        (passage,) = read(
            "<details><summary>How</summary>\n<pre><code class='language-sh'>cd a\n\npython b.py\n</code></pre></details>\n"
        )
        (block,) = passage.blocks
        assert (block.text, block.language, block.line) == ("cd a\n\npython b.py", "bash", 2)
        assert "How" in passage.text


class TestCode:
    @pytest.mark.parametrize(
        ("text", "label", "language"),
        [
            ("python train.py --lr 1", "", "bash"),
            ("CUDA_VISIBLE_DEVICES=0 python train.py", "", "bash"),
            ("./run.sh", "", "bash"),
            ("./data/", "", ""),
            ("import torch\nx = torch.ones(1)", "", "python"),
            ("model = Net(", "", ""),
            ("from a import b\nmodel = Net(...", "", "python"),
            ("some words", "", ""),
            ("python train.py --lr 1", "python", "bash"),
            ("import torch", "bash", "python"),
            ("print 'old'", "python", "python"),
            ("{'a': 1}", "json", "json"),
            ("@inproceedings{a,\n title={b with c:\n}", "", "bibtex"),
            ("x = 1", "{code-block} python", "python"),
            ("ls", "console", "bash"),
        ],
    )
    def test_language(self, text: str, label: str, language: str) -> None:
        (block,) = clean_block(text, label, 1)
        assert block.language == language

    def test_terminal_sessions_keep_only_what_was_typed(self) -> None:
        (block,) = clean_block("$ cd a\n$ python b.py \\\n>   --lr 1\nepoch 1\nloss 2\n", "", 1)
        assert (block.text, block.language) == ("cd a\npython b.py \\\n  --lr 1", "bash")


class TestRst:
    TEXT = """
=====
Title
=====

Intro with :func:`~pkg.mod.name`, ``code`` and `a link <http://x>`_.

.. toctree::
   other

Training
--------

Run it::

    python train.py

.. code-block:: python
   :linenos:

   import a

   a.b()

Deeper
~~~~~~

>>> import pkg
>>> pkg.f()
3

.. note:: Be careful
   with it.

.. a comment
   that goes on
"""

    def test_sections_code_and_text(self) -> None:
        title, training, deeper = read(self.TEXT, "index.rst")
        assert (title.headings, training.headings, deeper.headings) == (
            ("Title",), ("Title", "Training"), ("Title", "Training", "Deeper"),
        )  # fmt: skip
        assert title.text == "Intro with `pkg.mod.name`, `code` and a link."
        assert [(block.text, block.language) for block in training.blocks] == [
            ("python train.py", "bash"), ("import a\n\na.b()", "python"),
        ]  # fmt: skip
        lines = self.TEXT.split("\n")
        assert [lines[block.line - 1].strip() for block in training.blocks] == ["python train.py", "import a"]
        assert training.text.startswith("Run it:\n\n")
        assert deeper.blocks[0].text == "import pkg\npkg.f()"
        assert "Be careful" in deeper.text
        assert "with it." in deeper.text
        assert "comment" not in deeper.text


class TestNotebook:
    def notebook(self, *cells: tuple[str, str | list[str]], language: str = "python") -> str:
        return json.dumps(
            {
                "cells": [{"cell_type": kind, "source": source} for kind, source in cells],
                "metadata": {"kernelspec": {"language": language}},
            }
        )

    def test_cells_stand_under_the_headings_of_markdown_cells(self) -> None:
        text = self.notebook(
            ("markdown", ["# Demo\n", "Load it."]), ("code", "import a"), ("markdown", "## Next"), ("code", "a.run()")
        )
        demo, following = read(text, "demo.ipynb")
        assert (demo.headings, demo.text) == (("Demo",), "Load it.\n\nimport a")
        assert (following.headings, following.blocks[0].line) == (("Demo", "Next"), 4)

    def test_shell_lines_become_a_bash_block(self) -> None:
        (passage,) = read(
            self.notebook(("code", "!pip install a \\\n  b\n%cd src\nimport a\n%matplotlib inline\n%time a.f()")),
            "a.ipynb",
        )
        assert [(block.language, block.text) for block in passage.blocks] == [
            ("bash", "pip install a \\\n  b\ncd src"), ("python", "import a\n\na.f()"),
        ]  # fmt: skip


def test_what_is_a_document() -> None:
    documents = ["README", "a/readme.txt", "b.MD", "docs/x.rst", "n.ipynb"]
    assert all(is_document(path) for path in documents)
    assert not any(is_document(path) for path in ["requirements.txt", "a.py", "readme.py", "notes.txt"])
    assert [path for path in documents if is_readme(path)] == ["README", "a/readme.txt"]
