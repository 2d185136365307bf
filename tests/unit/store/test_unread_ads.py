"""Ads that nobody has looked at, changed and printed as they are: as if they had been read first."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import apply
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, SET, Change
from condor_py.store import history as history_texts
from condor_py.store import logreader
from condor_py.store.history import HistoryWriter, forwards, history_files
from condor_py.store.stored_ad import StoredAd

#: Names in several spellings, two of one length, and one that a line of a submit deletes of every job.
_NAMES = (
    "Foo", "foo", "FOO", "Bar", "Owner", "OWNER", "ProcId", "CompletionDate", "JobPreparingTasks", "Grö", "A", "Env",
    "Environment", "104",
)  # fmt: skip
_TEXTS = (
    "1", "-7", "007", "2.50", "true", "TRUE", '"a b"', '"a\\"b"', '"back\\\\"', '"alice"', '"a b, c"', "Foo+1",
    "undefined", '"é"', '"\udcff"', "[ A = 1 ]", "0x10",
    "17 % 7", "1 +  2", "1 - -2", "3 *4", "4 / 05", "1 % 2 % 3", " 3", "1.5E3",
)  # fmt: skip


def _lines(dice: random.Random, key: str, some: int) -> bytes:
    """Lines of a log about one ad, or, without a key, what an ad that nobody has looked at keeps of them."""
    made = []
    for _ in range(dice.randrange(some)):
        name = dice.choice(_NAMES)
        head = f"103 {key or 0} " if key or name[0] == "1" else ""
        made.append(f"104 {key or 0} {name}\n" if dice.random() < 0.2 else f"{head}{name} {dice.choice(_TEXTS)}\n")
    return "".join(made).encode("utf-8", "surrogateescape")


def _changes(dice: random.Random) -> tuple[Change, ...]:
    names = [dice.choice(_NAMES) for _ in range(dice.randrange(5))]
    kinds = [(name, dice.random() < 0.3) for name in names]
    return tuple([Change(DELETE, "", n) if gone else Change(SET, "", n, dice.choice(_TEXTS)) for n, gone in kinds])


def _parent(dice: random.Random) -> ClassAd | None:
    if dice.random() < 0.2:
        return None
    return ClassAd.from_text_items([(dice.choice(_NAMES), dice.choice(_TEXTS)) for _ in range(dice.randrange(1, 9))])


def _ads(dice: random.Random) -> tuple[list[StoredAd], list[StoredAd]]:
    """The same ads twice, with lines of which a few differ; some were read."""
    parent = _parent(dice)
    said = [_lines(dice, dice.choice(("", "0", "1.0")), 12) for _ in range(4)]
    both = []
    for _ in range(2):
        ads = [StoredAd(lines) for lines in said]
        for ad in ads:
            ad.parent = parent
        ads[0].has("Foo")  # reads it
        both.append(ads)
    return both[0], both[1]


@pytest.mark.parametrize("seed", range(8))
def test_a_change_is_that_of_an_ad_that_was_read_and_put_away(seed: int) -> None:
    dice = random.Random(seed)
    unread = 0
    for _ in range(100):
        (ads, others), changes = _ads(dice), _changes(dice)
        left = logreader.change(ads, changes)
        for ad in left:
            apply(ad, changes)
        for ad, other in zip(ads, others, strict=True):
            apply(other, changes)
            if ad.lines is not None and not any(ad is one for one in left):
                unread += 1
                assert other.attrs is not None, "it is read"
                other.rest()
                if other.lines is not None:  # what is no plain text stays read
                    assert ad.lines == other.lines, changes
            assert list(ad.attrs) == list(other.attrs), changes
            assert sorted(ad.pairs()) == sorted(other.pairs()), changes
    assert unread or not logreader.COMPILED


@pytest.mark.parametrize("environment", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_the_history_of_unread_ads_is_that_of_ads_that_were_read(
    seed: int, environment: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_texts, "_FEW", 1)
    dice = random.Random(seed)
    for number in range(40):
        limit, files = dice.choice((0, 0, 150, 400)), []
        unread, read = _ads(dice)
        assert all(ad.has("Foo") in (True, False) for ad in read)
        for ads, name in ((unread, f"{number}.unread"), (read, f"{number}.read")):
            writer = HistoryWriter(str(tmp_path / name), max_size=limit, rotations=100)
            writer.environment = environment
            for now in (1_800_000_000, 1_800_000_001):
                writer.append(ads, now)
            writer.close()
            files.append([Path(path).read_bytes() for path in history_files(str(tmp_path / name))])
        assert files[0] == files[1]


def test_records_of_jobs_of_one_cluster_are_made_together(tmp_path: Path) -> None:
    cluster = ClassAd.from_text_items([("ClusterId", "7"), ("Owner", '"ann"'), ("Cmd", '"/bin/true"'), ("ProcId", "0")])
    ads: list[ClassAd] = [StoredAd(f'ProcId {proc}\nStep {proc} % 7\nEnv "A={proc}"\n'.encode()) for proc in range(50)]
    for ad in ads:
        ad.parent = cluster
    writer = HistoryWriter(str(tmp_path / "history"))
    writer.append(ads, 1_800_000_000)
    writer.close()
    records = list(forwards(str(tmp_path / "history")))
    assert [record.job() for record in records] == [JobId(7, proc) for proc in range(50)]
    assert records[3].text == 'Cmd = "/bin/true"\nEnv = "A=3"\nStep = 3 % 7\nOwner = "ann"\nProcId = 3\nClusterId = 7\n'
    ends = [record.offset + len(record.text) for record in records]
    assert [int(record.fields()["Offset"]) for record in records] == [0, *ends[:-1]]
    assert not logreader.COMPILED or all(ad.lines is not None for ad in ads if isinstance(ad, StoredAd))
