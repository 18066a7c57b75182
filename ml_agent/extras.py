"""How an optional part of this package is installed."""


def install_extra(name: str) -> str:
    """The command for it: the package is on no index, so it is one for a checkout."""
    return f"pip install '.[{name}]' in a checkout of ML-Agent"
