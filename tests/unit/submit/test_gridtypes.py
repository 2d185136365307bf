"""What is refused at submit because nothing here can serve it."""

from __future__ import annotations

import pytest

from condor_py.client.submission import check_grid, refusal
from condor_py.model.errors import CondorError

_SERVED = ["batch slurm", "Batch SLURM", "sge", "pbs", "batch lsf", "condor a@b c", "arc here", "arc https://here/arex"]


@pytest.mark.parametrize("resource", _SERVED)
def test_these_are_served(resource: str) -> None:
    assert refusal(resource) == ""
    check_grid([("GridResource", f'"{resource}"'), ("Cmd", '"x"')])


@pytest.mark.parametrize(
    ("resource", "word"),
    [
        ("batch", "''"), ("batch torque9", "torque9"), ("ec2 https://x", "ec2"), ("gce x", "gce"), ("azure x", "azure"),
        ("arc", "https"), ("arc http://x", "https"), ("arc x y", "https"),
        ("nqs", "nqs"), ("batch slurm me@there", "me@there"), ("$$(Resource)", "$$"), ("", "empty"),
        ("condor there", "SCHEDD POOL"),
    ],
)  # fmt: skip
def test_these_are_refused_in_a_line_that_names_them(resource: str, word: str) -> None:
    with pytest.raises(CondorError) as error:
        check_grid([("GridResource", f'"{resource}"')])
    assert word in str(error.value)
    assert "\n" not in str(error.value)
