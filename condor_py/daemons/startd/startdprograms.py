"""Programs that the startd runs besides starters: cron programs, benchmarks, and backfill work."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.core.slots.core import Startd
from condor_py.core.slots.cronoutput import CronAd
from condor_py.core.slots.inventory import parse
from condor_py.core.slots.resources import GPUS
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.cron import Cron
from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.common.ownprograms import command_line
from condor_py.daemons.startd.backfillwork import BackfillWork
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.builders.cron import benchmarks as benchmark_knobs
from condor_py.lang.config.builders.cron import startd_cron as cron_knobs
from condor_py.model.arguments import ArgumentError, words_of
from condor_py.model.errors import ConfigError
from condor_py.model.settings.cron import CronJobSettings
from condor_py.model.settings.startd import MachineResource, StartdSettings
from condor_py.model.settings.starter import StarterSettings

_PUBLISH = {"NEVER": False, "ALWAYS": True, "IF_CHANGED": None}


class StartdPrograms:
    """Takes the effects that start and stop these programs; what they give and how they end comes back as events."""

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        config: Config,
        starter: StarterSettings,
        home: Home,
        core: Startd,
        handle: Callable[[on.Event], object],
    ) -> None:
        self._loop = loop
        self._core = core
        self._handle = handle
        self._results: dict[str, str] = {}
        self._backfill = BackfillWork(loop, log, config, starter, lambda slot: core.named_ad(slot, now()), handle)
        cron, benchmarks = cron_knobs(config), benchmark_knobs(config)
        loop.soon(lambda: self._handle(on.CronJobs(tuple(job.name for job in cron.jobs))))
        self.benchmarks = Cron(
            loop, benchmarks, log, self._measured,
            home=home, about=self._about, idle=self._measured_all, blocked=self._crowded,
        )  # fmt: skip
        self.cron = Cron(loop, cron, log, self._published, home=home, about=self._about, blocked=self.benchmarks.busy)

    def _about(self) -> ClassAd:
        """The ad of the startd itself, which conditions are asked of."""
        return self._core.daemon_ad(now())

    def prepare(self, config: Config, starter: StarterSettings) -> Callable[[], None]:
        """New lists."""
        cron, benchmarks = cron_knobs(config), benchmark_knobs(config)
        backfill = self._backfill.prepare(config, starter)

        def take() -> None:
            backfill()
            self._handle(on.CronJobs(tuple(job.name for job in cron.jobs)))
            self.cron.configure(cron)
            self.benchmarks.configure(benchmarks)

        return take

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for these programs; False for any other."""
        match effect:
            case do.StartBenchmarks():
                self._loop.soon(self._measure)
            case do.StartBackfill(slot):
                self._backfill.start(slot)
            case do.StopBackfill(slot):
                self._backfill.stop(slot)
            case _:
                return False
        return True

    def stop(self) -> None:
        """The startd leaves."""
        self.cron.stop()
        self.benchmarks.stop()
        self._backfill.stop_all()

    # -- cron and benchmarks

    def _published(self, job: CronJobSettings, ad: CronAd) -> None:
        publish = ad.update if ad.update is not None else _PUBLISH[self.cron.settings.autopublish]
        self._handle(on.CronAd(job.name, ad.tag, ad.pairs, job.slots, publish, job.metrics))

    def _measure(self) -> None:
        self._results = {}
        if not self.benchmarks.demand():
            self._measured_all()

    def _measured(self, job: CronJobSettings, ad: CronAd) -> None:
        last = f"{job.prefix}LastUpdate"
        self._results.update((name, text) for name, text in ad.pairs if name != last)

    def _measured_all(self) -> None:
        results, self._results = self._results, {}
        self._handle(on.BenchmarksDone(results))
        self.cron.look()

    def _crowded(self) -> bool:
        return self.cron.load() >= self.cron.settings.max_load


#: Seconds that a program may take.
_PATIENCE = 120
#: Where the kernel shows that there may be a GPU at all; without, nothing is run to look for one.
_SIGNS = ("/proc/driver/nvidia", "/dev/nvidiactl", "/dev/kfd", "/dev/dxg")


def with_inventories(
    settings: StartdSettings, config: Config, home: Home, log: Callable[[str], object]
) -> StartdSettings:
    """The settings with what the programs find. ConfigError names the knob of one that fails."""
    commands = dict(settings.inventories)
    known = {resource.name.lower() for resource in settings.resources}
    gpus = _discovery(config.string("STARTD_DETECT_GPUS"), log)
    wanted = {name.lower() for name in config.list("MACHINE_RESOURCE_NAMES")}
    unknown = GPUS.lower() not in known | {name.lower() for name in commands}
    if gpus and unknown and (not wanted or GPUS.lower() in wanted) and _worth_looking(gpus):
        commands[GPUS] = f"{config.path('LIBEXEC')}/condor_gpu_discovery {gpus}"
    offline = dict(settings.offline)
    found = tuple(
        _found(name, command, home, offline.get(name.lower(), ()))
        for name, command in commands.items()
        if name.lower() not in known
    )
    return settings.changed(resources=(*settings.resources, *(one for one in found if one is not None)))


def _discovery(arguments: str, log: Callable[[str], object]) -> str:
    """The arguments of condor_gpu_discovery, empty if it is not to run."""
    if arguments.lower() in ("true", "1"):
        log(f"STARTD_DETECT_GPUS is {arguments}, not arguments of condor_gpu_discovery or false: no GPU is looked for")
    return "" if arguments.lower() in ("false", "0", "true", "1") else arguments


def _worth_looking(arguments: str) -> bool:
    """Whether a look for GPUs may find any: there are signs of them, or they are simulated or named."""
    asked = any(word.startswith(("-sim", "-opencl", "-hip")) for word in arguments.split())
    return asked or any(map(os.path.exists, _SIGNS))


def _found(name: str, command: str, home: Home, offline: tuple[str, ...]) -> MachineResource | None:
    knob = f"MACHINE_RESOURCE_INVENTORY_{name}"
    try:
        words = words_of(command)
        home.check(words[0])
        user = home.user_for(words[0])
        done = subprocess.run(
            command_line(words), stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False,
            user=user.uid if user else None, group=user.gid if user else None,
            extra_groups=user.groups if user else None,
        )  # fmt: skip
    except ArgumentError as error:
        raise ConfigError(f"{knob}: {error}", knob) from None
    except OSError as error:
        raise ConfigError(f"{knob}: cannot run {words[0]}: {error.strerror}", knob) from None
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{knob}: {words[0]} did not end within {_PATIENCE} s", knob) from None
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise ConfigError(f"{knob}: {words[0]} failed: {text}", knob)
    resource = parse(name, done.stdout.decode("utf-8", "surrogateescape"), knob, offline)
    return resource if resource.quantity or resource.offline or name.lower() != GPUS.lower() else None
