"""STRICT_CLASSAD_EVALUATION: a name without a scope is of the ad at hand alone, as HTCondor's library has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from condor_py.lang import classad
from condor_py.lang.classad import evaluate

JOB = "[x = 3; n = [p = 2; q = x; r = C4; t = TARGET.C4]; L = {x, C4, TARGET.C4}; f = C4]"
SLOT = "[C4 = 4; g = x; m = TARGET.x; Requirements = true]"
REQUIREMENTS = (
    "C4 > 0", "TARGET.C4 > 0", "x > 0", "MY.x > 0", "TARGET.g > 0", "TARGET.m > 0", "n.r > 0", "n.t > 0", "n.q > 0",
    "[a = C4].a > 0", "[a = TARGET.C4].a > 0", "f > 0", "L[1] > 0", "L[2] > 0", 'eval("C4") > 0', "C4 is undefined",
    'anyCompare(">", {C4}, 1)',
)  # fmt: skip
_ASK = """
import json, sys, htcondor2, classad2
job, slot, requirements = json.load(sys.stdin)
slot, found = classad2.parseOne(slot), []
for text in requirements:
    ad = classad2.parseOne(job)
    ad["Requirements"] = classad2.ExprTree(text)
    found.append(ad.symmetricMatch(slot))
print(json.dumps(found))
"""


@pytest.fixture
def strict() -> Iterator[None]:
    before = evaluate.strict(True)
    yield
    evaluate.strict(before)


def test_requirements_match_as_in_htcondor(strict: None) -> None:
    pytest.importorskip("htcondor2", reason="the HTCondor bindings are not installed here")
    environment = {
        **os.environ, "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": "/nowhere",
        "_CONDOR_STRICT_CLASSAD_EVALUATION": "true",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", _ASK], env=environment, input=json.dumps((JOB, SLOT, REQUIREMENTS)),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    ours = []
    for text in REQUIREMENTS:
        ad, slot = classad.parseOne(JOB), classad.parseOne(SLOT)
        ad["Requirements"] = classad.ExprTree(text)
        ours.append(ad.symmetricMatch(slot))
    assert dict(zip(REQUIREMENTS, ours, strict=True)) == dict(
        zip(REQUIREMENTS, json.loads(done.stdout.splitlines()[-1]), strict=True)
    )
