"""CPU of a short job with 10 kB of input and of output by file transfer, as control groups count it (see ``cpu``)."""

from __future__ import annotations

from collections.abc import Iterator

from peers import PEERS
from table import Row

from rows.cpu import compared


def rows(quick: bool) -> Iterator[Row]:
    kinds = [kind for kind in PEERS if kind.transfers]
    yield from compared("cp with 10 kB in and out", kinds, ("/bin/cp", "in", "out"), True, quick)
