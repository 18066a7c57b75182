"""Commands and Python blocks of documents and scripts become examples that are tied to what they start."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.usage.entry import EntryFinder, Example
from ml_agent.tools.usage.shell import read_commands

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

FILES = {
    "train.py": "import argparse\n",
    "src/pkg/__init__.py": "from pkg.net import Net\n",
    "src/pkg/main.py": "",
    "src/pkg/net.py": "class Net:\n    pass\n",
    "examples/gcn/main.py": "",
    "examples/gat/main.py": "",
    "data/get.sh": "",
    "setup.py": "",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "net"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def examples(root: Path, path: str, text: str) -> list[Example]:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return [example for example in RepoIndex.open(root, "1").examples if example.path == path]


class TestShell:
    def test_continuations_comments_and_lines(self) -> None:
        script = "# Cora\npython a.py \\\n  --x 1 \\ \n  --y\n\npython b.py  # Pubmed\n\npython c.py\n"
        commands = list(read_commands(script))
        assert [(command.text, command.comment, command.line) for command in commands] == [
            ("python a.py --x 1 --y", "Cora", 1), ("python b.py", "Pubmed", 5), ("python c.py", "", 7),
        ]  # fmt: skip

    def test_operators_split_and_pipes_stay(self) -> None:
        commands = [command.text for command in read_commands("a 1 && b '2 && 3' | tee x; c > y 2>&1 & d || e")]
        assert commands == ["a 1", "b '2 && 3' | tee x", "c > y 2>&1", "d", "e"]

    def test_folders_and_variables_in_force(self) -> None:
        script = "export A=1\nB='x y'\nC=$B\ncd one && cd two\npython a.py $A ${C}\ncd -\npython b.py\n"
        first, second = read_commands(script)
        assert (first.folders, first.setup) == (("one", "two"), ("export A=1", "B='x y'", "C=$B"))
        assert (second.folders, second.setup) == (("one",), ("export A=1",))

    def test_loops_give_their_first_turn_and_branches_all(self) -> None:
        script = "for n in 96 192\ndo\n  python run.py --n $n\ndone\nif [ -f x ]; then\n  a 1\nelse\n  b 2\nfi\n"
        commands = list(read_commands(script))
        assert [(command.text, command.setup) for command in commands] == [
            ("python run.py --n $n", ("n=96",)), ("a 1", ()), ("b 2", ()),
        ]  # fmt: skip

    @given(
        st.lists(
            st.sampled_from([*list("abc'\"\\\n;&|<>(){}#$=` "), "EOF", "<<", "for ", " in ", "do", "cd ", "export "])
        ).map("".join)
    )
    @settings(max_examples=160 * EFFORT)
    def test_any_script_is_read(self, script: str) -> None:
        for command in read_commands(script):
            assert command.text.strip()
            assert 0 <= command.line <= script.count("\n")


class TestEntry:
    @pytest.mark.parametrize(
        ("command", "path", "workdir"),
        [
            ("python train.py --lr 1", "train.py", "."),
            ("CUDA_VISIBLE_DEVICES=0 python3 -u ./train.py", "train.py", "."),
            ("torchrun --nproc_per_node 4 train.py", "train.py", "."),
            ("python -m torch.distributed.launch --nproc_per_node=4 train.py --x data/get.sh", "train.py", "."),
            ("accelerate launch --multi_gpu train.py", "train.py", "."),
            ("python -m pkg.main", "src/pkg/main.py", "src"),
            ("bash data/get.sh x", "data/get.sh", "."),
            ("bash get.sh", "data/get.sh", "data"),
            ("python /somewhere/net/src/pkg/net.py", "src/pkg/net.py", "src/pkg"),
            ("net-train --lr 1", "src/pkg/main.py", "."),
        ],
    )
    def test_found(self, command: str, path: str, workdir: str) -> None:
        finder = EntryFinder(FILES, "net", {"net-train": "src/pkg/main.py"})
        assert finder.find(command, finder.workdirs("README.md", [])) == (path, workdir)

    @pytest.mark.parametrize(
        "command", ["python main.py", "python gone.py --config train.py", "pip install x", "", "'"]
    )
    def test_not_found_or_not_certain(self, command: str) -> None:
        finder = EntryFinder(FILES, "net", {})
        assert finder.find(command, finder.workdirs("README.md", [])) is None


class TestDocuments:
    def test_a_command_knows_where_it_stands(self, repository: Path) -> None:
        text = "# Net\n## Training\nTrain it on Cora:\n\n```bash\nexport D=/data\ncd examples/gcn\npython main.py --d $D\n```\n"
        (example,) = examples(repository, "README.md", text)
        assert example == Example(
            text="python main.py --d $D",
            kind="bash",
            path="README.md",
            line=8,
            workdir="examples/gcn",
            entry="examples/gcn/main.py",
            headings=("Net", "Training"),
            introduction="Train it on Cora:",
            setup=("export D=/data",),
        )

    def test_shell_scripts(self, repository: Path) -> None:
        script = "#!/bin/bash\nmodel=GCN\nls\n\n# ETTh1\npython -u train.py \\\n  --model $model\n"
        (example,) = examples(repository, "scripts/deep/run.sh", script)
        assert (example.text, example.entry, example.workdir) == ("python -u train.py --model $model", "train.py", ".")
        assert (example.line, example.introduction, example.setup) == (6, "ETTh1", ("model=GCN",))


class TestPython:
    def test_code_of_the_own_package(self, repository: Path) -> None:
        text = "```python\nimport torch\nimport pkg.net as n\nfrom pkg import Net\nn.Net()\ntorch.ones(1)\n```\n"
        (example,) = examples(repository, "docs/a.md", text)
        assert (example.kind, example.imports_own, example.workdir) == ("python", True, "docs")

    def test_a_later_block_gets_what_it_needs_of_earlier_ones(self, repository: Path) -> None:
        text = "```python\nfrom pkg import Net\nnet = Net()\n```\n```python\nunused = 1\n```\n```python\nnet.train()\n```\n"
        last = examples(repository, "README.md", text)[-1]
        assert last.text == "from pkg import Net\nnet = Net()\n\nnet.train()"
        assert last.imports_own
