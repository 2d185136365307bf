"""The same changes of many jobs as one entry: the log and the image are those of the records one by one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, NEW_AD, SET, Alike, Change, one_by_one
from condor_py.store.adlog import check_writable, format_entries, format_records
from condor_py.store.job_queue import JobQueue
from condor_py.store.table import raw_items

_TEXTS = ("1", '"a b"', "Foo + 1", "undefined", '"é"')


def _entries(dice: random.Random) -> list[Change | Alike]:
    """Changes of jobs of two clusters, some of them alike, with names in several spellings."""
    found: list[Change | Alike] = []
    for _ in range(dice.randrange(1, 6)):
        changes = []
        for _ in range(dice.randrange(1, 5)):
            name = dice.choice(("Foo", "foo", "Args", "Own"))
            deletes = dice.random() < 0.3
            changes.append(Change(DELETE, "", name) if deletes else Change(SET, "", name, dice.choice(_TEXTS)))
        jobs = dice.sample([JobId(c, p) for c in (1, 2) for p in range(4)], dice.randrange(1, 8))
        entry = Alike(tuple(jobs), tuple(changes))
        found += [entry] if dice.random() < 0.7 else list(entry.each())
    return found


def _queue(path: Path) -> JobQueue:
    queue = JobQueue(str(path))
    with queue.transaction() as tx:
        for cluster in (1, 2):
            tx.new_ad(f"0{cluster}.-1", "Job", "Machine")
            tx.set(f"0{cluster}.-1", "Args", '"of the cluster"')
            for proc in range(3):  # 1.3 and 2.3 are not there
                tx.extend([Change(NEW_AD, f"{cluster}.{proc}", "Job", "Machine")])
                tx.set(f"{cluster}.{proc}", "FOO", str(proc))
    return queue


@pytest.mark.parametrize("seed", range(12))
def test_file_and_image_are_those_of_single_records(tmp_path: Path, seed: int) -> None:
    entries = _entries(random.Random(seed))
    assert format_entries(entries) == format_records(list(one_by_one(entries)))
    together, single = _queue(tmp_path / "a.log"), _queue(tmp_path / "b.log")
    again = JobQueue(str(tmp_path / "a.log"), readonly=True)
    with together.transaction() as tx:
        tx.extend(entries)
    with single.transaction() as tx:
        tx.extend(one_by_one(entries))
    again.refresh()
    for queue in (together, single, again):
        queue.close()
    for other in (single, again):
        assert {key: sorted(raw_items(ad)) for key, ad in together.ads.items()} == {
            key: sorted(raw_items(ad)) for key, ad in other.ads.items()
        }


@pytest.mark.parametrize("bad", [Change(SET, "", "Foo", "a\nb"), Change(SET, "", "Fo o", "1"), Change(DELETE, "", "")])
def test_what_no_log_can_hold_is_refused(bad: Change) -> None:
    with pytest.raises(ValueError):
        check_writable([Change(SET, "1.0", "Foo", "1"), Alike((JobId(1, 0), JobId(1, 1)), (bad,))])
