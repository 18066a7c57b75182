"""How less is asked for, step by step, with pip's answers played."""

from collections.abc import Callable

from ml_agent.sandbox.contract import Command, OnOutput, Response
from ml_agent.sandbox.setup.installer import BINARY_ONLY, MAX_LOOKS, install, pip_command


class Pip:
    """Answers install commands by a function of the requirements and constraints; everything else is no concern of it."""

    name, isolated = "pip", True

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer, self.asked = answer, list[str]()

    def run(self, command: Command, on_output: OnOutput | None = None) -> Response:
        assert command.install
        line = command.text.replace(f"--prefer-binary --only-binary {BINARY_ONLY} ", "")
        self.asked.append(line)
        said = self.answer(line)
        return Response(ended="exited", exit_code=1 if said else 0, stderr=said)


def not_found(name: str, versions: str = "none") -> str:
    return f"ERROR: Could not find a version that satisfies the requirement {name} (from versions: {versions})"


def test_what_works_is_asked_once() -> None:
    pip = Pip(lambda line: "")
    result = install(pip, ["a==1", "b"])  # type: ignore[arg-type]
    assert len(pip.asked) == 1 and result.requirements == ("a==1", "b") and not result.dropped


def test_the_nearest_version_then_without() -> None:
    pip = Pip(lambda line: not_found("a==1.0", "1.5, 2.0") if "a==1.0" in line else "")
    result = install(pip, ["a==1.0", "b"])  # type: ignore[arg-type]
    assert result.requirements == ("a==1.5", "b") and dict(result.dropped).keys() == {"a==1.0"}


def test_of_many_old_pins_each_may_be_one_that_there_is_not() -> None:
    pins = [f"p{number:02}==1.0" for number in range(30)]

    def answer(line: str) -> str:
        return next((not_found(pin, "1.5, 2.0") for pin in pins if f"{pin} " in f"{line} "), "")

    result = install(Pip(answer), pins[:20], pins=pins[20:])  # type: ignore[arg-type]
    assert result.requirements == tuple(pin.replace("1.0", "1.5") for pin in pins[:20])
    assert [name for name, _ in result.dropped] == pins[:20]
    endless = Pip(lambda line: not_found(line.split()[-1], "3.0"))
    assert install(endless, pins, pins=pins).command == "" and len(endless.asked) <= 4 * len(pins)  # type: ignore[arg-type]


def test_thousands_of_what_there_is_not_are_not_all_looked_for() -> None:
    lost = Pip(lambda line: not_found(line.split()[-1]))
    result = install(lost, [f"p{number}==1" for number in range(1000)])  # type: ignore[arg-type]
    assert result.command == "" and len(lost.asked) == MAX_LOOKS


def test_a_name_that_does_not_exist_is_left_out() -> None:
    pip = Pip(lambda line: not_found("typo") if "typo" in line else "")
    result = install(pip, ["typo", "b"])  # type: ignore[arg-type]
    assert result.requirements == ("b",) and "typo" in dict(result.dropped)


def test_strict_asks_once() -> None:
    pip = Pip(lambda line: not_found("a<2", "3.0"))
    result = install(pip, ["a<2"], strict=True)  # type: ignore[arg-type]
    assert len(pip.asked) == 1 and result.command == "" and result.failure is not None


def test_wishes_give_way_first() -> None:
    pip = Pip(lambda line: not_found("numpy==1.2", "2.0") if "numpy==1.2" in line else "")
    result = install(pip, ["a==1"], ["torch==2"], pins=["numpy==1.2", "six==1"])  # type: ignore[arg-type]
    assert result.requirements == ("a==1",) and not result.dropped
    assert "numpy==1.2" not in pip.asked[-1] and "six==1" in pip.asked[-1] and "torch==2" in pip.asked[-1]


def test_in_a_conflict_what_others_bring_along_gives_way_first() -> None:
    conflict = (
        "ERROR: ResolutionImpossible\n    The user requested typer==1\n    The user requested (constraint) click==6\n"
    )
    pip = Pip(lambda line: conflict if "click==6" in line else "")
    result = install(pip, ["typer==1", "other==2"], pins=["click==6"])  # type: ignore[arg-type]
    assert result.requirements == ("typer==1", "other==2")


def test_where_what_is_asked_for_contradicts_itself_pins_of_others_go_with_it() -> None:
    conflict = "ERROR: ResolutionImpossible\n    The user requested plots==3\n    The user requested tables==1\n"
    pip = Pip(lambda line: conflict if "plots==3" in line and "tables==1" in line else "")
    result = install(pip, ["plots==3", "tables==1", "other==2"], pins=["old==0.1"])  # type: ignore[arg-type]
    assert result.requirements == ("plots", "tables", "other==2") and "old==0.1" not in pip.asked[-1]


def test_it_ends() -> None:
    pip = Pip(lambda line: "ERROR: ResolutionImpossible")
    assert install(pip, ["a==1", "b==2"]).command == ""  # type: ignore[arg-type]
    assert len(pip.asked) <= 8
    silent = Pip(lambda line: "ERROR: something")
    assert install(silent, ["a"]).command == "" and len(silent.asked) == 1  # type: ignore[arg-type]


def test_the_command_is_quoted() -> None:
    text = pip_command(["a[b]>=1", "x; rm -rf /"], ["c==1"])
    assert "'a[b]>=1'" in text and "'x; rm -rf /'" in text and "-c ~/constraints.txt" in text
