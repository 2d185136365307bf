"""A startd on an invented machine, driven by hand; its books are checked after every event."""

from __future__ import annotations

from typing import Any, TypeVar

from condor_py.core.slots import effects as fx
from condor_py.core.slots import events as ev
from condor_py.core.slots.core import Startd
from condor_py.lang.classad import ClassAd
from condor_py.model.facts import CpuFacts, MachineFacts, OsFacts
from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import SlotPolicy, SlotType, StartdSettings

E = TypeVar("E")
START = 1_795_000_000.0

FACTS = MachineFacts(
    host="vm",
    cpus=8,
    memory_mb=16000,
    disk_kb=75_600_000,
    load_avg=0.25,
    keyboard_idle=77,
    os=OsFacts(name="Debian", short_name="Debian", long_name="Debian GNU/Linux 12", major_ver=12, opsys_ver=1200),
    cpu=CpuFacts(family=26, model=2, cache_kb=1024, microarch="x86_64-v4", flags=frozenset(("avx",))),
    execute_volume="65024",
)


def job_ad(**attributes: str) -> ClassAd:
    """A job of one cpu and 128 MB; ``attributes`` are ClassAd texts."""
    items = {
        "RequestCpus": "1",
        "RequestMemory": "128",
        "RequestDisk": "1024",
        "JobUniverse": "5",
        "User": '"alice@example.net"',
        "GlobalJobId": '"vm#1.0#1"',
        **attributes,
    }
    return ClassAd.from_text_items(items.items())


def settings(policy: dict[str, Any] | None = None, **fields: Any) -> StartdSettings:
    """Settings of one partitionable slot with this policy, and a log of the startd's events."""
    fields.setdefault("events", True)
    fields.setdefault("types", (SlotType(0, policy=SlotPolicy(**(policy or {}))),))
    return StartdSettings(**fields)


class Bench:
    """A startd with a clock of its own. ``effects`` are those of the last event but for the log."""

    def __init__(
        self,
        made_of: StartdSettings | None = None,
        facts: MachineFacts = FACTS,
        remembered: dict[str, Any] | None = None,
        now: float = START,
        quiet: bool = False,
    ) -> None:
        self.now = now
        self.all_effects: list[fx.Effect] = []
        self._secrets = 0
        self.startd = Startd(
            made_of or settings(),
            facts,
            self.now,
            address="<127.0.0.1:9618>",
            new_secret=self._secret,
            remembered=remembered,
            quiet=quiet,
        )
        self.facts = facts
        self.log: list[str] = []
        self.effects: list[fx.Effect] = []
        self.requests = 0
        self.do(ev.Poll())

    def _secret(self) -> str:
        self._secrets += 1
        return f"secret{self._secrets}"

    def do(self, event: ev.Event, now: float | None = None) -> list[fx.Effect]:
        """Handles one event and checks the books."""
        found = self.startd.handle(event, self.now if now is None else now)
        self.startd.validate()
        self.log += [line for effect in found if isinstance(effect, fx.Log) for line in effect.text.split("\n")]
        self.effects = [effect for effect in found if not isinstance(effect, fx.Log)]
        self.all_effects += self.effects
        return self.effects

    def only(self, kind: type[E]) -> E:
        """The one effect of a kind."""
        found = [effect for effect in self.effects if isinstance(effect, kind)]
        assert len(found) == 1, self.effects
        return found[0]

    def has(self, kind: type[E]) -> bool:
        return any(isinstance(effect, kind) for effect in self.effects)

    def wait(self, seconds: float, **facts: Any) -> list[fx.Effect]:
        """Time passes, then the startd polls."""
        self.now += seconds
        return self.do(ev.Poll(self.facts._replace(**facts)))

    def claim(self, slot: str = "slot1@vm", ad: ClassAd | None = None, user: str = "alice@example.net") -> str:
        """A granted claim whose starter is ready."""
        self.ask(slot, ad, user)
        claim_id = self.only(fx.ClaimGranted).claim
        self.do(ev.Ready(claim_id, 4711))
        return claim_id

    def ask(self, slot: str = "slot1@vm", ad: ClassAd | None = None, user: str = "alice@example.net") -> None:
        """A claim request that may be refused."""
        self.requests += 1
        request = ev.ClaimRequest(f"r{self.requests}", slot, user, user.partition("@")[0], ad or job_ad())
        self.do(request)

    def run(self, claim_id: str, job: str = "1.0", run: int = 1, ad: ClassAd | None = None) -> list[fx.Effect]:
        """Activates the claim and lets the job start."""
        found = self.do(ev.Activate(claim_id, job, run, ad or job_ad()))
        if self.has(fx.StartJob):
            self.do(ev.RunStarted(claim_id, JobId(1, 0), 1, 5000, 0.0, "/dir_1"))
        self.effects = found
        return found

    def running(self, slot: str = "slot1@vm", ad: ClassAd | None = None) -> str:
        """A claim on which a job runs."""
        claim_id = self.claim(slot, ad)
        self.run(claim_id, ad=ad)
        return claim_id

    def end(self, claim_id: str, job: str = "1.0", run: int = 1, **fields: Any) -> list[fx.Effect]:
        """The starter reports the end of the job."""
        return self.do(ev.RunEnded(ExitReport(claim_id, job, run, **fields)))

    def claim_ids(self) -> set[str]:
        """Every claim, those of fetched work too."""
        return set(self.startd._pool.claims)

    def ads(self) -> dict[str, ClassAd]:
        """The ads by Name; the StartDaemon ad under its own."""
        return {ad.eval_str("Name") or "": ad for ad in self.startd.ads(self.now)}

    def place(self, slot: str) -> str:
        """State/Activity of a slot, or "gone"."""
        ad = self.ads().get(f"{slot}@vm")
        return f"{ad.eval_str('State')}/{ad.eval_str('Activity')}" if ad is not None else "gone"
