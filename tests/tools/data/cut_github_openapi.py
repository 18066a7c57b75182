"""Cut GitHub's OpenAPI description down to the answers that the tests check, as JSON Schema.

    npm install @octokit/openapi@23      (MIT licence; the description is GitHub's own)
    python cut_github_openapi.py node_modules/@octokit/openapi/generated/api.github.com.json

writes github_openapi.json.gz beside this file: {"answers": {path: {status: schema}}, "components": {"schemas": …}}.
Descriptions and examples are dropped, OpenAPI's `nullable` becomes JSON Schema's null.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

PATHS = (
    "/search/repositories",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/readme",
    "/repos/{owner}/{repo}/contents/{path}",
    "/repos/{owner}/{repo}/git/trees/{tree_sha}",
    "/rate_limit",
)
DROPPED = {"description", "example", "examples", "title", "externalDocs", "x-github-breaking-changes"}
TARGET = Path(__file__).with_name("github_openapi.json.gz")


def converted(node: Any, *, names: bool = False) -> Any:
    """A schema as JSON Schema; `names` says that the keys are names of properties, not keywords."""
    if isinstance(node, list):
        return [converted(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: converted(value, names=key in ("properties", "schemas") and not names)
        for key, value in node.items()
        if names or key not in DROPPED
    }
    if not names and kept.pop("nullable", False):
        return {"anyOf": [kept, {"type": "null"}]}
    return kept


def references(node: Any) -> set[str]:
    """Names of the schemas that a schema refers to."""
    if isinstance(node, list):
        return {name for item in node for name in references(item)}
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"].rsplit("/", 1)[-1]} if isinstance(node.get("$ref"), str) else set()
    return own | {name for value in node.values() for name in references(value)}


def answers(description: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema of each answer of GET by status; of several formats the one for application/json, or all of them."""
    found: dict[str, Any] = {}
    for status, answer in description["paths"][path]["get"]["responses"].items():
        if "$ref" in answer:
            answer = description["components"]["responses"][answer["$ref"].rsplit("/", 1)[-1]]
        content = answer.get("content", {})
        if "application/json" in content:
            found[status] = converted(content["application/json"]["schema"])
        elif content:
            found[status] = {"anyOf": [converted(form["schema"]) for form in content.values()]}
    return found


def cut(description: dict[str, Any]) -> dict[str, Any]:
    """The answers of PATHS with every schema they need."""
    kept = {path: answers(description, path) for path in PATHS}
    schemas: dict[str, Any] = {}
    wanted = references(kept)
    while missing := wanted - set(schemas):
        for name in missing:
            schemas[name] = converted(description["components"]["schemas"][name])
            wanted |= references(schemas[name])
    return {"answers": kept, "components": {"schemas": dict(sorted(schemas.items()))}}


if __name__ == "__main__":
    text = json.dumps(cut(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))
