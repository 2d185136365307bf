"""What the daemon keeps for the schedd until the startd is done with it: requests behind victims, and releases."""

from __future__ import annotations

from typing import NoReturn

import pytest
from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots.pending import PendingClaims


def request(slot: str, name: str = "wanted") -> ev.ClaimRequest:
    return ev.ClaimRequest(name, slot, "bob@example.net", "bob", job_ad(RequestCpus="4"))


class Desk:
    """A desk at a machine on which alice has jobs on two dynamic slots of four cores each."""

    def __init__(self) -> None:
        self.bench = Bench(settings({"machine_max_vacate_time": "60"}))
        self.claims = [self.bench.running("slot1@vm", job_ad(RequestCpus="4")) for _ in (1, 2)]
        self.desk = PendingClaims(self.bench.startd.claimed_slots, self.bench.do)

    def granted(self) -> list[str]:
        return [effect.slot_name for effect in self.bench.all_effects if isinstance(effect, fx.ClaimGranted)][2:]

    def vacated(self) -> list[int]:
        return [effect.code for effect in self.bench.all_effects if isinstance(effect, fx.SoftKill)]

    def end(self, *numbers: int) -> list[str]:
        for number in numbers:
            self.bench.end(self.claims[number], vacated=True, exit_signal=15)
        return self.desk.settle()


def test_a_request_without_victims_goes_to_the_startd_at_once() -> None:
    desk = Desk()
    desk.desk.request(request("slot1@vm"), (), by_rank=False)
    assert desk.bench.only(fx.ClaimRefused).id == "wanted"  # all cores are taken


@pytest.mark.parametrize(("by_rank", "code"), [(True, 1018), (False, 1019)])
def test_a_request_waits_for_all_of_its_victims(by_rank: bool, code: int) -> None:
    desk = Desk()
    desk.desk.request(request("slot1@vm"), ("slot1_2@vm", "slot1_1@vm"), by_rank)
    assert desk.vacated() == [code, code]
    assert desk.end(0) == []
    assert desk.granted() == []
    desk.end(1)
    assert desk.granted() == ["slot1_1@vm"]
    desk.desk.settle()
    assert len(desk.granted()) == 1


def test_several_requests_wait_for_the_same_victims() -> None:
    """As those of the nodes of a parallel job do: each victim is vacated once, and the slot that the first request gets
    has the name of one that was left."""
    desk = Desk()
    for name in "first", "second":
        desk.desk.request(request("slot1@vm", name), ("slot1_1@vm", "slot1_2@vm"), by_rank=False)
    assert len(desk.vacated()) == 2
    desk.end(0, 1)
    assert desk.granted() == ["slot1_1@vm", "slot1_2@vm"]


def test_the_slot_that_is_asked_for_itself_is_preempted_by_the_startd() -> None:
    desk = Desk()
    desk.desk.request(request("slot1_1@vm"), ("slot1_1@vm",), by_rank=False)
    assert "slot1_1: State change: preempting claim based on user priority" in desk.bench.log
    desk.bench.end(desk.claims[0], vacated=True, exit_signal=15)
    assert desk.granted() == ["slot1_1@vm"]


def test_one_victim_on_another_slot_is_waited_for_and_then_its_parent_is_claimed() -> None:
    desk = Desk()
    desk.desk.request(request("slot1_2@vm"), ("slot1_1@vm",), by_rank=True)
    assert desk.vacated() == [1018]
    desk.end(0)
    assert desk.granted() == ["slot1_1@vm"]


def test_victims_that_are_gone_already_are_not_waited_for() -> None:
    desk = Desk()
    desk.bench.end(desk.claims[0], exit_code=0)
    desk.bench.do(ev.ReleaseClaim(desk.claims[0]))
    desk.desk.request(request("slot1@vm"), ("slot1_1@vm", "slot1_9@vm"), by_rank=False)
    assert desk.granted() == ["slot1_1@vm"]


@pytest.mark.parametrize(("name", "granted"), [("wanted", 0), ("another", 1)])
def test_a_request_that_is_withdrawn_is_not_served_any_more(name: str, granted: int) -> None:
    desk = Desk()
    desk.desk.request(request("slot1@vm"), ("slot1_1@vm", "slot1_2@vm"), by_rank=False)
    desk.desk.withdraw(name)
    desk.end(0, 1)
    assert len(desk.granted()) == granted


def test_a_better_claim_that_is_withdrawn_leaves_the_job_alone() -> None:
    bench = Bench(settings({"max_job_retirement_time": "100", "machine_max_vacate_time": "10"}))
    bench.running("slot1@vm")
    desk = PendingClaims(bench.startd.claimed_slots, bench.do)
    desk.request(request("slot1_1@vm"), ("slot1_1@vm",), by_rank=False)
    assert bench.place("slot1_1") == "Claimed/Retiring"
    desk.withdraw("wanted")
    assert bench.place("slot1_1") == "Claimed/Busy"


def test_the_requests_of_a_schedd_that_is_gone_are_forgotten() -> None:
    desk = Desk()
    desk.desk.request(request("slot1@vm"), ("slot1_1@vm", "slot1_2@vm"), by_rank=False)
    desk.desk.forget_requests()
    desk.end(0, 1)
    assert desk.granted() == []


def test_claims_that_are_given_back_are_told_when_they_are_gone_and_once() -> None:
    desk = Desk()
    assert desk.desk.settle() == []
    desk.desk.release(desk.claims[0])
    assert desk.desk.settle() == []  # its job has to end first
    assert desk.end(0) == [desk.claims[0]]
    assert desk.end(1) == []
    assert desk.desk.settle() == []


def test_a_request_looks_at_no_other_claims() -> None:
    """In a machine with many claims each would take time for all of them."""

    class Untouched(dict[str, str]):
        def items(self) -> NoReturn:
            raise AssertionError("all claims are looked at")

        __iter__ = keys = items

    told: list[ev.Event] = []
    request = ev.ClaimRequest("r1", "slot1@vm", "a@x", "a", job_ad())
    desk = PendingClaims(Untouched, told.append)
    desk.request(request, (), by_rank=False)
    assert (told, desk.settle()) == ([request], [])
