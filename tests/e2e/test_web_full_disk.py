"""condor_web of a pool whose disk is full: pages answer, are right, say so, and continue when there is room again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "web")]

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("jinja2")

from pool import PersonalPool, wait_for
from server import LoggedIn

_JOB = "executable = /bin/sleep\narguments = 600\nrequest_memory = 10\nhold = true\nqueue\n"
_PAGES = ("pool", "queue", "queue/1", "queue/1.0", "why", "shares", "dag", "history", "machine")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[PersonalPool]:
    """A running pool whose spool, logs and scratch directories are on a file system of 4 MB, with pages."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    made = PersonalPool(tmp_path / "pool", cpus=2, DAEMON_LIST="MASTER SCHEDD NEGOTIATOR STARTD WEB", WEB_PORT="0")
    local = made.directory / "local"
    local.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", str(local)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a small file system here: {done.stderr.strip()}")
    try:
        made.start()
        yield made
    finally:
        made.stop()
        subprocess.run(["umount", "--lazy", str(local)], check=True)


def fill(path: Path) -> None:
    """Write a file until no byte fits any more."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


def agree(pool: PersonalPool, pages: LoggedIn, held: int) -> None:
    def said() -> tuple[int, int]:
        return pages.json("/queue")["counts"]["held"], len(pool.queue("ClusterId"))

    wait_for(lambda: said() == (held, held), lambda: f"{held} held jobs: {said()}", 20)


def test_pages_of_a_full_disk(small: PersonalPool) -> None:
    pool = small
    log = pool.log / "WebLog"
    wait_for(lambda: "Serving the pages at" in log.read_text(), "the pages are served")
    pages = LoggedIn(pool.tool("condor_web", "-login").stdout.strip())
    pool.submit(_JOB)
    agree(pool, pages, 1)
    assert not any(disk["scarce"] for disk in pages.json("/machine")["disks"])

    filler = pool.directory / "local" / "filler"
    fill(filler)
    (pool.work / "more.sub").write_text(_JOB)
    assert pool.tool("condor_submit", "more.sub", check=False).returncode == 1
    pages = LoggedIn(pool.tool("condor_web", "-login").stdout.strip())
    answers = {page: pages.json(f"/{page}") for page in _PAGES}
    agree(pool, pages, 1)
    assert answers["queue/1.0"]["state"] == "held"
    disk = answers["machine"]["disks"][0]
    assert (disk["names"], disk["free"], disk["scarce"]) == (["SPOOL", "EXECUTE", "LOG"], 0, True)

    filler.unlink()
    pool.submit(_JOB)
    agree(pool, pages, 2)
    assert not any(disk["scarce"] for disk in pages.json("/machine")["disks"])
