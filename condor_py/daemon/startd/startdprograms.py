"""What the startd runs besides starters: cron programs, benchmarks, and the backfill client."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from condor_py.classad import ClassAd
from condor_py.config import Config
from condor_py.config.rooms.cron import benchmarks as benchmark_knobs
from condor_py.config.rooms.cron import startd_cron as cron_knobs
from condor_py.config.rooms.startd import backfill as backfill_knobs
from condor_py.daemon.common.cron import Cron
from condor_py.daemon.common.loop import now
from condor_py.daemon.common.program import words_of
from condor_py.hardware import process
from condor_py.model.settings.cron import CronJobSettings
from condor_py.model.settings.startd import BackfillSettings
from condor_py.startd import effects as do
from condor_py.startd import events as on
from condor_py.startd.cronoutput import CronAd
from condor_py.starter.identity import Account, UnknownAccount, account, as_user
from condor_py.starter.spawning import Launch, start
from condor_py.submit.args import ArgumentError
from condor_py.submit.env import parse_environment

if TYPE_CHECKING:
    from condor_py.daemon.startd.daemon import StartdDaemon

_PUBLISH = {"NEVER": False, "ALWAYS": True, "IF_CHANGED": None}


class StartdPrograms:
    """Takes the effects that start and stop these programs; what they give and how they end comes back as events."""

    def __init__(self, daemon: StartdDaemon, handle: Callable[[on.Event], object]) -> None:
        self._daemon = daemon
        self._handle = handle
        self._results: dict[str, str] = {}
        self._backfill = backfill_knobs(daemon.config)
        self._client: subprocess.Popen[bytes] | None = None
        loop, log = daemon.loop, daemon.log.write
        cron, benchmarks = cron_knobs(daemon.config), benchmark_knobs(daemon.config)
        loop.soon(lambda: self._tell(on.CronJobs(now(), tuple(job.name for job in cron.jobs))))
        self.benchmarks = Cron(
            loop, benchmarks, log, self._measured,
            home=daemon.home, about=self._about, idle=self._measured_all, blocked=self._crowded,
        )  # fmt: skip
        self.cron = Cron(
            loop, cron, log, self._published, home=daemon.home, about=self._about, blocked=self.benchmarks.busy
        )

    def _tell(self, event: on.Event) -> None:
        self._handle(event)

    def _about(self) -> ClassAd:
        """The ad of the startd itself, which conditions are asked of."""
        return self._daemon.core.daemon_ad(now())

    def prepare(self, config: Config) -> Callable[[], None]:
        """New lists."""
        cron, benchmarks, backfill = cron_knobs(config), benchmark_knobs(config), backfill_knobs(config)

        def take() -> None:
            self._backfill = backfill
            self._handle(on.CronJobs(now(), tuple(job.name for job in cron.jobs)))
            self.cron.configure(cron)
            self.benchmarks.configure(benchmarks)

        return take

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for these programs; False for any other."""
        match effect:
            case do.StartBenchmarks():
                self._daemon.loop.soon(self._measure)
            case do.StartBackfill():
                self._daemon.loop.soon(self._start_client)
            case do.StopBackfill():
                self._stop_client()
            case _:
                return False
        return True

    def stop(self) -> None:
        """The startd leaves."""
        self.cron.stop()
        self.benchmarks.stop()
        self._stop_client()

    # -- cron and benchmarks

    def _published(self, job: CronJobSettings, ad: CronAd) -> None:
        publish = ad.update if ad.update is not None else _PUBLISH[self.cron.settings.autopublish]
        self._handle(on.CronAd(now(), job.name, ad.tag, ad.pairs, job.slots, publish, job.metrics))

    def _measure(self) -> None:
        self._results = {}
        if not self.benchmarks.demand():
            self._measured_all()

    def _measured(self, job: CronJobSettings, ad: CronAd) -> None:
        last = f"{job.prefix}LastUpdate"
        self._results.update((name, text) for name, text in ad.pairs if name != last)

    def _measured_all(self) -> None:
        results, self._results = self._results, {}
        self._handle(on.BenchmarksDone(now(), results))
        self.cron.look()

    def _crowded(self) -> bool:
        return self.cron.load() >= self.cron.settings.max_load

    # -- backfill

    def _start_client(self) -> None:
        settings = self._backfill
        try:
            if settings is None or self._client is not None:
                raise OSError(0, "there is no backfill client to start")
            self._client = _spawn(settings)
        except (OSError, subprocess.SubprocessError, ArgumentError, UnknownAccount) as error:
            self._daemon.log.write(f"ERROR spawning BOINC client, can't start backfill: {error}")
            self._handle(on.BackfillStarted(now(), ok=False))
            return
        self._daemon.loop.on_exit(self._client.pid, self._client_gone)
        self._handle(on.BackfillStarted(now()))

    def _stop_client(self) -> None:
        """Kills it; a client that was never started is gone at once."""
        if self._client is not None:
            process.kill_family(self._family)
        else:
            self._daemon.loop.soon(lambda: self._tell(on.BackfillGone(now())))

    def _family(self) -> set[int]:
        if self._client is None:
            return set()
        pid = self._client.pid
        return {p for p in {pid, *process.session_pids(pid), *process.descendants(pid)} if process.alive(p)}

    def _client_gone(self, status: int) -> None:
        if self._client is not None:
            self._client.returncode = os.waitstatus_to_exitcode(status)
            process.kill_family(lambda: process.session_pids(self._client.pid if self._client else 0))
        self._client = None
        self._handle(on.BackfillGone(now(), status))


def _spawn(settings: BackfillSettings) -> subprocess.Popen[bytes]:
    """Starts the client. OSError, ArgumentError, UnknownAccount."""
    words = words_of(settings.arguments)
    environment = dict(os.environ)
    environment.update((n, v) for n, v in parse_environment(settings.environment).items() if v is not None)
    owner = account(settings.owner) if settings.owner and os.geteuid() == 0 else None
    launch = Launch([settings.executable, *words], environment, settings.directory or "/", owner)
    with _appended(settings.output, owner) as out, _appended(settings.error, owner) as err:
        return start(launch, subprocess.DEVNULL, out, err)


def _appended(path: str, owner: Account | None) -> IO[bytes]:
    """Opened as the client, which may put a link there."""
    with as_user(owner):
        return open(path or os.devnull, "ab")
