"""The examples are listed, complete, free of typos, and independent of the directory that output goes to."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from condor_py.lang.submit.build import clusters_of
from condor_py.lang.submit.errors import SubmitError

EXAMPLES = Path(__file__).parents[3] / "etc" / "examples"
_ROW = re.compile(r"\| (\S+\.sub) \| (\d+) \| .* \| ([\w ]+) \|")
TABLE = {m[1]: (int(m[2]), m[3]) for m in map(_ROW.match, (EXAMPLES / "README.md").read_text().splitlines()) if m}


@pytest.fixture
def example(alice, monkeypatch: pytest.MonkeyPatch):
    """A submitter in the directory of the examples."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr(alice, "directory", EXAMPLES)
    alice.commands["./here.sh"] = subprocess.run(
        [str(EXAMPLES / "here.sh")], capture_output=True, text=True, check=True
    ).stdout
    return alice


def test_every_example_is_in_the_table() -> None:
    assert sorted(TABLE) == sorted(path.name for path in EXAMPLES.glob("*.sub"))
    assert len(TABLE) >= 12
    assert {end for _, end in TABLE.values()} <= {"completed", "held", "removed", "waiting", "try it"}


@pytest.mark.parametrize("name", TABLE)
def test_example_makes_the_jobs_that_the_table_says(example, name: str, tmp_path: Path) -> None:
    text = (EXAMPLES / name).read_text()
    jobs = example.jobs(text, name=name)
    assert len(jobs) == TABLE[name][0]
    assert {job["Iwd"] for job in example.jobs(text, name=name, appends=[f"initialdir={tmp_path}"])} == {
        f'"{tmp_path}"'
    }


@pytest.mark.parametrize("name", TABLE)
def test_example_has_no_unused_line(example, name: str) -> None:
    file = example.parse((EXAMPLES / name).read_text(), name)
    for draft in clusters_of(file):
        draft.build(1, "a@b", "a", example.options)
    assert file.unused() == {}
    # The reader brings the keys of s3.sub, and set.sub says what its pool has.
    said = [text for _, text in file.messages.items if "= key." not in text and "USE_JOBSETS" not in text]
    assert said == []


@pytest.mark.parametrize("name", [name for name, (_, end) in TABLE.items() if end != "try it"])
def test_files_of_an_example_exist(example, name: str) -> None:
    for job in example.jobs((EXAMPLES / name).read_text(), name=name, appends=["initialdir=/"]):
        command = job["Cmd"].strip('"')
        assert os.access(command, os.X_OK), command
        inputs = [*job.get("TransferInput", '""').strip('"').split(","), job["In"].strip('"')]
        assert all(os.path.exists(path) for path in inputs if path)


def test_retry_succeeds_at_the_third_run(tmp_path: Path) -> None:
    count = str(tmp_path / "count")
    codes = [subprocess.run([EXAMPLES / "retry.sh", count], capture_output=True).returncode for _ in range(3)]
    assert codes == [1, 1, 0]
    assert not os.path.exists(count)


def test_missing_executable_is_still_refused(example) -> None:
    with pytest.raises(SubmitError, match=r"Can't access executable file nosuch\.sh"):
        example.jobs("executable = nosuch.sh\nqueue\n")
