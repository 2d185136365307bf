"""Bad disks under a live pool: each trouble is a kind, a place, a moment and a length, which the seed chooses.

Kinds: full, nearly_full (each write may be the last), inodes, read_only in the middle of writes, errors (EIO of
random calls), slow, hanging, stale (ESTALE, as of an NFS server that goes), quota. Places: SPOOL, EXECUTE and LOG of
the pool; the event logs, work directories and home of one user. Each place is a small ext4 of its own below a FUSE
that fails as it is told (tests/hangfs.c).

While a trouble lasts, another user whose files are elsewhere submits and asks: commands answer, daemons live, and jobs
end where the place is not the pool's. Afterwards everything continues by itself: each acknowledged job ends once, its
output, event log and history are whole, nothing is left in EXECUTE, and the spool is consistent. Held jobs are
released, as their users would do; the hold reasons are judged.

Needs root, FUSE with a C compiler and headers of libfuse3, loop devices, mkfs.ext4, unshare (util-linux).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "e2e")]

from campaign import Campaign, CannotRun, main
from disk_places import KINDS, PLACES
from disk_pool import BOUND, Account, BadPool, Command
from disk_work import FORMS, Work, history_of, settled
from hanging import missing
from pool import wait_for

from condor_py.store.check import check_spool

#: Set for the process in a mount and process namespace of its own, where the campaign does its work.
_INSIDE = "CONDOR_PY_DISKS_INSIDE"
#: Seconds until everything has ended after a trouble.
_SETTLES = 120.0
#: KB by which a daemon may grow over a campaign.
_GROWTH = 80_000
#: The places of the pool, which all users need.
_POOLS = ("SPOOL", "EXECUTE", "LOG")
#: The places that a job of each form needs for its files.
_NEEDS = {
    "transfer": {"EXECUTE", "work", "homes"},
    "plain": {"EXECUTE", "work", "homes"},
    "local": {"EXECUTE", "SPOOL", "work", "homes"},
    "factory": {"EXECUTE", "SPOOL", "work", "homes"},
    "spooled": {"EXECUTE", "SPOOL", "work", "homes"},
    "dag": {"EXECUTE", "SPOOL", "work", "homes"},
}
_TOLD = re.compile(
    r"no space left|quota|read-only|input/output error|stale file|does not answer|file too large", re.IGNORECASE
)
_FAULT = re.compile(r"Traceback|the daemon continues|\bfailed, the daemon\b")


class Trouble:
    """One trouble from its choice to the last check."""

    def __init__(self, campaign: Campaign, pool: BadPool, number: int) -> None:
        self._campaign, self._pool, self._number = campaign, pool, number
        self._chance = Random(f"{campaign.seed} {number}")
        kinds, places = campaign.options.kinds, campaign.options.places
        self._kind, self._place = self._chance.choice(kinds), self._chance.choice(places)
        self._works: list[Work] = []
        self._judged: list[Command | None] = []
        self._made = 0
        self._details = ""
        self._kept = False

    def __str__(self) -> str:
        return f"trouble {self._number} ({self._kind} in {self._place}{', ' if self._details else ''}{self._details})"

    def found(self, finding: str) -> None:
        self._kept = True
        self._campaign.found(f"{self}: {finding}")

    def _count(self, figure: str, what: str) -> None:
        """Counts what happened in this kind of trouble; -verbose prints it."""
        figures = self._campaign.figures.setdefault(figure, Counter())
        assert isinstance(figures, Counter)
        figures[f"{self._kind} {self._place}"] += 1
        if self._campaign.options.verbose:
            print(f"  {figure}: {what}", file=sys.stderr, flush=True)

    def run(self) -> None:
        """The trouble comes, stays, goes, and everything is as it was."""
        chance, pool = self._chance, self._pool
        user = pool.at_home if self._place == "homes" else pool.alice
        moment, length = chance.uniform(0.0, 3.0), chance.choice([0.5, 3.0, 8.0, 15.0]) * chance.uniform(0.5, 1.5)
        early, late = (
            [self._work(user, form) for form in chance.sample(sorted(FORMS), 3)] for _ in ("before", "while it lasts")
        )
        for work in early:
            if work.submit().wait() is None:
                self.found(f"{work.command} does not answer before it")
            self._judge(work)
        time.sleep(moment)
        place = pool.places[self._place]
        begun = time.monotonic()
        self._details = KINDS[self._kind](place, chance)
        try:
            self._while_it_lasts(early, late, begun + length)
            time.sleep(max(0.0, begun + length - time.monotonic()))
        finally:
            place.free()
        self._afterwards()

    def _work(self, account: Account, form: str) -> Work:
        self._made += 1
        work = Work(self._pool, account, form, 100 * self._number + self._made, self._chance)
        work.prepare()
        self._works.append(work)
        return work

    def _judge(self, work: Work) -> None:
        self._judged.append(work.command)
        if wrong := work.answered():
            self.found(wrong)
        if work.command is not None and work.command.status:
            self._count("refused", f"{work.command}: {work.command.err.strip()[-300:]}")

    # -- while it lasts -----------------------------------------------------------------------------------------------

    def _while_it_lasts(self, early: list[Work], late: list[Work], until: float) -> None:
        """The user of the place goes on; the other one notices nothing."""
        for work in late:
            work.submit()
        changed, removed = self._chance.sample(early, 2)
        changed.give("condor_qedit")
        if self._chance.random() < 0.3:
            removed.give("condor_rm")
        whole_pool = self._place in _POOLS
        if self._kind == "hanging" and self._place in ("SPOOL", "LOG"):
            return  # every process that uses it waits
        bob = self._pool.bob
        theirs = self._work(bob, "transfer")
        if theirs.submit().wait() is None:
            self.found("condor_submit of another user does not answer")
        self._judge(theirs)
        if theirs.command is not None and theirs.command.status and self._place != "SPOOL":
            self.found(f"condor_submit of another user fails: {theirs.command.err!r}")
        self._ask(whole_pool)
        if not whole_pool or self._place == "LOG":
            try:
                wait_for(lambda: self._has_left(theirs), "", BOUND)
            except AssertionError:
                self.found(f"jobs of another user do not end: {self._queue()}")
        while time.monotonic() < until:
            self._ask(whole_pool)
            time.sleep(0.5)
        self._living()

    def _ask(self, whole_pool: bool) -> None:
        """The other user reads the queue and the slots."""
        for words in (("condor_q", "-allusers"), ("condor_status",)):
            asked = self._pool.begin(self._pool.bob, *words)
            seconds = asked.wait()
            if seconds is None:
                self.found(f"{asked} of another user does not answer")
                continue
            self._campaign.figures["slowest_answer"] = max(
                self._campaign.figures.get("slowest_answer", 0.0), round(seconds, 1)
            )
            if wrong := asked.wrong() or ("" if asked.status == 0 or whole_pool else f"it fails: {asked.err!r}"):
                self.found(f"{asked} of another user: {wrong}")

    def _has_left(self, work: Work) -> bool:
        return all(self._pool.status_of(job) in (None, 4) for job in work.jobs)

    def _living(self) -> None:
        for name in self._pool.gone():
            self.found(f"the {name} has ended")
            raise CannotRun(f"the {name} has ended: {self}")

    def _queue(self) -> str:
        return self._pool.tool("condor_q", "-allusers", "-af", "ClusterId", "ProcId", "JobStatus", check=False).stdout

    # -- afterwards ---------------------------------------------------------------------------------------------------

    def _afterwards(self) -> None:
        pool = self._pool
        for work in self._works:
            if work.command is not None and work.command.status is None and work.command.wait() is None:
                self.found(f"{work.command} does not end after it")
        for work in self._works:
            if work.order is not None and (work.order.wait() is None or work.order.wrong()):
                self.found(f"{work.order}: {work.order.wrong()}")
            if work.command not in self._judged:
                self._judge(work)
        self._living()
        fresh = self._work(pool.bob, "transfer")  # a startd whose starters failed rests for a minute
        if fresh.submit().wait() is None or fresh.command is None or fresh.command.status:
            self.found("condor_submit fails afterwards")
        self._judge(fresh)
        left: list[list[str]] = []

        def through() -> bool:
            left[:] = settled(pool, self._held, self._fetch)
            self._remove_unfinished(left)
            return not left

        try:
            wait_for(through, "", _SETTLES)
        except AssertionError:
            self.found(f"jobs do not end: {left}")
            pool.tool("condor_rm", "-all", check=False)
            pool.tool("condor_rm", "-forcex", "-all", check=False)
        self._living()
        self._check()
        if self._kept and self._campaign.options.keep:
            return
        for work in self._works:
            work.clean()

    def _held(self, job: str, code: str, reason: str) -> None:
        cluster = int(job.partition(".")[0])
        owners = [work for work in self._works if work.cluster == cluster]
        form = owners[0].form if owners else "dag"
        self._count("held", f"{job} {form} {code} {reason}")
        if not reason.strip() or reason == "undefined" or "Traceback" in reason:
            self.found(f"{job} is held with the reason {reason!r}")
        if self._place not in _NEEDS[form] or (
            owners and owners[0].account is self._pool.bob and self._place != "EXECUTE"
        ):
            self.found(f"{job} ({form}) is held, which does not need {self._place}: code {code}: {reason}")

    def _fetch(self, cluster: int) -> None:
        for work in self._works:
            if work.cluster == cluster:
                done = self._pool.begin(work.account, "condor_transfer_data", str(cluster))
                if done.wait() is None or done.wrong():
                    self.found(f"condor_transfer_data: {done.wrong() or 'does not answer'}")

    def _remove_unfinished(self, rows: list[list[str]]) -> None:
        """What no one was told yes of and whose files never came is removed, as its user would do."""
        known = {work.cluster for work in self._works}
        unfinished = [row[0] for row in rows if row[2:4] == ["5", "16"] and int(row[0]) not in known]
        if unfinished:
            self._pool.tool("condor_rm", *sorted(set(unfinished)), check=False)

    def _check(self) -> None:
        pool = self._pool
        first = min((work.cluster for work in self._works if work.cluster), default=1)
        lately = max((work.cluster for work in self._works), default=1)

        def recorded() -> bool:
            found = history_of(pool, first)[0]
            return all(job in found for work in self._works for job in work.jobs if work.order is None)

        try:
            wait_for(recorded, "", 20)
            wait_for(
                lambda: all(not work.check_log() for work in self._works if work.jobs and work.form != "dag"), "", 40
            )
        except AssertionError:
            pass  # said below, job by job
        history, twice = history_of(pool, first)
        for job in twice:
            self.found(f"{job} is in the history more than once")
        for work in self._works:
            may_fail = self._place in _NEEDS[work.form] and self._kind != "slow"
            for wrong in work.check(history, may_fail):
                self.found(wrong)
        for problem in check_spool(str(pool.spool)):
            self.found(f"the spool: {problem} (clusters {first} to {lately})")
        try:
            wait_for(lambda: not list(pool.execute.glob("dir_*")), "", 30)
        except AssertionError:
            self.found(f"left in EXECUTE: {sorted(path.name for path in pool.execute.iterdir())}")
        lines = pool.new_lines()
        if said := [line for line in lines if _TOLD.search(line)]:
            self._count("told", f"{len(said)} lines, the first {said[0]}")
        for line in lines:
            if _FAULT.search(line):
                self.found(f"in a log: {line}")
        for name, kilobytes in pool.growth().items():
            if kilobytes > _GROWTH:
                self.found(f"the {name} has grown by {kilobytes} KB")


def _body(campaign: Campaign) -> None:
    if reason := missing():
        raise CannotRun(reason)
    for program in ("mkfs.ext4", "unshare", "mount"):
        if shutil.which(program) is None:
            raise CannotRun(f"there is no {program}")
    if os.environ.get(_INSIDE) is None:
        raise CannotRun("it has to be started by its own command")
    top = Path(tempfile.mkdtemp(prefix="disks-", dir="/var/tmp"))  # DAGMan refuses logs in /tmp
    top.chmod(0o755)
    pool = None
    try:
        pool = BadPool(top)
        pool.start()
        for number in range(1, campaign.size + 1):
            trouble = Trouble(campaign, pool, number)
            if campaign.options.only in (None, number):
                trouble.run()
                if campaign.options.verbose:
                    print(f"{trouble} is over", file=sys.stderr, flush=True)
            campaign.step()
        campaign.figures["growth_kb"] = pool.growth()
    finally:
        _end(pool)
        if campaign.options.keep:
            print(f"disks: {top} is kept", file=sys.stderr)
            for name in ("work", "homes", "logs"):
                shutil.copytree(top / "places" / name / "disk/files/alice", top / "kept" / name, dirs_exist_ok=True)
        _unmount(top)
        if not campaign.options.keep:
            shutil.rmtree(top, ignore_errors=True)


def _end(pool: BadPool | None) -> None:
    """Everything of the pool is over; the logs are copied for who wants to keep them."""
    if pool is None:
        return
    for place in pool.places.values():
        place.free()
    try:
        pool.stop()
    finally:
        shutil.copytree(
            pool.log,
            pool.directory / "local" / "log_kept",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.lock", "daemon_sock"),
        )


def _unmount(top: Path) -> None:
    """Nothing below a directory is mounted any more."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    for place in reversed([line.split()[1] for line in lines]):
        if place.startswith(f"{top}/") or place in ("/etc/passwd", "/etc/group"):
            os.system(f"umount -l {place} 2>/dev/null")


