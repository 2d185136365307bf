"""Claims, the runs on them, and the requests for more: one owner of what has to agree.

A run has a claim and the claim has the job of the run: both begin and end together here. A job that a claim is asked
for is reserved until there is an answer. Only the methods change anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from collections.abc import Set as AbstractSet

from condor_py.core.jobs.parts import Claim, ClaimInfo, Run, is_local
from condor_py.model.ids import JobId
from condor_py.model.plan import Match


class Claims:
    """Claims by id. ``runs`` are by job, ``asked`` has the job of each request for a claim.

    ``yielding``: of the requests those that others have to give way for; the rest is answered at once, and no cycle
    runs before it is.
    """

    def __init__(self) -> None:
        self._claims: dict[str, Claim] = {}
        #: Those without a job.
        self._jobless: set[str] = set()
        self._runs: dict[JobId, Run] = {}
        self._asked: dict[str, JobId] = {}
        self._asking: set[JobId] = set()
        #: Jobs for which a claim is asked for.
        self.asking: AbstractSet[JobId] = self._asking
        self._yielding: dict[str, Match] = {}
        self._requests = 0
        self._local = 0
        self._busy: dict[tuple[str, str], int] = {}
        #: Number of runs of each user and project that has any.
        self.busy: Mapping[tuple[str, str], int] = self._busy
        self.runs: Mapping[JobId, Run] = self._runs
        self.asked: Mapping[str, JobId] = self._asked
        self.yielding: Mapping[str, Match] = self._yielding

    def __getitem__(self, claim_id: str) -> Claim:
        return self._claims[claim_id]

    def __contains__(self, claim_id: object) -> bool:
        return claim_id in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def __len__(self) -> int:
        return len(self._claims)

    def get(self, claim_id: str) -> Claim | None:
        """A claim, None when it is not ours."""
        return self._claims.get(claim_id)

    def keys(self) -> KeysView[str]:
        """The ids of all claims."""
        return self._claims.keys()

    def set_back(self, seconds: int) -> None:
        """The clock was set, by so many seconds (less than 0): claims are as old as before."""
        for claim in self._claims.values():
            claim.set_back(seconds)

    def values(self) -> ValuesView[Claim]:
        """All claims."""
        return self._claims.values()

    def items(self) -> ItemsView[str, Claim]:
        """All claims with their ids."""
        return self._claims.items()

    def free(self) -> list[str]:
        """The ids of the claims that are there for a next job."""
        jobless = self._jobless
        if not jobless:
            return []
        ids = jobless if len(jobless) == 1 else [claim_id for claim_id in self._claims if claim_id in jobless]
        return [claim_id for claim_id in ids if self._claims[claim_id].is_free]

    # -- claims and runs ---------------------------------------------------------------------------

    def take(self, info: ClaimInfo, now: int, *, used: bool = False) -> Claim:
        """A claim that is ours from ``now`` (Unix seconds) on; ``used`` when it has had jobs before."""
        claim = self._claims[info.claim_id] = Claim(info, now, used=used)
        self._jobless.add(info.claim_id)
        return claim

    def drop(self, claim_id: str) -> Claim | None:
        """A claim is ours no more. The run on it, if any, is still to be ended."""
        self._jobless.discard(claim_id)
        return self._claims.pop(claim_id, None)

    def begin(self, claim: Claim, run: Run) -> None:
        """A run on a claim."""
        claim.job = run.job
        self._jobless.discard(run.claim_id)
        self._runs[run.job] = run
        for holder in run.holders:
            self._busy[holder] = self._busy.get(holder, 0) + 1

    def end(self, job: JobId) -> Claim | None:
        """The run of a job is over: the claim it was on, if that is still ours."""
        run = self._runs.pop(job)
        self._count_end(run)
        claim = self._claims.get(run.claim_id)
        if claim is not None and claim.job == job:
            claim.job = None
            self._jobless.add(run.claim_id)
        return claim

    def forget_slots(self) -> list[Run]:
        """The startd is out of reach: only the schedd's own claims stay. The runs that were on the others."""
        lost = [run for run in self._runs.values() if not is_local(run.claim_id)]
        for run in lost:
            del self._runs[run.job]
            self._count_end(run)
        for claim_id in [claim_id for claim_id in self._claims if not is_local(claim_id)]:
            self.drop(claim_id)
        return lost

    def _count_end(self, run: Run) -> None:
        for holder in run.holders:
            self._busy[holder] -= 1
            if not self._busy[holder]:
                del self._busy[holder]

    def next_local(self) -> int:
        """Numbers the schedd's own claims, from 1."""
        self._local += 1
        return self._local

    # -- requests ----------------------------------------------------------------------------------

    def ask(self, job: JobId, yielding: Match | None = None) -> str:
        """The id of a new request for a claim for a job; ``yielding`` is the match that others give way for."""
        self._requests += 1
        request_id = str(self._requests)
        self._asked[request_id] = job
        self._asking.add(job)
        if yielding is not None:
            self._yielding[request_id] = yielding
        return request_id

    def asks_for(self, job: JobId) -> bool:
        """Whether a claim is asked for for a job."""
        return job in self._asking

    def answered(self, request_id: str) -> JobId | None:
        """A request has its answer: the job it was for, None when it was withdrawn."""
        job = self._asked.pop(request_id, None)
        if job is not None:
            self._asking.discard(job)
        return job

    def withdraw(self, job: JobId) -> list[str]:
        """Forgets the requests for a job: their ids."""
        if job not in self._asking:
            return []
        self._asking.discard(job)
        found = [request_id for request_id, wanted in self._asked.items() if wanted == job]
        for request_id in found:
            del self._asked[request_id]
        return found

    def forget_requests(self) -> list[JobId]:
        """Drop all pending claim requests; return their jobs."""
        jobs = list(self._asked.values())
        self._asked.clear()
        self._asking.clear()
        return jobs

    @property
    def awaits_answer(self) -> bool:
        """Whether a request is open that is answered at once."""
        for request_id in [one for one in self._yielding if one not in self._asked]:
            del self._yielding[request_id]
        return len(self._asked) != len(self._yielding)

    def validate(self) -> None:
        """AssertionError when the state is inconsistent."""
        for job, run in self._runs.items():
            assert run.job == job, f"{job} has the run of {run.job}"
            claim = self._claims.get(run.claim_id)
            assert claim is not None, f"{job} runs on a claim that is not ours"
            assert claim.job == job, f"{job} runs on a claim that has {claim.job}"
            assert job not in self._asking, f"{job} runs and is asked for"
        for claim_id, claim in self._claims.items():
            assert claim.info.claim_id == claim_id, f"{claim_id} is filed as {claim.info.claim_id}"
            assert claim.job is None or claim.job in self._runs, f"a claim has {claim.job}, which does not run"
            assert claim.job is None or claim.reserved is None, f"a claim has {claim.job} and waits for one"
        assert self._jobless == {claim_id for claim_id, claim in self._claims.items() if claim.job is None}
        busy = Counter(holder for run in self._runs.values() for holder in run.holders)
        assert self._busy == busy, "the runs of some user or project are not counted right"
        assert set(self._asked.values()) == self._asking
        assert len(self._asked) == len(self._asking), "two requests for one job"
        for request_id, match in self._yielding.items():
            assert self._asked.get(request_id, match.job) == match.job, f"request {request_id} is for another job"
