"""The history of the pool: files as HTCondor's view server writes them, and what condor_stats shows of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from condor_py.cli.stats import stats
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.store.pool_history import PoolHistory, Set, figures, names, whole_lines

BEGIN = 1_700_000_000


def slot(name: str, state: str = "Claimed", load: float = 0.5) -> ClassAd:
    return ClassAd(
        {"Name": name, "State": state, "LoadAvg": load, "KeyboardIdle": 60, "Arch": "X86_64", "OpSys": "LINUX"}
    )


def submitter(name: str, running: int, idle: int = 0) -> ClassAd:
    return ClassAd({"Name": name, "Machine": "here", "RunningJobs": running, "IdleJobs": idle})


def filled(folder: Path, samples: int, most: int = 10_000_000) -> PoolHistory:
    """The history of a pool that got a job more each minute."""
    history = PoolHistory(str(folder), most)
    for minute in range(samples):
        slots = [slot("slot1@here"), slot("slot2@here", "Unclaimed" if minute % 2 else "Claimed", 0.0)]
        history.sample([submitter("ann@d", minute), submitter("bob@d", 1, 2)], slots, BEGIN + 60 * minute)
    return history


def test_means_of_four_samples_are_written(tmp_path: Path) -> None:
    filled(tmp_path, 4)
    end = BEGIN + 180
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"viewhist{data}.0.new" for data in range(4)]
    assert (tmp_path / "viewhist0.0.new").read_text() == f"{end}\tann@d/here\t:\t2\t0\n{end}\tbob@d/here\t:\t1\t2\n"
    assert (tmp_path / "viewhist1.0.new").read_text() == (
        f"{end}\tslot1@here\t:\t60\t  0.500\t3\n{end}\tslot2@here\t:\t60\t  0.000\t1\n"
    )
    total = "0.5\t0.0\t1.5" + "\t0.0" * 6
    assert (tmp_path / "viewhist2.0.new").read_text() == (
        f"{end}\tTotal\t:\t{total}\n{end}\tX86_64/LINUX\t:\t{total}\n"
    )
    assert (tmp_path / "viewhist3.0.new").read_text().splitlines()[0] == f"{end}\tTotal\t:\t2\t2"


def test_coarser_levels_go_further_back_and_files_are_bounded(tmp_path: Path) -> None:
    filled(tmp_path, 128, most=30 * 150)
    assert all(path.stat().st_size <= 300 for path in tmp_path.iterdir())
    first = {level: int((tmp_path / f"viewhist1.{level}.new").read_text().split()[0]) for level in (1, 2)}
    finest = next(time for line in whole_lines(str(tmp_path), Set.SLOTS, "*", BEGIN + 7500, BEGIN + 7680)
                  if (time := int(line.split()[0])))  # fmt: skip
    assert finest > first[1] or finest > first[2]
    told = list(figures(str(tmp_path), Set.SLOTS, "slot1@here", BEGIN, BEGIN + 7680))
    assert told, "what goes back most is shown where nothing goes back so far"


def test_hostile_names_stay_in_their_lines(tmp_path: Path) -> None:
    history = PoolHistory(str(tmp_path), 10_000_000)
    for _ in range(4):
        strange = [submitter("a\tb\nc d\x1b", 1), ClassAd({"Name": 3}), submitter("x", "no")]  # type: ignore[arg-type]
        history.sample(strange, [slot("s\n", "Nowhere"), ClassAd()], BEGIN)
    assert set(names(str(tmp_path), Set.SUBMITTER_GROUPS, 0, BEGIN)) == {"Total", "a_b_c_d_", "x"}
    assert list(names(str(tmp_path), Set.SLOTS, 0, BEGIN)) == []
    with (tmp_path / "viewhist3.0.new").open("ab") as file:
        file.write(b"\xff\xfe\nx\ty\n99999\n1\tno end")
    assert len(list(whole_lines(str(tmp_path), Set.SUBMITTER_GROUPS, "*", 0, BEGIN))) == 3


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """A function that runs condor_stats an hour after the beginning."""
    (tmp_path / "ViewHist").mkdir()
    filled(tmp_path / "ViewHist", 8)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.setattr("time.time", lambda: BEGIN + 1000.0)

    def run(*words: str) -> str:
        assert stats(list(words)) == 0
        sys.stdout.flush()
        return capsys.readouterr().out

    return run


def test_the_command(shown, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert shown("-resourcelist") == "slot1@here\nslot2@here\n"
    assert shown("-usergrouplist") == "Total\nann@d\nbob@d\n"
    assert shown("-userlist") == "ann@d/here\nbob@d/here\n"
    assert shown("-resgrouplist") == "Total\nX86_64/LINUX\n"
    assert shown("-lasthours", "1", "-usergroupquery", "ann@d") == "77.22\t2\t0\n83.89\t6\t0\n"
    assert shown("-lasthours", "1", "-resourcequery", "slot1@here") == (
        "77.220001\t60\t0.500000\tCLAIMED\n83.889999\t60\t0.500000\tCLAIMED\n"
    )
    assert shown("-orgformat", "-userquery", "bob@d/here").splitlines()[0] == f"{BEGIN + 180}\tbob@d/here\t:\t1\t2"
    assert shown("-userquery", "nobody") == shown("-ckptlist") == "No Data.\n"
    assert shown("-f", str(tmp_path / "out"), "-timedat", str(tmp_path / "times"), "-usergrouplist") == ""
    assert (tmp_path / "out").read_text() == "Total\nann@d\nbob@d\n"
    assert len((tmp_path / "times").read_text().splitlines()) == 11


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no query"),
        (("-resourcelist", "-lasthours", "x"), "x is no number"),
        (("-resourcelist", "-from", "1", "1", "2050"), "must begin in the past"),
        (("-resourcelist", "-to", "1", "1", "2001"), "before it ends"),
        (("-resourcelist", "-pool", "x"), "one pool"),
        (("-resourcequery", "x" * 201), "too long"),
        (("-resourcelist", "-f", "/no/such/file"), "Failed to open file /no/such/file"),
    ],
)
def test_mistakes(shown, words: tuple[str, ...], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CondorError, match=message):
        shown(*words)


def test_a_time_of_thousands_of_digits_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "viewhist0.0.new"
    path.write_text(f"{'9' * 5000}\ta@b\t:1 2\n100\ta@b\t:3 4\n")
    assert [*whole_lines(str(tmp_path), Set.SUBMITTERS, "*", 0, 1 << 40)] == ["100\ta@b\t:3 4\n"]
