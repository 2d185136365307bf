"""How much of two slots jobs of one second get: the least time that they could take, as a share of what they take.

Ours and its peers run them at the same time, as they need hardly any CPU: so all have the same machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from peers import PEERS, BareLoop, Ours, Peer, Work, boxes_missing, company_of
from table import Row, Skipped

_SLOTS = 2
_JOBS, _QUICK_JOBS = 200, 6


def share_of_ideal(jobs: int, seconds: float, slots: int, took: float) -> float:
    """Return the share of the least time for jobs of so many seconds."""
    return jobs * seconds / slots / took


def share(peer: Peer, work: Work) -> float:
    """Run the work; the share of the ideal."""
    mine = peer.share(work)
    begin = time.monotonic()
    peer.burst(mine)
    return share_of_ideal(mine.jobs, 1, _SLOTS, time.monotonic() - begin)


def rows(quick: bool) -> Iterator[Row]:
    if reason := boxes_missing():
        raise Skipped(reason)
    jobs = _QUICK_JOBS if quick else _JOBS
    what = f"{jobs} x sleep 1 on {_SLOTS} slots, share of the ideal"
    with company_of(_SLOTS, [kind for kind in PEERS if kind is not BareLoop]) as company:
        company.at_once(lambda peer: peer.burst(Work("warm", _SLOTS)))
        work = Work("sleeps", jobs, ("/bin/sleep", "1"))
        found = company.at_once(lambda peer: share(peer, work))
    ours = found.pop(Ours.name)
    yield Row(what, ours, "x", None, 1, "the ideal")
    for name, other in found.items():
        yield Row(f"{what}, and {name}", ours, "x", None, other, name)
    for name, reason in company.absent.items():
        yield Row(f"{what}, and {name}", ours, "x", missing=reason)
