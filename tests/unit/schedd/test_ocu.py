"""Owner capacity units: slots that stay with an owner, for those of his jobs that want them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from world import World

from condor_py.core.jobs import ocu
from condor_py.core.jobs.demand import demand
from condor_py.core.jobs.effects import Effect
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    ClientWrites,
    OcuMade,
    OcuRemoved,
    OrderRefused,
    Planned,
    Tick,
    UsersFound,
)
from condor_py.core.jobs.parts import Ocu
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate, Deactivate, ReleaseClaim, RequestClaim, WithdrawClaim
from condor_py.model.plan import Match, Plan, Preemption
from condor_py.model.record import DESTROY_AD, Change
from condor_py.model.states import JobStatus

ALICE, BOB = Caller("alice"), Caller("bob")
REQUEST = [("Owner", '"alice"'), ("RequestCpus", "1"), ("RequestMemory", "64"), ("RequestDisk", "1")]
WANTED = {"OCUWanted": "true", "Requirements": "TARGET.OCU =?= true"}
SLOT = {"OCU": "true", "OCUId": "50"}


def made(**settings: object) -> World:
    """A schedd with one unit, number 50."""
    world = World(**settings)
    world.connect()
    world.slot_more = dict(SLOT)
    create(world)
    return world


def create(world: World, caller: Caller = ALICE, request: list[tuple[str, str]] = REQUEST, number: int = 50) -> Ocu:
    unit, records = ocu.requested(world.core.state, caller, request, number)
    world.core.handle(OcuMade(unit), world.now)
    world.core.handle(ClientWrites(records), world.now)
    world.turn()
    return unit


def remove(world: World, caller: Caller, number: int) -> None:
    records = ocu.removal(world.core.state, caller, number)
    world.core.handle(OcuRemoved(number), world.now)
    world.core.handle(ClientWrites(records), world.now)


def asked(world: World) -> list[JobId]:
    """What the negotiator gets to see."""
    return [job for wanted in demand(world.core.state) for request in wanted.requests for job in request.jobs]


def request_slot(world: World) -> RequestClaim:
    unit = world.core.state.ocus.units[50]
    world.core.handle(Planned(Plan((Match(unit.asker, "alice@example.net", "slot1@vm", 1.0),))), world.now)
    (request,) = [effect for effect in world.turn() if isinstance(effect, RequestClaim)]
    return request


def get_slot(world: World) -> list[Effect]:
    """The negotiator matches the unit, the startd agrees."""
    return world.grant(request_slot(world))


def state(world: World) -> str | None:
    (ad,) = world.core.ocu_ads()
    return ad.eval_str("OCUState")


def starts(effects: list[Effect]) -> list[JobId]:
    return [effect.job for effect in effects if isinstance(effect, Activate)]


def test_a_unit_asks_for_a_slot_and_keeps_it_without_jobs() -> None:
    world = made(claim_worklife=10)
    assert asked(world) == [world.core.state.ocus.units[50].asker]
    assert state(world) == "U"
    assert not [effect for effect in get_slot(world) if isinstance(effect, ReleaseClaim)]
    world.now += 3600
    assert not world.turn()
    assert asked(world) == []
    assert state(world) == "I"


def test_only_jobs_that_want_it_run_on_it_one_after_the_other() -> None:
    world = made()
    world.submit(1)
    first, second = world.submit(2, 2, **WANTED)
    world.submit(3, Owner='"bob"', User='"bob@example.net"', **WANTED)
    assert starts(get_slot(world)) == [first]
    assert state(world) == "R"
    world.started(first)
    assert starts(world.ended(first, exit_code=0)) == [second]
    world.started(second)
    assert starts(world.ended(second, exit_code=0)) == []
    assert state(world) == "I"
    assert not world.told(ReleaseClaim)


def test_jobs_that_want_units_do_not_start_on_other_slots() -> None:
    world = World()
    world.connect()
    world.slot_more = {"OCU": "true"}  # whoever says that he has a unit has none
    (job,) = world.submit(1)
    (wanting,) = world.submit(2, **WANTED)
    world.match(job)
    world.started(job)
    assert starts(world.ended(job, exit_code=0)) == []
    assert world.status(wanting) == JobStatus.IDLE


def test_who_is_willing_borrows_the_slot_until_the_owner_wants_it() -> None:
    world = made()
    world.submit(1, Owner='"bob"', User='"bob@example.net"')
    (guest,) = world.submit(2, Owner='"bob"', User='"bob@example.net"', OCUWilling="true")
    assert starts(get_slot(world)) == [guest]
    world.started(guest)
    (job,) = world.submit(3, **WANTED)
    assert [effect.graceful for effect in world.seen if isinstance(effect, Deactivate)] == [False]
    world.turn()
    assert len(world.told(Deactivate)) == 1
    assert starts(world.ended(guest, exit_signal=9, vacated=True)) == [job]
    assert world.status(guest) == JobStatus.IDLE
    (ad,) = world.core.ocu_ads()
    assert (ad.eval_int("OCUOwnerActivations"), ad.eval_int("OCUBorrowerActivations")) == (1, 1)


def test_what_units_do_is_counted_by_their_owner() -> None:
    world = made()
    assert ocu.counts(world.core.state) == {}
    get_slot(world)
    (guest,) = world.submit(2, Owner='"bob"', User='"bob@example.net"', OCUWilling="true")
    world.turn()
    world.started(guest)
    owner = f"alice@{world.core.settings.submitter_domain}"
    assert ocu.counts(world.core.state) == {owner: ocu.OcuCounts(claimed=1, borrowed=1)}
    (job,) = world.submit(3, **WANTED)
    assert ocu.counts(world.core.state)[owner] == ocu.OcuCounts(claimed=1, borrowed=1, wanted=1)
    world.ended(guest, exit_signal=9, vacated=True)
    world.started(job)
    assert ocu.counts(world.core.state)[owner] == ocu.OcuCounts(claimed=1, wanted=1, running=1)


def test_a_lost_or_refused_slot_is_asked_for_again() -> None:
    world = made()
    unit = world.core.state.ocus.units[50]
    request = request_slot(world)
    assert asked(world) == []
    world.handle(ClaimRefused(request.id, "no"))
    assert asked(world) == [unit.asker]
    get_slot(world)
    world.handle(ClaimLost(unit.claim_id, 0, "preempted"))
    assert asked(world) == [unit.asker]


def test_removing_a_unit_gives_the_slot_back() -> None:
    world = made()
    get_slot(world)
    remove(world, ALICE, 50)
    assert len([effect for effect in world.turn() if isinstance(effect, ReleaseClaim)]) == 1
    assert asked(world) == []
    assert world.queue.user.text("ocus") is None


def test_removing_a_unit_whose_job_runs_vacates_it_and_then_gives_the_slot_back() -> None:
    world = made()
    (job,) = world.submit(1, **WANTED)
    get_slot(world)
    assert world.status(job) == JobStatus.RUNNING
    claim_id = world.core.runs[job].claim_id
    remove(world, ALICE, 50)
    effects = world.turn()
    (stop,) = [effect for effect in effects if isinstance(effect, Deactivate)]
    assert (stop.claim, stop.graceful) == (claim_id, True)
    assert not [effect for effect in effects if isinstance(effect, ReleaseClaim)]
    assert not list(world.core.ocu_ads())
    effects = world.ended(job, vacated=True)
    assert [effect.claim for effect in effects if isinstance(effect, ReleaseClaim)] == [claim_id]
    assert world.status(job) == JobStatus.IDLE


def test_a_slot_that_comes_after_the_removal_goes_back() -> None:
    world = made()
    request = request_slot(world)
    remove(world, ALICE, 50)
    assert [effect.id for effect in world.turn() if isinstance(effect, WithdrawClaim)] == [request.id]
    assert [effect for effect in world.grant(request) if isinstance(effect, ReleaseClaim)]


def test_units_survive_the_schedd_and_find_their_slots() -> None:
    world = made()
    create(world, number=51, request=[*REQUEST, ("OCUName", '"mine; [x]"'), ("Requirements", "TARGET.A > 1 || B")])
    (job,) = world.submit(1, **WANTED)
    get_slot(world)
    info = world.core.claims[world.core.state.ocus.units[50].claim_id].info
    again = World()
    again.queue.user = world.queue.user
    again.core.handle(UsersFound({2: world.queue.user}), again.now)
    assert [ad.eval_str("OCUName") for ad in again.core.ocu_ads()] == ["OCU-50", "mine; [x]"]
    kept, old = again.core.state.ocus.units[51].ad, world.core.state.ocus.units[51].ad
    assert dict(kept.text_items()) == dict(old.text_items())
    assert not [effect for effect in again.connect(info) if isinstance(effect, ReleaseClaim)]
    assert [ad.eval_str("OCUState") for ad in again.core.ocu_ads()] == ["I", "U"]
    assert world.status(job) == JobStatus.RUNNING


def test_only_the_owner_and_super_users_may() -> None:
    world = made()
    with pytest.raises(ocu.OcuError, match="Permission denied"):
        ocu.requested(world.core.state, BOB, REQUEST, 60)
    with pytest.raises(ocu.OcuError, match="Permission denied"):
        remove(world, BOB, 50)
    root = Caller("root", superuser=True)
    assert create(world, root, number=60).owner == "alice"
    remove(world, root, 60)
    with pytest.raises(ocu.OcuError, match="OCU not found: 60"):
        remove(world, root, 60)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ([], "Missing required attribute: Owner"),
        ([("Owner", '"nobody"')], "Owner not found: nobody"),
        ([*REQUEST, ("Requirements", "1 +")], "Bad attribute in the OCU request: Requirements"),
        ([*REQUEST, ("RequestCpus", "-1")], "RequestCpus"),
        ([*REQUEST, ("A", f'"{"x" * 20_000}"')], "at most"),
    ],
)
def test_bad_requests_leave_nothing(request_: list[tuple[str, str]], words: str) -> None:
    world = World()
    world.connect()
    with pytest.raises(ocu.OcuError, match=words):
        ocu.requested(world.core.state, Caller("root", superuser=True), request_, 50)
    assert not world.core.state.ocus


def test_a_unit_is_charged_to_its_owner() -> None:
    world = made()
    unit = create(world, number=51, request=[*REQUEST, ("AccountingGroup", '"others"'), ("OCUId", "50")])
    assert unit.ad.text("AccountingGroup") is None
    assert unit.ad.eval_int("OCUId") == 51


def test_records_that_are_no_units_are_passed_over() -> None:
    broken = ClassAd.from_text_items([("User", '"alice@example.net"'), ("ocus", "{ 1, [ A = 1 ], undefined }")])
    world = World()
    users = {2: broken, 3: ClassAd.from_text_items([("ocus", "3")])}
    world.core.handle(UsersFound(users), world.now)
    assert not world.core.state.ocus
    assert world.queue.user_record_of("alice@example.net") is not None


GUEST = {"Owner": '"bob"', "User": '"bob@example.net"', "OCUWilling": "true"}


def test_what_the_startd_gets_instead_of_a_job() -> None:
    world = made()
    unit = world.core.state.ocus.units[50]
    assert world.core.request_ad(unit.asker) is unit.ad
    assert world.core.request_ad(JobId(51, unit.asker.proc)) is None
    assert world.core.request_ad(JobId(50, 0)) is None


def test_a_unit_with_a_slot_asks_for_none() -> None:
    world = made()
    get_slot(world)
    unit = world.core.state.ocus.units[50]
    world.handle(Planned(Plan((Match(unit.asker, "alice@example.net", "slot1@vm", 1.0),))))
    assert len(world.told(RequestClaim)) == 1


def test_what_others_have_to_give_way_for_is_promised_to_the_unit() -> None:
    """It is not asked for at once, and the negotiator knows of it; a plain request is answered at once."""
    world = made()
    unit = world.core.state.ocus.units[50]
    match = Match(unit.asker, "alice@example.net", "slot1@vm", 1.0, Preemption.PRIORITY, ("slot1_9@vm",))
    world.handle(Planned(Plan((match,))))
    assert not world.core.claims.awaits_answer
    other = made()
    request_slot(other)
    assert other.core.claims.awaits_answer


def test_a_slot_that_is_being_given_back_is_the_units_no_more() -> None:
    world = made()
    get_slot(world)
    claim_id = world.core.state.ocus.units[50].claim_id
    world.handle(OrderRefused(claim_id, job="", reason="no such activation"))
    assert state(world) == "U"
    assert asked(world) == [world.core.state.ocus.units[50].asker]
    assert starts(get_slot(world)) == []
    assert state(world) == "I"
    remove(world, ALICE, 50)
    world.turn()
    assert len(world.told(ReleaseClaim)) == 2


def test_the_slot_of_a_removed_unit_is_for_nobody_else() -> None:
    world = made()
    get_slot(world)
    (job,) = world.submit(1)
    remove(world, ALICE, 50)
    effects = world.turn()
    assert [type(effect) for effect in effects if isinstance(effect, ReleaseClaim | Activate)] == [ReleaseClaim]
    assert world.status(job) == JobStatus.IDLE


def test_units_of_several_users_are_kept_apart() -> None:
    world = made()
    other = Ocu(60, "bob@example.net", "bob", ClassAd({"OCUId": 60}))
    world.handle(OcuMade(other))
    records = ocu.removal(world.core.state, ALICE, 50)
    assert [(record.key, record.name) for record in records] == [("0.2", "ocus")]
    assert ocu.removal(world.core.state, BOB, 60) == [], "he has no record"
    world.core.handle(OcuRemoved(50), world.now)
    assert list(world.core.state.ocus.units) == [60]


def test_a_units_request_may_have_so_many_bytes() -> None:
    world = World()
    plain = [("Owner", '"alice"')]
    room = 16 * 1024 - sum(len(name) + len(text) for name, text in plain) - 3
    create(world, request=[*plain, ("A", f'"{"x" * room}"')])
    with pytest.raises(ocu.OcuError, match="at most 16384 bytes"):
        create(world, request=[*plain, ("A", f'"{"x" * (room + 1)}"')], number=51)


@pytest.mark.parametrize("text", ['"x"', "0", "TARGET.Memory", "undefined"])
def test_a_unit_asks_for_numbers(text: str) -> None:
    world = World()
    with pytest.raises(ocu.OcuError, match="RequestMemory of an OCU has to be a number above 0"):
        create(world, request=[("Owner", '"alice"'), ("RequestMemory", text)])


def test_only_whole_records_of_units_count() -> None:
    world = World()
    kept = '{ [ OCUId = 5; Owner = "alice" ] }'
    users = {
        2: ClassAd.from_text_items([("User", '"bob@x"')]),
        3: ClassAd.from_text_items([("ocus", kept)]),
        4: ClassAd.from_text_items([("User", '"alice@x"'), ("ocus", kept)]),
    }
    world.core.handle(UsersFound(users), world.now)
    assert [(unit.number, unit.owner) for unit in world.core.state.ocus.units.values()] == [(5, "alice")]
    del users[4]
    world = World()
    world.core.handle(UsersFound(users), world.now)
    assert not world.core.state.ocus


def test_the_slot_of_another_submitter_is_not_taken_for_the_units() -> None:
    world = made()
    get_slot(world)
    info = world.core.claims[world.core.state.ocus.units[50].claim_id].info
    again = World()
    again.core.handle(UsersFound({2: world.queue.user}), again.now)
    effects = again.connect(replace(info, submitter="bob@example.net"))
    assert [type(effect) for effect in effects if isinstance(effect, ReleaseClaim)] == [ReleaseClaim]


def test_who_borrows_first_and_which_of_his_own_jobs_runs_first() -> None:
    """Borrowers by name; of the owner's jobs those that no group pays for."""
    world = made()
    world.submit(1, **{**GUEST, "Owner": '"zoe"', "User": '"zoe@example.net"'})
    (guest,) = world.submit(2, **GUEST)
    assert starts(get_slot(world)) == [guest]
    world = made()
    world.submit(1, AccountingGroup='"aaa.alice"', **WANTED)
    (mine,) = world.submit(2, **WANTED)
    assert starts(get_slot(world)) == [mine]


