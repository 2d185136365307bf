"""The same kills of plain jobs against HTCondor itself: Debian's package in a root of its own.

Nothing of it is mended here: what it loses, or runs without telling, are figures with which ours compare. HTCondor
waits for a lease before it gives up a run that it does not hear of; that is made short.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / "bench"), str(_TESTS / "e2e"), str(_TESTS / "crash")]

from box import Box, BoxError
from campaign import Campaign, CannotRun
from kill_events import told_events
from kill_strikes import strike
from pool import runs
from stories import story_of, told_runs

#: What is killed, by the name of its program, and how often.
_WEIGHTS = {
    "condor_schedd": 16, "condor_startd": 8, "condor_negotiator": 6, "condor_collector": 4, "condor_shadow": 14,
    "condor_starter": 20, "job": 18, "everything": 2,
}  # fmt: skip
#: Those of which one is killed when programs have begun since the last was, and how often otherwise.
_DAEMONS = ("condor_schedd", "condor_startd", "condor_negotiator", "condor_collector", "everything")
_EARLY = 0.15
_KNOBS = """\
NEGOTIATOR_INTERVAL = 3
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 5
MASTER_BACKOFF_CONSTANT = 1
MASTER_BACKOFF_FACTOR = 1
MASTER_BACKOFF_CEILING = 1
SHADOW_LAZY_QUEUE_UPDATE = false
"""
_DESCRIPTION = """\
executable = /bin/sh
arguments = "-c 'echo $(ClusterId).$(ProcId) >> {ran}; echo begun; sleep 1.5 && echo ended'"
log = {log}
output = {name}.$(ClusterId).$(ProcId).out
on_exit_remove = ExitBySignal =?= false && ExitCode =?= 0
job_lease_duration = 20
should_transfer_files = no
request_memory = 20
request_disk = 1000
queue {jobs}
"""
_JOBS, _ROUND, _PAUSE = 12, 40, (0.1, 1.0)
#: Seconds that all jobs of a round may need to end: leases and timeouts of minutes are waited for.
_END = 900


def run(campaign: Campaign, cache: str) -> None:
    """Kills in a pool of HTCondor, whose package is kept below ``cache``."""
    os.environ |= {"BENCH_CACHE": cache, "BENCH_ROOT": str(_TESTS.parent)}
    import peers

    if reason := peers.HTCondor.missing():
        raise CannotRun(reason)
    with Box("kills", root=peers.HTCondor.root()) as box:
        peer = peers.HTCondor(box, 8)
        peer.prepare()
        box.run(f"cat >>/etc/condor/config.d/99-bench <<'END'\n{_KNOBS}END")
        peer.start()
        pool = _Pool(campaign, peer)
        try:
            while campaign.done < campaign.size:
                pool.round()
        finally:
            campaign.figures.update(pool.figures())


class _Pool:
    """The pool, and what it has had."""

    def __init__(self, campaign: Campaign, peer: object) -> None:
        self._campaign, self._choose, self._peer = campaign, campaign.choose, peer
        self._box: Box = peer.box  # type: ignore[attr-defined]
        self._work = self._box.work
        self._number = self._jobs = self._reruns = 0
        self._begun = -1
        self._struck: Counter[str] = Counter()
        self._wrong: Counter[str] = Counter()

    def figures(self) -> dict[str, object]:
        """The last line's."""
        return {
            "pool": "htcondor", "jobs": self._jobs, "reruns": self._reruns, "struck": dict(self._struck),
            "wrong": dict(self._wrong),
        }  # fmt: skip

    def round(self) -> None:
        """Jobs and kills until there were enough, and then what is left of the jobs."""
        until = min(self._campaign.size, self._campaign.done + _ROUND)
        batches: dict[str, set[str]] = {}
        while self._campaign.done < until:
            if sum(map(self._live, batches.items())) < _JOBS / 2:
                name, jobs = self._submit()
                batches[name] = jobs
            time.sleep(self._choose.uniform(*_PAUSE))  # the moment is what is random
            if any(map(self._live, batches.items())):
                self._strike()
        self._settle(batches)
        for name, jobs in batches.items():
            self._audit(name, jobs)
        print(f"kills: {self._campaign.done} kills of HTCondor: {self.figures()}", file=sys.stderr, flush=True)

    def _submit(self) -> tuple[str, set[str]]:
        self._number += 1
        name = f"b{self._number}"
        text = _DESCRIPTION.format(name=name, log=f"{name}.log", ran=self._work / f"{name}.ran", jobs=_JOBS)
        (self._work / f"{name}.sub").write_text(text)
        said = self._tool(f"condor_submit -terse {name}.sub")
        found = re.search(r"^(\d+)\.0 - \1\.(\d+)$", said, re.MULTILINE)
        return name, {f"{found[1]}.{proc}" for proc in range(int(found[2]) + 1)} if found else set()

    def _tool(self, command: str) -> str:
        """What a command of the account prints, as far as it answers."""
        try:
            return str(self._peer.tool(f"cd {self._work}; timeout 60 {command}"))  # type: ignore[attr-defined]
        except BoxError as error:
            return str(error)

    def _live(self, batch: tuple[str, set[str]]) -> int:
        log = self._work / f"{batch[0]}.log"
        ended = log.read_text(errors="replace").count("\n005 (") if log.exists() else 0
        return max(0, len(batch[1]) - ended)

    def _victims(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for pid, line in self._box.commands():
            name = os.path.basename(line.split(" ", 1)[0])
            found.setdefault("job" if ".ran" in line or line.startswith("sleep ") else name, []).append(pid)
        return found

    def _strike(self) -> None:
        found = self._victims()
        names = [name for name in _WEIGHTS if name in found or name == "everything"]
        name = self._choose.choices(names, [_WEIGHTS[name] for name in names])[0]
        if name in _DAEMONS:
            begun = sum(path.stat().st_size for path in self._work.glob("*.ran"))
            if begun <= self._begun and self._choose.random() > _EARLY:
                return
            self._begun = begun
        if name == "everything":
            while there := [pid for pid in self._box.pids() if runs(pid)]:
                for pid in there:
                    strike(pid)
            self._peer.start()  # type: ignore[attr-defined]
        elif not strike(self._choose.choice(found[name])):
            return
        self._struck[name] += 1
        self._campaign.step()

    def _settle(self, batches: dict[str, set[str]]) -> None:
        deadline = time.monotonic() + _END
        while time.monotonic() < deadline:
            said = self._tool("condor_q -allusers -af ClusterId")
            if not said.strip():
                return
            time.sleep(1)
        self._wrong["rounds that did not end"] += 1

    def _audit(self, name: str, jobs: set[str]) -> None:
        said = self._tool("condor_history -af ClusterId ProcId")
        recorded = Counter(".".join(line.split()) for line in said.splitlines())
        events = told_events([self._work / f"{name}.log"])
        ran = Counter[str]()
        with suppress(FileNotFoundError):
            ran.update((self._work / f"{name}.ran").read_text().split())
        for job in sorted(jobs):
            self._wrong["jobs not in the history"] += recorded[job] == 0
            self._wrong["jobs twice in the history"] += recorded[job] > 1
            self._wrong["runs that no event tells of"] += max(0, ran[job] - told_runs(events.get(job, [])))
            if fault := story_of(events.get(job, [])):
                self._wrong[f"logs in which a job {fault}"] += 1
            output = self._work / f"{name}.{job}.out"
            is_whole = output.exists() and output.read_text() == "begun\nended\n"
            self._wrong["outputs that are not whole"] += events.get(job, [])[-1:] == [5] and not is_whole
        self._jobs += len(jobs)
        self._reruns += sum(count - 1 for count in ran.values())
