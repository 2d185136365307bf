"""``validate`` sees a hole in any of the books: every test and every simulated step relies on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from world import World

from condor_py.core.jobs.index import IdleJob, prios_of
from condor_py.core.jobs.parts import Known
from condor_py.core.jobs.state import ScheddState
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

RUNS, WAITS, HELD, NOBODY = JobId(1, 0), JobId(2, 0), JobId(3, 0), JobId(9, 9)


@pytest.fixture
def world() -> World:
    """A job that runs, one that waits, one that is held; a grid job that waits and one of the local universe."""
    world = World(start_local_universe="false")
    world.connect()
    world.submit(1)
    world.match(RUNS)
    world.started(RUNS)
    world.submit(2)
    world.submit(3, status=5)
    world.submit(4, JobUniverse="9", GridResource='"batch slurm"')
    world.submit(5, JobUniverse="12")
    world.core.validate()
    return world


def lose_claim(books: ScheddState) -> None:
    books.claims._claims.clear()


def put_in_line(books: ScheddState, job: JobId) -> None:
    books.idle.put((job,), IdleJob("alice@example.net", 1, prios_of(ClassAd()), 1.0))


def miscount(books: ScheddState) -> None:
    books.idle._cpus["alice@example.net"] += 1.0


def disorder(books: ScheddState) -> None:
    books.idle._jobs.clear()


def misfile_unit(books: ScheddState) -> None:
    books.ocus._holders["<addr>#1#1#secret"] = 7


def orphan_run(books: ScheddState) -> None:
    books.reach.orphan(RUNS)


def give_back_below(books: ScheddState) -> None:
    books.claims["<addr>#1#1#secret"].give_back()


def other_run(books: ScheddState) -> None:
    books.runs[RUNS].number = 5


def other_universe(books: ScheddState) -> None:
    ad = books.jobs.job(RUNS)
    assert ad is not None
    ad.set_int("JobUniverse", 12)


def wait_for_files(books: ScheddState) -> None:
    books.stagings.waiting[WAITS] = ""


def wait_on_a_claim_of_others(books: ScheddState) -> None:
    books.stagings.waiting[WAITS] = "<addr>#1#1#secret"


def wait_for_none(books: ScheddState) -> None:
    books.waiting.start_here(WAITS)


def lose_idle(books: ScheddState) -> None:
    books.idle.discard((WAITS,))


def lose_grid(books: ScheddState) -> None:
    books.grid.forget(JobId(4, 0))


def lose_local(books: ScheddState) -> None:
    books.waiting.started_here(JobId(5, 0))


def edit_unseen(books: ScheddState) -> None:
    ad = books.jobs.job(WAITS)
    assert ad is not None
    ad.set_int("JobStatus", JobStatus.HELD)


def run_without_run(books: ScheddState) -> None:
    ad = books.jobs.job(HELD)
    assert ad is not None
    ad.set_int("JobStatus", JobStatus.RUNNING)
    books.remember((HELD,), Known(JobStatus.RUNNING, 0))


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lose_claim, "1.0 runs on a claim that is not ours"),
        (miscount, "alice@example.net wants 1.0 cpus"),
        (disorder, ""),
        (misfile_unit, "is held by the unit 7, which is no more"),
        (lambda books: put_in_line(books, RUNS), "1.0 runs and is idle"),
        (orphan_run, "1.0 runs and is an orphan"),
        (give_back_below, "1.0 runs on a claim that is given back"),
        (other_run, "run 5 of 1.0 is another's"),
        (other_universe, "1.0 of another universe runs on"),
        (wait_for_files, "2.0 is 1 and waits for files"),
        (wait_on_a_claim_of_others, "2.0 waits on a claim that is not its own"),
        (wait_for_none, "2.0 waits for a slot and for none"),
        (lose_idle, "2.0 is idle and nobody will ever look at it"),
        (lambda books: books.claims.ask(HELD), "3.0 is 5 and is asked for"),
        (lambda books: books.claims.ask(WAITS), "2.0 waits and is asked for"),
        (lose_grid, "4.0 is idle and nobody will ever look at it"),
        (lose_local, "5.0 is idle and nobody will ever look at it"),
        (edit_unseen, "2.0 is 5 and was last seen 1"),
        (run_without_run, "3.0 is 2 and has no run"),
        (lambda books: put_in_line(books, HELD), "3.0 waits for a slot with status 5"),
        (lambda books: books.forget((HELD,)), "3.0 is in the queue and not known"),
        (lambda books: books.remember((NOBODY,), Known(1, 0)), "9.9 is known and not in the queue"),
        (lambda books: books.reach.lost(0), "the startd is not there, and <addr>#1#1#secret is said to be ours"),
        (lambda books: books.reach._told.add(WAITS), "2.0 is remembered as out of reach and is not"),
        (lambda books: books.departing.keep(HELD), "3.0 waits to leave and is 5"),
        (lambda books: books.departing.leave((HELD,)), "3.0 leaves and is 5"),
        (lambda books: books.departing.go(HELD.cluster, [HELD]), "3.0 is on its way out and known"),
    ],
)
def test_a_hole_in_the_books_is_seen(world: World, spoil: Callable[[ScheddState], object], complaint: str) -> None:
    spoil(world.core.state)
    with pytest.raises(AssertionError) as caught:
        world.core.validate()
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        (lambda books: put_in_line(books, NOBODY), "idle"),
        (lambda books: books.reach.orphan(NOBODY), "an orphan"),
        (lambda books: books.departing.keep(NOBODY), "waiting to leave"),
        (lambda books: books.watched.add((NOBODY,)), "judged"),
        (lambda books: books.departing.leave((NOBODY,)), "leaving"),
        (lambda books: books.waiting.cool(NOBODY), "cooling down"),
        (lambda books: books.waiting.start_here(NOBODY), "to start here"),
        (lambda books: books.waiting.repeats(NOBODY), "on a schedule"),
        (lambda books: books.stagings.waiting.update({NOBODY: ""}), "blocked"),
        (lambda books: books.grid.file(NOBODY, "alice"), "elsewhere"),
    ],
)
def test_a_job_that_is_no_more_is_filed_nowhere(
    world: World, file: Callable[[ScheddState], object], place: str
) -> None:
    file(world.core.state)
    with pytest.raises(AssertionError, match=f"9.9 is {place} and not known"):
        world.core.validate()
