"""condor_userprio -explain on pools made so that one thing is the reason: it is told with its figures, and no other."""

from __future__ import annotations

import pytest
from negotiator_pool import NOW, Pool, claimed, demand, job_ad, slot

from condor_py.cli.userprio.explain import compared, lines
from condor_py.cli.userprio.past import face_to_face, look_back, named
from condor_py.core.accounts import edits
from condor_py.core.match import SubmitterDemand, negotiate
from condor_py.core.match.recording import Recorder
from condor_py.lang.classad import ClassAd
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.settings.negotiator import (
    AccountantSettings,
    ConcurrencySettings,
    GroupSettings,
    NegotiatorSettings,
)

A, B = "alice@example.net", "bob@example.net"
MINUTE = 60


class Night:
    """A machine of four cores whose jobs run until the morning; each minute has a cycle and a record."""

    def __init__(
        self, settings: NegotiatorSettings | None = None, accounting: AccountantSettings | None = None
    ) -> None:
        self.pool = Pool([slot(number) for number in range(4)], settings, accounting)
        self.recorder = Recorder(self.pool.accountant)
        self.wants: dict[str, tuple[int, ClassAd]] = {}
        self.records: list[CycleRecord] = []

    def minute(self) -> None:
        """A cycle; what matched runs on."""
        pool = self.pool
        running = dict.fromkeys(self.wants, 0.0)
        for ad in pool.slots:
            holder = ad.eval_str("RemoteUser", "")
            if holder:
                running[holder] = running.get(holder, 0.0) + 1.0
        demands: list[SubmitterDemand] = []
        for name in sorted(running):
            count, ad = self.wants.get(name, (0, job_ad()))
            requests = [(count, ad)] if count else []
            demands.append(demand(name, *requests, running=running[name]))
        snapshot = pool.snapshot(*demands)
        done = negotiate(snapshot, pool.accountant, pool.settings)
        self.recorder.observe(done, snapshot)
        for match in done.plan.matches:
            index = next(i for i, ad in enumerate(pool.slots) if ad.eval_str("Name", "") == match.slot)
            pool.slots[index] = claimed(slot(index), match.submitter)
            count, ad = self.wants[match.submitter]
            self.wants[match.submitter] = count - 1, ad
        pool.now += MINUTE
        pool.accountant.update(pool.now)
        record = self.recorder.take(pool.now, MINUTE)
        if record is not None:
            self.records.append(record)

    def pass_by(self, minutes: int = 10) -> None:
        for _ in range(minutes):
            self.minute()

    def why(self, name: str = A, *others: str) -> str:
        times = look_back(self.records, 0, 2**40)
        against = face_to_face(self.records, name, compared(times, name, others), 0, 2**40)
        return "\n".join(lines(times, name, against))


def test_a_worse_factor() -> None:
    night = Night()
    night.pool.user(A, factor=3000.0)
    night.pool.user(B, factor=1000.0)
    night.wants = {A: (9, job_ad()), B: (9, job_ad())}
    night.pass_by()
    why = night.why()
    assert "the share of alice@example.net was 25." in why
    assert "Factor: that of alice@example.net is 3 times that of bob@example.net" in why
    assert "- Share: for 1 min up to 8 jobs waited" in why
    assert "- Taken: for 9 min up to 8 jobs waited" in why
    assert "others held on average (slot weight): bob@example.net 3." in why
    assert f"{A} used 0.167 of the 0.667 slot weight hours of the pool, {B} 0.5. Why:" in why
    assert "Past use" not in why, "both had used nothing before, and bob has used more since"


def test_a_worse_priority_for_past_use() -> None:
    night = Night()
    night.pool.user(A, rup=30.0)
    night.pool.user(B, rup=10.0)
    night.wants = {A: (9, job_ad()), B: (9, job_ad())}
    night.pass_by()
    why = night.why()
    assert "Past use: the real priority of alice@example.net was 29.9" in why
    assert "Factor:" not in why


def test_never_at_the_same_time() -> None:
    night = Night()
    night.pool.user(A, factor=9000.0)
    night.wants = {A: (1, job_ad())}
    night.pass_by(3)
    night.wants.clear()
    night.pool.slots = [slot(number) for number in range(4)]
    night.pass_by(1)
    night.wants = {B: (9, job_ad())}
    night.pass_by(6)
    why = night.why()
    assert f"Priority: {A} and {B} never had jobs at the same time" in why
    assert "Factor" not in why.partition("Why:")[2]


def test_a_smaller_share_only_when_more_users_are_there_is_no_worse_priority() -> None:
    night = Night()
    night.wants = {A: (9, job_ad()), B: (9, job_ad()), "carol@example.net": (9, job_ad())}
    night.pass_by(5)
    night.wants = {B: (30, job_ad())}
    night.pool.slots = [slot(number) for number in range(4)]
    night.pass_by(20)
    why = night.why()
    assert f"Priority is not why {B} got more: while both had jobs, the share of {A} was 3" in why
    assert "Factor" not in why.partition("Why:")[2]


