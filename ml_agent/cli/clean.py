"""`ml-agent clean`: what dead runs left."""

from typing import Annotated

import typer

from ml_agent.terminal import write_error


def clean(
    images: Annotated[bool, typer.Option("--images", help="Also remove the images of prepared environments.")] = False,
) -> int:
    """Remove containers, networks, volumes and workspaces that interrupted runs left behind."""
    from ml_agent.sandbox.cleanup import clean as clean_sandboxes

    removed = clean_sandboxes(images=images)
    write_error(f"removed: {removed}")
    return 0
