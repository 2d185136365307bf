"""Where the input of spooled jobs is in the spool."""

from __future__ import annotations

import pytest

from condor_py.core.jobs.spooled import input_files, staged_in
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId

ITEMS = "a/b,a/d/,/abs/x,../up/y,s3://h/k,../.."


@pytest.mark.parametrize(
    ("preserve", "places", "listed"),
    [
        (False, ["in", "b", "d", "x", "y", "directory"], "b,d/,x,y,s3://h/k,directory"),
        (True, ["in", "a/b", "a/d", "x", "up/y", "directory"], "a/b,a/d/,x,up/y,s3://h/k,directory"),
    ],
)
def test_relative_paths_stay_with_preserve_relative_paths(preserve: bool, places: list[str], listed: str) -> None:
    ad = ClassAd(
        {
            "Iwd": "/home/ann", "In": "streams/in", "TransferInput": ITEMS, "PreserveRelativePaths": preserve,
            "JobStatus": 5, "HoldReasonCode": 16,
        }
    )  # fmt: skip
    assert [place for _, place in input_files(ad)] == places
    records = [str(record) for record in staged_in(JobId(1, 0), ad, "/spool/1", 5, 6)]
    assert any(f'"{listed}"' in record for record in records), records


@pytest.mark.parametrize(
    ("image", "where"), [("../a/tree/", "tree"), ("/abs/x.sif", "x.sif"), ("x.sif", ""), ("http://h/x.sif", "")]
)
@pytest.mark.parametrize("preserve", [False, True])
def test_the_image_of_a_container_is_in_the_spool_itself(preserve: bool, image: str, where: str) -> None:
    ad = ClassAd({"TransferInput": f"{image},b/", "ContainerImageFullPath": image, "PreserveRelativePaths": preserve})
    records = [str(record) for record in staged_in(JobId(1, 0), ad, "/spool/1", 5, 6)]
    moved = [record for record in records if "ContainerImageFullPath" in record]
    assert len(moved) == (2 if where else 0), moved
    if where:
        assert (image, where) in input_files(ad)
        assert [f'"{text}"' in record for text, record in zip((image, where), moved, strict=True)] == [True, True]
        assert any(f'"{where},b/"' in record for record in records)