def _names(known: tuple[str, ...]) -> object:
    def parse(text: str) -> list[str]:
        words = text.split(",")
        if unknown := [word for word in words if word not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return words

    return parse


def _options(parser: argparse.ArgumentParser) -> None:
    kinds = tuple(KINDS)
    parser.add_argument("-kinds", type=_names(kinds), default=list(kinds), metavar="A,B", help=", ".join(kinds))
    parser.add_argument("-places", type=_names(PLACES), default=list(PLACES), metavar="A,B", help=", ".join(PLACES))
    parser.add_argument("-only", type=int, metavar="NUMBER", help="only this trouble of all")
    parser.add_argument("-keep", action="store_true", help="keep the logs of the pool")
    parser.add_argument("-verbose", action="store_true", help="print each trouble when it is over")


def _inside() -> None:
    """Goes on in namespaces of its own, which take all mounts and processes with them when it ends."""
    if os.environ.get(_INSIDE) is None and not missing() and shutil.which("unshare"):
        os.environ[_INSIDE] = "1"
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # meant for the campaign itself: unshare(1) would end with it
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, *sys.argv]
        os.execvp(words[0], words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


if __name__ == "__main__":
    _inside()
    sys.exit(main(_body, name="disks", about=__doc__, unit="troubles", size=200, options=_options))
