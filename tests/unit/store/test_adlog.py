"""The log format: what is written reads back; what a crash leaves is told from damage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.store.adlog import (
    BEGIN,
    DELETE,
    DESTROY_AD,
    NEW_AD,
    SECTOR,
    SEQUENCE,
    SET,
    Damage,
    Record,
    Scan,
    Tail,
    format_record,
    format_records,
    format_transaction,
    header_record,
    scan,
)

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Zs", "Zl", "Zp", "Cc", "Cs")), min_size=1).filter(
    lambda word: len(word.split()) == 1 and word == word.strip() and word != "(empty)"
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\n\0"), min_size=1).filter(lambda text: text[0] > " ")
NOTHING = st.just("")
RECORDS = st.one_of(
    st.tuples(st.just(SET), WORDS, NAMES, VALUES),
    st.tuples(st.just(DELETE), WORDS, NAMES, NOTHING),
    st.tuples(st.just(NEW_AD), WORDS, NAMES, NAMES),
    st.tuples(st.just(NEW_AD), WORDS, NOTHING, NOTHING),
    st.tuples(st.just(DESTROY_AD), WORDS, NOTHING, NOTHING),
).map(lambda words: Record(*words))
FIXED = settings(derandomize=True, max_examples=300, deadline=None)


def parts(found: Scan) -> tuple[list[Record], int, Tail]:
    return found.records, found.length, found.tail


@FIXED
@given(st.lists(RECORDS, max_size=8))
def test_what_is_written_reads_back(records: list[Record]) -> None:
    assert parts(scan(format_records(records), "log")) == (records, len(format_records(records)), Tail.COMPLETE)
    data = format_transaction(records)
    assert parts(scan(data, "log")) == (records, len(data), Tail.COMPLETE)


@FIXED
@given(st.lists(st.lists(RECORDS, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_any_beginning_of_a_file_has_the_closed_transactions(batches: list[list[Record]], data: st.DataObject) -> None:
    head = format_records([header_record(1, 5)])
    whole = head
    ends = [0, len(head)]
    for batch in batches:
        whole += format_transaction(batch)
        ends.append(len(whole))
    cut = data.draw(st.integers(0, len(whole)))
    found = scan(whole[:cut], "log")
    assert found.length == max(end for end in ends if end <= cut)
    assert len(found.records) == sum(
        count for count, end in zip([1, *map(len, batches)], ends[1:], strict=True) if end <= cut
    )
    assert (found.tail is Tail.COMPLETE) == (cut in ends)


@FIXED
@given(st.lists(st.lists(RECORDS, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_zeroed_sectors_in_the_last_transaction_are_no_damage(batches: list[list[Record]], data: st.DataObject) -> None:
    """A crash may keep any of the sectors from the medium that were written since the last sync."""
    whole = format_records([header_record(1, 5)]) + format_transaction(())
    for batch in batches[:-1]:
        whole += format_transaction(batch)
    start = len(whole)
    torn = bytearray(whole + format_transaction([*batches[-1], Record(SET, "1.0", "Long", "x" * 1500)]))
    sectors = range(start // SECTOR, (len(torn) - 1) // SECTOR + 1)
    for sector in data.draw(st.sets(st.sampled_from(sectors), min_size=1)):
        begin, end = max(start, sector * SECTOR), min(len(torn), (sector + 1) * SECTOR)
        torn[begin:end] = bytes(end - begin)
    if data.draw(st.booleans()):
        del torn[data.draw(st.integers(start, len(torn))) :]
    if b"\0" not in torn:
        return
    found = scan(bytes(torn), "log")
    assert found.length == start
    assert found.tail is not Tail.COMPLETE


SNAPSHOT = b"107 1 CreationTimestamp 5\n101 0.0 Job Machine\n" + b"".join(
    b'101 %d.0 Job Machine\n103 %d.0 Owner "alice"\n103 %d.0 Cmd "/bin/true"\n' % (n, n, n) for n in range(1, 60)
)
TRANSACTION = b"105 \n101 70.0 Job Machine\n103 70.0 A 1\n106 \n"


@pytest.mark.parametrize(
    "damaged",
    [
        b"103 1.0 A\n103 1.0 B 2\n",
        b"what\n",
        b"105 \nwhat\n103 1.0 B 2\n",
        SNAPSHOT[:1000] + bytes(512) + SNAPSHOT[1512:],  # no sector of a disk begins here
        SNAPSHOT[:1024] + bytes(512) + SNAPSHOT[1536:],  # one does, but the image of a rewrite is synced as a whole
        SNAPSHOT[:1500] + SNAPSHOT[1300:],
        bytes(512) + SNAPSHOT[512:],
        SNAPSHOT + TRANSACTION[:-1] + b"\x0b",
        SNAPSHOT + TRANSACTION[:-6] + b"1\x006 \n",
        SNAPSHOT + TRANSACTION + b"\x00" * 40 + TRANSACTION,
        SNAPSHOT + TRANSACTION.replace(b"103", b"1\x003") + TRANSACTION,
    ],
)
def test_records_behind_what_is_no_record_are_never_given_up(damaged: bytes) -> None:
    with pytest.raises(Damage):
        scan(damaged, "log")


def test_forms_of_the_records() -> None:
    assert format_record(Record(NEW_AD, "0.2", "Owner")) == "101 0.2 Owner (empty)\n"
    assert format_record(Record(NEW_AD, "01.-1", "Job", "Machine")) == "101 01.-1 Job Machine\n"
    assert format_record(Record(SET, "1.0", "A", "")) == "103 1.0 A UNDEFINED\n"
    assert format_record(Record(SEQUENCE, "2", "CreationTimestamp", "17")) == "107 2 CreationTimestamp 17\n"
    assert format_transaction([Record(DESTROY_AD, "1.0")]) == b"105 \n102 1.0\n106 \n"


def test_htcondors_own_lines() -> None:
    text = (
        "107 2 CreationTimestamp 1795213914\n"
        "101 0.0 Job Machine\n"
        '103 0.0 UidDomain "example.net"\n'
        "105 \n"
        "101 1.-2 ClusterPvt (empty)\n"
        "103 01.-1 Args  two  blanks \n"
        "104 01.-1 JobPreparingTasks\n"
        "106 #done by me\n"
        "105\n"
        "102 1.0\n"
        "106\n"
        "101 2.0 Job\n"
    )
    assert scan(text.encode(), "log").records == [
        Record(SEQUENCE, "2", "CreationTimestamp", "1795213914"),
        Record(NEW_AD, "0.0", "Job", "Machine"),
        Record(SET, "0.0", "UidDomain", '"example.net"'),
        Record(NEW_AD, "1.-2", "ClusterPvt", ""),
        Record(SET, "01.-1", "Args", "two  blanks "),
        Record(DELETE, "01.-1", "JobPreparingTasks"),
        Record(DESTROY_AD, "1.0"),
        Record(NEW_AD, "2.0", "Job", ""),
    ]


def test_bytes_that_are_no_utf8_survive() -> None:
    line = b'103 1.0 A "caf\xe9"\n'
    found = scan(line, "log")
    assert format_records(found.records) == line
    assert found.length == len(line)


@pytest.mark.parametrize(
    ("tail", "kind"),
    [
        (b"105 \n103 1.0 A 1\n", Tail.OPEN),
        (b"105 \n103 1.0 A 1\n106 ", Tail.OPEN),
        (b"105 \n103 1.0", Tail.OPEN),
        (b"10", Tail.TORN),
        (b"105 \n103 1.0 A 1\n106 #do", Tail.OPEN),
    ],
)
def test_the_end_that_a_crash_leaves(tail: bytes, kind: Tail) -> None:
    sound = b"101 1.0 Job Machine\n"
    assert parts(scan(sound + tail, "log")) == ([Record(NEW_AD, "1.0", "Job", "Machine")], len(sound), kind)


@pytest.mark.parametrize("bad", [b"103 1.0 A\n", b"what\n", b"1O3 1.0 A 2\n", b"99 x\n", b"103 1.0 \0 2\n"])
def test_damage_inside_a_closed_transaction_names_file_and_offset(bad: bytes) -> None:
    sound = b"107 1 CreationTimestamp 5\n"
    begun = b"105 \n101 1.0 Job Machine\n"
    rest = b"106 \n105 \n103 1.0 B 2\n106 \n"
    with pytest.raises(Damage, match=rf"/spool/log is damaged at byte {len(sound + begun)}"):
        scan(sound + begun + bad + rest, "/spool/log")
    with pytest.raises(Damage, match=rf"byte {1000 + len(begun)}"):
        scan(begun + bad + rest, "/spool/log", 1000)


@pytest.mark.parametrize(
    "record",
    [
        Record(SET, "1.0", "A", "1\n2"),
        Record(SET, "1 .0", "A\n", "1"),
        Record(SET, "", "A", "1"),
        Record(SET, "1.0", "", "1"),
        Record(SET, "1.0", "A", "x\0"),
        Record(NEW_AD, "a b", "Job", "Machine"),
        Record(NEW_AD, "", "Job", "Machine"),
        Record(DESTROY_AD, ""),
        Record(DESTROY_AD, "1.0 2.0"),
        Record(DELETE, "1.0", ""),
        Record(DELETE, "1.0", "A B"),
        Record(SET, "0.0", "\ryType", '"Job"'),
        Record(SET, "1\r.0", "A", "1"),
        Record(SET, "1.0", "A.B", "1"),
        Record(SET, "1.0", "A", "\x011"),
        Record(NEW_AD, "1.0", "Jo\tb", "Machine"),
        Record(108, "", "", "of a later one"),
        Record(BEGIN, ""),
    ],
)
def test_records_that_would_not_read_back_are_refused(record: Record) -> None:
    with pytest.raises(ValueError, match=r"newline|not a record"):
        format_records([Record(SET, "1.0", "Good", "1"), record])


@pytest.mark.parametrize(("more", "is_damage"), [(0, False), (1, True)])
def test_a_newline_in_a_sector_that_was_never_written_ends_nothing(more: int, is_damage: bool) -> None:
    begin = b"107 1 CreationTimestamp 5\n105 \n101 1.0 Job Machine\n103 1.0 A "
    data = begin + b"1" * (512 - len(begin) - len(b"\n106 ") + more) + b"\n106 "
    assert len(data) == 512 + more
    if is_damage:
        with pytest.raises(Damage):
            scan(data + b"\0", "log")
    else:
        found = scan(data + b"\0", "log")
        assert (found.tail, found.length) == (Tail.OPEN, 26)
