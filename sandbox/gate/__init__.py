"""The one way out of a sandbox while it is set up: through a socket to a proxy of ours that knows the package index alone."""
