"""No bytes make a document reader raise or hang."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.documents.code import clean_block
from ml_agent.tools.documents.read import parse_document, read_document
from ml_agent.tools.foreign_files import decode
from tests.processor_time import within

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

MARKUP = st.lists(
    st.sampled_from(
        [
            "# title", "===", "---", "```", "```python", "~~~", "    code", "\t", "- item", "1. ", "> ", "| a | b |", "|--|--|",
            "<pre>", "</pre>", "<code>", "</code>", "<details>", "<h1 align=center>", "</h1>", "<!--", "-->", "<br/>", "<a href='",
            ".. code-block:: bash", ".. note::", "::", "   :linenos:", ">>> x = 1", "... y", "$ python a.py \\", "In [1]: x",
            "`", "``", "**", "[", "](", "![", "&amp;", "\\", "\n", "\n\n", "import torch", "python train.py --lr 1", "\x00", "\ufeff",
            "x" * 50, "'", '"', "%%bash", "!pip install x", "%cd y",
        ]
    ),
    max_size=60,
).map("\n".join)  # fmt: skip
PATHS = st.sampled_from(["README.md", "a.rst", "b.ipynb", "README", "README.txt", "c.mdx"])


@given(path=PATHS, text=st.one_of(MARKUP, st.text(), st.binary().map(decode)))
@settings(max_examples=160 * EFFORT)
def test_any_text_is_read(path: str, text: str) -> None:
    for passage in parse_document(text, path):
        assert passage.text.strip()
        assert all(block.text in passage.text for block in passage.blocks)


@given(text=MARKUP, label=st.text(max_size=20))
@settings(max_examples=120 * EFFORT)
def test_any_block_is_cleaned(text: str, label: str) -> None:
    for block in clean_block(text, label, 1):
        assert block.text.strip()
        assert block.line >= 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | MARKUP,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "cell_type", "source", "metadata", "kernelspec", "language", "worksheets", "input"]
            ),
            inner,
        )
    ),
    max_leaves=25,
)


@given(cells=st.lists(JSON, max_size=5), notebook=JSON)
@settings(max_examples=80 * EFFORT)
def test_any_notebook_is_read(cells: list[object], notebook: object) -> None:
    parse_document(json.dumps(notebook), "a.ipynb")
    parse_document(json.dumps({"cells": cells}), "a.ipynb")
    typed = [{"cell_type": "code", "source": cell} for cell in cells]
    parse_document(json.dumps({"cells": typed, "metadata": notebook}), "a.ipynb")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000, "> " * 5_000, "- " * 5_000, "<div>" * 20_000, "`" * 20_000, "*" * 20_000, "a_" * 20_000, "![[" * 10_000,
        "|" * 20_000 + "\n" + "|-" * 10_000, "<!--" * 10_000, "<pre>\n\n" * 5_000, "(" * 20_000, '"' * 20_000, "\\" * 20_000,
        "&" * 20_000, "::\n\n  x\n" * 5_000, ".. a::\n" * 5_000, "```\n" * 10_000, ">>> (\n" * 5_000, "=\n" * 20_000, "$ a \\\n" * 5_000,
        "`a <" * 10_000, ":a:`" * 10_000, "``" * 20_000, "**a" * 10_000,
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
@pytest.mark.parametrize("path", ["README.md", "a.rst"])
def test_hostile_repetition_is_read_in_time(text: str, path: str) -> None:
    within(2, lambda: parse_document(text, path))


def test_unreadable_files_give_nothing(tmp_path: Path) -> None:
    (tmp_path / "README.md").mkdir()
    (tmp_path / "a.ipynb").write_bytes(b"\xff\xfe\x00{")
    (tmp_path / "b.md").write_bytes("# Grüße\n\ntext".encode("utf-16"))
    passages = [
        one for path in ("README.md", "a.ipynb", "b.md", "missing.rst") for one in read_document(tmp_path, path)
    ]
    assert [(passage.path, passage.headings, passage.text) for passage in passages] == [("b.md", ("Grüße",), "text")]
