"""What pip says when it fails, and what is asked for instead."""

import pytest

from ml_agent.sandbox.setup.pip_errors import read_pip_failure, relaxed

NOT_FOUND = """Collecting tabluate
ERROR: Could not find a version that satisfies the requirement tabluate==1.0 (from versions: none)
ERROR: No matching distribution found for tabluate==1.0
"""
VERSIONS = """
ERROR: Could not find a version that satisfies the requirement numpy==1.21.2 (from versions: 1.23.2, 1.23.3, 1.24.0rc1, 2.0.0)
ERROR: No matching distribution found for numpy==1.21.2
"""
NESTED = """
ERROR: Could not find a version that satisfies the requirement foo>=3 (from bar==1.0) (from versions: 1.0, 2.0)
ERROR: No matching distribution found for foo>=3 (from bar==1.0)
"""
CONFLICT = """
ERROR: Cannot install click==6.7 and typer==0.12.5 because these package versions have conflicting dependencies.

The conflict is caused by:
    The user requested typer==0.12.5
    typer 0.12.5 depends on click>=8.0.0
    The user requested (constraint) click==6.7

ERROR: ResolutionImpossible: for help visit https://pip.pypa.io
"""
BUILD = """Collecting sklearn
  Preparing metadata (setup.py): started
  error: subprocess-exited-with-error
  × python setup.py egg_info did not run successfully.
      ModuleNotFoundError: No module named 'numpy'
error: metadata-generation-failed
"""
WHEEL = """Building wheels for collected packages: dlib
  error: command 'gcc' failed: No such file or directory
  ERROR: Failed building wheel for dlib
Failed to build dlib
"""
GIT = """Collecting git+https://example.org/a/private-tools.git
  fatal: could not read Username for 'https://example.org': terminal prompts disabled
  error: subprocess-exited-with-error
"""
NETWORK = """WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('...: Temporary failure in name resolution')': /simple/six/
ERROR: Could not find a version that satisfies the requirement six (from versions: none)
ERROR: No matching distribution found for six
"""


@pytest.mark.parametrize(
    ("output", "kind", "names", "versions"),
    [
        (NOT_FOUND, "not-found", ("tabluate",), ()),
        (VERSIONS, "not-found", ("numpy",), ("1.23.2", "1.23.3", "1.24.0rc1", "2.0.0")),
        (NESTED, "not-found", ("foo",), ("1.0", "2.0")),
        (CONFLICT, "conflict", ("typer", "click"), ()),
        (BUILD, "build", ("sklearn",), ()),
        (WHEEL, "build", ("dlib",), ()),
        (GIT, "git", ("private-tools",), ()),
        (NETWORK, "network", (), ()),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk", (), ()),
        ("ERROR: something else", "unknown", (), ()),
    ],
)
def test_the_reason_is_read(output: str, kind: str, names: tuple[str, ...], versions: tuple[str, ...]) -> None:
    failure = read_pip_failure(output)
    assert (failure.kind, failure.names, failure.versions) == (kind, names, versions)
    assert failure.line


@pytest.mark.parametrize(
    ("requirement", "versions", "expected"),
    [
        ("numpy==1.21.2", ("1.23.2", "1.23.3", "2.0.0"), "numpy==1.23.2"),
        ("numpy==9.9", ("1.0", "2.0", "3.0rc1"), "numpy==2.0"),
        ("torch==1.13.1+cu117", ("2.0.0",), "torch==2.0.0"),
        ("foo==1.*", (), "foo"),
        ("foo>=3,<4", ("1.0",), "foo"),
        ("foo[a,b]==1", (), "foo[a,b]"),
        ("foo", ("1.0",), None),
        ("git+https://x/y", (), None),
    ],
)
def test_less_is_asked_for(requirement: str, versions: tuple[str, ...], expected: str | None) -> None:
    assert relaxed(requirement, versions) == expected
