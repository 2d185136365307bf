"""transfer_output_remaps, and the directories that transfers may use: pure rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.machine.run.transfer import DirectoryLimits, RemapCycle, find


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", "b"),
        ("dir/file", "elsewhere/file"),
        ("dir/sub/deep/file", "elsewhere/sub/deep/file"),
        ("dir/one", "single"),
        ("first", "third"),
        ("other", None),
        ("other/a", None),
    ],
)
def test_a_name_is_remapped_by_itself_or_by_what_it_lies_in(name: str, expected: str | None) -> None:
    rules = {"a": "b", "dir": "elsewhere", "dir/one": "single", "first": "second", "second": "third"}
    assert find(rules, name) == expected


def test_rules_in_a_circle_are_an_error() -> None:
    with pytest.raises(RemapCycle, match="cycle"):
        find({"a": "b", "b": "a"}, "a")
    with pytest.raises(RemapCycle):
        find({"a": "a/a"}, "a")


def test_limited_directories_see_through_links(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    allowed.mkdir()
    other.mkdir()
    (allowed / "out").symlink_to(other)
    limits = DirectoryLimits([str(allowed), f"{tmp_path}/wild*"])
    for good in (allowed / "new", allowed, tmp_path / "wildcard" / "x", Path("/dev/null")):
        limits.check(str(good))
    for bad in (other / "x", allowed / "out" / "x", tmp_path / "allowed2", Path("/etc/passwd")):
        with pytest.raises(PermissionError):
            limits.check(str(bad))
    DirectoryLimits([]).check("/etc/passwd")
