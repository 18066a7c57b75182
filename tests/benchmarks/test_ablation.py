"""What a feature is worth on repositories that were left out."""

import random

from ml_agent.benchmarks.ablation import report, worths
from ml_agent.benchmarks.fit.learn import Group
from ml_agent.matching.features import FEATURES

TELLS, NOISE = FEATURES.index("name"), FEATURES.index("prose")


def group(repository: str, chance: random.Random) -> Group:
    """A value with two slots, of which "name" says the right one and "prose" nothing."""
    right = chance.randrange(2)
    vectors = [[0.0] * len(FEATURES) for _ in range(2)]
    vectors[right][TELLS] = 1.0
    for vector in vectors:
        vector[NOISE] = chance.random()
    return Group(vectors, [int(at == right) for at in range(2)], repository=repository)


def test_what_tells_pays_and_noise_does_not() -> None:
    chance = random.Random(3)
    found = worths([group(f"repository{n % 10}", chance) for n in range(80)], ("magnitude", "prose", "name"))
    by_name = {one.feature: one for one in found}
    assert found[0].feature == "name" and by_name["name"].pays and by_name["name"].helps >= 8
    assert not by_name["prose"].pays
    assert by_name["magnitude"] == ("magnitude", 0, 0, 0)


def test_the_table_says_what_was_held_out() -> None:
    text = report(worths([group(f"repository{n % 5}", random.Random(n)) for n in range(20)], ("name",)), 20, 5)
    assert text.startswith("20 values of 5 repositories") and "| `name` |" in text
