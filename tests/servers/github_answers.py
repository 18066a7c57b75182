"""The bodies of a GitHub stand-in's answers, as GitHub's REST description (OpenAPI) says they look."""

import base64
import time
from typing import Any
from zlib import crc32

import msgspec

Json = dict[str, Any]

MOMENT = "2024-01-02T03:04:05Z"
_TEMPLATES = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
    "downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}", "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}", "languages_url": "/languages", "merges_url": "/merges",
    "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}", "subscribers_url": "/subscribers", "subscription_url": "/subscription",
    "tags_url": "/tags", "teams_url": "/teams", "trees_url": "/git/trees{/sha}",
}  # fmt: skip
_USER_PARTS = (
    "followers", "following", "gists", "starred", "subscriptions", "organizations", "repos", "events", "received_events",
)  # fmt: skip


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What GitHub shows of a repository."""

    full_name: str
    description: str | None = None
    topics: tuple[str, ...] = ()
    language: str | None = "Python"
    stars: int = 1
    private: bool = False
    default_branch: str = "main"
    licence: str | None = None
    archived: bool = False
    fork: bool = False
    pushed: str = MOMENT
    size: int = 0
    readme: str = ""
    """Of a repository without files."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder in a git tree."""

    mode: str
    kind: str
    """blob, tree or commit."""
    sha: str
    size: int
    path: str


def user(login: str, base: str) -> Json:
    """A simple-user."""
    number = crc32(login.encode())
    url = f"{base}/users/{login}"
    links = {f"{part}_url": f"{url}/{part}" for part in _USER_PARTS}
    own = {"login": login, "id": number, "node_id": str(number), "type": "User", "site_admin": False, "gravatar_id": ""}
    return links | own | {"avatar_url": f"{base}/avatars/{number}", "url": url, "html_url": f"{base}/{login}"}


def repository(about: About, base: str) -> Json:
    """A full-repository, which is a repo-search-result-item too."""
    owner, name = about.full_name.split("/")
    number = crc32(about.full_name.encode())
    url, web = f"{base}/repos/{about.full_name}", f"{base}/{about.full_name}"
    counts = dict.fromkeys(("forks", "forks_count", "open_issues", "open_issues_count", "network_count"), 0)
    stars = dict.fromkeys(("stargazers_count", "watchers", "watchers_count"), about.stars)
    switches = dict.fromkeys(("disabled", "has_pages", "has_discussions"), False)
    features = dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True)
    moments = dict.fromkeys(("created_at", "updated_at"), MOMENT)
    nothing = dict.fromkeys(("homepage", "mirror_url"))
    links = {key: url + suffix for key, suffix in _TEMPLATES.items()}
    clones = {"clone_url": f"{web}.git", "svn_url": web, "ssh_url": f"git@localhost:{about.full_name}.git"}
    return {
        **counts, **stars, **switches, **features, **moments, **nothing, **links, **clones,
        "id": number, "node_id": str(number), "name": name, "full_name": about.full_name, "private": about.private,
        "owner": user(owner, base), "html_url": web, "url": url, "git_url": f"git://localhost/{about.full_name}.git",
        "description": about.description, "language": about.language, "topics": list(about.topics),
        "default_branch": about.default_branch, "score": 1.0, "subscribers_count": 0,
        "visibility": "private" if about.private else "public", "archived": about.archived, "fork": about.fork,
        "pushed_at": about.pushed, "size": about.size, "license": _licence(about.licence, base),
    }  # fmt: skip


def _licence(spdx: str | None, base: str) -> Json | None:
    """A nullable-license-simple."""
    if spdx is None:
        return None
    key = spdx.lower()
    return {"key": key, "name": spdx, "spdx_id": spdx, "url": f"{base}/licenses/{key}", "node_id": key}


def content(about: About, entry: Entry, base: str, data: bytes | None = None) -> Json:
    """A content-file with its data, or without data a member of a content-directory."""
    url = f"{base}/repos/{about.full_name}/contents/{entry.path}"
    web = f"{base}/{about.full_name}/blob/{about.default_branch}/{entry.path}"
    git_url = f"{base}/repos/{about.full_name}/git/{entry.kind}s/{entry.sha}"
    item: Json = {
        "type": "dir" if entry.kind == "tree" else "file", "name": entry.path.rsplit("/", 1)[-1], "path": entry.path,
        "sha": entry.sha, "size": entry.size, "url": url, "git_url": git_url, "html_url": web, "download_url": web,
        "_links": {"self": url, "git": git_url, "html": web},
    }  # fmt: skip
    if data is not None:
        item |= {"encoding": "base64", "content": base64.encodebytes(data).decode()}
    return item


def tree(about: About, sha: str, entries: list[Entry], base: str) -> Json:
    """A git-tree."""
    url = f"{base}/repos/{about.full_name}/git"
    items = [
        {
            "path": entry.path,
            "mode": entry.mode,
            "type": entry.kind,
            "sha": entry.sha,
            "url": f"{url}/{entry.kind}s/{entry.sha}",
        }
        | ({"size": entry.size} if entry.kind == "blob" else {})
        for entry in entries
    ]
    return {"sha": sha, "url": f"{url}/trees/{sha}", "tree": items, "truncated": False}


def rate_limits(core: int = 5000, search: int = 30) -> Json:
    """A rate-limit-overview."""
    limits = {name: _limit(number) for name, number in (("core", core), ("search", search))}
    return {"resources": limits, "rate": limits["core"]}


def _limit(number: int) -> Json:
    return {"limit": number, "remaining": number, "reset": int(time.time()) + 60, "used": 0}


def problem(message: str, **more: Any) -> Json:
    """An error."""
    return {"message": message, "documentation_url": "https://docs.github.com/rest", **more}
