"""What is decided for many jobs or slots at once is what is decided for one after the other."""

from __future__ import annotations

from random import Random

import pytest
from negotiator_pool import Pool, claimed, demand, job_ad, partitionable, put, slot

from condor_py.core.match import SubmitterDemand
from condor_py.core.match.asked import Asked
from condor_py.core.match.consumption import slot_weight, slot_weights
from condor_py.core.match.memo import Memo
from condor_py.core.match.rank import Matchmaker
from condor_py.core.match.slices import Negotiation
from condor_py.core.match.slot import NAMES, Slot
from condor_py.core.match.values import boolean, real, string
from condor_py.lang.classad import ClassAd
from condor_py.model.plan import Plan
from condor_py.model.settings.negotiator import AccountantSettings, GroupSettings, NegotiatorSettings

USERS = ("a@x", "physics.b@x", "c@x", "physics.d@x")


def some_slots(random: Random) -> list[ClassAd]:
    ads = []
    for number in range(1, random.choice([4, 12, 40])):
        weight = random.choice([None, None, 1.0, 2.5, 0.1, 0.0])
        ad = slot(number, weight, Cpus=random.randint(1, 4), Memory=random.choice([512, 1024, 4096]))
        if random.random() < 0.1:
            ad = claimed(ad, random.choice(USERS))
        if random.random() < 0.03:
            ad = partitionable(number, random.randint(0, 8), 4000)
        ads.append(ad)
    return ads


def some_demand(random: Random) -> list[SubmitterDemand]:
    found = []
    for number, user in enumerate(USERS):
        requests = []
        for _ in range(random.randint(0, 3)):
            more = {"Rank": ("TARGET.Memory",)} if random.random() < 0.2 else {}
            memory = random.choice([1, 400, 3000])
            ad = job_ad(RequestCpus=random.randint(1, 4), RequestMemory=memory, Owner=user[0], **more)
            if random.random() < 0.1:
                ad["ConcurrencyLimits"] = "lic"
            requests.append((random.choice([1, 4, 30]), ad))
        found.append(demand(user, *requests, cluster=1 + 100 * number))
    return found


def some_pool(seed: int) -> tuple[Pool, list[SubmitterDemand]]:
    random = Random(seed)
    grouped = random.random() < 0.4
    settings = NegotiatorSettings(
        consider_preemption=random.random() < 0.5,
        preemption_requirements=random.choice(["False", "RemoteUserPrio > SubmitterUserPrio * 1.2"]),
        use_slot_weights=random.random() < 0.8,
        groups=(GroupSettings("physics", random.choice([3, 9]), accept_surplus=random.random() < 0.5),)
        if grouped
        else (),
    )
    pool = Pool(some_slots(random), settings, AccountantSettings(group_names=("physics",) if grouped else ()))
    for user in USERS:
        ceiling, floor = random.choice([-1, -1, 2, 5]), random.choice([0, 0, 2])
        pool.user(user, rup=random.choice([0.5, 3.0, 40.0]), ceiling=ceiling, floor=floor)
    return pool, some_demand(random)


def plans(seeds: range) -> list[tuple[Plan, object]]:
    found: list[tuple[Plan, object]] = []
    for seed in seeds:
        pool, wanted = some_pool(seed)
        found.append((pool.negotiate(*wanted), pool.accountant.take_log()))
    return found


def test_many_jobs_get_what_one_after_the_other_would(monkeypatch: pytest.MonkeyPatch) -> None:
    together = plans(range(150))
    monkeypatch.setattr(Negotiation, "_match_some", Negotiation._match_one)
    assert plans(range(150)) == together
    assert sum(len(plan.matches) for plan, _ in together) > 1000


ODD: tuple[dict[str, object], ...] = (
    {},
    {"Name": 3, "State": ('toUpper("claimed")',), "CurrentRank": ('real("NaN")',)},
    {"RemoteUser": "a@x", "AccountingGroup": "g.a@x", "CurrentRank": True, "Cpus": ("1 + 1",)},
    {"PreemptingUser": "", "RemoteUser": "b@x", "PartitionableSlot": True, "SlotWeight": ("Cpus * 2 - 9",)},
    {"PartitionableSlot": 1, "CurrentRank": ('real("INF")',), "SlotWeight": ('"x"',)},
    {"CurrentRank": ("error",), "SlotWeight": ('eval("Cpus")',), "PartitionableSlot": ("undefined",)},
)


@pytest.mark.parametrize("odd", [ODD, ODD[:5], ODD[:1] * 3, ()])
def test_slots_are_read_together_as_one_by_one(odd: tuple[dict[str, object], ...]) -> None:
    parent = ClassAd({"RemoteUser": "parent@x"})
    ads = [put(slot(number), more) for number, more in enumerate(odd)]
    if len(ads) > 4:
        ads[0].chain(parent)
    asked = Asked(ads, (*NAMES, "State", "Rank"))
    assert asked.strings("State") == [string(ad, "State") for ad in ads]
    assert asked.reals("CurrentRank", 7.0) == [real(ad, "CurrentRank", 7.0) for ad in ads]
    assert asked.truths("PartitionableSlot") == [boolean(ad, "PartitionableSlot") for ad in ads]
    assert [asked.given(name) for name in ("RemoteUser", "Rank")] == [len(ads) > 3, bool(ads)]
    alone = [Slot(serial, ad, 1.5) for serial, ad in enumerate(ads)]
    together = Slot.many(asked, ads, [1.5] * len(ads))
    assert [[getattr(one, name) for name in Slot.__slots__] for one in together] == [
        [getattr(one, name) for name in Slot.__slots__] for one in alone
    ]


@pytest.mark.parametrize("odd", [ODD, ODD[:5], ()])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("expression", ["", "Memory / 100 + Cpus"])
def test_slots_are_weighed_together_as_one_by_one(
    odd: tuple[dict[str, object], ...], weighted: bool, expression: str
) -> None:
    ads = [put(slot(number % 2), more) for number, more in enumerate(odd * 2)]
    settings = NegotiatorSettings(
        use_slot_weights=weighted, force_slot_weight=bool(expression), slot_weight=expression or "1"
    )
    assert slot_weights(ads, settings) == [slot_weight(ad, settings) for ad in ads]


def test_slots_that_an_expression_cannot_tell_apart_are_ranked_once() -> None:
    slots = [Slot(number, slot(number, Memory=(str(1024 * (1 + number % 2)),)), 1.0) for number in range(1, 9)]
    settings = NegotiatorSettings(post_job_rank="Memory")
    matchmaker = Matchmaker(settings, [one.ad for one in slots], [request := job_ad()])
    matchmaker.learn(slots)
    asked: list[ClassAd] = []

    def noted(ad: ClassAd, _: ClassAd) -> int | None:
        asked.append(ad)
        return ad.eval_int("Memory")

    memo = Memo(matchmaker.post_rank.kinds, frozenset(("memory",)), noted)
    assert memo.of_slots(slots, request) == [2048, 1024] * 4
    assert len(asked) == 2
