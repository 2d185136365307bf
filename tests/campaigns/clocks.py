"""Clocks, zones, names and texts that a pool does not expect.

    tests/campaigns/run clocks [-n COUNT] [-seed SEED] [-users COUNT] [-only NAME ...]

Each situation is a pool of its own: a clock that jumps by seconds to years while jobs run, wait, are held, are deferred
and repeat (2038, 2100, 29 February and changes to summer time among them), time zones that daemons and tools do not
share, a history that is rotated meanwhile; a host name that changes, accounts that vanish or have odd names, thousands
of users; locales; arguments, environments, files and configuration with bytes that are no UTF-8. Without -n each comes
once; more situations draw a jump, a zone and a locale together from the seed. ``zones`` compares the times of cron jobs
and event logs in all zones with a slow and simple computation.

What must hold: no daemon ends, no tool has a traceback, all jobs end once, no duration is negative, usage and
priorities are finite and as large as the real time allows, idle daemons use no processor time, and bytes arrive as they
were given.

A library that is loaded into every process of the pool makes the clock (tests/attack/shim.c): that of the machine is
left alone. Needs a C compiler; names and accounts need root, util-linux and a Python of the system with psutil.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from calendar import timegm
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS.parent), str(_TESTS / "e2e"), str(_TESTS / "attack")]

from campaign import Campaign, CannotRun, main
from machine import Machine
from pool import MAIN, PATIENCE, Done, PersonalPool, preloaded, wait_for
from preloaded import PreloadedTools, may_be_preloaded

DAEMONS = ("master", "schedd", "startd", "negotiator")
SYSTEM_PYTHON = "/usr/bin/python3"
DAY, YEAR = 86_400, 365 * 86_400
#: Seconds by which the clock jumps, each from the right time.
JUMPS = (3, -3, 61, -61, 3600, -3600, DAY, -DAY, 400 * DAY, -400 * DAY, 10 * YEAR, -10 * YEAR)
#: Moments that the clock jumps to (UTC), and the zone in which they are special.
MOMENTS = {
    "leap-day": ("2028-02-29 23:59:55", "UTC"),
    "new-year": ("2027-12-31 23:59:55", "Pacific/Kiritimati"),
    "summer-begins": ("2027-03-28 00:59:55", "Europe/Berlin"),
    "summer-ends": ("2027-10-31 00:59:55", "Europe/Berlin"),
    "summer-of-half-an-hour": ("2027-04-03 14:59:55", "Australia/Lord_Howe"),
    "end-of-31-bits": ("2038-01-19 03:14:02", "Asia/Kathmandu"),
    "no-leap-day": ("2100-02-28 23:59:55", "UTC"),
    "end-of-32-bits": ("2106-02-07 06:28:10", "America/St_Johns"),
    "beginning": ("1970-01-03 00:00:00", "America/New_York"),
}
#: TZ of the daemons, and of the tools.
ZONES = (
    ("Asia/Kathmandu", "America/St_Johns"),
    ("Pacific/Kiritimati", "Pacific/Niue"),
    ("Mars/Phobos", "UTC"),
    (":", "<+13>-13:37"),
    ("ZZZ+25:99:99", "Europe/Berlin"),
    ("x" * 4000, ""),
    ("UTC", "/etc/passwd"),
    ("\udcff\udcfe", "\udcff"),
)
LOCALES = ("C", "POSIX", "C.UTF-8", "tr_TR.UTF-8", "tr_TR.ISO-8859-9", "ja_JP.EUC-JP", "xx_YY.nonsense")
#: Seconds that a job which can run may take to end, CPU seconds a second of an idle pool.
_SOON, _IDLE_CPU, _LOOK = 45.0, 0.25, 4.0
_LOOKS = (
    ("condor_q", "-allusers", "-nobatch"),
    ("condor_q", "-allusers"),
    ("condor_q", "-run"),
    ("condor_q", "-hold"),
    ("condor_q", "-better-analyze"),
    ("condor_q", "-allusers", "-why"),
    ("condor_status",),
    ("condor_status", "-run"),
    ("condor_userprio", "-all", "-allusers"),
    ("condor_history", "-limit", "3"),
    ("condor_history", "-completedsince", "0", "-limit", "3"),
    ("condor_history", "-since", "CompletionDate < 0", "-limit", "3"),
    ("condor_who",),
    ("condor_report",),
    ("condor_userlog", "log"),
    ("htcondor", "eventlog", "read", "log"),
    ("condor_wait", "-wait", "1", "-num", "1", "log"),
)
_NEGATIVE = re.compile(r"(?<![\w.:/-])-\d+\+|\bnan\b|-\d\d:\d\d:\d\d", re.IGNORECASE)
_DURATIONS = (
    "RemoteWallClockTime", "LastRemoteWallClockTime", "CommittedTime", "CommittedSlotTime", "CumulativeSlotTime",
    "CumulativeSuspensionTime", "ActivationDuration", "ActivationExecutionDuration", "ActivationSetupDuration",
    "ActivationTeardownDuration", "RemoteUserCpu", "RemoteSysCpu", "JobDuration",
)  # fmt: skip

Found = Callable[[str], None]


@dataclass(frozen=True)
class Scene:
    """Where a situation happens: a directory, where findings go, the source of chance, and the options.

    ``is_quick``: tools of a pool whose clock jumps run in processes that have their modules loaded.
    """

    folder: Path
    found: Found
    choose: random.Random
    users: int
    is_quick: bool = False

    def tell(self, name: str) -> Scene:
        """The same, whose findings begin with a name."""
        return replace(self, found=lambda text: self.found(f"{name}: {text}"))


# -- a pool whose clock jumps ---------------------------------------------------------------------------------------


class ClockPool(PersonalPool):
    """``zone`` is TZ of the daemons, ``tools`` that of the tools."""

    def __init__(self, folder: Path, zone: str = "UTC", tools: str | None = None, **knobs: str) -> None:
        super().__init__(folder / "pool", cpus=4, PERIODIC_EXPR_INTERVAL="1", **knobs)
        self.machine = Machine(folder)
        self.environment.update(self.machine.environment, TZ=zone)
        self._tools = zone if tools is None else tools
        self.began = time.monotonic()
        self.jumped = 0.0

    def start(self) -> None:
        super().start()
        self.environment["TZ"] = self._tools
        self.pids = {name: self.pid(name) for name in DAEMONS}

    def load_tools(self) -> None:
        """Tools run in processes that have their modules loaded from now on, on the same machine."""
        self.tools = PreloadedTools(self.machine.environment)

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        """Runs a tool, whose clock jumps as well."""
        of_pool = {name: text for name, text in self.environment.items() if name not in self.machine.environment}
        if self.tools is None or not may_be_preloaded(words, of_pool):
            return super().tool(*words, check=check, stdin=stdin, cwd=cwd)
        done = preloaded(words, self.environment, cwd or self.work, stdin or "", tools=self.tools)
        assert not check or done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def look(self, found: Found, *words: str, may_fail: bool = True) -> Done | None:
        """Runs a tool, and judges what it says."""
        try:
            done = self.tool(*words, check=False)
        except subprocess.TimeoutExpired:
            found(f"{' '.join(words)} hangs")
            return None
        told = done.stdout + done.stderr
        if "Traceback" in told or "internal error" in told:
            found(f"{' '.join(words)}: {told[-1500:]}")
        elif done.returncode < 0 or (done.returncode and not told.strip()):
            found(f"{' '.join(words)} exits with {done.returncode}: {told[-300:]}")
        elif done.returncode and not may_fail:
            found(f"{' '.join(words)} exits with {done.returncode}: {told[-600:]}")
        for line in told.splitlines():
            if _NEGATIVE.search(line):
                found(f"{' '.join(words)} shows {line!r}")
                break
        return done

    def short(self, found: Found, what: str, log: str = "log") -> None:
        """Three jobs of /bin/true have to be accepted, and to end."""
        (self.work / "short.sub").write_text(f"executable = /bin/true\nlog = {log}\nqueue 3\n")
        done = self.look(found, "condor_submit", "short.sub", may_fail=False)
        number = re.search(r"submitted to cluster (\d+)", done.stdout) if done is not None else None
        if number is None:
            return
        try:
            for proc in range(3):
                wait_for(lambda proc=proc: self.status_of(f"{number[1]}.{proc}") is None, "", _SOON)
        except AssertionError:
            why = self.tool("condor_q", "-better-analyze", number[1], check=False).stdout[-800:]
            states = [self.status_of(f"{number[1]}.{proc}") for proc in range(3)]
            found(f"{what}: short jobs do not end: {states} {why}")

    def check(self, found: Found, what: str, jumped: float = 0) -> None:
        """All that must hold after a jump. ``jumped`` are the seconds by which runs may seem longer since the last."""
        self.jumped += max(0.0, jumped)
        self.short(found, what)
        for words in _LOOKS:
            self.look(lambda text: found(f"{what}: {text}"), *words)
        for name, pid in self.pids.items():
            if not (Path(f"/proc/{pid}").exists() and self.pid(name) == pid):
                found(f"{what}: the {name} has ended")
        self._check_usage(lambda text: found(f"{what}: {text}"))
        self._check_history(lambda text: found(f"{what}: {text}"))
        self.check_logs(lambda text: found(f"{what}: {text}"))

    def check_logs(self, found: Found) -> None:
        """No traceback and no failed callback in a log."""
        for path in self.log.glob("*Log*"):
            text = path.read_text(errors="replace")
            at = max(text.find("Traceback"), text.find("the daemon continues"))
            if at >= 0:
                found(f"{path.name} has {text[max(0, at - 200) : at + 2000]}")

    def _elapsed(self) -> float:
        return time.monotonic() - self.began

    def _check_usage(self, found: Found) -> None:
        done = self.tool("condor_userprio", "-l", check=False)
        for name, text in re.findall(r"^(\w+?)\d+ = (\S+)$", done.stdout, re.MULTILINE):
            if name not in ("Priority", "WeightedAccumulatedUsage", "AccumulatedUsage"):
                continue
            value = float(text.replace('"', "").replace("real(", "").strip("()") or 0)
            most = 1e7 if name == "Priority" else 4 * self._elapsed() + 30
            if not math.isfinite(value) or not 0 <= value <= most:
                found(f"condor_userprio has {name} = {text} after {self._elapsed():.0f} s of 4 processors")

    def _check_history(self, found: Found) -> None:
        done = self.tool("condor_history", "-json", check=False)
        ads = json.loads(done.stdout or "[]")
        for ad in ads:
            for name in _DURATIONS:
                value = ad.get(name, 0)
                most = 4 * (self._elapsed() + 30) + self.jumped
                if not isinstance(value, int | float) or not 0 <= value <= most:
                    found(f"job {ad.get('ClusterId')}.{ad.get('ProcId')} has {name} = {value}, at most {most:.0f}")

    def check_idle(self, found: Found) -> None:
        """Daemons with nothing to do use no processor time."""
        before = self._cpu()
        since = time.monotonic()
        time.sleep(_LOOK)  # what is measured is how little happens in a time
        share = (self._cpu() - before) / (time.monotonic() - since)
        if share > _IDLE_CPU:
            found(f"idle daemons use {share:.2f} of a processor")

    def _cpu(self) -> float:
        ticks = 0
        for pid in self.pids.values():
            with contextlib.suppress(OSError, IndexError):
                words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def leave(self, found: Found) -> None:
        """Removes all jobs, which ends them, and stops the pool."""
        self.look(found, "condor_rm", "-all")
        try:
            wait_for(lambda: not self.queue("ClusterId"), "", _SOON)
        except AssertionError:
            found(f"jobs do not leave: {self.queue('ClusterId', 'ProcId', 'JobStatus')}")
        self.stop()


_ALL = """\
log = log
executable = /bin/sleep
arguments = 100000
My.Kind = "long"
job_lease_duration = 1200
max_job_retirement_time = 3600
queue
My.Kind = "waits"
requirements = false
queue
My.Kind = "held"
requirements = true
hold = true
periodic_release = false
periodic_remove = time() - EnteredCurrentStatus > 100 * 365 * 86400 * 10
queue
"""
_CRON = """\
log = cron.log
executable = /bin/true
cron_minute = *
cron_window = 100000000000
on_exit_remove = false
My.Kind = "cron"
queue
"""
_DEFERRED = """\
log = deferred.log
executable = /bin/true
deferral_time = {when}
deferral_window = 3600
My.Kind = "deferred"
queue
"""
_CROSSING = """\
log = crossing.log
executable = /bin/sh
arguments = "-c 'while [ ! -e {flag} ]; do sleep 0.1; done'"
My.Kind = "crossing"
queue
"""


def _jump(scene: Scene, jumps: Sequence[float], zone: str = "UTC", tools: str | None = None, **more: str) -> None:
    """One pool through jumps: from the right time to each of them and back."""
    pool = ClockPool(scene.folder, zone, tools)
    pool.environment.update(more)
    if scene.is_quick:
        pool.load_tools()
    found = scene.found
    try:
        pool.start()
        kinds = _begin_jobs(pool)
        for number, seconds in enumerate(jumps):
            flag = f"go{number}"
            crossing = pool.submit(_CROSSING.format(flag=flag))
            deferred = pool.submit(_DEFERRED.format(when=int(time.time() + seconds) + 15))
            pool.started("crossing.log", f"{crossing}.0")
            pool.machine.clock(int(seconds))
            what = f"after a jump of {seconds:+.0f} s"
            pool.check(found, what, seconds)
            (pool.work / flag).touch()
            _gone(pool, found, crossing, f"{what}: the job that ran meanwhile")
            _gone(pool, found, deferred, f"{what}: the deferred job")
            _check_cron(pool, found, what, kinds["cron"])
            pool.machine.clock(0)
            pool.check(found, f"back from {seconds:+.0f} s", -seconds)
            _check_cron(pool, found, f"back from {seconds:+.0f} s", kinds["cron"])
            for kind, status in (("long", 2), ("waits", 1), ("held", 5)):
                if pool.status_of(kinds[kind]) != status:
                    found(f"{what}: the job '{kind}' has JobStatus {pool.status_of(kinds[kind])}")
        pool.check_idle(found)
        pool.leave(found)
    finally:
        pool.machine.clock(0)
        pool.stop()


def _begin_jobs(pool: ClockPool) -> dict[str, str]:
    """Submits one job of each kind; their ids."""
    cluster = pool.submit(_ALL)
    kinds = {"long": f"{cluster}.0", "waits": f"{cluster}.1", "held": f"{cluster}.2"}
    kinds["cron"] = f"{pool.submit(_CRON)}.0"
    wait_for(lambda: pool.status_of(kinds["long"]) == 2, "the long job runs")
    return kinds


def _gone(pool: ClockPool, found: Found, cluster: int, what: str) -> None:
    try:
        wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "", _SOON)
    except AssertionError:
        found(f"{what} has JobStatus {pool.status_of(f'{cluster}.0')}")


def _check_cron(pool: ClockPool, found: Found, what: str, job: str) -> None:
    """A job of every minute is due within two minutes of the clock."""

    def due() -> bool:
        rows = pool.tool("condor_q", "-af", "DeferralTime", "time()", "-constraint", 'Kind == "cron"').stdout.split()
        return len(rows) >= 2 and rows[0].isdigit() and int(rows[0]) - int(rows[1]) <= 120

    try:
        wait_for(due, "", 20)
    except AssertionError:
        rows = pool.tool("condor_q", "-af", "JobStatus", "DeferralTime", "time()", "HoldReason", job).stdout.strip()
        found(f"{what}: the job of every minute is not due within two minutes: {rows}")


def jumps_in_small_steps(scene: Scene) -> None:
    """Seconds and minutes, forward and back."""
    _jump(scene, JUMPS[:4])


def jumps_of_hours(scene: Scene) -> None:
    """An hour and a day, forward and back."""
    _jump(scene, JUMPS[4:8])


def jumps_of_years(scene: Scene) -> None:
    """400 days and ten years, forward and back."""
    _jump(scene, JUMPS[8:])


def _moment(name: str) -> Callable[[Scene], None]:
    def situation(scene: Scene) -> None:
        text, zone = MOMENTS[name]
        _jump(scene, [timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S")) - time.time()], zone)

    return situation


def _zones(number: int) -> Callable[[Scene], None]:
    def situation(scene: Scene) -> None:
        daemons, tools = ZONES[number]
        _jump(scene, [3600], daemons, tools)

    return situation


def zone_changes_between_daemon_and_tool(scene: Scene) -> None:
    """Event logs in local time (LEGACY) that daemons write in one zone are read in another, and over a leap day."""
    pool = ClockPool(scene.folder, "America/New_York", "Asia/Kathmandu", DEFAULT_USERLOG_FORMAT_OPTIONS="LEGACY")
    try:
        pool.machine.clock(int(timegm((2028, 2, 29, 23, 59, 0)) - time.time()))
        pool.start()
        pool.check(scene.found, "on a leap day")
        pool.machine.clock(int(timegm((2029, 1, 10, 0, 0, 0)) - time.time()))
        pool.check(scene.found, "a year without one later", 400 * DAY)
        pool.leave(scene.found)
    finally:
        pool.stop()


def restarts_at_other_times(scene: Scene) -> None:
    """The clock is set while no daemon runs: the queue of a later or earlier time is taken up."""
    pool = ClockPool(scene.folder)
    try:
        pool.start()
        kinds = _begin_jobs(pool)
        for seconds in (-3600, 3600, 400 * DAY, -400 * DAY, 0):
            pool.environment["TZ"] = "UTC"
            pool.stop()
            pool.machine.clock(seconds)
            pool.start()
            what = f"restarted {seconds:+} s off"
            wait_for(lambda: pool.status_of(kinds["long"]) == 2, f"the long job runs again {what}")
            pool.check(scene.found, what, abs(seconds) + 400 * DAY)
            _check_cron(pool, scene.found, what, kinds["cron"])
        pool.check_idle(scene.found)
        pool.leave(scene.found)
    finally:
        pool.machine.clock(0)
        pool.stop()


def history_is_rotated(scene: Scene) -> None:
    """However the clock jumps between rotations, the newest jobs are kept and come first."""
    pool = ClockPool(scene.folder, MAX_HISTORY_LOG="20000", MAX_HISTORY_ROTATIONS="2")
    try:
        pool.start()
        newest = 0
        for seconds in (0, 400 * DAY, 0, -400 * DAY, 3600, 0):
            pool.machine.clock(seconds)
            for _ in range(4):
                newest = pool.submit("executable = /bin/true\nlog = log\nqueue 3\n")
                _gone(pool, scene.found, newest, "a short job")
            what = f"{seconds:+} s off"
            with contextlib.suppress(AssertionError):
                wait_for(lambda newest=newest: pool.history("ClusterId")[0] == [str(newest)], "", 10)
            kept = [int(row[0]) for row in pool.history("ClusterId")]
            if kept != sorted(kept, reverse=True) or kept[0] != newest:
                scene.found(f"{what}: condor_history has {kept}, the newest is {newest}")
            since = [int(row[0]) for row in pool.history("ClusterId")]
            done = pool.tool("condor_history", "-since", str(newest - 1), "-af", "ClusterId")
            if [int(word) for word in done.stdout.split()] != [newest] * 3:
                scene.found(f"{what}: condor_history -since {newest - 1} has {done.stdout.split()}, of {since}")
        pool.leave(scene.found)
    finally:
        pool.machine.clock(0)
        pool.stop()


def zones_of_the_world(scene: Scene) -> None:
    """Times of cron jobs in every zone at random moments, against minute by minute."""
    from condor_py.core.jobs.crontab import next_run, schedule_of
    from condor_py.lang.classad import ClassAd
    from condor_py.store.event_log import unix_time

    folder = Path("/usr/share/zoneinfo")
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name[0].isupper()]
    if not names:
        raise CannotRun("there are no time zones (Debian: tzdata)")
    before = os.environ.get("TZ")
    try:
        for name in scene.choose.sample(sorted(names), min(120, len(names))):
            os.environ["TZ"] = name
            time.tzset()
            when = scene.choose.randrange(20 * YEAR, 135 * YEAR)
            minute, hour = scene.choose.choice(("*", "0", "30", "*/15", "59")), scene.choose.choice(("*", "2", "0,3"))
            ad = ClassAd.from_text_items([("CronMinute", f'"{minute}"'), ("CronHour", f'"{hour}"')])
            wanted, got = _minute_by_minute(minute, hour, when), next_run(schedule_of(ad), when)
            if got != wanted:
                scene.found(f"TZ={name}: after {when} {minute} {hour} is next at {got}, it should be {wanted}")
            local = time.localtime(when)
            again = unix_time(
                (local.tm_year, local.tm_mon, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec), False
            )
            if abs(again - when) > 2 * 3600:
                scene.found(f"TZ={name}: {when} in an event log is read as {again}")
    finally:
        os.environ.pop("TZ", None)
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


def _minute_by_minute(minute: str, hour: str, when: int) -> int:
    minutes = range(0, 60, 15) if minute == "*/15" else range(60) if minute == "*" else (int(minute),)
    hours = range(24) if hour == "*" else [int(word) for word in hour.split(",")]
    when += 60 - when % 60
    while True:
        local = time.localtime(when)
        if local.tm_min in minutes and local.tm_hour in hours:
            return when
        when += 60


# -- names ----------------------------------------------------------------------------------------------------------


class NamedPool(PersonalPool):
    """A pool of root whose host name and accounts are its own: a name space that a sleeping process holds."""

    def __init__(self, folder: Path, accounts: dict[str, int], **knobs: str) -> None:
        if os.geteuid() != 0:
            raise CannotRun("it needs root")
        if subprocess.run([SYSTEM_PYTHON, "-I", "-c", "import psutil"], capture_output=True, check=False).returncode:
            raise CannotRun(f"{SYSTEM_PYTHON} has no psutil (Debian: python3-psutil)")
        super().__init__(folder / "pool", cpus=4, PERIODIC_EXPR_INTERVAL="1", **knobs)
        del self.environment["_CONDOR_CONDOR_IDS"]
        self._accounts = dict(accounts)
        self.pids: dict[str, int] = {}
        for name in ("passwd", "group"):
            (self.directory / name).write_text("")
        self._write_accounts()
        binds = " && ".join(f"mount --bind {self.directory}/{name} /etc/{name}" for name in ("passwd", "group"))
        script = f"{binds} && echo && exec sleep 100000"
        self._holder = subprocess.Popen(["unshare", "-m", "-u", "/bin/sh", "-c", script], stdout=subprocess.PIPE)
        assert self._holder.stdout is not None
        self._holder.stdout.readline()

    def home_of(self, name: str) -> Path:
        """The home of an account."""
        return self.directory / f"home-{self._accounts[name]}"

    def _write_accounts(self, without: str = "", moved: str = "") -> None:
        lines = Path("/etc/passwd").read_bytes()
        for name, uid in self._accounts.items():
            if name == without:
                continue
            home = self.home_of(name)
            home = home.with_name(home.name + "-moved") if name == moved else home
            home.mkdir(exist_ok=True)
            os.chown(home, uid, uid)
            lines += os.fsencode(f"{name}:x:{uid}:{uid}::{home}:/bin/sh\n")
        (self.directory / "passwd").write_bytes(lines)
        (self.directory / "group").write_bytes(
            Path("/etc/group").read_bytes()
            + b"".join(os.fsencode(f"g{uid}:x:{uid}:\n") for uid in self._accounts.values())
        )

    def change_accounts(self, *, without: str = "", moved: str = "") -> None:
        """An account vanishes, or its home moves; all are there without arguments."""
        self._write_accounts(without, moved)

    def host_name(self, name: bytes) -> None:
        """Sets the host name in the name space."""
        program = (
            "import ctypes, sys, os; n = os.fsencode(sys.argv[1]); sys.exit(-ctypes.CDLL(None).sethostname(n, len(n)))"
        )
        subprocess.run([*self._enter(), SYSTEM_PYTHON, "-I", "-c", program, os.fsdecode(name)], check=True)

    def _enter(self) -> list[str]:
        return ["nsenter", "-t", str(self._holder.pid), "-m", "-u"]

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        return self._run([], *words, check=check, cwd=cwd or self.work)

    def as_user(self, name: str, *words: str, check: bool = True) -> Done:
        """Runs a tool as an account, in its home."""
        uid = self._accounts[name]
        rights = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        return self._run(rights, *words, check=check, cwd=self.home_of(name))

    def _run(self, rights: list[str], *words: str, check: bool, cwd: Path) -> Done:
        done = subprocess.run(
            [*self._enter(), f"--wd={cwd}", *rights, SYSTEM_PYTHON, "-I", "-S", "-X", "utf8", str(MAIN), *words],
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="surrogateescape",
            timeout=120 * PATIENCE, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def submit_as(self, name: str, text: str) -> int:
        """Submits as an account; the cluster."""
        path = self.home_of(name) / "job.sub"
        path.write_text(text)
        done = self.as_user(name, "condor_submit", "job.sub")
        found = re.search(r"submitted to cluster (\d+)", done.stdout)
        assert found, done.stdout + done.stderr
        return int(found[1])

    def close(self) -> None:
        """Ends the pool and the name space."""
        try:
            self.stop()
        finally:
            self._holder.kill()
            self._holder.wait()


def _judged(pool: PersonalPool, found: Found, run: Callable[[], Done], what: str, *, may_fail: bool = False) -> Done:
    done = run()
    told = done.stdout + done.stderr
    if "Traceback" in told or "internal error" in told or done.returncode < 0:
        found(f"{what}: {told[-1500:]}")
    elif done.returncode and not may_fail:
        found(f"{what} exits with {done.returncode}: {told[-500:]}")
    return done


def host_name_changes(scene: Scene) -> None:
    """The host gets other names while the pool runs and between its restarts: no job is lost."""
    pool = NamedPool(scene.folder, {"alice": 61101})
    names = [
        b"first",
        b"second.example.org",
        b"localhost",
        b"n" * 64,
        "j\xfcrgen".encode(),
        b"\xff\xfe",
        b"a b\nc",
        b"-q",
        b"",
    ]
    try:
        pool.host_name(names[0])
        pool.start()
        long = pool.submit("executable = /bin/sleep\narguments = 100000\nqueue\n")
        wait_for(lambda: pool.status_of(f"{long}.0") == 2, "it runs")
        for name in names[1:]:
            pool.host_name(name)
            for restart in (False, True):
                what = f"host name {name!r}, {'restarted' if restart else 'live'}"
                if restart:
                    pool.stop()
                    try:
                        pool.start()
                    except AssertionError as error:
                        scene.found(f"{what}: the pool does not start: {str(error)[-800:]}")
                        pool.host_name(b"first")
                        pool.start()
                        continue
                _host_check(pool, scene.found, what, long)
    finally:
        pool.close()


def _host_check(pool: NamedPool, found: Found, what: str, long: int) -> None:
    for words in (
        ("condor_q",),
        ("condor_q", "-nobatch"),
        ("condor_status",),
        ("condor_status", "-schedd"),
        ("condor_who",),
        ("condor_userprio",),
        ("condor_config_val", "FULL_HOSTNAME"),
        ("condor_reschedule",),
        ("condor_reconfig",),
        ("condor_ping", "WRITE"),
        ("condor_history", "-limit", "2"),
    ):
        _judged(pool, found, lambda words=words: pool.tool(*words, check=False), f"{what}: {' '.join(words)}")
    try:
        cluster = pool.submit("executable = /bin/true\nlog = log\nqueue\n")
        wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "the job ends", _SOON)
        wait_for(lambda: pool.status_of(f"{long}.0") == 2, "the long job runs", _SOON)
    except AssertionError as error:
        found(f"{what}: {str(error)[-500:]}")
    _no_tracebacks(pool, lambda text: found(f"{what}: {text}"))


def _no_tracebacks(pool: PersonalPool, found: Found) -> None:
    for path in pool.log.glob("*Log*"):
        text = path.read_text(errors="replace")
        at = max(text.find("Traceback"), text.find("the daemon continues"))
        if at >= 0:
            found(f"{path.name} has {text[max(0, at - 200) : at + 1800]}")


def account_vanishes(scene: Scene) -> None:
    """An account is deleted while its jobs wait, run and are held; when it is there again, they end. Others notice
    nothing."""
    pool = NamedPool(scene.folder, {"alice": 61101, "bob": 61102})
    try:
        pool.start()
        go = pool.home_of("alice") / "go"
        loop = f"executable = /bin/sh\narguments = \"-c 'until [ -e {go} ]; do sleep 0.1; done'\"\n"
        runs = pool.submit_as("alice", f"{loop}log = a.log\noutput = a.out\nqueue 2\n")
        waits = pool.submit_as("alice", "executable = /bin/true\nrequirements = Go =?= 1\nlog = w.log\nqueue 2\n")
        held = pool.submit_as("alice", "executable = /bin/true\nhold = true\nlog = h.log\nqueue\n")
        wait_for(lambda: pool.status_of(f"{runs}.0") == 2, "they run")
        pool.change_accounts(without="alice")
        go.touch()
        pool.tool("condor_reconfig")
        for words in (
            ("condor_qedit", str(waits), "Requirements", "true"),
            ("condor_release", str(held)),
            ("condor_q", "-allusers"),
            ("condor_q", "-allusers", "-nobatch"),
            ("condor_userprio", "-all"),
            ("condor_q", "-better-analyze", str(waits)),
            ("condor_status", "-submitters"),
        ):
            _judged(
                pool,
                scene.found,
                lambda words=words: pool.tool(*words, check=False),
                f"without the account: {' '.join(words)}",
                may_fail=True,
            )
        for words in (("condor_q",), ("condor_submit", "job.sub"), ("condor_rm", "-all"), ("condor_userprio",)):
            _judged(
                pool,
                scene.found,
                lambda words=words: pool.as_user("alice", *words, check=False),
                f"of the account that is gone: {words}",
                may_fail=True,
            )
        other = pool.submit_as("bob", "executable = /bin/true\nqueue\n")
        wait_for(lambda: pool.status_of(f"{other}.0") is None, "the job of another account ends")
        wait_for(lambda: pool.status_of(f"{waits}.0") in (5, None), "the waiting job is held or has run", 60)
        if pool.status_of(f"{waits}.0") == 5:
            reason = pool.tool("condor_q", str(waits), "-af", "HoldReason", check=False).stdout
            if "alice" not in reason:
                scene.found(f"the reason of the hold does not name the account: {reason}")
        pool.change_accounts()
        pool.tool("condor_reconfig")
        pool.tool("condor_release", "-all", check=False)
        try:
            wait_for(lambda: not pool.queue("ClusterId"), "", _SOON)
        except AssertionError:
            rows = pool.tool("condor_q", "-allusers", "-af:j", "JobStatus", "HoldReason").stdout
            scene.found(
                f"jobs of the account that is back do not end: {rows} {(pool.log / 'SchedLog').read_text()[-800:]}"
            )
        _no_tracebacks(pool, scene.found)
    finally:
        pool.close()


def home_moves(scene: Scene) -> None:
    """The home of an account is another one while its jobs wait: they run where they were submitted, or are held."""
    pool = NamedPool(scene.folder, {"alice": 61101})
    try:
        pool.start()
        waits = pool.submit_as(
            "alice",
            "executable = /bin/true\ngetenv = HOME\noutput = o\nrequirements = Go =?= 1\nqueue\n",
        )
        old = pool.home_of("alice")
        pool.change_accounts(moved="alice")
        shutil.copytree(old, old.with_name(old.name + "-moved"), dirs_exist_ok=True)
        gone = old.with_name("gone")
        old.rename(gone)
        pool.tool("condor_qedit", str(waits), "Requirements", "true")
        wait_for(lambda: pool.status_of(f"{waits}.0") in (5, None), "the job is held or has run", 60)
        reason = pool.tool("condor_q", "-allusers", "-af", "HoldReason").stdout
        if str(old) not in reason:
            scene.found(f"the job without its directory: {reason!r}")
        gone.rename(old)
        pool.tool("condor_release", "-all")
        wait_for(lambda: not pool.queue("ClusterId"), "it ends when the directory is back", _SOON)
        _no_tracebacks(pool, scene.found)
    finally:
        pool.close()


def odd_accounts(scene: Scene) -> None:
    """Names of accounts with every legal character: a job, its tools and its history for each."""
    names = [
        "a.b-c_d",
        "Upper",
        "machine$",
        "l" * 32,
        "DOM\\user",
        "dom+user",
        "user@dom.example",
        "0digit",
        "jürgen",
        "x" * 200,
        "true",
        "root2",
        "undefined",
        "_under",
        "é" * 16,
        "o'neil",
        "a,b",
        "50%",
        "a;b",
        "~t",
        "$(x)",
    ]
    pool = NamedPool(scene.folder, {name: 61200 + number for number, name in enumerate(names)})
    try:
        pool.start()
        for name in names:
            _one_account(pool, scene.found, name)
        wait_for(lambda: not pool.queue("ClusterId"), "all is over", _SOON)
        for words in (
            ("condor_q", "-allusers"),
            ("condor_userprio", "-all"),
            ("condor_history", "-limit", "50"),
            ("condor_report",),
            ("condor_qusers",),
            ("condor_top", "-h"),
        ):
            _judged(
                pool,
                scene.found,
                lambda words=words: pool.tool(*words, check=False),
                " ".join(words),
                may_fail=words[0] == "condor_top",
            )
        pool.stop()
        pool.start()
        told = pool.tool("condor_userprio", "-all", "-allusers", "-l").stdout
        for name in names:
            if f'"{name}@' not in told:
                scene.found(f"condor_userprio does not know {name!r} after a restart")
        _no_tracebacks(pool, scene.found)
    finally:
        pool.close()


def _one_account(pool: NamedPool, found: Found, name: str) -> None:
    what = f"account {name!r}"
    try:
        cluster = pool.submit_as(name, "executable = /usr/bin/id\narguments = -u\noutput = id.out\nlog = log\nqueue\n")
    except AssertionError as error:
        found(f"{what}: {str(error)[-400:]}")
        return
    try:
        wait_for(lambda: pool.status_of(f"{cluster}.0") in (None, 5), "", _SOON)
    except AssertionError:
        found(f"{what}: the job has JobStatus {pool.status_of(f'{cluster}.0')}")
    if pool.status_of(f"{cluster}.0") is not None:
        if pool.status_of(f"{cluster}.0") == 5:
            found(f"{what}: held: {pool.tool('condor_q', str(cluster), '-af', 'HoldReason').stdout.strip()}")
        pool.tool("condor_rm", "-all")
        wait_for(lambda: not pool.queue("ClusterId"), "the job leaves", _SOON)
        return
    uid = (pool.home_of(name) / "id.out").read_text().strip()
    if uid != str(pool._accounts[name]):
        found(f"{what}: the job ran as {uid}")
    wait_for(lambda: pool.history("ClusterId")[:1] == [[str(cluster)]], "the history has it", _SOON)
    owner = pool.tool("condor_history", str(cluster), "-af", "Owner").stdout.rstrip("\n")
    if owner != name:
        found(f"{what}: the history has the owner {owner!r}")
    pool.submit_as(name, "executable = /bin/sleep\narguments = 1000\nrequirements = false\nqueue\n")
    done = _judged(
        pool, found, lambda: pool.as_user(name, "condor_q", "-af", "Owner", check=False), f"{what}: condor_q"
    )
    if done.stdout.rstrip("\n") != name:
        found(f"{what}: condor_q has {done.stdout!r} {done.stderr!r}")
    if not name.startswith("-"):
        done = _judged(
            pool, found, lambda: pool.tool("condor_q", name, "-af", "Owner", check=False), f"{what}: condor_q USER"
        )
        if done.stdout.rstrip("\n") != name:
            found(f"{what}: condor_q of that user has {done.stdout!r} {done.stderr!r}")
        _judged(
            pool, found, lambda: pool.tool("condor_prio", "-p", "7", name, check=False), f"{what}: condor_prio USER"
        )
        if pool.tool("condor_q", "-allusers", "-af", "JobPrio").stdout != "7\n":
            found(f"{what}: condor_prio of that user changes nothing")
        done = _judged(pool, found, lambda: pool.tool("condor_rm", name, check=False), f"{what}: condor_rm USER")
    pool.as_user(name, "condor_rm", "-all", check=False)
    try:
        wait_for(lambda: not pool.queue("ClusterId"), "", _SOON)
    except AssertionError:
        found(f"{what}: the removed job stays")


def many_users(scene: Scene) -> None:
    """Thousands of users with a job each: the tools and a negotiation take seconds of CPU, not minutes."""
    count = scene.users
    pool = NamedPool(scene.folder, {"u0": 100_000})
    try:
        pool._accounts = {f"user{number}": 100_000 + number for number in range(count)}
        lines = "".join(f"{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, uid in pool._accounts.items())
        (pool.directory / "passwd").write_text(Path("/etc/passwd").read_text() + lines)
        pool.tool("condor_submit", "-", check=False)
        (pool.work / "one.sub").write_text("executable = /bin/true\niwd = /tmp\nqueue\n")
        pool.tool("condor_submit", "-terse", "one.sub")
        _multiply(pool.spool / "job_queue.log", count)
        pool.knob("MAX_NEGOTIATOR_LOG", "0")  # it has each cycle
        began = time.monotonic()
        pool.start()
        for words in (
            ("condor_q", "-allusers", "-totals"),
            ("condor_q", "-allusers", "-nobatch"),
            ("condor_q", "-allusers"),
            ("condor_userprio", "-all"),
            ("condor_qusers",),
            ("condor_status", "-submitters"),
        ):
            before = os.times()
            done = _judged(pool, scene.found, lambda words=words: pool.tool(*words, check=False), " ".join(words))
            after = os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            if used > 20:
                scene.found(f"{' '.join(words)} uses {used:.1f} s of CPU for {count} users ({len(done.stdout)} bytes)")
        _check_cycles(pool, scene.found, count)
        print(f"clocks: {count} users: {time.monotonic() - began:.0f} s", file=sys.stderr)
        _judged(pool, scene.found, lambda: pool.tool("condor_rm", "-all", check=False), "condor_rm -all")
        wait_for(lambda: not pool.queue("ClusterId"), "the removed jobs leave", 300)
        owners = {row[0] for row in pool.history("Owner")}
        if len(owners) != count:
            scene.found(f"the history has jobs of {len(owners)} of {count} users")
        _no_tracebacks(pool, scene.found)
    finally:
        pool.close()


def _check_cycles(pool: NamedPool, found: Found, count: int) -> None:
    """Jobs of more and more users end, and no cycle of the negotiator costs more than its part of the CPU."""
    wanted = min(count, 20)
    try:
        wait_for(lambda: len(pool.history("Owner")) >= wanted, "", 300)
    except AssertionError:
        found(f"of {count} users {len(pool.history('Owner'))} have had a job in 300 s")
    cycles = (pool.log / "NegotiatorLog").read_text().count("Finished Negotiation Cycle")
    each = _cpu_of(pool.pid("negotiator")) / max(1, cycles)
    if each > 0.1 + count / 2500:
        found(f"a cycle of the negotiator with {count} users takes {each:.1f} s of CPU")


def _cpu_of(pid: int) -> float:
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _multiply(log: Path, users: int) -> None:
    """Makes a queue of one job, whose cluster is 1 and whose owner is root, one of a job of each user."""
    head, begin, made = log.read_text().rpartition("105 \n")
    made = made.replace("NextClusterNum 2", "NextClusterNum \1").replace("ClusterId 1\n", "ClusterId \0\n")
    for key, other in ((" 01.-1 ", " 0\0.-1 "), (" 1.-2 ", " \0.-2 "), (" 1.0 ", " \0.0 "), ("#1.0#", "#\0.0#")):
        made = made.replace(key, other)
    made = made.replace('"root"', '"user\2"').replace('"root@', '"user\2@')
    lines = [line for line in made.splitlines(keepends=True) if line[4:7] not in ("0.0", "0.2")]
    with log.open("w") as file:
        file.write(head + begin + "103 0.0 NextClusterNum " + str(users + 1) + "\n")
        for number in range(users):
            file.writelines(
                line.replace("\0", str(number + 1)).replace("\2", str(number))
                for line in lines
                if not line.startswith("106")
            )
        file.write("106 \n")


# -- texts ----------------------------------------------------------------------------------------------------------

_BYTES = b"\xff\xfe-\xc3\xa9-\xe3\x81\x82-\xc3("


def _locale(name: str) -> Callable[[Scene], None]:
    def situation(scene: Scene) -> None:
        _texts(scene, {"LC_ALL": name, "LANG": name, **_locale_files(scene, name)})

    return situation


def _locale_files(scene: Scene, name: str) -> dict[str, str]:
    """A locale of the machine, or one that is made here; nothing when it cannot be made."""
    base, _, charmap = name.partition(".")
    if base in ("C", "POSIX") or shutil.which("localedef") is None or not charmap.isascii():
        return {}
    place = scene.folder / "locales"
    place.mkdir(exist_ok=True)
    subprocess.run(["localedef", "-c", "-i", base, "-f", charmap, str(place / name)], check=False, capture_output=True)
    return {"LOCPATH": str(place)}


def _texts(scene: Scene, environment: dict[str, str]) -> None:
    """Jobs, files, arguments and configuration with any bytes in an environment of this sort."""
    odd = os.fsdecode(_BYTES)
    pool = PersonalPool(scene.folder / "pool", cpus=2)
    pool.environment.update(environment)
    pool.environment["_CONDOR_ODD"] = odd
    pool.environment[odd] = odd
    found = scene.found
    try:
        pool.start()
        folder = os.fsencode(pool.work)
        with open(os.path.join(folder, b"in-" + _BYTES), "wb") as file:
            file.write(b"input " + _BYTES)
        with open(os.path.join(folder, b"job-" + _BYTES + b".sub"), "wb") as file:
            file.write(
                b"executable = /bin/sh\nshould_transfer_files = yes\ntransfer_input_files = in-" + _BYTES + b"\n"
                b"arguments = \"-c 'cat in-*; echo; echo $0; echo $ODD' " + _BYTES + b'"\n'
                b'environment = "ODD=' + _BYTES + b'"\noutput = out-' + _BYTES + b"\nlog = log-" + _BYTES + b"\n"
                b'batch_name = "batch ' + _BYTES + b'"\nMy.Odd = "' + _BYTES + b'"\nqueue\n'
            )
        done = _judged(pool, found, lambda: pool.tool("condor_submit", f"job-{odd}.sub", check=False), "condor_submit")
        number = re.search(r"submitted to cluster (\d+)", done.stdout)
        if number is None:
            found(f"condor_submit: {done.stdout} {done.stderr}")
            return
        wait_for(lambda: pool.status_of(f"{number[1]}.0") in (None, 5), "the job ends", _SOON)
        if pool.status_of(f"{number[1]}.0") == 5:
            found(f"held: {pool.tool('condor_q', '-af', 'HoldReason').stdout}")
            return
        with open(os.path.join(folder, b"out-" + _BYTES), "rb") as file:
            text = file.read()
        wanted = b"input " + _BYTES + b"\n" + _BYTES + b"\n" + _BYTES + b"\n"
        if text != wanted:
            found(f"the job printed {text!r}, not {wanted!r}")
        _tools_with_bytes(pool, found, odd, number[1])
        _no_tracebacks(pool, found)
    finally:
        pool.stop()


def _tools_with_bytes(pool: PersonalPool, found: Found, odd: str, cluster: str) -> None:
    wait_for(lambda: pool.history("ClusterId") == [[cluster]], "the history has it", _SOON)
    for words in (("condor_history", "-af", "Odd"), ("condor_config_val", "ODD")):
        done = _judged(pool, found, lambda words=words: pool.tool(*words, check=False), " ".join(words))
        if done.stdout != odd + "\n":
            found(f"{' '.join(words)} prints {done.stdout!r}, not {odd!r}")
    (pool.work / "held.sub").write_bytes(
        b'executable = /bin/true\nhold = true\nMy.Odd = "'
        + _BYTES
        + b'"\narguments = '
        + _BYTES
        + b"\nbatch_name = I-i-"
        + _BYTES
        + b"\nqueue 2\n"
    )
    log = f"log-{odd}"
    for words in (
        ("condor_submit", "held.sub"),
        ("condor_q",),
        ("condor_q", "-nobatch"),
        ("condor_q", "-long"),
        ("condor_q", "-json"),
        ("condor_q", "-xml"),
        ("condor_q", "-hold"),
        ("condor_q", "-better-analyze"),
        ("condor_q", "-constraint", f'Odd == "{odd}"'),
        ("condor_qedit", "-constraint", "true", "Other", f'"{odd}"'),
        ("condor_hold", "-reason", odd, "-all"),
        ("condor_history", "-long"),
        ("condor_history", "-json"),
        ("condor_history", "-xml"),
        ("condor_status", "-long"),
        ("condor_config_val", "-dump"),
        ("condor_config_val", "-summary"),
        ("condor_wait", "-wait", "5", log),
        ("condor_userlog", log),
        ("htcondor", "eventlog", "read", log),
        ("htcondor", "job", "status", cluster),
        ("condor_q", odd),
        ("condor_rm", odd),
        ("condor_submit", f"no-{odd}"),
        ("classad_eval", f'toUpper("i{odd}")'),
        ("condor_userprio", "-all"),
        ("condor_report",),
        ("condor_who",),
        ("condor_q", "-af", "Other", "Odd", "Args"),
        ("condor_watch_q", "-exit", "none,0"),
        ("condor_tail", "1.0"),
    ):
        _judged(pool, found, lambda words=words: pool.tool(*words, check=False), " ".join(words), may_fail=True)
    done = pool.tool("condor_q", "-af", "Other", "Odd", "Args", check=False)
    if done.stdout != f"{odd} {odd} {odd}\n" * 2:
        found(f"condor_q -af prints {done.stdout!r}")
    done = pool.tool("condor_q", "-json", check=False)
    with contextlib.suppress(ValueError):
        json.loads(done.stdout)
        return
    found(f"condor_q -json prints no JSON: {done.stdout[:300]!r}")


def python_variables(scene: Scene) -> None:
    """PYTHONUTF8, PYTHONIOENCODING and others of the user change nothing: tools run isolated."""
    _texts(
        scene,
        {
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "ascii:strict",
            "PYTHONCOERCECLOCALE": "0",
            "LC_ALL": "C",
            "PYTHONWARNINGS": "error",
            "PYTHONHASHSEED": "x",
            "PYTHONOPTIMIZE": "2",
            "PYTHONDEVMODE": "1",
        },
    )


SITUATIONS: dict[str, Callable[[Scene], None]] = {
    "small-jumps": jumps_in_small_steps,
    "hours": jumps_of_hours,
    "years": jumps_of_years,
    **{name: _moment(name) for name in MOMENTS},
    **{f"zones-{number}": _zones(number) for number in range(len(ZONES))},
    "other-zone": zone_changes_between_daemon_and_tool,
    "restarts": restarts_at_other_times,
    "history": history_is_rotated,
    "zones": zones_of_the_world,
    "host-name": host_name_changes,
    "account-vanishes": account_vanishes,
    "home-moves": home_moves,
    "odd-accounts": odd_accounts,
    "many-users": many_users,
    **{f"locale-{name}": _locale(name) for name in LOCALES},
    "python-variables": python_variables,
}


# -- the campaign ---------------------------------------------------------------------------------------------------


def _drawn(choose: random.Random) -> tuple[str, Callable[[Scene], None]]:
    """A jump, a zone of daemons and tools and a locale at once."""
    jumps = [choose.choice(JUMPS) * choose.randint(1, 5) + choose.randint(-100, 100) for _ in range(2)]
    daemons, tools, locale = choose.choice(ZONES)[0], choose.choice(ZONES)[1], choose.choice(LOCALES)
    name = f"jumps {jumps}, TZ {daemons[:20]!a} and {tools[:20]!a}, {locale}"
    return name, lambda scene: _jump(scene, jumps, daemons, tools, LC_ALL=locale)


def _chosen(campaign: Campaign) -> Iterator[tuple[str, Callable[[Scene], None]]]:
    names = campaign.options.only or list(SITUATIONS)[: campaign.size]
    yield from ((name, SITUATIONS[name]) for name in names)
    if not campaign.options.only:
        for _ in range(campaign.size - len(SITUATIONS)):
            yield _drawn(campaign.choose)


def _body(campaign: Campaign) -> None:
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        raise CannotRun("there is no C compiler")
    left_out: dict[str, str] = {}
    for name, situation in _chosen(campaign):
        with tempfile.TemporaryDirectory(prefix="clocks-", ignore_cleanup_errors=True) as top:
            os.chmod(top, 0o755)
            scene = Scene(
                Path(top), campaign.found, campaign.choose, campaign.options.users, campaign.options.quick
            ).tell(name)
            before = len(campaign.findings)
            try:
                situation(scene)
            except CannotRun as reason:
                left_out[name] = str(reason)
            except Exception as error:  # the other situations come all the same
                scene.found("".join(traceback.format_exception(error))[-2500:])
            print(f"clocks: {name}: {len(campaign.findings) - before} findings", file=sys.stderr, flush=True)
        campaign.step()
    campaign.figures["left out"] = left_out


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-quick", action="store_true", help="load the modules of tools once where the clock jumps")
    parser.add_argument("-users", type=int, default=10_000, help="users of the situation many-users (default 10000)")
    parser.add_argument(
        "-only", nargs="+", choices=list(SITUATIONS), metavar="NAME", help=f"these: {', '.join(SITUATIONS)}"
    )


def run(arguments: list[str] | None = None) -> int:
    """The campaign as a command; its exit status."""
    return main(
        _body,
        name="clocks",
        about=__doc__,
        unit="situations",
        size=len(SITUATIONS),
        options=_options,
        arguments=arguments,
    )


if __name__ == "__main__":
    sys.exit(run())
