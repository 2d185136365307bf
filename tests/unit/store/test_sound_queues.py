"""The quick look at a queue that was just opened: it is content exactly where nothing has to be mended."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.store import logreader
from condor_py.store.job_queue import JobQueue
from condor_py.store.mend import mend
from condor_py.store.queue_rules import QueueRules

pytestmark = pytest.mark.skipif(not logreader.COMPILED, reason="the extension is not built")

HEAD = "107 1 CreationTimestamp 1795214128\n101 0.0 Job Machine\n103 0.0 NextClusterNum 4\n"
CLUSTER = """101 01.-1 Job Machine
103 01.-1 ClusterId 1
103 01.-1 Owner "ann"
103 01.-1 User "ann@here"
103 01.-1 Cmd "/bin/true"
103 01.-1 JobUniverse 5
"""
JOBS = """101 1.0 Job Machine
103 1.0 ProcId 0
103 1.0 JobStatus 1
101 1.1 Job Machine
103 1.1 ProcId 1
103 1.1 JobStatus 5
"""
FACTORY = """101 03.-1 Job Machine
103 03.-1 ClusterId 3
103 03.-1 JobMaterializeDigestFile "digest"
103 03.-1 Owner "bea"
103 03.-1 User "bea@here"
103 03.-1 Cmd "/bin/true"
103 03.-1 JobUniverse 5
103 03.-1 JobStatus 1
"""
WHOLE = HEAD + CLUSTER + JOBS + FACTORY


def is_sound(directory: Path, text: str) -> bool:
    path = directory / "job_queue.log"
    path.write_text(text)
    queue = JobQueue(str(path), whole=True)
    try:
        return queue.is_sound()
    finally:
        queue.close()


def mended(text: str) -> list[str]:
    return [note.done for note in mend(text.encode(), QueueRules(lambda: 0)).notes]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        HEAD,
        "107 1 CreationTimestamp 1795214128\n",
        HEAD + CLUSTER + JOBS,
        WHOLE.replace("103 1.0 JobStatus 1\n", "").replace(
            "JobUniverse 5\n", "JobUniverse 5\n103 01.-1 JobStatus 7\n", 1
        ),
        WHOLE.replace("103 01.-1 ClusterId 1\n", ""),
        WHOLE.replace("NextClusterNum 4", "NextClusterNum 2147483647"),
        WHOLE + '101 1.-2 Job Machine\n103 1.-2 ClaimId "secret"\n',
        WHOLE + '101 0.7 Owner (empty)\n103 0.7 Name "ann"\n',
        WHOLE + '103 1.0 Args "a b"\n103 1.0 Requirements Memory > 5 && true\n',
        WHOLE + '103 1.0 Owner "carl"\n103 1.1 Owner "dora"\n',
    ],
)
def test_nothing_is_wrong(tmp_path: Path, text: str) -> None:
    assert is_sound(tmp_path, text)
    assert mended(text) == []


@pytest.mark.parametrize(
    ("text", "done"),
    [
        (WHOLE.replace("101 0.0 Job Machine\n103 0.0 NextClusterNum 4\n", ""), "the header ad 0.0 was made"),
        (WHOLE.replace("NextClusterNum 4", "NextClusterNum 3"), "NextClusterNum is 4 now"),
        (WHOLE.replace("NextClusterNum 4", "NextClusterNum 2147483648"), "NextClusterNum is 4 now"),
        (WHOLE.replace("NextClusterNum 4", 'NextClusterNum "4"'), "NextClusterNum is 4 now"),
        (HEAD + JOBS, "cluster 1 has an ad again"),
        (WHOLE.replace("ClusterId 1", "ClusterId 2"), ""),
        (HEAD + CLUSTER, "ad 01.-1 belonged to no job and was removed"),
        (WHOLE + '101 2.-2 Job Machine\n103 2.-2 ClaimId "secret"\n', "ad 2.-2 belonged to no job and was removed"),
        (WHOLE + "101 x Job Machine\n103 x A 1\n", ""),
        (WHOLE.replace("103 1.1 JobStatus 5", "103 1.1 JobStatus 8"), "job 1.1 is held, it lacks JobStatus"),
        (WHOLE.replace("103 1.1 JobStatus 5\n", ""), "job 1.1 is held, it lacks JobStatus"),
        (WHOLE.replace('103 01.-1 Cmd "/bin/true"\n', ""), "job 1.0 is held, it lacks Cmd"),
        (WHOLE.replace('103 01.-1 Owner "ann"\n', "103 01.-1 Owner ann\n"), "job 1.0 is held, it lacks Owner"),
        (WHOLE + "103 1.1 User 5\n", "job 1.1 is held, it lacks User"),
        (WHOLE + "103 1.1 JobUniverse 5.0\n", "job 1.1 is held, it lacks JobUniverse"),
        (WHOLE + "103 1.0 Requirements Memory > && true\n", ""),
    ],
)
def test_something_is_wrong(tmp_path: Path, text: str, done: str) -> None:
    assert not is_sound(tmp_path, text)
    assert any(each.startswith(done) for each in mended(text)), mended(text)


def test_of_a_queue_that_was_not_read_whole_nothing_is_known(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text(WHOLE)
    queue = JobQueue(str(path))
    assert not queue.is_sound()
    queue.close()


def test_a_key_that_begins_twice_is_looked_at_line_by_line(tmp_path: Path) -> None:
    assert not is_sound(tmp_path, WHOLE + "101 1.0 Job Machine\n")
