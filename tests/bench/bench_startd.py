"""What the startd costs: a poll of 1,000 slots, an idle startd of 8 slots, and a job from its claim to its execution.

Run: python tests/bench/bench_startd.py. Each row ends with how many times better than its limit it is.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "unit" / "startd"), str(ROOT / "tests" / "e2e")]
os.environ.setdefault("CONDOR_CONFIG", "/dev/null")

from pool import PersonalPool
from startd_bench import FACTS, START, ev, fx, job_ad

from condor_py.core.slots.core import Startd
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.startd.starters import Starters
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.startd import SlotPolicy, SlotType, StartdSettings
from condor_py.model.settings.starter import StarterSettings

SLOTS = 1000
#: The desktop policy of the manual.
DESKTOP = SlotPolicy(
    start='((LoadAvg - CondorLoadAvg) <= 0.3 || (State != "Unclaimed" && State != "Owner")) && KeyboardIdle > 900',
    is_owner="(START =?= False)",
    want_suspend="True",
    suspend="(KeyboardIdle < 60) || ((LoadAvg - CondorLoadAvg) >= 0.5)",
    continue_="((LoadAvg - CondorLoadAvg) <= 0.3) && KeyboardIdle > 300",
    preempt='((Activity == "Suspended") && ((time() - EnteredCurrentActivity) > 600))'
    " || (SUSPEND && (WANT_SUSPEND == False))",
)


def row(what: str, value: float, unit: str, limit: float) -> None:
    print(f"{what:<58} {value:8.2f} {unit:<5} limit {limit:g}: {limit / max(value, 1e-9):6.1f} times better")


def polls() -> None:
    """Policy evaluation of many slots, idle and with a job on each."""
    types = (SlotType(1, SLOTS, False, "auto", DESKTOP),)
    made = StartdSettings(types=types, num_cpus=SLOTS, memory_mb=SLOTS * 1000)
    startd = Startd(made, FACTS, START, address="<a>", new_secret=lambda: "x")
    for what in ("no claims", "a job on every slot"):
        if what != "no claims":
            for number in range(SLOTS):
                _start(startd, number)
        took = []
        for turn in range(9):
            facts = FACTS._replace(keyboard_idle=5000, load_avg=0.1 + turn / 1000)
            begun = time.process_time()  # the startd is one thread that never waits here
            startd.handle(ev.Poll(facts), START + 2 + turn)
            took.append(time.process_time() - begun)
        row(f"policy of {SLOTS:,} slots, {what}", min(took) * 1e3, "ms", 50)


def _start(startd: Startd, number: int) -> None:
    request = ev.ClaimRequest(f"r{number}", f"slot{number + 1}@vm", "a@b", "a", job_ad())
    claim = next(e.claim for e in startd.handle(request, START) if isinstance(e, fx.ClaimGranted))
    startd.handle(ev.Ready(claim, 1), START)
    startd.handle(ev.Activate(claim, f"1.{number}", 1, job_ad()), START)


def idle(seconds: float = 20.0) -> None:
    """A startd of eight slots that has nothing to do."""
    with tempfile.TemporaryDirectory() as directory:
        knobs = {"NUM_SLOTS": "8", "SLOT_TYPE_0_PARTITIONABLE": "False"}
        pool = PersonalPool(Path(directory) / "pool", cpus=8, **knobs)
        pool.start()
        try:
            pid = pool.pid("startd")
            time.sleep(1)
            before = _cpu(pid)
            time.sleep(seconds)
            row("idle startd, 8 slots: cpu", (_cpu(pid) - before) / seconds * 100, "%", 0.5)
            row("idle startd, 8 slots: resident memory", _rss_mb(pid), "MB", 60)
        finally:
            pool.stop()


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


class Execution:
    """The startd's part in starting jobs, with the daemons around it left out: core, starter, process."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.loop = Loop()
        settings = StartdSettings(num_cpus=4)
        self.startd = Startd(settings, FACTS, time.time(), address="<a>", new_secret=lambda: os.urandom(8).hex())
        self.starters = Starters(self.loop, self._message, lambda claim, status: None, print)
        self.claim = ""
        self.begun = 0.0
        self.took: list[float] = []

    def _message(self, claim: str, message: Message) -> None:
        now = time.time()
        if isinstance(message, runs.Ready):
            self.startd.handle(ev.Ready(claim, message.pid), now)
            ad = job_ad(Cmd='"/bin/true"', Iwd=f'"{self.directory}"', Owner='"root"', ShouldTransferFiles='"NO"')
            self.startd.handle(ev.Activate(claim, "1.0", 1, ad), now)
            body = json.dumps(dict(ad.text_items())).encode()
            self.starters.tell(claim, runs.StartJob(claim, "1.0", 1), body)
        elif isinstance(message, runs.RunStarted):
            self.took.append(time.perf_counter() - self.begun)
        elif isinstance(message, runs.RunEnded):
            self.starters.tell(claim, runs.StopStarter(claim))
            self.loop.stop()

    def job(self) -> None:
        self.begun = time.perf_counter()
        request = ev.ClaimRequest("r", "slot1@vm", "a@b", "a", job_ad())
        granted = next(e for e in self.startd.handle(request, time.time()) if isinstance(e, fx.ClaimGranted))
        setup = StarterSetup(
            claim_id=granted.claim, slot_name=granted.slot_name, slot_ad=granted.slot_ad, execute=self.directory,
            bin_dir="/bin", host="vm", file_system_domain="vm", ancestors=(),
            log=LogSettings(f"{self.directory}/StarterLog"), settings=StarterSettings(execute=self.directory),
        )  # fmt: skip
        self.starters.fork(setup)
        self.loop.run()
        self.startd.handle(ev.ReleaseClaim(granted.claim), time.time())
        self.startd.handle(ev.StarterGone(granted.claim, 0), time.time())


def execution(jobs: int = 40) -> None:
    """From the request of a claim to the execution of its first job."""
    with tempfile.TemporaryDirectory() as directory:
        made = Execution(directory)
        for _ in range(jobs):
            made.job()
        row("claim to execution, median", statistics.median(made.took) * 1e3, "ms", 15)
        row("claim to execution, best", min(made.took) * 1e3, "ms", 15)


if __name__ == "__main__":
    polls()
    execution()
    idle()
