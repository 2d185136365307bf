"""condor_top on a terminal: what it shows, what its keys do to real jobs, and how it leaves the terminal."""

from __future__ import annotations

import os
import pwd
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from live_screen import LiveScreen, live_screen
from pool import MAIN, PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool, usable_python

#: One worker runs all tests: the quiet pool is made once.
pytestmark = pytest.mark.xdist_group("top")

TOP = [sys.executable, "-I", "-S", str(MAIN), "condor_top"]
ENTER, ESCAPE = "\n", "\x1b"
SLEEPERS = "executable = /bin/sleep\narguments = 300\nrequest_memory = 64\n"


@contextmanager
def top(pool: PersonalPool, *options: str, term: str = "linux", **environment: str) -> Iterator[LiveScreen]:
    with live_screen([*TOP, *options], pool.environment | environment, pool.work, term=term) as screen:
        yield screen


def test_jobs_are_watched_held_released_and_removed(pool: PersonalPool) -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    first = pool.submit(f"{SLEEPERS}queue 5\n")
    with top(pool, "-delay", "0.2") as screen:
        screen.shows("Jobs 5: 4 running, 1 idle")
        screen.shows("Cpus [|||||||||||||||||||] 4/4")
        screen.shows(f" {f'{first}.4':<11}{me}")
        screen.wait_for(lambda text: text.count("Claimed/Busy") == 4, "four busy slots")

        screen.type("h")
        screen.shows(f"Hold job {first}.0? (y/n)")
        screen.type("n")
        screen.shows("Nothing was done.")
        assert pool.status_of(f"{first}.0") == 2
        screen.type("h", "y")
        screen.shows(f"Job {first}.0 held.")
        wait_for(lambda: pool.status_of(f"{first}.0") == 5, "the job is held")
        screen.shows("4 running, 1 held")  # the idle one took its slot

        screen.type("G", "/", *f"{first}.0", ENTER)
        screen.shows(f"[filter: {first}.0]")
        screen.shows(f"{first}.0: held: via condor_hold (by user {me})")
        screen.type("r", "y")
        screen.shows(f"Job {first}.0 released.")
        wait_for(lambda: pool.status_of(f"{first}.0") != 5, "the job is released")
        screen.type("r", "y")
        screen.shows(f"Job {first}.0 not held to be released.")

        screen.type("x", "y")
        screen.shows(f"Job {first}.0 marked for removal.")
        wait_for(lambda: pool.status_of(f"{first}.0") is None, "the job is gone")
        screen.shows("no jobs")
        screen.type(ESCAPE)
        screen.shows("Jobs 4: 4 running")

        screen.type(" ", " ", "x")
        screen.shows("Remove 2 jobs? (y/n)")
        screen.type("y")
        screen.shows("2 of 2 jobs: remove worked.")
        screen.shows("Jobs 2: 2 running")
        screen.type("q")
        assert screen.end() == 0


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """A pool that nothing happens in."""
    made = PersonalPool(tmp_path_factory.mktemp("top") / "pool", cpus=2)
    made.start()
    try:
        made.submit(f"{SLEEPERS}hold = true\nqueue 40\n")
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize(("before", "end", "status"), [
    ("", "q", 0), ("", "\x03", 0), ("/ab", "\x03", 0), ("x", signal.SIGINT, 0), ("?", signal.SIGTERM, 143),
    ("x", signal.SIGHUP, 129), ("/", signal.SIGQUIT, 131),
])  # fmt: skip
def test_the_terminal_is_left_as_it_was(
    before: str, end: str | signal.Signals, status: int, quiet: PersonalPool
) -> None:
    with top(quiet) as screen:
        settings = screen.settings()
        screen.shows("Jobs 40: 40 held")
        assert screen.settings() != settings
        screen.type(before)
        screen.read(0.1)
        if isinstance(end, str):
            screen.type(end)
        else:
            os.kill(screen.process.pid, end)
        assert screen.end() == status
        assert screen.settings() == settings
        assert b"\x1b[?25h" in screen.raw[-60:]  # the cursor is seen again
        assert b"Traceback" not in screen.raw


def test_a_lost_connection_ends_it(quiet: PersonalPool) -> None:
    with top(quiet) as screen:
        screen.shows("Jobs 40")
        screen.hang_up()
        assert screen.end() == 129


def test_another_size_is_another_picture(quiet: PersonalPool) -> None:
    with top(quiet) as screen:
        screen.shows("q quit")
        small = screen.text.count("sleep 300")
        screen.resize(120, 45)
        screen.wait_for(
            lambda text: text.count("sleep 300") > small + 15 and "q quit" in text.splitlines()[-1],
            "more jobs on a larger screen, and the keys on its last line",
        )
        screen.resize(60, 12)
        screen.wait_for(lambda text: "q quit" in text.splitlines()[-1], "the keys on the last line of a small screen")
        screen.type("\x1b[6~")
        screen.read(0.2)
        screen.type("q")
        assert screen.end() == 0


