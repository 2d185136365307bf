"""Records of ad logs: what can be written, what is damage, and what a crash may leave of a transaction."""

from __future__ import annotations

import gc

import pytest
from log_lines import HEAD, NEW, sets

from condor_py.model.copies import changed
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, NEW_AD, SET, Alike, Change
from condor_py.store import adlog
from condor_py.store.adlog import (
    Damage,
    Record,
    Spoiled,
    Tail,
    collector_paused,
    format_entries,
    format_records,
    is_torn,
    is_writable,
    parse_line,
    scan,
)

# records


def test_without_the_compiled_writer_the_same_is_written_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [NEW, Record(NEW_AD, "2.0", "", ""), sets("A", '"é\udcff"'), Record(DELETE, "1.0", "B"), sets("C", "")]
    compiled = format_records(records[2:]), format_records(records)
    monkeypatch.setattr(adlog, "native", None)
    assert (format_records(records[2:]), format_records(records)) == compiled
    with pytest.raises(ValueError, match=r"the value of A of 1\.0 has a newline"):
        format_records([sets("A", "1\n")])


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (sets("A", "1\n"), "the value of A of 1.0 has a newline or a zero byte, which the log cannot hold"),
        (sets("A", "\0"), "the value of A of 1.0 has a newline or a zero byte, which the log cannot hold"),
        (Record(DELETE, "1.0", "A B"), "not a record of the log: '104 1.0 A B'"),
    ],
)
def test_who_is_refused_is_told_which_record_it_is(record: Record, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        format_records([NEW, Record(NEW_AD, "2.0", "", ""), record])


def test_changes_that_are_alike_are_written_job_by_job() -> None:
    odd = Alike((JobId(1, 0), JobId(2, 0)), (Change(SET, "", "A", '"\udcff"'), Change(DELETE, "", "B")))
    assert format_entries([odd]) == b'103 1.0 A "\xff"\n104 1.0 B\n103 2.0 A "\xff"\n104 2.0 B\n'
    assert format_entries([Alike((), odd.changes), Alike((JobId(1, 0),), ())]) == b""
    assert is_writable(odd)


def test_wide_digits_are_no_digits() -> None:
    assert parse_line("\uff1103 1.0 A 1") is None
    assert parse_line("1" * 5000 + " 1.0 A 1") is None


def test_a_begin_within_a_transaction_is_damage() -> None:
    """The end of the one before was spoiled, or was made a begin of."""
    nested = b"105 \n103 1.0 A 1\n105 \n103 1.0 B 2\n"
    for rest in (b"", b"106 \n"):
        with pytest.raises(Damage, match=f"is damaged at byte {len(HEAD) + 17}"):
            scan(HEAD + nested + rest, "x")


def test_damage_is_the_first_there_is_and_its_beginning_is_shown() -> None:
    with pytest.raises(Damage, match="is damaged at byte 26: 'what") as told:
        scan(HEAD + b"what\nmore\n", "x")
    assert told.value.what == "'what' is no record, and no crash leaves it so"
    with pytest.raises(Damage, match="at byte 0: 'what'"):
        scan(b"what\n" + HEAD + b"103 1.0 A \0\n", "x")
    with pytest.raises(Damage) as told:
        scan(b"103 1.0 A \xe9\n" + b"w" * 61 + b"\n103 1.0 B 1\n", "x")
    assert (told.value.offset, told.value.what[:64]) == (12, "'" + "w" * 60 + "' i")
    with pytest.raises(Damage, match="'\N{REPLACEMENT CHARACTER}'"):
        scan(HEAD + b"\xff\n", "x")


def test_the_collector_waits_while_much_is_loaded() -> None:
    assert gc.isenabled()
    with collector_paused(False):
        assert gc.isenabled()
    with collector_paused(True):
        assert not gc.isenabled()
        with collector_paused(True):
            assert not gc.isenabled()
        assert not gc.isenabled(), "whoever paused it lets it continue"
    assert gc.isenabled()
    with pytest.raises(KeyError), collector_paused(True):
        raise KeyError
    assert gc.isenabled()


# what a crash leaves


def ends_at(length: int) -> bytes:
    """A log of one closed transaction that is so long."""
    text = HEAD + b"105 \n103 0.0 A \n106 \n"
    return text.replace(b"A ", b"A " + b"x" * (length - len(text)))


ZEROS = bytes(512)


@pytest.mark.parametrize(
    ("rest", "offset", "torn"),
    [
        (b"105 \n103 0.0 A " + b"x" * 497 + ZEROS + b"\n106 \n", 512, True),
        (b"105 \n103 0.0 A " + b"x" * 496 + ZEROS + b"\n106 \n", 512, False),  # no sector begins there
        (b"105 \n103 0.0 A " + b"x" * 497 + ZEROS[1:] + b"\n106 \n", 512, False),  # no sector ends there
        (b"105 \n103 0.0 A " + b"x" * 498 + ZEROS[1:] + b"\n106 \n", 512, False),
        (b"105 \n103 0.0 A " + b"x" * 497 + ZEROS + b"\nwhat\n106 \n", 512, False),
        (b"105 \nwhat\n103 0.0 A " + b"x" * 492 + ZEROS + b"\n106 \n", 512, False),
        (b'105 \n103 0.0 A "\xff' + b"x" * 495 + ZEROS + b"\n106 \n", 512, True),
        (b"105 \n103 0.0 A " + b"x" * 497 + ZEROS + b"\n106 \n103 0.0 B 1\n", 512, False),
        (b"105 \n103 0.0 A " + b"x" * 497 + ZEROS + b"\n105 \n106 \n", 512, False),
        (b"105 " + ZEROS + b"103 0.0 A " + b"y" * 501 + b"\n" + bytes(7), 508, True),
        (b"103 " + ZEROS + b"\n106 \n", 508, False),  # so no transaction begins
        (ZEROS + b"\n103 0.0 A 1\n106 \n", 512, True),
        (b"105 \n105 \n103 0.0 A " + b"x" * 492 + ZEROS + b"\n106 \n", 512, False),  # two transactions
    ],
)
def test_of_a_later_transaction_sectors_may_be_missing_and_nothing_else(rest: bytes, offset: int, torn: bool) -> None:
    """Whether the log is read from its beginning or on from where the transaction begins."""
    for data, base in ((ends_at(offset) + rest, 0), (rest, offset)):
        if torn:
            found = scan(data, "x", base)
            assert found.length + base == offset
            assert found.tail is not Tail.COMPLETE
        else:
            with pytest.raises(Damage):
                scan(data, "x", base)


def test_a_young_log_is_spared_only_until_a_transaction_was_closed() -> None:
    whole = Spoiled(ZEROS + b"\n103 0.0 A 1\n106 \n", 0, -1, 0, False)
    assert is_torn(whole)
    assert is_torn(changed(whole, closed=True))
    assert not is_torn(changed(whole, data=ZEROS + b"\n103 0.0 A 1\n103 1.0 A 1\n106 \n"))
    assert is_torn(changed(whole, data=ZEROS + b"\n103 0.0 A 1\n103 0.0 B 1\n106 \n"))
    assert is_torn(changed(whole, data=ZEROS + b"\n103 0.0 A 1\n103 1.0 A 1\n106 \n", closed=True))
    image = b"101 0.0 Job Machine\n101 1.0 Job Machine\n103 1.0 A "
    image += b"x" * (1023 - len(image)) + b"\n"
    first = Spoiled(image + ZEROS + b"\n", 0, -1, 1024, False)
    assert is_torn(first), "the first transaction behind the image of a rewrite"
    assert not is_torn(changed(first, data=first.data + b"103 1.0 B 1\n"))
