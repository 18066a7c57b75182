"""How the image is built from Debian's packages."""

import pytest

from ml_agent.sandbox.image.build import bootstrap_environment


def test_the_mirror_and_the_proxies_of_the_machine_reach_the_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEBIAN_MIRROR", "HTTPS_PROXY", "https_proxy", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "http://mirror.example")
    found = bootstrap_environment()
    assert {"PATH", "DEBIAN_MIRROR", "HTTPS_PROXY", "https_proxy"} <= found.keys()
    assert "OPENAI_API_KEY" not in found
