"""A queue in memory with a router, and every action carried out on it as the daemon does it."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.core.jobs.actions import perform
from condor_py.core.routes.actions import Action
from condor_py.core.routes.core import Router
from condor_py.core.routes.hooks import Answer, HookCall, read
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET
from condor_py.model.settings.router import RouterSettings

JOB = 'Owner = "ann"; User = "ann@here"; JobUniverse = 5; JobStatus = 1; Requirements = TARGET.Cpus > 1'
NOW = 1_000_000


class World:
    """A queue, a router, and what happens to both. Copies get clusters from 101 on."""

    def __init__(self, *routes: tuple[str, str], **settings: object) -> None:
        self.ads: dict[JobId, ClassAd] = {}
        self.now = NOW
        self.next = 101
        #: The hooks that run.
        self.calls: list[HookCall] = []
        names = tuple(name for name, _ in routes)
        settings = {"constraint": "true", "order": names, "routes": routes, **settings}
        self.settings = RouterSettings(**settings)  # type: ignore[arg-type]
        self.router = Router(self.settings, self, self.now)

    def job(self, job: JobId) -> ClassAd | None:
        return self.ads.get(job)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        return iter(list(self.ads.items()))

    def add(self, cluster: int, text: str = "", proc: int = 0) -> JobId:
        """A new job in the queue."""
        job = JobId(cluster, proc)
        self.ads[job] = ClassAd(f"[ {JOB}; ClusterId = {cluster}; ProcId = {proc}; QDate = {self.now}; {text} ]")
        self.router.notice([job])
        return job

    def set(self, job: JobId, **values: object) -> None:
        """Somebody changes a job."""
        for name, value in values.items():
            self.ads[job].set_text(name, str(value))
        self.router.notice([job])

    def act(self, job: JobId, action: str) -> None:
        """Somebody holds, releases or removes a job."""
        ad = self.ads[job]
        _, changes = perform(action, job, ad, actor="ann", reason=None, subcode=None, now=self.now)
        for change in changes:
            self.apply(change.op, change.key, change.name, change.value)
        self.router.notice([job])

    def leave(self, job: JobId) -> None:
        """The schedd takes a job out of the queue."""
        del self.ads[job]
        self.router.notice([job])

    def apply(self, op: int, key: str, name: str, value: str) -> None:
        ad = self.ads[JobId.parse(key)]
        if op == SET:
            ad.set_text(name, value)
        else:
            assert op == DELETE
            ad.delete(name)

    def poll(self, seconds: int = 10) -> list[Action]:
        """Time passes, the router looks, and what it wants is done."""
        self.now += seconds
        self.router.adjust(self.now)
        return self.carry_out(self.router.poll(self.now))

    def answer(self, out: str = "", problem: str = "") -> list[Action]:
        """The first hook that runs ends, and what follows is done."""
        call = self.calls.pop(0)
        answer = Answer(call, (), problem) if problem else read(call, out.encode())
        self.told = self.router.hooked(answer, self.now)
        return self.carry_out(self.router.follow(self.now))

    def carry_out(self, actions: list[Action]) -> list[Action]:
        """As the daemon does."""
        for action in actions:
            for change in action.changes:
                self.apply(change.op, change.key, change.name, change.value)
            touched = list(action.jobs)
            if action.copy is not None:
                new = JobId(self.next, 0)
                self.next += 1
                items = [*action.copy.items, ("JobStatus", "1"), ("ClusterId", str(new.cluster)), ("ProcId", "0")]
                self.ads[new] = ClassAd.from_text_items({n.lower(): (n, t) for n, t in items}.values())
                for change in self.router.claim(action.copy, new):
                    self.apply(change.op, change.key, change.name, change.value)
                touched.append(new)
            self.router.done(action)
            if action.hook is not None:
                assert self.router.hook_input(action.hook)
                self.calls.append(action.hook)
            self.router.notice(touched)
        return actions

    def text(self, job: JobId, name: str) -> str | None:
        return self.ads[job].text(name)


HERE = ("Here", "UNIVERSE vanilla\nSET Requirements true\nSET Extra 1")
COPY = JobId(101, 0)


def routed(world: World, cluster: int = 1) -> JobId:
    """A job with a copy."""
    job = world.add(cluster)
    world.poll()
    return job
