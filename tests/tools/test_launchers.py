"""The list of launchers, and the short lists of rooms that may not read it."""

from benchmarks.strict import execute
from sandbox.setup import entries
from tools.launchers import LAUNCHER_MODULES, STARTERS, TABLE


def test_other_rooms_know_no_launcher_that_is_not_in_the_list() -> None:
    assert entries._WRAPPERS <= STARTERS
    assert entries._LAUNCHERS <= LAUNCHER_MODULES
    assert set(execute.LAUNCHERS) <= STARTERS
    scripts = {launcher.name for launcher in TABLE if launcher.starts == "script" and "." not in launcher.name}
    assert scripts - {"colossalai"} <= set(execute.LAUNCHERS)
