"""Folders that a program adds to where modules are looked for."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.signatures.search_paths import added_folders
from tests.processor_time import within


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("sys.path.append(os.path.join(os.path.dirname(__file__), '..', 'lib'))", {"lib"}),
        ("here = osp.dirname(osp.abspath(__file__))\nsys.path.insert(0, osp.join(here, 'lib'))", {"tools/lib"}),
        ("ROOT = Path(__file__).resolve().parents[1]\nsys.path.append(str(ROOT / 'core'))", {"core"}),
        ("sys.path.append(str(Path(__file__).parent.parent))", {""}),
        ("sys.path.insert(0, os.path.dirname(__file__) + '/../../third')", set()),
        ("sys.path.append('core')", {"tools/core", "core"}),
        ("sys.path += ['./core', os.getcwd()]", {"tools/core", "core", "tools", ""}),
        ("sys.path.extend([os.path.dirname(__file__)])", {"tools"}),
        (
            "def add(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\n\nadd('lib')",
            {"tools/lib", "lib"},
        ),
        ("sys.path.append('/usr/lib')", set()),
        ("sys.path.append(os.environ['HOME'])", set()),
        ("a = b\nb = a\nsys.path.append(a)", set()),
        ("other.path.append('lib')", set()),
        ("sys.path.append(os.path.join(os.path.dirname(__file__), '..', '.vendor'))", {".vendor"}),
    ],
)
def test_folders_as_programs_write_them(text: str, folders: set[str]) -> None:
    assert set(added_folders(ast.parse(text), "tools/train.py")) == folders


@given(st.lists(st.sampled_from(["..", "a", "/", "", "b.c", "\0", "~"]), max_size=4))
def test_no_folder_lies_outside(parts: list[str]) -> None:
    tree = ast.parse(
        f"sys.path.append(os.path.join(os.path.dirname(__file__), *{parts!r}))\nsys.path.append({'/'.join(parts)!r})"
    )
    assert not [one for one in added_folders(tree, "x/y.py") if one.startswith(("/", ".."))]


_DOUBLED = "a0 = 'x'\n" + "".join(f"a{n} = os.path.join({', '.join([f'a{n - 1}'] * 40)})\n" for n in range(1, 12))
_HANDED_ON = "".join(f"def f{n}(p):\n    sys.path.append(p)\nf{n}('lib')\n" for n in range(2_000))


@pytest.mark.parametrize(
    "text",
    [_DOUBLED + "sys.path.append(a11)", _HANDED_ON, "sys.path.append(Path(__file__).parents[999999999])"],
    ids=["names of names", "functions", "parents"],
)
def test_folders_that_are_made_to_be_long_are_left(text: str) -> None:
    tree = ast.parse(text)
    within(2.0, lambda: added_folders(tree, "tools/train.py"))
