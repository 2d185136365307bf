"""The record of single transfers, FILE_TRANSFER_STATS_LOG: an ad a file, in lines, each behind a line ``***``.

What plugins moved is recorded as they tell it, what was copied into a sandbox as HTCondor records its own protocol
(TransferProtocol "cedar"). A file of 5 MB becomes NAME.old.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from condor_py.lang.classad import ClassAd, parseAds
from condor_py.machine.run.job import Job

_MOST = 5_000_000


class Copied(NamedTuple):
    """One item that was copied into a sandbox, and how long that took."""

    name: str
    bytes: int
    seconds: float


def append(path: str, job: Job, copied: Iterable[Copied], told: Iterable[str], now: float) -> None:
    """Adds what was ``copied``, and what plugins ``told`` of files (ads in the new form). OSError."""
    text = "".join(_text(ad, job, now) for ad in (*map(_ad_of, copied), *_ads(told)))
    if not text:
        return
    if os.path.exists(path) and os.path.getsize(path) > _MOST:
        os.rename(path, path + ".old")
    with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _ads(told: Iterable[str]) -> Iterator[ClassAd]:
    for text in told:
        yield from parseAds(text)


def _ad_of(item: Copied) -> ClassAd:
    ad = ClassAd()
    ad.set_bool("TransferSuccess", True)
    ad.set_str("TransferProtocol", "cedar")
    ad.set_str("TransferType", "download")
    ad.set_str("TransferFileName", item.name)
    ad.set_int("TransferFileBytes", item.bytes)
    ad.set_int("TransferTotalBytes", item.bytes)
    ad.set_real("ConnectionTimeSeconds", item.seconds)
    return ad


def _text(ad: ClassAd, job: Job, now: float) -> str:
    """The lines of an ad. Whoever moved the file need not have told when: it is just over."""
    if "TransferEndTime" not in ad:
        ad.set_int("TransferStartTime", int(now - (ad.eval_real("ConnectionTimeSeconds", 0.0) or 0.0)))
        ad.set_int("TransferEndTime", int(now))
    cluster, _, proc = job.job_id.partition(".")
    ad.set_int("JobClusterId", int(cluster))
    ad.set_int("JobProcId", int(proc))
    ad.set_str("JobOwner", job.owner)
    return "***\n" + "".join(f"{name} = {text}\n" for name, text in sorted(ad.text_items()))
