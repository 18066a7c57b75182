"""From an instruction to repositories, without a model."""

from ml_agent.samples import catalog_path, tasks
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.catalog import Catalog
from ml_agent.understanding import keywords, queries, rank

INSTRUCTION = "Might you graciously help me to train an APPNP model on Citeseer with a learning rate of 0.01?"


def candidate(name: str, description: str, stars: int = 1) -> Candidate:
    return Candidate(full_name=f"lab/{name}", url=f"lab/{name}", description=description, stars=stars)


def test_keywords_name_the_field_then_the_names() -> None:
    found = keywords(INSTRUCTION)
    assert found[:2] == ("graph neural networks", "APPNP")
    assert "Citeseer" in found and "graciously" not in found and "0.01" not in found


def test_queries_are_short_and_start_with_the_field() -> None:
    found = queries(INSTRUCTION)
    assert found[0] == "graph neural networks" and "APPNP" in found
    assert 1 < len(found) <= 6 and all(len(query.split()) <= 4 for query in found)


def test_an_instruction_of_no_known_field_still_asks() -> None:
    assert queries("Please sort my stamps by country")[0] == "sort stamps country"
    assert queries("") == () == keywords("")


def test_ranks_all_candidates_by_relevance_and_by_nothing_else() -> None:
    given = [
        candidate("plots", "Plotting", 10**6),
        candidate("gnn", "Graph neural networks"),
        candidate("void", "", 10**6),
    ]
    ranked = rank(INSTRUCTION, given)
    assert [found.full_name for found in ranked] == ["lab/gnn", "lab/plots", "lab/void"]
    assert ranked[0].score > ranked[1].score == ranked[2].score == 0


def test_keywords_from_elsewhere_count() -> None:
    given = [candidate("graphs", "Graph neural networks"), candidate("stamps", "Philately")]
    assert rank("Do it", given, ["philately"])[0].full_name == "lab/stamps"
    assert rank("Do it", given, ["GCN"])[0].full_name == "lab/graphs"


def test_the_sample_repositories_are_among_the_first_five_of_their_catalogue() -> None:
    catalog = Catalog.read(catalog_path())
    misses = []
    for task in tasks():
        found = catalog.search((task.instruction, *queries(task.instruction)), 5)
        if task.repository not in [hit.full_name.split("/")[1] for hit in found]:
            misses.append(task.id)
    assert misses == []


def test_swapped_instructions_find_nothing() -> None:
    """What is found follows from the instruction: with another one the sample repositories are not found."""
    catalog = Catalog.read(catalog_path())
    for instruction in (
        "Transcribe talk.wav with wav2vec2",
        "Train PPO on CartPole",
        "Caption my photographs with BLIP",
    ):
        found = {hit.full_name.split("/")[1] for hit in catalog.search((instruction, *queries(instruction)), 5)}
        assert not found & {task.repository for task in tasks()}
