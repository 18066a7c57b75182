"""How often the right repository is found without a model, on a stand-in for GitHub's search.

bench-search.py CATALOGUE [REQUESTS]: both JSON Lines; a repository a line (full_name, description, topics, language, stars, license,
archived, pushed, readme), a request a line (kind, request, right: names of which each is right).
"""

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from ml_agent.finder import CANDIDATES, collect
from ml_agent.tools.github_search import GitHubSearch, Places
from ml_agent.understanding import rank

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers.github_server import About, GitHubServer  # beside this folder

REQUESTS = Path(__file__).resolve().parents[1] / "benchmarks/search/requests.jsonl"


def listed(row: dict[str, Any]) -> About:
    """A line of the catalogue as GitHub shows it."""
    return About(
        full_name=row["full_name"],
        description=row.get("description"),
        topics=tuple(row.get("topics") or ()),
        language=row.get("language"),
        stars=row.get("stars") or 0,
        licence=row.get("license"),
        archived=row.get("archived", False),
        pushed=row.get("pushed") or "2024-01-01T00:00:00Z",
        readme=row.get("readme", ""),
    )


def main(catalogue: Path, requests: Path = REQUESTS) -> None:
    """Print the share of requests with a right repository first, among three, among five, by kind."""
    places: dict[str, list[int]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, GitHubServer(Path(folder) / "github") as github:
        for line in catalogue.read_text(encoding="utf-8").splitlines():
            github.publish(listed(json.loads(line)))
        for line in requests.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            source = GitHubSearch(Path(folder) / "cache", places=Places(api=github.url))
            found = rank(row["request"], collect(row["request"], source))[:CANDIDATES]
            right = [name.lower() for name in row["right"]]
            place = next((n for n, one in enumerate(found, 1) if one.full_name.lower() in right), CANDIDATES + 1)
            places[row["kind"]].append(place)
            places["all"].append(place)
    for kind, several in places.items():
        shares = {most: sum(place <= most for place in several) for most in (1, 3, CANDIDATES)}
        told = ", ".join(f"{count} among the first {most}" for most, count in shares.items())
        print(f"{kind}: of {len(several)} {told}")


main(*map(Path, sys.argv[1:3]))
