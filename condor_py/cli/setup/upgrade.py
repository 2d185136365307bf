"""condor_setup -upgrade: another version in place of the one that is installed, with the pool that runs on it.

Everything that can fail is tried before the pool is stopped: the new version is built, unpacked aside, and asked to
read the configuration and the spool. Whatever fails later brings the old version back.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import glob
from typing import NamedTuple

from condor_py.cli.setup.environment import (
    Pip,
    Place,
    glob_safe,
    make_ready,
    place,
    size_of,
    unpacked,
    wheel_of,
)
from condor_py.cli.setup.plan import Say, state_directory
from condor_py.client.accounts import account_name
from condor_py.client.lockfile import lives, lock_holder, serving
from condor_py.client.pool import Pool, open_pool
from condor_py.client.progress import Line, ticking
from condor_py.model.errors import CondorError
from condor_py.model.settings.paths import PoolPaths

#: Knobs by which both versions must find the same files.
_PLACES = ("LOCAL_DIR", "SPOOL", "LOG", "LOCK", "EXECUTE", "HISTORY")
_STATES = {"1": "idle", "2": "running", "3": "removed", "4": "completed", "5": "held", "7": "suspended"}
_RUNNING = ("2", "6", "7")
_COLUMNS = ("ClusterId", "ProcId", "JobStatus", "JobUniverse")
#: The scheduler and the local universe: such jobs use no slot.
_WITHOUT_SLOT = ("7", "12")
_UNIT = "condor.service"
#: Seconds: between two looks, until daemons serve, and that a master may take beyond its own time-outs.
_POLL = 0.1
_START_PATIENCE = 60.0
_STOP_PATIENCE = 60.0
#: Seconds between two lines that tell of a drain where there is no terminal.
_TELL = 60.0
#: Bytes that are to stay free.
_RESERVE = 20 << 20


class Wish(NamedTuple):
    """Options of the command line."""

    source: str = ""
    back: bool = False
    prefix: str | None = None
    drain: bool = False
    #: Seconds for -drain; None for as long as it takes.
    limit: int | None = None
    dry_run: bool = False


class NotRunning(CondorError):
    """The pool does not run, and it ran before."""

    exit_code = 2


class _Note:
    """The text of a step, which the step may change when it knows more."""

    def __init__(self, text: str) -> None:
        self.text = text


def kept_below(paths: PoolPaths) -> str:
    """Return the directory of upgrades of a pool, which only its account reads."""
    return f"{paths.local_dir}/upgrade"


def upgrade(wish: Wish, say: Say) -> None:
    """Carry out ``condor_setup -upgrade``. CondorError: it failed, and the old version is there as before."""
    job = _Upgrade(wish, open_pool(), say)
    try:
        job.prepare()
    except (CondorError, OSError) as error:
        job.clean()
        raise CondorError(f"{_message_of(error)}; nothing was changed") from None
    except BaseException:
        job.clean()
        raise
    if wish.dry_run:
        job.foretell()
        job.clean()
        return
    with _signals(job):
        try:
            job.exchange()
        except (CondorError, OSError) as error:
            raise job.undo(_message_of(error)) from None
        finally:
            job.clean()
    job.tell_the_end()


def _message_of(error: CondorError | OSError) -> str:
    if isinstance(error, CondorError):
        return str(error)
    return f"condor_setup: {error.filename or ''}: {error.strerror}"


class _Upgrade:
    """One upgrade: the installation, its pool, and how far it has come."""

    def __init__(self, wish: Wish, pool: Pool, say: Say) -> None:
        self.wish = wish
        self.pool = pool
        self.paths = pool.paths
        self.say = say
        self.place = place(wish.prefix)
        self.old = self.place.version
        self.kept = kept_below(self.paths)
        self.before = f"{self.kept}/before"
        self.work = ""
        #: The new version as it is tried before it is installed; of a checkout, the checkout.
        self.new = self.place
        self.wheels: list[str] = []
        self.old_wheel = ""
        self.daemons = self._serving()
        self.master = lock_holder(self.paths.daemon_lock("MASTER"))
        self.unit = unit_of(self.master)
        self.jobs: list[str] = []
        self.startd_leaves = self.stopped = self.exchanged = self.undoing = False
        #: A signal came that ends us.
        self.asked_to_end = ""
        self.off_since = 0.0
        self.off_for = 0.0

    # -- before anything is changed ---------------------------------------------------------------

    def prepare(self) -> None:
        """Check all that can be checked, and make the new version ready aside. CondorError, OSError."""
        if self.place.is_checkout and (self.wish.source or self.wish.back):
            how = "git checkout it (or git pull) there, then condor_setup -upgrade"
            raise CondorError(f"condor_setup: {self.place.root} is a checkout: for another version {how}")
        self._refuse_pools_of_others()
        source = self._kept_wheel() if self.wish.back else self.wish.source and os.path.abspath(self.wish.source)
        if source and not os.path.exists(source):
            raise CondorError(f"condor_setup: {source}: No such file or directory")
        self._make_directories()
        if self.place.is_checkout:
            self._make_checkout_ready()
        else:
            self._make_wheels_ready(source)
        with self._step("the configuration") as note:
            self._check_configuration(note)
        if os.path.isdir(self.paths.spool):
            with self._step(f"{self.new.version} finds nothing wrong in {self.paths.spool}"):
                self._check_spool()
        with self._step("the jobs") as note:
            self.jobs = self._listed(self.new)
            note.text = f"{_counted(self.jobs)}; {self._what_becomes_of_them()}"

    def _refuse_pools_of_others(self) -> None:
        """The pool is one that this account may stop, and runs from the installation that is upgraded."""
        if not self.master:
            return
        owner = os.stat(f"/proc/{self.master}").st_uid
        if os.geteuid() not in (0, owner):
            raise CondorError(
                f"condor_setup: the pool in {self.paths.local_dir} is {account_name(owner)}'s, who may upgrade it"
            )
        with open(f"/proc/{self.master}/cmdline", encoding="utf-8", errors="surrogateescape") as file:
            main = next((word for word in file.read().split("\0") if word.endswith("/condor_py/__main__.py")), "")
        if main and not os.path.samefile(os.path.dirname(main), self.place.package):
            where = os.path.dirname(main)
            raise CondorError(
                f"condor_setup: the pool in {self.paths.local_dir} runs from {where}: name that with -prefix"
            )

    def _kept_wheel(self) -> str:
        found = glob(f"{glob_safe(self.before)}/condor_py-*.whl")
        if len(found) != 1:
            raise CondorError(f"condor_setup: {self.before} has no version to go back to")
        return found[0]

    def _make_directories(self) -> None:
        if self.wish.dry_run:
            self.work = tempfile.mkdtemp(prefix="condor_py-upgrade.")
        else:
            self.work = f"{self.kept}/new"
            shutil.rmtree(self.work, ignore_errors=True)  # of a run that was killed
            os.makedirs(self.work, mode=0o700)
        if not self.place.is_checkout and not os.access(self.place.package, os.W_OK):
            raise CondorError(f"condor_setup: {self.place.package} cannot be written by this account")

    def _make_checkout_ready(self) -> None:
        if self.wish.dry_run:
            self._would("run bin/.setup, which installs packages and builds modules in C where those have changed")
            return
        with self._step(f"{self.place.root} is ready: condor_py {self.old}"):
            make_ready(self.place)

    def _make_wheels_ready(self, source: str) -> None:
        pip = self._pip()
        into = f"{self.work}/wheels"
        os.mkdir(into)
        with self._step("getting the new version") as note:
            wheel = pip.gather(source, into)
            self.wheels = [wheel, *(path for path in glob(f"{glob_safe(into)}/*.whl") if path != wheel)]
            self.new = unpacked(wheel, f"{self.work}/unpacked", self.place.python)
            needed = len(self.wheels) - 1
            others = f" and {needed} package{'s' if needed > 1 else ''} that it needs" if needed else ""
            note.text = (
                f"condor_py {self.new.version}{others} can be installed in place of {self.old} in {self.place.root}"
            )
        with self._step("the way back") as note:
            self.old_wheel = wheel_of(self.place, self.work)
            note.text = f"a wheel of {self.old} is ready for the way back; {self._check_room()} are free"

    def _pip(self) -> Pip:
        return Pip(self.place, f"{self.work if self.wish.dry_run else self.kept}/pip.log")

    def _check_room(self) -> str:
        """Return what is free in the fullest place. CondorError when that is not enough."""
        logs = sum(os.stat(path).st_size for path in self._logs())
        free = []
        for directory, needed in ((self.place.package, 2 * sum(map(size_of, self.wheels))), (self.work, logs)):
            stat = os.statvfs(directory)
            free.append(stat.f_bavail * stat.f_frsize)
            if free[-1] < needed + _RESERVE:
                raise CondorError(
                    f"condor_setup: {directory} has {_size(free[-1])} free, and {_size(needed)} are needed"
                )
        return _size(min(free))

    def _logs(self) -> list[str]:
        """The files of the spool that the new version changes, but for those that only grow."""
        return [path for path in (self.paths.job_queue_log, self.paths.accountant_log) if os.path.exists(path)]

    def _check_configuration(self, note: _Note) -> None:
        theirs, ours = (where.answer("condor_config_val", *_PLACES).splitlines() for where in (self.place, self.new))
        for name, old, new in zip(_PLACES, theirs, ours, strict=True):
            if old != new:
                raise CondorError(
                    f"condor_setup: {name} of {self.new.version} is {new}, and that of {self.old} is {old}: "
                    f"put {name} = {old} into the configuration"
                )
        found = self.new.tool("condor_config_val", "-lint")
        lines = [line for line in found.stdout.splitlines() if line and line != "nothing found"]
        if found.returncode:
            raise CondorError(
                f"condor_setup: {self.new.version} refuses the configuration: {(lines or [found.stderr])[0]}"
            )
        known = self.place.tool("condor_config_val", "-lint").stdout.splitlines() if lines else []
        note.text = f"{self.new.version} accepts the configuration"
        for line in lines:
            if line not in known:
                note.text += f"\n           {line}"

    def _check_spool(self) -> None:
        done = self.new.tool("condor_store_check")
        if done.returncode:
            problems = done.stdout.splitlines() or [done.stderr.strip()]
            more = f" (and {len(problems) - 1} more: condor_store_check)" if problems[1:] else ""
            raise CondorError(f"condor_setup: {problems[0]}{more}")

    def _listed(self, by: Place) -> list[str]:
        """``cluster proc status universe`` of each job, as a version reads the queue."""
        if not os.path.exists(self.paths.job_queue_log):
            return []
        return sorted(by.answer("condor_q", "-allusers", "-af", *_COLUMNS).splitlines())

    def _what_becomes_of_them(self) -> str:
        running = _running(self.jobs)
        if not self.master:
            return "no pool runs, and none is started"
        if not running:
            return "none is interrupted"
        if self.wish.drain:
            return f"first {_of_jobs(running, 'that runs ends', 'that run end')} (-drain)"
        asked = _of_jobs(running, "is asked to stop, and runs", "are asked to stop, and run")
        return f"{asked} again afterwards (-drain lets {'it' if running == 1 else 'them'} end)"

    def foretell(self) -> None:
        """Say what the rest would be (-dry-run)."""
        if self.master:
            if self.wish.drain:
                self._would("wait until no job runs, while none starts")
            self._would(f"stop the pool{' by systemctl' if self.unit else ''}, process {self.master}")
        if not self.place.is_checkout:
            self._would(f"keep {self.old} and a copy of the queue in {self.before}")
            self._would(f"install {', '.join(map(os.path.basename, self.wheels))}")
        if self.master:
            self._would("start the pool, and look for every job")
        self.say("nothing was changed (-dry-run)")

    def _would(self, what: str) -> None:
        self.say(f"           would {what}")

    # -- the change -------------------------------------------------------------------------------

    def exchange(self) -> None:
        """Stop, keep, install, start, look. CondorError, OSError."""
        if self.master and self.wish.drain:
            self._drain()
        if self.master:
            self._stop()
        with self._step("keeping") as note:
            self._keep()
            what = "a copy of the queue" if self.place.is_checkout else f"{self.old} and a copy of the queue"
            note.text = f"kept {what} in {self.before}"
        if not self.place.is_checkout:
            self._install()
        if self.master:
            self._start()
            with self._step("looking for every job") as note:
                note.text = self._look_for_jobs()
                self._check_spool()
        if not self.place.is_checkout:
            with self._step(f"compiled {self.new.version}"):
                self._pip().compile()
        self._bring_setup_up_to_date()

    def _drain(self) -> None:
        startd = lock_holder(self.paths.daemon_lock("STARTD"))
        if not startd:
            return
        with self._timed("no job runs any more"):
            self.place.answer("condor_off", "-peaceful", "-startd")
            self.startd_leaves = True
            deadline = None if self.wish.limit is None else time.monotonic() + self.wish.limit
            teller = _Teller(self.say)
            while lives(str(startd)):
                running = _running(self._listed(self.new))
                teller.tell(_of_jobs(running, "still runs", "still run"))
                end = time.monotonic() + 20 * _POLL  # a look costs as much as a condor_q
                while lives(str(startd)) and time.monotonic() < end:
                    self._end_if_asked()
                    if deadline is not None and time.monotonic() > deadline:
                        teller.clear()
                        raise CondorError(
                            f"condor_setup: {_of_jobs(running, 'still runs', 'still run')} after {self.wish.limit} s"
                        )
                    time.sleep(_POLL)
            teller.clear()

    def _stop(self) -> None:
        self.off_since = time.monotonic()
        with self._step("stopped the pool"):
            self.stopped = True
            if self.unit:
                _systemctl(self.unit, "stop")
            else:
                self.place.answer("condor_off", "-master")
            knobs = ("SHUTDOWN_GRACEFUL_TIMEOUT", "SHUTDOWN_FAST_TIMEOUT")
            patience = sum(float(self.pool.config.string(name) or 0) for name in knobs) + _STOP_PATIENCE
            deadline = time.monotonic() + patience
            while lives(str(self.master)):
                if time.monotonic() > deadline:
                    raise CondorError(f"condor_setup: the master (process {self.master}) does not end")
                time.sleep(_POLL)

    def _keep(self) -> None:
        """Copies of what the new version is going to change, in place of those of the last upgrade."""
        new = f"{self.before}.new"
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new, mode=0o700)
        for path in [*self._logs(), *([self.old_wheel] if self.old_wheel else [])]:
            shutil.copy2(path, new)
        shutil.rmtree(self.before, ignore_errors=True)
        os.rename(new, self.before)
        self.old_wheel = f"{self.before}/{os.path.basename(self.old_wheel)}" if self.old_wheel else ""

    def _install(self) -> None:
        listed = self._listed(self.place)
        with self._step(f"installed condor_py {self.new.version}"):
            self.exchanged = True
            self._pip().install(self.wheels)
            if self.place.version != self.new.version:
                raise CondorError(
                    f"condor_setup: {self.place.package} is not {self.new.version} but {self.place.version}"
                )
        with self._step("reading the queue") as note:
            jobs = self._listed(self.place)
            if jobs != listed:
                raise CondorError(
                    f"condor_setup: {self.old} reads {_counted(listed)} in the queue, "
                    f"{self.new.version} {_counted(jobs)}"
                )
            note.text = f"{self.new.version} reads the same {len(jobs)} jobs as {self.old}"
        self.jobs = jobs

    def _start(self) -> None:
        with self._step("starting the pool") as note:
            if self.unit:
                _systemctl(self.unit, "start")
            else:
                self.place.answer("condor_master")
            self.stopped = False
            deadline = time.monotonic() + _START_PATIENCE
            while missing := [name for name in self.daemons if name not in self._serving()]:
                if time.monotonic() > deadline:
                    raise CondorError(
                        f"condor_setup: {', '.join(missing).lower()} of {self.place.version} does not serve"
                    )
                time.sleep(_POLL)
            self.master = lock_holder(self.paths.daemon_lock("MASTER"))
            note.text = f"started the pool: {', '.join(self.daemons).lower()}"
        self.off_for = time.monotonic() - self.off_since

    def _serving(self) -> list[str]:
        names = dict.fromkeys(["MASTER", *(name.upper() for name in self.pool.config.list("DAEMON_LIST"))])
        return [name for name in names if serving(self.paths, name)]

    def _look_for_jobs(self) -> str:
        """Find each job that was in the queue, there or in the history. CondorError when one is missing."""
        now = {" ".join(line.split()[:2]): line.split()[2] for line in self._listed(self.place)}
        were = {" ".join(line.split()[:2]): line.split()[2] for line in self.jobs}
        gone = [job for job in were if job not in now]
        if gone:
            ids = [job.replace(" ", ".") for job in gone]
            ended = self.place.answer("condor_history", "-af", "ClusterId", "ProcId", "-limit", str(len(ids)), *ids)
            gone = [job for job in gone if job not in ended.splitlines()]
        # A job leaves the queue a moment before its record can be read, and clusters may end with their last job.
        if gone:
            raise CondorError(f"condor_setup: job {gone[0].replace(' ', '.')} is in neither queue nor history")
        return f"every job is there: {_counted(self._listed(self.place))}"

    def _bring_setup_up_to_date(self) -> None:
        """Let the new version write completions, units and the like again where condor_setup has made them."""
        if self.wish.prefix is None and os.path.exists(f"{state_directory()}/condor_py/setup.json"):
            with self._step("brought the files of condor_setup up to date"):
                self.place.answer("condor_setup")

    # -- when something fails -----------------------------------------------------------------------

    def undo(self, reason: str) -> CondorError:
        """Bring the old version back after ``reason``; return the error that tells so."""
        self.undoing = True
        try:
            if self.exchanged:
                if self.master and not self.stopped and lock_holder(self.paths.daemon_lock("MASTER")):
                    self._stop()
                with self._step(f"installed {self.old} again"):
                    self._pip().install([self.old_wheel])
            if self.stopped:
                self._start()
            elif self.startd_leaves:
                self.place.answer("condor_on", "-startd")
        except (CondorError, OSError) as error:
            kept = f"; {self.before} has the version and the queue as they were" if self.exchanged else ""
            return NotRunning(f"{reason}; then {_message_of(error)}: the pool does not run{kept}")
        if self.place.is_checkout:
            return CondorError(f"{reason}; the pool {'runs' if self.master else 'is as it was'}")
        return CondorError(f"{reason}; condor_py {self.old} is installed{' and runs' if self.master else ''} as before")

    def clean(self) -> None:
        """Remove what was made aside."""
        if self.work:
            shutil.rmtree(self.work, ignore_errors=True)

    def tell_the_end(self) -> None:
        """Say what there is now, and the way back."""
        off = f"; the pool was off for {self.off_for:.0f} s" if self.off_for else ""
        self.say(f"condor_py {self.place.version} is installed{' and runs' if self.master else ''}{off}.")
        for pid, user in _others(self.place, self.master):
            self.say(f"The pool of {user} (process {pid}) still runs {self.old}: condor_restart in it ends that.")
        if self.place.is_checkout:
            self.say("Back: git checkout the commit before, and condor_setup -upgrade again.")
        else:
            own = "" if self.wish.prefix is None else f" -prefix {self.place.root}"
            self.say(f"Back to {self.old}: condor_setup -upgrade -back{own}")

    # -- lines --------------------------------------------------------------------------------------

    @contextmanager
    def _step(self, text: str) -> Iterator[_Note]:
        with self._timed(text) as note, ticking(text):
            yield note

    @contextmanager
    def _timed(self, text: str) -> Iterator[_Note]:
        """A step whose line says how long it took; it begins only if no signal has asked this process to end."""
        self._end_if_asked()
        note = _Note(text)
        begin = time.monotonic()
        yield note
        self.say(f"{time.monotonic() - begin:7.1f} s  {note.text}")

    def _end_if_asked(self) -> None:
        if self.asked_to_end and not self.undoing:
            asked, self.asked_to_end = self.asked_to_end, ""
            raise CondorError(f"condor_setup: ended by {asked}")


class _Teller:
    """Tells of a wait: one line on a terminal, else a line a minute."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._line = Line() if sys.stderr.isatty() else None
        self._next = time.monotonic() + _TELL
        self._begin = time.monotonic()

    def tell(self, text: str) -> None:
        """Say how far it has come, if it is time to."""
        now = time.monotonic()
        if self._line is not None:
            self._line.show(f"{text} ... {now - self._begin:.0f} s")
        elif now >= self._next:
            self._next = now + _TELL
            self._say(f"{now - self._begin:7.1f} s  {text}")

    def clear(self) -> None:
        """Leave nothing on the terminal."""
        if self._line is not None:
            self._line.clear()