def test_the_owners_own_job_is_not_called_back_for_his_next() -> None:
    world = made()
    first, second = world.submit(1, 2, **WANTED)
    assert starts(get_slot(world)) == [first]
    for _ in range(3):
        assert not [effect for effect in world.handle(Tick()) if isinstance(effect, Deactivate)]
    assert world.status(second) == JobStatus.IDLE


def test_each_unit_calls_back_what_it_has_lent() -> None:
    """One has no slot, one has lent its own, the next as well: a job of the owner has both called back in turn."""
    world = made()
    create(world, number=40)
    create(world, number=60)
    world.core.state.ocus.units = dict(sorted(world.core.state.ocus.units.items()))
    for number in (50, 60):
        world.slot_more = {"OCU": "true", "OCUId": str(number)}
        (guest,) = world.submit(number, **GUEST)
        unit = world.core.state.ocus.units[number]
        world.handle(Planned(Plan((Match(unit.asker, "alice@example.net", "slot1@vm", 1.0),))))
        world.grant(world.told(RequestClaim)[-1])
        world.started(guest)
    world.submit(1, 2, **WANTED)
    assert len(world.told(Deactivate)) == 2


def test_a_guest_that_was_taken_out_of_the_queue_is_on_its_way() -> None:
    world = made()
    (guest,) = world.submit(1, **GUEST)
    get_slot(world)
    world.started(guest)
    world.written([Change(DESTROY_AD, str(guest))])
    world.submit(2, **WANTED)
    assert len(world.told(Deactivate)) == 1
    assert ocu.counts(world.core.state)["alice@example.net"] == ocu.OcuCounts(claimed=1, wanted=1)


def test_a_running_job_that_was_taken_out_of_the_queue_wants_nothing() -> None:
    world = made()
    (job,) = world.submit(1, **WANTED)
    get_slot(world)
    world.written([Change(DESTROY_AD, str(job))])
    assert ocu.counts(world.core.state) == {"alice@example.net": ocu.OcuCounts(claimed=1)}
