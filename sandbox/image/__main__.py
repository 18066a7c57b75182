"""`python -m sandbox.image [--force]`: make sure the image is there; one line on stdout."""

import sys
from contextlib import closing

from ml_agent.sandbox.docker_engine import connect
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.image.build import build_image, ensure_image


def main() -> int:
    """Build where needed; 3 when it cannot be had."""
    try:
        with closing(connect()) as client:
            print(build_image(client) if "--force" in sys.argv[1:] else ensure_image(client))
    except SandboxUnavailableError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
