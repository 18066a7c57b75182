"""What works on this machine, and what to do about the rest. Nothing waits longer than a few seconds."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import msgspec
import requests

from ml_agent.files import make_writable
from ml_agent.key_mask import shown_address
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Policy
from ml_agent.sandbox.docker_engine import describe
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.seccomp import filter_program
from ml_agent.settings import Settings
from ml_agent.tools.bounded import within
from ml_agent.tools.plugins import installed
from ml_agent.tools.secret_names import without_secrets

WAIT = 5.0
"""Seconds that any one look may take."""
MOST_BYTES = 1024**2
"""Of a host's answer."""
_STEP = 64 * 1024
_ERROR = 400
"""HTTP's first status that says of an error."""
_NO_ANSWER = (requests.RequestException, ValueError, KeyError, TypeError, RecursionError)
ENOUGH_DISK = 5 * 1024**3
"""Bytes; a repository's environment with torch takes about this much."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str = ""
    """What is there, or why it is not."""
    advice: str = ""
    """What to do where it is not ok."""
    tip: str = ""
    """What would make it better where it is ok."""
    needed: bool = False
    """Whether nothing works without it."""


class Reply(NamedTuple):
    """What a host answered."""

    status: int
    content: bytes


def examine_machine(settings: Settings) -> list[Row]:
    """Look at everything a run may need, side by side; nothing is changed."""
    looks: list[Callable[[Settings], Row]] = [
        _python, _git, _docker, _image, _local, examine_model, _github, _package_index, _cache, _disk, _plugins,
    ]  # fmt: skip
    with ThreadPoolExecutor(len(looks)) as pool:
        return list(pool.map(lambda look: look(settings), looks))


def _python(_settings: Settings) -> Row:
    return Row(what="Python >= 3.11", ok=sys.version_info >= (3, 11), found=sys.version.split()[0], needed=True)


def _git(_settings: Settings) -> Row:
    path = shutil.which("git")
    return Row(what="git", ok=path is not None, found=path or "missing", advice="apt-get install git", needed=True)


def _docker(settings: Settings) -> Row:
    row = _sandbox("docker", settings)
    try:
        return msgspec.structs.replace(row, found=describe()) if row.ok else row
    except SandboxUnavailableError as error:
        return msgspec.structs.replace(row, ok=False, found="not available", advice=str(error))


def _local(settings: Settings) -> Row:
    row = _sandbox("local", settings)
    if not row.ok or filter_program() is not None:
        return row
    found = f"{row.found}; no system call filter for {platform.machine()}"
    return msgspec.structs.replace(row, found=found, tip="use --sandbox docker, which has one")


def _sandbox(name: str, settings: Settings) -> Row:
    try:
        made = choose(name, Policy(), settings.cache_dir / "doctor", unisolated=False)
    except SandboxUnavailableError as error:
        return Row(what=f"sandbox: {name}", ok=False, found="not available", advice=str(error))
    return Row(what=f"sandbox: {name}", ok=True, found=made.name)


def _image(settings: Settings) -> Row:
    from docker.errors import DockerException, ImageNotFound

    from ml_agent.sandbox.docker_engine import connect
    from ml_agent.sandbox.image import image_name

    name = settings.image or image_name()
    try:
        client = connect()
        client.images.get(name)
    except ImageNotFound:
        return Row(
            what="image", ok=False, found=f"{name} is not built", advice="it is built at the first run in Docker"
        )
    except (DockerException, SandboxUnavailableError, OSError):
        return Row(what="image", ok=False, found="no container engine", advice="start Docker, or use --sandbox local")
    return Row(what="image", ok=True, found=name)


def examine_model(settings: Settings) -> Row:
    """Whether the configured model answers a request of one token."""
    key = "" if settings.has_endpoint else "set OPENAI_API_KEY or OPENAI_BASE_URL"
    how = ", and ".join(part for part in (key, "" if settings.model else "give --model NAME") if part)
    if not settings.thinks_with_model:
        first = "" if settings.has_endpoint or settings.model else "ml-agent init, or "
        advice = first + (how or f"choose another navigator than {settings.navigator}")
        return Row(what="model", ok=False, found="none; answers are made without a model", advice=advice)
    from ml_agent.model.endpoint import OPENAI

    if how:
        return Row(what="model", ok=False, found=f"{settings.model or 'none'} cannot be used", advice=how)
    url = (settings.base_url or OPENAI).rstrip("/")
    problem = _ask_model(url, settings)
    return Row(what="model", ok=not problem, found=f"{settings.model} at {shown_address(url)}", advice=problem)


def _ask_model(url: str, settings: Settings) -> str:
    """Ask for one token; empty where it answers, else why not. Costs next to nothing."""
    headers = {"Authorization": f"Bearer {settings.api_key.get_secret_value() or 'none'}"}
    body = {"model": settings.model, "messages": [{"role": "user", "content": "Say ok."}], "max_tokens": 1}
    try:
        status = answer_of("POST", _below(url, "chat/completions"), headers, body).status
    except requests.Timeout:
        return f"no answer within {WAIT:.0f} s: the address (OPENAI_BASE_URL) may be wrong, or the model slow"
    except requests.RequestException as error:
        return f"does not answer ({type(error).__name__}): check OPENAI_BASE_URL"
    if status < _ERROR:
        return ""
    known = {401: "refuses the key", 403: "refuses the key", 404: "model or path not found"}
    return f"{known.get(status, 'answers with an error')} (HTTP {status})"


def _below(url: str, path: str) -> str:
    """A path of an endpoint, before its query."""
    address, mark, query = url.partition("?")
    return f"{address.rstrip('/')}/{path}{mark}{query}"


def offered_models(settings: Settings) -> tuple[frozenset[str], str]:
    """The models that the configured endpoint lists, and why there are none where one is configured."""
    if not (settings.base_url or settings.api_key.get_secret_value()):
        return frozenset(), ""
    from ml_agent.model.endpoint import OPENAI

    url = _below(settings.base_url or OPENAI, "models")
    headers = {"Authorization": f"Bearer {settings.api_key.get_secret_value() or 'none'}"}
    try:
        listed = json.loads(answer_of("GET", url, headers).content)["data"]
        return frozenset(str(one["id"]) for one in listed), ""
    except (requests.ConnectionError, requests.Timeout) as error:
        return frozenset(), f"the endpoint does not answer ({type(error).__name__}): its models are unknown"
    except _NO_ANSWER:  # it need not
        return frozenset(), "the endpoint does not list its models"


def answer_of(method: str, url: str, headers: Mapping[str, str], body: object = None, wait: float = WAIT) -> Reply:
    """What a host answers, within MOST_BYTES and `wait` seconds. Raises requests.RequestException where it does not."""
    until = time.monotonic() + wait

    def ask() -> Reply:
        with requests.request(method, url, json=body, headers=headers, timeout=wait, stream=True) as reply:
            content = b""
            for part in reply.iter_content(_STEP):
                content += part
                if len(content) > MOST_BYTES or time.monotonic() > until:
                    raise requests.Timeout("the reply is too large or too slow")
            return Reply(reply.status_code, content)

    try:
        return within(wait, ask)  # neither a name lookup nor a read that drips can be given up otherwise
    except TimeoutError:
        raise requests.Timeout("too slow") from None
    except requests.RequestException:
        raise
    except ValueError as error:  # a key that is no header
        raise requests.RequestException(str(error)) from error


def _github(settings: Settings) -> Row:
    token = settings.github_token.get_secret_value()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        reply = answer_of("GET", f"{settings.github_api}/rate_limit", headers)
        left = json.loads(reply.content)["resources"]["search"]
        found = f"{left['remaining']} of {left['limit']} searches left this minute"
    except _NO_ANSWER as error:
        problem = f"does not answer ({type(error).__name__})"
        return Row(what="GitHub", ok=False, found=problem, advice="name a repository with --repo, or use --catalog")
    tip = "" if token else "GITHUB_TOKEN raises the limit from 10 to 30 searches a minute"
    return Row(what="GitHub", ok=reply.status < _ERROR, found=found, tip=tip)


def _package_index(_settings: Settings) -> Row:
    """Asked through pip, which knows the index and the proxy that are configured."""
    pip = [sys.executable, "-P", "-m", "pip"]  # not from the working folder
    quickly = ["--disable-pip-version-check", "--retries", "0", "--timeout", f"{WAIT:.0f}"]
    try:
        done = subprocess.run(
            [*pip, *quickly, "index", "versions", "pip"],
            capture_output=True,
            timeout=WAIT * 3,
            check=False,
            env=without_secrets(os.environ),
        )
        found = "answers" if done.returncode == 0 else "does not answer"
    except subprocess.TimeoutExpired:
        found = "does not answer in time"
    return Row(what="package index", ok=found == "answers", found=found, advice="needed to set up repositories")


def _cache(settings: Settings) -> Row:
    folder = settings.cache_dir
    try:
        make_writable(folder)
    except OSError as error:
        problem = error.strerror or "cannot be written"
        return Row(what="cache", ok=False, found=f"{folder}: {problem}", advice="set ML_AGENT_CACHE_DIR", needed=True)
    return Row(what="cache", ok=True, found=str(folder), needed=True)


def _disk(settings: Settings) -> Row:
    folder = next(path for path in (settings.cache_dir, *settings.cache_dir.absolute().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    advice = "environments with torch take about 5 GB: `ml-agent clean --images`, or another ML_AGENT_CACHE_DIR"
    return Row(what="disk", ok=free >= ENOUGH_DISK, found=f"{free / 1024**3:.0f} GB free", advice=advice)


def _plugins(_settings: Settings) -> Row:
    return Row(what="plug-ins", ok=True, found="; ".join(installed()) or "none installed")
