"""What cycles leave for later questions: shares, demand, reasons and use over time, each as it was."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest
from negotiator_pool import NOW, claimed, demand, job_ad, partitionable, slot
from watched_cycles import Watched

from condor_py.core.match.explain import ALL_TAKEN, CEILING_REACHED, LIMIT_EXCEEDED, NO_MATCH
from condor_py.core.match.recording import MOST_REASONS, MOST_SUBMITTERS
from condor_py.model.cyclerecords import CycleRecord
from condor_py.model.settings.history import CycleHistorySettings
from condor_py.model.settings.negotiator import AccountantSettings, NegotiatorSettings
from condor_py.store.cyclelog import CycleLog, decode, encode, records

A, B = "alice@example.net", "bob@example.net"


def test_two_users_on_one_machine() -> None:
    pool = Watched([slot(number) for number in range(4)])
    pool.user(A, factor=1000.0)
    pool.user(B, factor=3000.0)
    pool.cycle(demand(A, (10, job_ad())), demand(B, (10, job_ad())))
    pool.slots = [claimed(ad, A if number < 3 else B) for number, ad in enumerate(pool.slots)]
    pool.cycle(demand(A, (7, job_ad()), running=3.0), demand(B, (9, job_ad()), running=1.0))
    pool.now += 100
    record = pool.record()
    alice, bob = record.submitters[A], record.submitters[B]
    assert (record.begin, record.end, record.cycles, record.known) == (NOW, NOW + 100, 2, 100)
    assert (alice.matched, bob.matched) == (3, 1)
    assert (alice.used, bob.used) == (300.0, 100.0)
    assert (alice.idle, alice.waiting, alice.present) == (7, 100, 100)
    assert (alice.share, bob.share) == pytest.approx((0.75, 0.25), abs=0.01)
    assert (alice.entitled, bob.entitled) == pytest.approx((300.0, 100.0), rel=0.01)
    assert (alice.asked, alice.due) == (1000.0, alice.entitled)
    assert {text: (why.seconds, why.jobs) for text, why in alice.reasons.items()} == {LIMIT_EXCEEDED: (100, 7)}
    assert (record.weight, record.free, record.drained) == (400.0, 0.0, 0.0)
    assert (bob.factor, bob.priority) == (3000.0, bob.real * 3000.0)
    pool.now += 10
    assert pool.record().submitters[A].used == 30.0


def test_what_has_left_the_queue_meanwhile_is_told_of() -> None:
    pool = Watched([slot(0)])
    pool.cycle(demand(A, (1, job_ad())))
    pool.slots = [claimed(slot(0), A)]
    pool.cycle(demand(A, running=1.0))
    pool.now += 50
    assert pool.record().submitters[A].used == 50.0
    pool.now += 20
    pool.accountant.update(pool.now)
    pool.slots = [slot(0)]
    pool.cycle(demand(B, (1, job_ad())))
    pool.now += 5
    assert pool.record().submitters[A].used == 20.0


def test_reasons_lost_slots_and_ceilings() -> None:
    settings = NegotiatorSettings(preemption_requirements="true")
    pool = Watched([claimed(slot(0), B), slot(1), slot(2, State="Drained", Start=False)], settings)
    pool.user(A, rup=0.5, factor=1000.0)
    pool.user(B, rup=50.0, factor=1000.0, ceiling=0)
    big = job_ad(RequestMemory=99999)
    pool.cycle(demand(A, (2, job_ad())), demand(B, (3, job_ad()), (1, big), running=1.0))
    pool.now += 10
    record = pool.record()
    assert record.submitters[B].lost == {A: 1}
    assert record.submitters[B].ceiling == 0
    assert record.submitters[B].reasons[CEILING_REACHED].jobs == 3
    assert record.submitters[B].due == 0.0
    assert record.drained == 10.0
    assert record.free == 0.0


def test_a_job_that_fits_nothing_is_no_victim_of_a_full_machine() -> None:
    pool = Watched([partitionable(1, 4, 4096)])
    pool.cycle(demand(A, (2, job_ad(RequestMemory=99999))))
    pool.now += 10
    record = pool.record()
    assert list(record.submitters[A].reasons) == [NO_MATCH]
    assert record.free == 40.0


def test_who_waits_for_a_full_machine() -> None:
    pool = Watched([claimed(slot(0), B)], NegotiatorSettings(consider_preemption=False))
    pool.cycle(demand(A, (2, job_ad())), demand(B, running=1.0))
    pool.now += 10
    assert list(pool.record().submitters[A].reasons) == [ALL_TAKEN]


def test_groups() -> None:
    from condor_py.model.settings.negotiator import GroupSettings

    groups = (GroupSettings("physics", quota=1.0), GroupSettings("chemistry", quota=3.0))
    pool = Watched(
        [slot(number) for number in range(4)],
        NegotiatorSettings(groups=groups),
        AccountantSettings(group_names=("physics", "chemistry")),
    )
    pool.cycle(demand("physics.alice@example.net", (9, job_ad())))
    pool.now += 10
    record = pool.record()
    assert record.submitters["physics.alice@example.net"].group == "physics"
    assert (record.groups["physics"].quota, record.groups["physics"].allowed) == (1.0, 10.0)
    assert record.groups["physics"].asked == 90.0


def test_no_schedd_means_that_nothing_is_known() -> None:
    pool = Watched([slot(0)])
    pool.cycle(demand(A, (1, job_ad(RequestCpus=99))))
    pool.now += 10
    pool.recorder.lost_touch(pool.now)
    pool.now += 1000
    record = pool.record()
    assert (record.known, record.end - record.begin) == (10, 1010)
    assert record.submitters[A].waiting == 10


def test_a_quiet_pool_is_recorded_rarely_and_clocks_may_go_back() -> None:
    pool = Watched([slot(0)])
    pool.cycle()
    pool.now += 60
    assert pool.recorder.take(pool.now, 60) is None
    pool.now += 900
    assert pool.recorder.take(pool.now, 60) is not None
    pool.now -= 5000
    pool.cycle(demand(A, (1, job_ad())))
    pool.now += 60
    record = pool.record()
    assert (record.end - record.begin, record.known) == (60, 60)


def test_a_record_is_bounded() -> None:
    pool = Watched([slot(0)])
    limits = [demand(f"u{number}@x", (1, job_ad()), cluster=number) for number in range(MOST_SUBMITTERS + 50)]
    pool.cycle(*limits)
    pool.now += 1
    assert len(pool.record().submitters) == MOST_SUBMITTERS
    many = [(1, job_ad(ConcurrencyLimits=f"limit{number}:2", Tag=number)) for number in range(40)]
    pool.settings = NegotiatorSettings()
    pool.cycle(demand(A, *many))
    pool.now += 1
    assert len(pool.record().submitters[A].reasons) <= MOST_REASONS + 1


def written() -> CycleRecord:
    pool = Watched([slot(number) for number in range(2)])
    pool.user(A, ceiling=0)
    pool.cycle(demand(A, (10, job_ad())), demand(B, (10, job_ad(RequestMemory=99999))))
    pool.now += 100
    return pool.record()


def test_records_come_back_from_the_file(tmp_path: Path) -> None:
    record = written()
    assert decode(encode(record)) == record
    path = tmp_path / "negotiation_history"
    log = CycleLog(CycleHistorySettings(str(path), max_size=3000, rotations=1))
    for number in range(40):
        log.append(CycleRecord(NOW + number, NOW + number + 1, 1, 1, submitters=record.submitters), NOW + number)
    found = [one.begin for one in records(str(path))]
    assert found == list(range(found[0], NOW + 40))
    assert 5 < len(found) < 40, "the oldest are gone"
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2 * 3000 + 1000
    assert [one.begin for one in records(str(path), NOW + 38)] == [NOW + 38, NOW + 39]


def test_damage_never_gets_out() -> None:
    line = encode(written())
    chance = random.Random(4)
    strange = (b"1e999", b"-1", b"null", b'"x"', b"[]", b"{}", b"NaN", b"99999999999999999999999", b"true", b"1e400")
    for _ in range(3000):
        at = chance.randrange(len(line))
        piece = chance.choice(strange) if chance.random() < 0.7 else bytes([chance.randrange(256)])
        record = decode(line[:at] + piece + line[at + chance.randrange(6) :])
        if record is not None:
            json.dumps(asdict(record), allow_nan=False)
            assert all(type(count) is int for part in record.submitters.values() for count in part.lost.values())


def test_what_a_crash_tore_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "negotiation_history"
    log = CycleLog(CycleHistorySettings(str(path)))
    log.append(CycleRecord(1, 2, 1), 2)
    path.write_bytes(path.read_bytes() + b'{"v":1,"t":[2,')
    log.append(CycleRecord(3, 4, 1), 4)
    path.write_bytes(path.read_bytes() + b'{"v":2}\nnonsense\n[[[\n')
    assert [one.begin for one in records(str(path))] == [1, 3]
    assert list(records(str(tmp_path / "none"))) == []