def test_it_can_be_stopped_and_goes_on(quiet: PersonalPool) -> None:
    environment = quiet.environment | {"PS1": "ready> "}
    with live_screen(["bash", "--norc", "--noprofile", "-i"], environment, quiet.work) as screen:
        screen.shows("ready>")
        screen.type(" ".join(TOP), "\n")
        screen.shows("q quit")
        screen.type("\x1a")
        screen.shows("Stopped")
        screen.type("stty -a | grep -o '[-]*icanon' && clear\n")
        screen.wait_for(lambda text: text.strip() == "ready>", "the shell has its terminal back")
        assert b"-icanon" not in screen.raw
        screen.type("fg\n")
        screen.shows("Jobs 40: 40 held")
        screen.type("q")
        screen.type("echo left $?\n")
        screen.shows("left 0")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_name_in_any_locale(locale: str, stopped_pool: PersonalPool) -> None:
    stopped_pool.submit("executable = /bin/sleep\nbatch_name = Żółw 中文\nhold = true\nqueue\n")
    with top(stopped_pool, LC_ALL=locale) as screen:
        screen.shows("Jobs 1: 1 held")
        if locale != "C":
            screen.wait_for(lambda text: "Żółw中文" in text.replace(" ", ""), "the name of the batch")
        screen.type("j", "q")
        assert screen.end() == 0


def test_help_lies_over_the_tables(quiet: PersonalPool) -> None:
    with top(quiet) as screen:
        screen.shows("Jobs 40")
        screen.type("?")
        screen.shows("tag a job")
        screen.shows("Any key goes back.")
        screen.type("q")
        screen.wait_for(lambda text: "Jobs 40" in text and "Any key goes back." not in text, "the tables again")
        screen.type("q")
        assert screen.end() == 0


def test_colour_is_for_those_who_want_it(quiet: PersonalPool) -> None:
    for environment, colored in (({}, True), ({"NO_COLOR": "1"}, False)):
        with top(quiet, **environment) as screen:
            screen.shows("q quit")
            assert screen.colored() == colored
    with top(quiet, term="vt100") as screen:  # has none
        screen.shows("q quit")
        assert not screen.colored()


@pytest.mark.parametrize("term", ["dumb", "no-such-terminal"])
def test_a_terminal_without_a_cursor_gets_one_picture(term: str, quiet: PersonalPool) -> None:
    with top(quiet, term=term) as screen:
        assert screen.end() == 0
        screen.read(0.1)
        assert b"Jobs 40: 40 held" in screen.raw
        assert b"\x1b" not in screen.raw
        assert screen.raw.count(b"\n") < 24


def test_one_picture_for_programs(quiet: PersonalPool) -> None:
    shown = quiet.tool("condor_top", "-once", "-sort", "ID").stdout
    assert shown.count("sleep 300") == 40
    assert "Slots 1: 0 claimed" in shown
    assert quiet.tool("condor_top", "-b", "-filter", "nothing like this").stdout.count("sleep") == 0


def test_the_statistics_of_a_daemon(quiet: PersonalPool) -> None:
    for daemon in ("schedd", "startd", "negotiator", "master", "collector"):
        done = quiet.tool("condor_top", f"--{daemon}")
        assert "Duty Cycle" in done.stdout
        assert "Did not get any comparable runtime attributes" in done.stderr


def test_a_pool_that_goes_and_comes_back(stopped_pool: PersonalPool) -> None:
    with top(stopped_pool, "-delay", "0.2") as screen:
        screen.shows("No condor_master is running on this machine")
        stopped_pool.start()
        screen.shows("Slots 1: 0 claimed")
        screen.wait_for(lambda text: "No condor_master" not in text, "the word about the master goes")
        screen.type("q")
        assert screen.end() == 0


def test_jobs_of_others_are_refused(shared: SharedPool) -> None:
    mine = shared.submit(f"{SLEEPERS}hold = true\nqueue\n")
    shared.submit_as_stranger(f"{SLEEPERS}hold = true\nqueue\n")
    command = [usable_python(), "-I", "-S", str(MAIN), "condor_top", "-sort", "ID"]
    environment = shared.environment | {"HOME": str(shared.theirs)}
    with live_screen(command, environment, shared.theirs, user=STRANGER) as screen:
        screen.shows("Jobs 2: 2 held")
        screen.type("x")
        screen.shows(f"Job {mine}.0 belongs to root: you cannot remove it.")
        screen.type("j", "r")
        screen.shows(f"Release job {mine + 1}.0? (y/n)")
        screen.type("y")
        screen.shows(f"Job {mine + 1}.0 released.")
        screen.type("u")
        screen.shows(f"[only {STRANGER}]")
        screen.wait_for(lambda text: f" {mine}.0 " not in text, "the jobs of others are not shown")
    assert shared.status_of(f"{mine}.0") == 5
