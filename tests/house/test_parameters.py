"""Parameters: what is accepted, in which form it is stored, and the one line that refuses the rest."""

from __future__ import annotations

import json
import math
import numbers
from dataclasses import FrozenInstanceError, dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unquilt.errors import ParameterError
from unquilt.parameters import Parameters, parameter, part


@dataclass(frozen=True)
class Toy(Parameters):
    k: int = parameter(5, "words in a gram", at_least=1)
    sigma: float = parameter(0.5, "least patch fraction of a quilt", at_least=0, at_most=1, symbol="\u03c3")
    foreign: str = parameter("domain", "what is another site", one_of=("none", "host", "domain", "ip"))
    drop: float = parameter(0.33, "share of words left out", at_least=0, below=1)
    tau: float = parameter(0.9, "least similarity", above=0, at_most=1)
    seed: int = parameter(0, "seed of the hashes", at_least=0, at_most=2**64 - 1)
    exact: bool = parameter(False, "no sample")
    label: str = parameter("", "a name")
    limit: float | None = parameter(None, "upper limit", at_least=0)
    sizes: tuple[int, ...] = parameter((2, 3), "sizes", at_least=1)

    def check(self) -> None:
        if self.exact and self.seed:
            raise ParameterError("seed must be 0 when exact is true: nothing is sampled")


