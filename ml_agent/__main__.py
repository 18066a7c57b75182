"""`python -m ml_agent`, safe inside a cloned repository that has packages of the same names as ours."""

import os
import sys


def _without_working_folder() -> None:
    """`python -m` puts the working folder first: what lies there would be imported in place of ours, and of Python's own.

    Until then nothing is imported that Python has not loaded before it looks there, also not by `ml_agent/__init__.py`.
    """
    real = os.path.realpath
    here, home = real("."), real(f"{__file__}/../..")
    if here != home:
        sys.path[:] = [entry for entry in sys.path if entry and real(entry) != here]


def start() -> None:
    """The program: Ctrl-C counts from the first moment, also while modules are loaded."""
    _heed_interrupts()
    from ml_agent.cli import main

    main()


def _heed_interrupts() -> None:
    """End at Ctrl-C whatever is going on: the exception that Python raises is lost where it strikes an importer's callback."""
    import _signal  # type: ignore[import-not-found]  # what `signal` is made of: there at once, while that takes milliseconds

    _signal.signal(_signal.SIGINT, _exit_on_interrupt)


def _exit_on_interrupt(_signal: int, _frame: object) -> None:
    os.write(2, b"ml-agent: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    _heed_interrupts()
    _without_working_folder()
    start()
