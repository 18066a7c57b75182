"""The first message on classes and functions: which are told, and how whole."""

from collections.abc import Callable

import pytest

from ml_agent.model.thread import Thread

Told = Callable[..., Thread]
WALKS = (
    "class Walk:\n    '''A way.'''\n    def __init__(self, start):\n        self.start, self.length, self._map = start, 0, None\n\n"
    + "".join(f"    def turn_{n}(self):\n        '''A way of the walk.'''\n\n" for n in range(12))
    + "    def as_table(self): ...\n\n\ndef find_walks(places, season='summer', steepness=0.1, "
    + ", ".join(f"limit_{n}=None" for n in range(40))
    + ", marked=True) -> Walk:\n    '''Find walks.\n\n    Args:\n        places: Where to go.\n"
    "        season: When it is, one of 'summer',\n            'winter'.\n    '''\n"
)


def test_the_first_function_is_told_whole_with_what_is_said_of_its_parameters(told: Told) -> None:
    opening = told({"ways.py": WALKS}, "Write Python: find_walks in the winter season").opening
    assert "limit_39=None, marked=True) -> Walk" in opening
    assert "    season: When it is, one of 'summer', 'winter'.\n" in opening and "Where to go" not in opening


def test_methods_that_documents_call_come_first(told: Told) -> None:
    readme = "# Walks\nUse a walk:\n```python\nfrom ways import Walk\nWalk('home').as_table()\n```\n"
    opening = told({"ways.py": WALKS, "README.md": readme}, "Write Python: the way of a walk").opening
    assert opening.index("  .as_table()") < opening.index("  .turn_0()")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from ways import hills as h\nh.climb('north')\n", "Go to the north."),
        ("print(1)\n", "Take [Hill, Valley(2)] of it."),
    ],
    ids=["alias", "in brackets"],
)
def test_what_an_alias_or_a_list_names_is_told(code: str, words: str, told: Told) -> None:
    own = "def climb(side):\n    'Up.'\n\n\nclass Hill:\n    'A rise.'\n"
    others = "".join(f"def other_{n}(x):\n    'To the north of it, take it and go.'\n\n\n" for n in range(30))
    readme = f"# Walks\nNorth:\n```python\n{code}```\n"
    opening = told(
        {"ways/hills.py": own, "ways/__init__.py": "", "ways/o.py": others, "README.md": readme}, words
    ).opening
    assert ("hills.climb(side)" if "climb" in code else "hills.Hill()") in opening


def test_tests_are_told_only_where_there_is_little_else(told: Told) -> None:
    files = {"tests/test_ways.py": "def test_walks_in_the_winter():\n    pass\n", "ways.py": WALKS}
    files["hills.py"] = "def walks_up():\n    'Walks.'\n\n\ndef walks_down():\n    'Walks.'\n"
    words = "Write Python: walks in the winter"
    assert "test_walks_in_the_winter" not in told(files, words).opening.partition("that fit\n")[2]
    assert "test_walks_in_the_winter" in told(files, f"{words}, as test_walks_in_the_winter").opening
