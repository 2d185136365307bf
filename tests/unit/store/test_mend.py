"""What is damage and what a crash may leave, and what mending keeps: line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from mending import mend

from condor_py.store.adlog import Damage, is_plain_prefix
from condor_py.store.job_queue import JobQueue

HEAD = "107 1 CreationTimestamp 5\n"
ZEROS = "\0" * 3
JOB = "101 1.0 Job Machine\n103 1.0 A 1\n"


def mended(text: str) -> tuple[str, list[str]]:
    """The lines behind the header without the marks at the end, and what is said."""
    done = mend((HEAD + text).encode())
    result = done.data.decode()
    assert result.startswith(HEAD)
    return result[len(HEAD) :].removesuffix("105 \n106 \n"), list(done.notes)


def test_what_is_sound_is_left_as_it_is() -> None:
    for text in ("", JOB, f"105 \n{JOB}106 \n"):
        done = mend((HEAD + text).encode())
        assert (done.data.decode(), list(done.notes)) == (HEAD + text, [])


def test_a_log_without_its_beginning_gets_one() -> None:
    done = mend(b"101 1.0 Job Machine\n103 1.0 A 1\n")
    assert done.data.startswith(b"107 1 CreationTimestamp ")
    assert list(done.notes) == ["the missing 107 was put at its beginning"]
    assert done.data.endswith(b"103 1.0 A 1\n105 \n106 \n")


def test_the_end_of_a_transaction_behind_zeros_ends_it() -> None:
    text, notes = mended(f"105 \n{JOB}103 1.0 B{ZEROS}106 \n105 \n103 1.0 C 3\n106 \n")
    assert text == f"105 \n{JOB}106 \n105 \n103 1.0 C 3\n106 \n"
    assert len(notes) == 1
    assert notes[0].startswith("line 5 was left out: it is no record: '103 1.0 B")


def test_a_record_behind_zeros_stays_and_half_of_one_does_not() -> None:
    text, notes = mended(f"{JOB}103 1.0 B{ZEROS}103 1.0 C 3\n103 1.0 D{ZEROS}0 E 4\n103 1.0 F 5\n")
    assert text == f"{JOB}103 1.0 C 3\n103 1.0 F 5\n"
    assert len(notes) == 2


def test_an_ad_whose_beginning_is_damaged_begins_again() -> None:
    text, notes = mended("101 1.0 J\0b Machine\n103 1.0 A 1\n103 1.0 B 2\n103 2.0 ProcId 0\n103 3.0 ProcId 1\n")
    assert text == "101 1.0 Job Machine\n103 1.0 A 1\n103 1.0 B 2\n101 2.0 Job Machine\n103 2.0 ProcId 0\n"
    assert notes[1:] == [
        "line 3: the beginning of ad 1.0 is not in front of it, it begins here now",
        "line 5: the beginning of ad 2.0 is not in front of it, it begins here now",
        "line 6 was left out: a record for ad 3.0, which is not there: '103 3.0 ProcId 1'",
    ]


def test_what_stands_in_front_of_the_beginning_of_its_ad_is_kept_and_what_follows_counts() -> None:
    """Blocks of the medium that came back in another order; one record says enough, since the beginning is there."""
    text, notes = mended("103 3.0 Prio 7\n103 3.0 A 1\n101 3.0 Job Machine\n103 3.0 A 2\n")
    assert text == "101 3.0 Job Machine\n103 3.0 Prio 7\n103 3.0 A 1\n103 3.0 A 2\n"
    text, notes = mended("103 3.0 Prio 7\n101 3.0 Job Machine\n103 3.0 A 2\n")
    assert text == "101 3.0 Job Machine\n103 3.0 Prio 7\n103 3.0 A 2\n"
    assert notes == [
        "line 2: the beginning of ad 3.0 is not in front of it, it begins here now",
        "line 3 was left out: ad 3.0 is made a second time: '101 3.0 Job Machine'",
    ]


def test_an_ad_that_was_destroyed_does_not_begin_again() -> None:
    text, notes = mended(f"{JOB}103 1.0 JobStatus 4\n102 1.0\n103 1.0 A 2\nwhat\n")
    assert text == f"{JOB}103 1.0 JobStatus 4\n102 1.0\n"
    assert notes[0].startswith("line 6 was left out: a record for ad 1.0, which is not there")


def test_what_is_left_out_is_shown_so_that_names_can_be_read() -> None:
    """Only of a long line the middle is left out."""
    glued = f"103 1.0 A 1503 {'x' * 50}slot1@host@<127.0.0.1:9618> StartTime 5"
    _, notes = mended(f"{JOB}{glued}\n")
    assert notes[0].endswith(f": '{glued}'")
    _, notes = mended(f"{JOB}{'y' * 150} {'z' * 150}\n")
    assert notes[0].endswith(f"'{'y' * 120}' ... '{'z' * 120}' (301 characters)")


def test_one_record_makes_no_job() -> None:
    text, notes = mended("103 1.0 A 2\n")
    assert text == ""
    assert len(notes) == 1


@pytest.mark.promise("S76")
def test_a_job_that_has_not_ended_and_a_cluster_with_jobs_stay() -> None:
    """One digit of a key that is another would take them away."""
    lines = f"101 01.-1 Job Machine\n{JOB}103 1.0 JobStatus 2\n"
    text, notes = mended(f"{lines}102 1.0\n102 01.-1\n102 0.0\n")
    assert text == lines
    assert [note.split(": ")[1] for note in notes] == [
        "job 1.0 has not ended", "cluster 1 has jobs", "a record for ad 0.0, which is not there",
    ]  # fmt: skip


SECTOR = 512


def test_zeros_before_another_transaction_are_damage_and_not_the_end(tmp_path: Path) -> None:
    """A crash leaves its zeros in the last transaction only; this one was acknowledged long ago."""
    first = HEAD + "105 \n101 1.0 Job Machine\n103 1.0 A 1\n106 \n105 \n103 1.0 B "
    second = first + "x" * (SECTOR - len(first) - 1) + "\n"
    hole = "\0" * SECTOR
    path = tmp_path / "job_queue.log"
    path.write_text(second + hole + "\n105 \n103 1.0 C 3\n106 \n")
    with pytest.raises(Damage):
        JobQueue(str(path))
    path.write_text(second + hole)
    assert JobQueue(str(path)).count() == 1


def test_what_is_cut_without_a_copy_is_simply_the_beginning_of_a_transaction() -> None:
    assert is_plain_prefix(b"105 \n103 1.0 A")
    assert is_plain_prefix(b"10")
    assert not is_plain_prefix(b"103 1.0 A 5")
    assert not is_plain_prefix(b"105 \n103 1.0 A\0\0")
    assert not is_plain_prefix(b"105 \n103 1.0 A 5\n106")


def test_what_is_secret_of_a_cluster_goes_with_it_at_the_first_repair() -> None:
    first = mend((HEAD + "101 5.-2 (empty)\n\n103 05.-1 d 1\n101 05.-1 Job Machine\n").encode())
    assert first.notes
    assert not mend(first.data).notes
