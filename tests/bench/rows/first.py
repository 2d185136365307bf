"""From the start of an empty system to the output of its first job; one system after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator

from peers import PEERS, Company, Ours, Work, boxes_missing, company_of
from table import Row, Skipped

_SLOTS = 8
_LIMIT = 120


def first_output(company: Company) -> float | None:
    """Return the seconds from the start of a system to the output of its first job; None without one."""
    (peer,) = company.here
    output, script = peer.box.work / "hello", peer.box.work / "hello.sh"
    script.write_text(f"#!/bin/sh\necho hello >{output}\n")
    script.chmod(0o755)

    def race() -> float:
        begin = time.monotonic()
        peer.start()
        peer.submit(Work("first", 1, (str(script),)))
        while not (output.exists() and output.read_text() == "hello\n"):
            assert time.monotonic() < begin + _LIMIT, f"no output in {_LIMIT} seconds"
            time.sleep(0.002)
        return time.monotonic() - begin

    return company.attempt(peer, race)


def rows(quick: bool) -> Iterator[Row]:
    if reason := boxes_missing():
        raise Skipped(reason)
    what, ours = "from an empty system to the first output", 0.0
    for kind in (kind for kind in PEERS if kind.queues):
        with company_of(_SLOTS, [kind], start=False) as company:
            took = first_output(company) if company.here else None
        if kind is Ours:
            assert took is not None
            ours = took
            yield Row(what, ours, "s")
        elif took is not None:
            yield Row(f"{what}, and {kind.name}", ours, "s", None, took, kind.name)
        elif kind.name in company.absent:
            yield Row(f"{what}, and {kind.name}", ours, "s", missing=company.absent[kind.name])