def test_no_demand() -> None:
    night = Night()
    night.wants = {A: (1, job_ad()), B: (3, job_ad())}
    night.pass_by()
    why = night.why()
    assert f"Demand: no job of {A} was left waiting by any cycle" in why
    assert "Nothing is missing: 0.167 was used of 0.167 that was due." in why
    assert "waited" not in why.partition("Why:")[2].replace("Jobs Waited", "")


def test_demand_only_for_a_while() -> None:
    night = Night()
    night.wants = {B: (20, job_ad())}
    night.pass_by(30)
    night.wants[A] = (5, job_ad())
    night.pass_by(10)
    why = night.why()
    assert f"Demand: for 30 min of 40 min no job of {A} waited." in why
    assert "PREEMPTION_REQUIREMENTS lets no one take them" in why
    assert "for 10 min up to 5 jobs waited because others held the slots that fit" in why


def test_a_group_quota() -> None:
    groups = (GroupSettings("physics", quota=1.0), GroupSettings("biology", quota=3.0))
    accounting = AccountantSettings(group_names=("physics", "biology"))
    night = Night(NegotiatorSettings(groups=groups), accounting)
    mine, his = f"physics.{A}", f"biology.{B}"
    night.wants = {mine: (9, job_ad()), his: (9, job_ad())}
    night.pass_by()
    why = night.why(mine)
    assert "Group quota: for 10 min up to 8 jobs waited because the quota of physics is 1 slot weight" in why
    assert f"Groups: {mine} is in physics, {his} is in biology" in why
    assert named(look_back(night.records, 0, 2**40), "alice") == [mine]


def test_a_ceiling() -> None:
    night = Night()
    night.pool.user(A, ceiling=1)
    night.wants = {A: (9, job_ad()), B: (9, job_ad())}
    night.pass_by()
    why = night.why()
    assert "Ceiling: for 10 min up to 8 jobs waited because alice@example.net used as much as a ceiling allows" in why
    assert "may use 1 slot weight at most" in why
    assert "Share:" not in why


def test_jobs_that_match_nothing() -> None:
    night = Night()
    night.wants = {A: (2, job_ad(RequestMemory=99999)), B: (1, job_ad())}
    night.pass_by()
    why = night.why()
    assert "Matches: for 10 min up to 2 jobs waited that fitted none of the slots with something left" in why
    assert "Taken" not in why


def test_concurrency_limits() -> None:
    settings = NegotiatorSettings(concurrency=ConcurrencySettings(limits=(("licence", 1.0),)))
    night = Night(settings)
    night.wants = {A: (3, job_ad(ConcurrencyLimits="licence")), B: (2, job_ad())}
    night.pool.slots[0] = claimed(slot(0), B, ConcurrencyLimits="licence")
    night.pass_by()
    assert "Concurrency limit: for 10 min up to 3 jobs waited: concurrency limit licence reached." in night.why()


def test_preempted() -> None:
    night = Night(NegotiatorSettings(preemption_requirements="true"))
    night.pool.user(A, rup=50.0)
    night.wants = {A: (4, job_ad())}
    night.pass_by(5)
    edits.set_priority(night.pool.accountant, A, 90.0)
    night.wants[B] = (4, job_ad())
    night.pass_by(15)
    why = night.why()
    lost = sum(record.submitters[A].lost.get(B, 0) for record in night.records if A in record.submitters)
    assert lost >= 3
    assert f"Preemption: {lost} slots of {A} went to {B}." in why


def test_drains_and_time_without_a_schedd() -> None:
    night = Night()
    night.wants = {A: (9, job_ad())}
    night.pool.slots = [slot(0), slot(1), *(slot(number, State="Drained", Start=False) for number in (2, 3))]
    night.pass_by(10)
    night.recorder.lost_touch(night.pool.now)
    night.pool.now += 600
    night.pass_by(1)
    why = night.why()
    assert "Drains: " in why
    assert "Of 10 min of this time nothing is known" in why


def test_who_is_compared() -> None:
    night = Night()
    night.pool.user(A, factor=3000.0)
    night.wants = {A: (9, job_ad()), B: (9, job_ad()), "carol@example.net": (9, job_ad())}
    night.pass_by()
    assert "carol" not in night.why(A, B).partition("Why:")[0]
    assert "no other user used more" in night.why("carol@example.net") or B in night.why("carol@example.net")
    assert [name for name in (A, B) if named(look_back(night.records, NOW, NOW + 90), name)] == [A, B]
    assert look_back(night.records, NOW + 99999, NOW + 199999).submitters == {}


@pytest.mark.parametrize("word", ["alice", A])
def test_names(word: str) -> None:
    night = Night()
    night.wants = {A: (9, job_ad())}
    night.pass_by(2)
    assert named(look_back(night.records, 0, 2**40), word) == [A]
    assert named(look_back(night.records, 0, 2**40), "ali") == []
