"""The jobs of the queue, found in the bytes of its log: a shell waits for no more than that.

The log is made of lines (store.adlog): ``101 KEY`` is a new ad, ``102 KEY`` one that is gone, ``103 KEY NAME VALUE`` an
attribute; ``0C.-1`` is the key of a cluster, ``C.P`` of a job.
"""

from __future__ import annotations

#: An attribute of a cluster stands in so many bytes after the cluster's first line, or is not looked for.
_NEAR = 1 << 16
#: More jobs of one cluster than anybody chooses from.
MOST = 500


class Cluster:
    """A cluster: its number, whose it is, and its program."""

    def __init__(self, number: int, owner: str, program: str) -> None:
        self.number = number
        self.owner = owner
        self.program = program


def clusters(log: bytes) -> list[Cluster]:
    """The clusters in a log, the newest first."""
    gone = {key for key, _ in _keys(log, b"\n102 0")}
    found = {}
    for key, place in _keys(log, b"\n101 0"):
        number = key[:-3]
        if key.endswith(b".-1") and number.isdigit() and key not in gone:
            owner, program = (_text(log, place, key, name) for name in (b"Owner", b"Cmd"))
            found[int(number)] = Cluster(int(number), owner, program.rpartition("/")[2])
    return sorted(found.values(), key=lambda cluster: -cluster.number)


def procs(log: bytes, cluster: int) -> list[int]:
    """The procs of a cluster, ascending; at most ``MOST``."""
    gone = {key for key, _ in _keys(log, b"\n102 %d." % cluster)}
    found = []
    for key, _ in _keys(log, b"\n101 %d." % cluster):
        if key.isdigit() and key not in gone:
            found.append(int(key))
            if len(found) == MOST:
                break
    return sorted(found)


def _keys(log: bytes, begin: bytes):  # type: ignore[no-untyped-def]  # a generator; its type would cost an import
    """What follows ``begin`` up to the next blank or line end, and where the line begins."""
    place = log.find(begin)
    while place >= 0:
        start = place + len(begin)
        end = log.find(b"\n", start)
        if end < 0:
            return
        yield log[start:end].split(b" ", 1)[0], place
        place = log.find(begin, end)


def _text(log: bytes, place: int, key: bytes, name: bytes) -> str:
    """The text of a string attribute of a cluster whose first line is at ``place``; "" when it is not near."""
    begin = b"\n103 0" + key + b" " + name + b' "'
    start = log.find(begin, place, place + _NEAR)
    if start < 0:
        return ""
    start += len(begin)
    return log[start : log.find(b"\n", start)].rstrip(b'"').decode("utf-8", "replace")
