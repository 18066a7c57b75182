"""`ml-agent clean`: what dead runs left."""

from typing import Annotated

import typer

from ml_agent.console import Terminal


def clean(
    images: Annotated[bool, typer.Option("--images", help="Also remove the images of set-up results.")] = False,
) -> int:
    """Remove the containers, networks, volumes and workspaces that dead runs left; never anything of others."""
    from sandbox.cleanup import clean as clean_sandboxes

    removed = clean_sandboxes(images=images)
    Terminal(stderr=True).print(f"removed: {removed}", highlight=False, markup=False)
    return 0
