"""Health points of a daemon, from its ad: 0 (bad) to 100 (good), as HTCondor's command counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

#: A duty cycle is fine up to 95 %, and hopeless from 98 % on; between them it is a line through these numbers.
_SLOPE, _START = -(0.95 / 0.03), 31.0334
_LITTLE_MB, _SHORT_WAIT = 100, 300
_WORDS = ((0.25, "Bad"), (0.5, "Poor"), (0.75, "Decent"))


class Daemon(NamedTuple):
    """A daemon: its kind (SCHEDD), its points, its address and its machine."""

    kind: str
    points: float
    address: str
    machine: str


def word(points: float, daemons: int = 1) -> str:
    """Good, Decent, Poor or Bad for the points of so many daemons together."""
    share = _clamp(points / (100 * daemons))
    return next((word for limit, word in _WORDS if share < limit), "Good")


def daemon(ad: ClassAd) -> Daemon | None:
    """Return the daemon of an ad; None for any other ad."""
    kind, judges = _KINDS.get((ad.eval_str("MyType", None) or "").lower(), ("", ()))
    if not kind:
        return None
    points = sum(worth * judge(ad) for worth, judge in judges)
    where = ad.eval_str("MyAddress", ""), ad.eval_str("Machine", "")
    return Daemon(kind, min(100.0, max(0.0, points)), *where)


def daemons(ads: list[ClassAd]) -> Iterator[Daemon]:
    """The daemons among the ads."""
    return (found for ad in ads if (found := daemon(ad)) is not None)


def _clamp(share: float) -> float:
    return min(1.0, max(0.0, share))


def _duty(ad: ClassAd) -> float:
    return _clamp(_SLOPE * _clamp(ad.eval_real("RecentDaemonCoreDutyCycle", 0.0)) + _START)


def _transfers(ad: ClassAd) -> float:
    """A quarter each for uploads and downloads that move, and for short queues of both."""
    share = 0.0
    for way in ("Upload", "Download"):
        busy, speed = _number(ad, f"TransferQueueNum{way}ing"), _number(ad, f"FileTransfer{way}BytesPerSecond_1m")
        share += 0.25 if not busy or speed else 0.0
        waiting, age = _number(ad, f"TransferQueueNumWaitingTo{way}"), _number(ad, f"TransferQueue{way}WaitTime")
        short = not waiting or _number(ad, f"FileTransferMBWaitingTo{way}") < _LITTLE_MB or age / waiting < _SHORT_WAIT
        share += 0.25 if short else 0.0
    return share


def _number(ad: ClassAd, name: str) -> float:
    return ad.eval_real(name, 0.0)


_Judges = tuple[tuple[int, Callable[["ClassAd"], float]], ...]
#: MyType -> the daemon, and what its points are made of.
_KINDS: dict[str, tuple[str, _Judges]] = {
    "daemonmaster": ("MASTER", ((100, _duty),)),
    "collector": ("COLLECTOR", ((100, _duty),)),
    "negotiator": ("NEGOTIATOR", ((100, _duty),)),
    "scheduler": ("SCHEDD", ((72, _duty), (28, _transfers))),
    "startd": ("STARTD", ((100, _duty),)),
}
