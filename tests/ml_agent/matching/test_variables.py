"""Shell variables of the documentation."""

import time

from hypothesis import given
from hypothesis import strategies as st

from ml_agent.matching.mentions import read_request
from ml_agent.matching.variables import documented_variables, expand, references, variable_values, with_variables


def test_assignments_are_read() -> None:
    assert documented_variables(["export DIR=/a/b", 'NAME="x y";', "DIR=/c", "echo $DIR"]) == {
        "DIR": "/c",
        "NAME": "x y",
    }


def test_a_variable_takes_what_looks_like_its_value() -> None:
    said = read_request("Use ./m/cased_L-2 for it").mentions
    assert variable_values({"DIR": "/path/to/uncased_L-12", "OTHER": "y"}, said) == {
        "DIR": "./m/cased_L-2",
        "OTHER": "y",
    }


def test_a_thing_in_a_folder_goes_before_its_bare_name() -> None:
    said = read_request("Use cased_L-24_H-1024, which lies in the './model/' folder").mentions
    assert variable_values({"DIR": "/path/to/uncased_L-12_H-768"}, said)["DIR"] == "./model/cased_L-24_H-1024"


def test_variables_are_filled_and_unknown_ones_left() -> None:
    assert expand("$A/x ${B} $C", {"A": "$B/a", "B": "b"}) == "b/a/x b $C"


def test_no_chain_of_variables_grows_without_end() -> None:
    assert len(expand("$A", {"A": "$A$A" * 50})) <= 4_000


@given(st.text(max_size=200))
def test_any_line_can_be_read(text: str) -> None:
    assert isinstance(documented_variables([text]), dict)


def test_long_lines_cost_little() -> None:
    began = time.process_time()
    documented_variables(["export A=" + "; " * 50_000, "A" * 100_000])
    assert time.process_time() - began < 5


def test_a_long_text_stays_whole() -> None:
    text = "x" * 5_000 + "$A"
    assert expand(text, {"A": "b"}) == text


def test_a_variable_is_known_by_its_whole_name() -> None:
    assert references("$DIRECTORY/a ${B} $DIRECTORY") == ("DIRECTORY", "B")


def test_a_path_is_not_put_into_a_path() -> None:
    values = {"CONFIG": "configs/design/v2.yaml", "DATA": "/srv/glue"}
    assert expand("configs/${CONFIG}.yaml", values) == "configs/v2.yaml"
    assert expand("$DATA/MNLI", values) == "/srv/glue/MNLI"


def test_a_folder_that_is_asked_for_is_a_variable() -> None:
    assert with_variables("--in $(pwd)/big --out `pwd`/x") == "--in $PWD/big --out $PWD/x"
    assert references("$PWD/big $DATA/x") == ("DATA",)
