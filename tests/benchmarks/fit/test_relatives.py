"""Which repositories are held out together."""

from ml_agent.benchmarks.fit.relatives import family, folds


def test_relatives_are_left_out_with_a_development_repository() -> None:
    assert family({"lavis"}) == {"lavis", "blip"}
    assert family({"nobody"}) == {"nobody"}


def test_development_repositories_stand_alone_and_the_others_in_fifths() -> None:
    groups = {"a": "wild", "b": "other"} | {f"w{place}": "written" for place in range(11)}
    found = list(folds(groups))
    assert found[:2] == [frozenset({"a"}), frozenset({"b"})]
    assert len(found) == 7
    assert sorted(name for fold in found for name in fold) == sorted(groups)
