"""Numbers in words of people and other programs: no length is an error, and no foreign digit a crash."""

from __future__ import annotations

import pytest

from condor_py.model.texts import LARGEST, as_amount, as_integer

MANY = "1" * 5000


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        (" 12 ", 12),
        ("9" * 18, 10**18 - 1),
        (str(LARGEST - 1), LARGEST - 1),
        (str(LARGEST), LARGEST),
        (str(LARGEST + 1), LARGEST),
        (f"-{LARGEST}", -LARGEST),
        (MANY, LARGEST),
        (f"-{MANY}", -LARGEST),
        ("0" * 5000, 0),
        ("0" * 5000 + "42", 42),
    ],
)
def test_a_number_beyond_those_of_ads_is_the_last_of_them(word: str, number: int) -> None:
    assert as_integer(word) == number


@pytest.mark.parametrize("word", ["", "x", "\u00b2", "1" * 30 + "x", "-" * 30, "1" * 30 + "\u00b2"])
def test_other_words_are_no_numbers(word: str) -> None:
    with pytest.raises(ValueError, match=r"whole number|invalid literal"):
        as_integer(word)


@pytest.mark.parametrize(("word", "amount"), [("0.5", 0.5), ("12", 12.0), (MANY, float(LARGEST)), (f"0.{MANY}", 1 / 9)])
def test_an_amount_beyond_those_of_ads_is_the_last_of_them(word: str, amount: float) -> None:
    assert as_amount(word) == pytest.approx(amount, rel=1e-15)