REFUSED = [
    ("k", 0, "k must be a whole number of at least 1, not 0"),
    ("k", True, "k must be a whole number of at least 1, not True"),
    ("k", 5.0, "k must be a whole number of at least 1, not 5.0"),
    ("k", "5", "k must be a whole number of at least 1, not '5'"),
    ("k", None, "k must be a whole number of at least 1, not None"),
    ("sigma", 2, "sigma must be a number between 0 and 1, not 2"),
    ("sigma", math.nan, "sigma must be a number between 0 and 1, not nan"),
    ("sigma", math.inf, "sigma must be a number between 0 and 1, not inf"),
    ("sigma", False, "sigma must be a number between 0 and 1, not False"),
    ("sigma", "0.5", "sigma must be a number between 0 and 1, not '0.5'"),
    ("foreign", "planet", "foreign must be one of none, host, domain, ip, not 'planet'"),
    ("foreign", None, "foreign must be one of none, host, domain, ip, not None"),
    ("drop", 1, "drop must be a number of at least 0 and below 1, not 1"),
    ("tau", 0, "tau must be a number above 0 and of at most 1, not 0"),
    ("seed", -1, "seed must be a whole number between 0 and 18446744073709551615, not -1"),
    ("exact", 1, "exact must be true or false, not 1"),
    ("label", b"x", "label must be a text, not b'x'"),
    ("limit", -1, "limit must be a number of at least 0 or None, not -1"),
    ("limit", math.inf, "limit must be a number of at least 0 or None, not inf"),
    ("sizes", 3, "sizes must be a list, each item a whole number of at least 1, not 3"),
    ("sizes", "23", "sizes must be a list, each item a whole number of at least 1, not '23'"),
    ("sizes", [2, 0], "item 2 of sizes must be a whole number of at least 1, not 0"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_refused_with_one_line_that_names_parameter_and_range(name, value, message):
    with pytest.raises(ParameterError) as caught:
        Toy.from_dict({name: value})
    assert str(caught.value) == message


def test_number_with_more_digits_than_python_prints_is_refused_in_one_line(snapshots):
    with snapshots.error(ParameterError):
        Toy(limit=10**5000)


def test_refused_value_is_shown_short_and_without_control_characters():
    with pytest.raises(ParameterError) as caught:
        Toy(foreign="\x1b[31m\n" + "x" * 10_000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120


def test_each_value_has_one_stored_form():
    toy = Toy(sigma=1, drop=-0.0, limit=Fraction(1, 2), sizes=[4])  # type: ignore[arg-type]
    assert (type(toy.sigma), toy.sigma) == (float, 1.0)
    assert str(toy.drop) == "0.0"
    assert toy.limit == 0.5
    assert toy.sizes == (4,)
    assert toy == Toy(sigma=1.0, drop=0.0, limit=0.5, sizes=(4,))


def test_ends_of_ranges_are_in_or_out_as_declared():
    assert Toy(k=1, sigma=0, drop=0, tau=1, seed=2**64 - 1, limit=0)
    assert Toy(sigma=1, limit=1e300)


def test_cross_field_check_runs_after_the_fields(snapshots):
    with snapshots.error(ParameterError):
        Toy(exact=True, seed=1)
    with snapshots.error(ParameterError):
        Toy(exact=True, seed=-1)


def test_frozen_and_validated_again_when_replaced():
    toy = Toy()
    with pytest.raises(FrozenInstanceError):
        toy.k = 7  # type: ignore[misc]
    assert replace(toy, k=7).k == 7
    with pytest.raises(ParameterError):
        replace(toy, k=0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sgima", "there is no parameter 'sgima'; did you mean sigma?"),
        ("zzz", "there is no parameter 'zzz'; there are: k, sigma, foreign,"),
    ],
)
def test_unknown_name_is_refused_with_the_closest(name, message):
    with pytest.raises(ParameterError) as caught:
        Toy.from_dict({"k": 3, name: 1})
    assert str(caught.value).startswith(message)


@given(
    st.builds(
        Toy,
        k=st.integers(min_value=1),
        sigma=st.floats(0, 1),
        foreign=st.sampled_from(["none", "host", "domain", "ip"]),
        limit=st.none() | st.floats(min_value=0, allow_infinity=False),
        label=st.text(),
        sizes=st.lists(st.integers(min_value=1)),
    )
)
def test_parameters_survive_json(toy):
    assert Toy.from_dict(json.loads(json.dumps(toy.to_dict(), allow_nan=False))) == toy


def test_from_dict_fills_in_defaults():
    assert Toy.from_dict({}) == Toy()
    assert Toy.from_dict({"k": 9}).to_dict() == {**Toy().to_dict(), "k": 9}


def test_describe_is_enough_for_a_command_line():
    described = {info.name: info for info in Toy.describe()}
    assert list(described) == list(Toy().to_dict())
    sigma = described["sigma"]
    assert (sigma.type, sigma.default, sigma.symbol) == (float, 0.5, "\u03c3")
    assert (sigma.constraint.at_least, sigma.constraint.at_most) == (0, 1)
    assert sigma.help == "least patch fraction of a quilt"
    assert sigma.allowed == "a number between 0 and 1"
    assert described["foreign"].constraint.one_of == ("none", "host", "domain", "ip")
    assert (described["limit"].type, described["limit"].optional) == (float, True)
    assert (described["sizes"].type, described["sizes"].many) == (int, True)
    assert described["sizes"].validate([7]) == (7,)


def test_whole_numbers_of_other_libraries_are_whole_numbers():
    class Whole:  # registers as numpy's do
        def __int__(self) -> int:
            return 3

    numbers.Integral.register(Whole)
    toy = Toy(k=Whole())  # type: ignore[arg-type]
    assert (type(toy.k), toy.k) == (int, 3)


def test_subclass_inherits_and_adds():
    @dataclass(frozen=True)
    class More(Toy):
        extra: int = parameter(1, "more", at_least=0)

    assert More(k=2).to_dict() == {**Toy(k=2).to_dict(), "extra": 1}
    assert "extra" not in Toy().to_dict()


def test_mistakes_of_the_programmer_are_type_errors(snapshots):
    @dataclass(frozen=True)
    class Undeclared(Parameters):
        k: int = 5

    @dataclass(frozen=True)
    class OddType(Parameters):
        k: int | str = parameter(5, "either")

    @dataclass(frozen=True)
    class BadDefault(Parameters):
        k: int = parameter(0, "words", at_least=1)

    with snapshots.error(TypeError):
        Undeclared()
    with snapshots.error(TypeError):
        OddType()
    with snapshots.error(ParameterError):
        BadDefault.describe()


@dataclass(frozen=True)
class Whole(Parameters):
    toy: Toy = part(Toy)
    size: int = parameter(3, "a size", at_least=1)


def test_parts_are_stored_under_their_name() -> None:
    whole = Whole(Toy(k=7))
    assert (whole.toy.k, Whole().toy) == (7, Toy())
    assert json.loads(json.dumps(whole.to_dict()))["toy"]["k"] == 7
    assert list(whole.to_dict()) == ["toy", "size"]
    assert Whole.from_dict(whole.to_dict()) == whole
    assert [info.name for info in Whole.describe()] == ["size"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"toy": {"kk": 1}}, "there is no parameter 'kk'; did you mean k?"),
        ({"toy": {"k": 0}}, "k must be a whole number of at least 1, not 0"),
        ({"toy": 3}, "toy must be Toy, not 3"),
        ({"toys": {}}, "there is no parameter 'toys'; did you mean toy?"),
    ],
)
def test_wrong_parts_are_refused(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ParameterError) as error:
        Whole.from_dict(given)
    assert str(error.value) == complaint
