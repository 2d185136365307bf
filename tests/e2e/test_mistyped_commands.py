"""Command lines typed in error on a terminal: the culprit is named. Nothing is said about odd but correct ones."""

from __future__ import annotations

import getpass
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pool import PersonalPool
from screen import on_terminal

RECORDED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("mistyped_commands.toml").read_text())
#: Words of complaints.
COMPLAINT = re.compile(
    r"\b(error:|warning|unknown|unrecognized|invalid|did you mean|there is no|no such|no ad has|not understood)\b", re.I
)
#: The jobs that nothing here may change for good.
QUEUE = [["1", "0", "5"], ["2", "0", "1"], ["2", "1", "1"]]
#: What is typed at a terminal to end a file.
END = "\x04"
FILES = {
    "good.sub": "executable = /bin/true\nqueue\n",
    "plain.sub": "executable = /bin/true\n",
    "other.sub": "executable = /bin/true\nqueue\n",
    "empty.sub": "",
    "good.dag": "JOB A good.sub\n",
    "inner.dag": "JOB In good.sub\n",
    "cycle.dag": "JOB Left good.sub\nJOB Right good.sub\nPARENT Left CHILD Right\nPARENT Right CHILD Left\n",
    "good.ad": "Foo = 1\nBar = 2\n",
    "bad.ad": "Foo = = 1\nBar 2\n",
    "good.xf": "NAME x\nSET Foo 3\nTRANSFORM\n",
    "bad.xf": "SETT Foo 3\nTRANSFORM\n",
    "bad.log": "hello world\nno event\n",
    "done.log": "000 (005.000.000) 2026-01-02 10:00:00 Job submitted from host: <127.0.0.1:9618>\n...\n"
    "005 (005.000.000) 2026-01-02 10:00:05 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
    "run.sh": "#!/bin/sh\n",
}


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """A running pool in which job 1.0 is on hold and nothing matches 2.0 and 2.1."""
    made = PersonalPool(tmp_path_factory.mktemp("mistyped") / "pool", cpus=2)
    made.start()
    try:
        for name, text in FILES.items():
            (made.work / name).write_text(text)
        for name in ("binary.sub", "binary.dag"):
            (made.work / name).write_bytes(bytes(range(256)))
        (made.work / "data").mkdir()
        made.submit("executable = /bin/true\nhold = true\nlog = ev.log\nqueue\n")
        made.submit('executable = /bin/true\nrequirements = Machine == "elsewhere"\nqueue 2\n')
        yield made
        assert made.queue("ClusterId", "ProcId", "JobStatus")[:3] == QUEUE
    finally:
        made.stop()


def typed(pool: PersonalPool, line: str) -> tuple[int, str]:
    """What a line typed into a terminal gives."""
    host = pool.tool("condor_config_val", "FULL_HOSTNAME").stdout.strip() if "{host}" in line else ""
    words = shlex.split(line.replace("{host}", host).replace("{user}", getpass.getuser()))
    return on_terminal(pool, *words, typed=END, seconds=20)


@pytest.mark.xdist_group("mistyped")
@pytest.mark.parametrize(("line", "named"), RECORDED["mistakes"])
def test_each_mistake_is_named(line: str, named: str, busy: PersonalPool) -> None:
    said = typed(busy, line)[1]
    assert re.search(named, said), said
    assert "Traceback" not in said


@pytest.mark.xdist_group("mistyped")
@pytest.mark.parametrize("line", RECORDED["briefly"])
def test_a_refusal_stays_in_sight(line: str, busy: PersonalPool) -> None:
    """The options, which follow HTCondor's refusals, would push the culprit out of a terminal."""
    code, said = typed(busy, line)
    assert code != 0
    assert len([text for text in said.splitlines() if text.strip()]) <= 4, said


@pytest.mark.xdist_group("mistyped")
@pytest.mark.parametrize("line", RECORDED["correct"])
def test_what_is_odd_and_correct_is_not_complained_about(line: str, busy: PersonalPool) -> None:
    code, said = typed(busy, line)
    assert code == 0, said
    assert not COMPLAINT.search(said), said
