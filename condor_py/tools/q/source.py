"""Where condor_q's jobs come from: the queue of this machine, or a file."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from condor_py.classad.ad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.tools.common import check_place
from condor_py.tools.options import Args
from condor_py.tools.q.totals import Totals

if TYPE_CHECKING:
    from condor_py.tools.access import Pool

#: Attributes of proc ads that a schedd tells nobody: who has them may use the claim.
_PRIVATE = ("ClaimId", "ClaimIds", "Capability", "TransferKey", "PairedClaimId")


class Source:
    """Jobs and what the title says of them.

    ``label`` is the title without its time; ``now`` the time of the query in Unix seconds. Offline sources have no
    ``user`` and no totals of all users. ``address`` is that of the schedd and its host, for error messages.
    """

    def __init__(self, label: str, jobs: list[ClassAd], now: int) -> None:
        self.label = label
        self.jobs = jobs
        self.now = now
        self.online = False
        self.user = ""
        self.owner = ""
        self.superuser = False
        self.schedd_host = ""
        self.address = ""
        self.pool: Pool | None = None
        self.clusters: list[ClassAd] = []

    def everyone(self) -> Totals:
        """All jobs."""
        return Totals().add_all(self.jobs)

    def mine(self) -> Totals:
        """The jobs of the user."""
        return Totals().add_all(self.own_jobs())

    def own_jobs(self) -> list[ClassAd]:
        """The user's jobs."""
        return [ad for ad in self.jobs if ad.eval_str("Owner") == self.owner]

    def factories(self) -> list[ClassAd]:
        """Cluster ads with the counts of their jobs: JobsPresent, JobsIdle, JobsRunning and JobsHeld."""
        states: dict[int, list[int]] = {}
        for ad in self.jobs:
            states.setdefault(ad.eval_int("ClusterId", 0) or 0, []).append(ad.eval_int("JobStatus", 0) or 0)
        for cluster in self.clusters:
            found = states.get(cluster.eval_int("ClusterId", 0) or 0, [])
            cluster.set_int("JobsPresent", len(found))
            for name, status in (("JobsIdle", 1), ("JobsRunning", 2), ("JobsHeld", 5)):
                cluster.set_int(name, found.count(status))
        return self.clusters

    def title(self) -> str:
        """The two empty lines and the title line."""
        stamp = time.strftime("%m/%d/%y %H:%M:%S", time.localtime(self.now))
        return f"\n\n-- {self.label} @ {stamp}\n"


def is_offline(args: Args) -> bool:
    """True when the command line names a file to read jobs from."""
    return args.has("jobads") or args.has("userlog")


def open_source(args: Args, pool: Pool | None) -> Source:
    """The source that the command line names; ``pool`` is needed where that is no file. Raises CondorError."""
    if args.has("jobads"):
        return _ads_file(args.text("jobads") or "", args.colon("jobads") or "auto")
    if pool is None:
        return _user_log(args.text("userlog") or "")
    return _queue(args, pool)


def _ads_file(path: str, form: str) -> Source:
    from condor_py.tools.adfile import read_ads

    jobs = read_ads(path, form)
    found = next((ad.eval_int("ServerTime") for ad in jobs if ad.has("ServerTime")), None)
    return Source(f"Jobads: {path}", jobs, found or int(time.time()))


def _user_log(path: str) -> Source:
    from condor_py.tools.userlog import jobs_of_log

    return Source(f"Userlog: {path}", jobs_of_log(path), int(time.time()))


def _queue(args: Args, pool: Pool) -> Source:
    check_place(
        args,
        pool,
        "Error: unknown host {name}\n"
        f"Extra Info: This machine has one condor_schedd, and its name is {pool.schedd_name}.",
    )
    now = int(pool.now())
    view = pool.read_queue()
    jobs = [_shown(ad, now) for _, ad in view.jobs()]
    address = pool.schedd_address.split("?", 1)[0]
    shown_address = f"{address}?..." if "?" in pool.schedd_address else address
    label = f"Schedd: {pool.schedd_name} : {shown_address}"
    submitter = args.text("submitter")
    if submitter is not None:
        full = submitter if "@" in submitter else f"{submitter}@{pool.user.rpartition('@')[2]}"
        if not any(ad.eval_str("User") == full for ad in jobs):
            raise CondorError("Error: Collector has no record of schedd/submitter")
        label = f"Submitter: {full} : {shown_address} : {os.uname().nodename}"
    source = Source(label, jobs, now)
    source.online = True
    source.pool = pool
    source.clusters = [_shown(ad, now) for _, ad in view.clusters()]
    source.address = f"{pool.schedd_address} : {os.uname().nodename}"
    source.user, source.owner, source.superuser = pool.user, pool.owner, pool.is_superuser
    source.schedd_host = "localhost" if address.startswith("<127.") else os.uname().nodename
    return source


def _shown(ad: ClassAd, now: int) -> ClassAd:
    """The ad as a schedd would send it: with its clock, without its secrets."""
    shown = ad.copy()
    shown.set_int("ServerTime", now)
    for name in _PRIVATE:
        shown.remove(name)
    return shown