@contextmanager
def _signals(job: _Upgrade) -> Iterator[None]:
    """Note signals that end us, for the next moment at which the change can be undone."""

    def note(number: int, _frame: object) -> None:
        job.asked_to_end = signal.Signals(number).name

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.signal(number, note) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)


def _counted(jobs: list[str]) -> str:
    """``5 jobs (3 running, 2 idle)``."""
    states = Counter(_STATES.get(line.split()[2], "running") for line in jobs)
    text = ", ".join(f"{number} {state}" for state, number in sorted(states.items()))
    return f"{len(jobs)} jobs ({text})" if jobs else "no jobs"


def _running(jobs: list[str]) -> int:
    """Jobs that run in slots."""
    rows = (line.split() for line in jobs)
    return sum(row[2] in _RUNNING and row[3] not in _WITHOUT_SLOT for row in rows)


def _of_jobs(number: int, one: str, several: str) -> str:
    return f"1 job {one}" if number == 1 else f"{number} jobs {several}"


def _size(number: int) -> str:
    return f"{number / (1 << 30):.1f} GB" if number >= 1 << 30 else f"{number / (1 << 20):.0f} MB"


def unit_of(master: int) -> tuple[str, ...]:
    """The words of systemctl for the unit whose main process the master is; () when systemd did not start it."""
    program = shutil.which("systemctl")
    for words in (("systemctl",), ("systemctl", "--user")):
        if program is None or not master:
            break
        command = [*words, "show", "--property=MainPID", "--value", _UNIT]
        with suppress(OSError):
            shown = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if shown.stdout.strip() == str(master):
                return words
    return ()


def _systemctl(words: tuple[str, ...], verb: str) -> None:
    done = subprocess.run([*words, verb, _UNIT], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CondorError(f"condor_setup: {' '.join(words)} {verb} {_UNIT}: {done.stderr.strip() or 'failed'}")


def _others(where: Place, master: int) -> Iterator[tuple[int, str]]:
    """Masters that run from the same installation: process and user."""
    main = f"{where.package}/__main__.py".encode()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if main in words and b"condor_master" in words and int(name) != master:
                yield int(name), account_name(os.stat(f"/proc/{name}").st_uid)
