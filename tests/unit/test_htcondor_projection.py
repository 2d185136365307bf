"""What an answer of the bindings has when only some attributes are asked for."""

from __future__ import annotations

import pytest

from condor_py.bindings.session import projected
from condor_py.lang.classad import ClassAd, ExprTree


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["A"], {"A"}),
        (["r", "missing"], {"R", "A", "C", "D"}),
        (["L"], {"L", "B"}),
        ([], {"A", "B", "C", "D", "L", "R"}),
    ],
)
def test_what_an_expression_refers_to_comes_along(names: list[str], found: set[str]) -> None:
    cluster = ClassAd({"A": 1, "B": 2, "C": 3})
    ad = ClassAd({"D": ExprTree("C * 2"), "L": ExprTree("{ B, Nobody }"), "R": ExprTree("MY.A + D > TARGET.B")})
    ad.chain(cluster)
    assert set(projected(ad, names)) == found
