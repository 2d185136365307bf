"""Names inside lists and ads that are written in Requirements, as HTCondor's negotiator, schedd and startd see them.

Recorded from a pool of HTCondor 25.14 (CLAIM_PARTITIONABLE_LEFTOVERS = False, so that each job is judged by the
negotiator): a job ran or it did not. What condor_q -better-analyze says there is another matter (docs/differences.md).
"""

from __future__ import annotations

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.match import requirements_match

JOB = "x = 3; n = [ p = 2; q = x; r = C4; t = TARGET.C4; y = z ]; L = { x, C4, TARGET.C4, MY.x }"
SLOT = ClassAd("[ C4 = 4; z = 7; m = [ C4 = 9; k = C4; j = TARGET.x ]; Requirements = true ]")

RAN = """
TARGET.C4 > 0 && [ a = TARGET.C4 ].a > 1
TARGET.C4 > 0 || [ a = TARGET.C4 ].a > 1
TARGET.C4 == 4 && [ a = TARGET.C4 ].a == 4 && MY.x == 3
[ a = TARGET.C4 ].a == 4 && TARGET.C4 == 4
[ a = TARGET.C4 ].a == 4 && C4 == 4
x == 3 && [ a = TARGET.C4 ].a == 4 && x == 3
C4 == 4 && [ a = MY.x ].a == 3
C4 == 4 && [ a = x ].a == 3
C4 == 4 && [ a = 3 ].a == 3
C4 == 4 && {1, x}[1] == 3
C4 == 4 && {1, C4}[1] == 4
C4 == 4 && {1, TARGET.C4}[1] == 4
{[ a = TARGET.C4 ], 2}[0].a == 4
[ a = TARGET.C4; b = a ].b == 4
[ a = x; b = TARGET.C4 ].b == 4
[ a = TARGET ].a.C4 == 4
[ a = MY ].a.x == 3
[ a = parent.x ].a == 3
[ a = LEFT.x ].a == 3
[ a = TARGET.x ].a is undefined
[ a = eval("x") ].a == 3
ifThenElse([ a = TARGET.C4 ].a > 1, true, false)
n.p == 2
n.t == 4 && C4 == 4
TARGET.C4 == 4 && MY.n.q == 3
TARGET.n.q is undefined && C4 == 4
L[0] == 3
L[1] == 4
C4 == 4 && L[2] == 4
TARGET.m.k == 9 && TARGET.m.C4 == 9
TARGET.m.j == 3
member(4, {1, C4})
C4 == 4 && member(4, {1, TARGET.C4})
anyCompare("==", {1, TARGET.C4}, 4)
"""
DID_NOT = """
[ a = x ].a is undefined
[ a = TARGET.C4 ].a is undefined
[ a = TARGET.x ].a > 1
[ a = MY.x ].a is undefined
n.t is undefined
TARGET.m.j is undefined
"""
#: The negotiator works out what it can of Requirements before it looks at slots, and finds other things by that.
OTHERWISE = {
    "[ a = C4 ].a > 1": True,
    "n.r == 4": True,
    ".x == 3": True,
    'eval("C4") == 4': False,
    'eval("TARGET.C4") == 4': False,
}


def verdict(expression: str) -> bool:
    return requirements_match(ClassAd(f"[ {JOB}; Requirements = {expression} ]"), SLOT)


@pytest.mark.parametrize("expression", RAN.strip().splitlines())
def test_jobs_that_ran(expression: str) -> None:
    assert verdict(expression)


@pytest.mark.parametrize("expression", DID_NOT.strip().splitlines())
def test_jobs_that_did_not(expression: str) -> None:
    assert not verdict(expression)


@pytest.mark.parametrize(("expression", "theirs"), OTHERWISE.items())
def test_what_differs_and_is_written_down(expression: str, theirs: bool) -> None:
    assert verdict(expression) is not theirs


@pytest.mark.parametrize(("duration", "accepts"), [("relTime(5)", True), ("relTime(-1)", True), ("relTime(0)", False)])
def test_a_duration_accepts_as_a_number_does(duration: str, accepts: bool) -> None:
    assert verdict(duration) is accepts
