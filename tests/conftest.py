"""What the tests of all rooms may ask for."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from condor_py.cli.startup import lighten
from condor_py.lang.classad import clock

sys.path.insert(0, str(Path(__file__).parent))

from hanging import HangingDirectory, hanging_directory

# What a script starts with "&" ignores them, and so would all programs of the tests.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)
lighten()  # as tools do: looks for garbage take a tenth of the time of tests
_SIGNALS = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGCHLD, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT),
)
# What hypothesis asks is the same in every run, however slow the machine is and whatever other modules set.
settings.register_profile("condor_py", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
if settings.get_current_profile_name() != "mutants":
    settings.load_profile("condor_py")
for _name in ("LOGNAME", "USER"):  # sudo and su may leave somebody else's there, and getpass believes it
    os.environ.pop(_name, None)


def pytest_collection() -> None:
    """Make all tests without a look for garbage: there is none among them, and many looks."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


#: The numbers of the directories of tests.
_NUMBERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty directory for one test. The fixture of pytest looks through the directories of all tests before it for
    a number that is free, which takes milliseconds after some thousands."""
    name = re.sub(r"\W", "_", request.node.name)[:26]
    return tmp_path_factory.mktemp(f"{name}_{next(_NUMBERS)}", numbered=False)


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks at the clock of the machine fails: time is handed in, for expressions too."""

    def look() -> float:
        raise AssertionError("a core looked at the clock of the machine")

    monkeypatch.setattr(clock, "now", look)


@pytest.fixture(scope="module", autouse=True)
def _is_old() -> None:
    """Let nobody look for garbage among what is there before the tests of a file: with all tests collected that takes a
    second each time."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    """Give back what a test has set for the whole process: how signals are handled, and the zone of a TZ."""
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    time.tzset()  # the C library keeps the zone of a TZ that was taken back


@pytest.fixture
def time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the time zone of this process (as in TZ) for one test."""

    def lies_in(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield lies_in
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def universal_time(time_zone: Callable[[str], None]) -> None:
    """Local times are those of UTC."""
    time_zone("UTC")


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """``tmp_path``, with the way to it open for other accounts."""
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.geteuid() and place.stat().st_mode & 0o005 != 0o005:
            place.chmod(0o755)
    return tmp_path


@pytest.fixture
def hanging(open_path: Path) -> Iterator[HangingDirectory]:
    """A directory whose file system can be told not to answer."""
    made = hanging_directory(open_path / "hanging")
    try:
        yield made
    finally:
        made.close()
