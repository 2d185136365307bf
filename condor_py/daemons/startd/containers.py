"""Whether jobs can run in containers here, and what dead starters have left of them.

Engines may be slow, and some do not answer at all: they are always tried by a child, while slots offer what was known
before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.leftovers import TRIAL
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.builders.containers import docker, docker_test, singularity, volume_names
from condor_py.lang.config.builders.machine import probes as probe_knobs
from condor_py.machine.run import trees
from condor_py.machine.run.dockerimages import image_of, marked
from condor_py.machine.run.engine import Engine, of_dead, remove_left, remove_orphans
from condor_py.machine.run.identity import Account
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import ContainerAbilities, DockerSettings, DockerTest, SingularitySettings
from condor_py.model.states import HoldCode, VacateCode

Tell = Callable[[str], None]
T = TypeVar("T")
#: Seconds until an engine that does not work is tried again: the first time, then twice as long each time, and at most.
_MENDING, _LONGEST_MENDING = 60.0, 600.0


class ContainerSetup(NamedTuple):
    """The configuration of container engines, and the facts of the machine that hold whether they work or not."""

    docker: DockerSettings
    test: DockerTest = DockerTest()
    singularity: SingularitySettings = SingularitySettings()
    #: Whose rights singularity is tried with.
    user: Account | None = None
    volumes: tuple[str, ...] = ()
    #: EXECUTE and its like.
    executes: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is anything to try."""
        return is_there(self.docker) or os.path.exists(self.singularity.command)

    def bare(self) -> ContainerAbilities:
        """Return the abilities that are known without a trial."""
        return ContainerAbilities(networks=self.docker.networks, volumes=self.volumes)


def container_setup(config: Config, user: Account | None, executes: tuple[str, ...] = ()) -> ContainerSetup:
    """ConfigError names the knob. ``user`` is the account of the pool."""
    settings = docker(config), docker_test(config), singularity(config)
    return ContainerSetup(*settings, user, volume_names(config), executes)


def executes_of(config: Config) -> tuple[str, ...]:
    """EXECUTE and SLOT<N>_EXECUTE, each once. ConfigError names the knob."""
    knobs = probe_knobs(config)
    return tuple(dict.fromkeys((knobs.execute, *(path for _, path in knobs.slot_executes))))


def is_there(settings: DockerSettings) -> bool:
    """Whether there is a program to ask."""
    return bool(settings.command) and Engine(settings.command).is_there()


def in_execute(executes: Sequence[str], work: Callable[[], T]) -> Callable[[], T]:
    """Return a trial that makes its files in a directory of its own below EXECUTE, and first removes those of trials
    that were killed. Where EXECUTE takes no directory, as its disk is full, its files are in the usual place."""

    def run() -> T:
        import tempfile

        remove_trials(executes)
        place = _make_place(executes)
        tempfile.tempdir = place  # of a child: nobody else makes files in it
        try:
            return work()
        finally:
            if place is not None:
                with suppress(OSError):
                    trees.remove(place)

    return run


def _make_place(executes: Sequence[str]) -> str | None:
    """The directory of this process's trial; None where there can be none."""
    if not executes:
        return None
    place = f"{executes[0]}/{TRIAL}{os.getpid()}"
    try:
        os.mkdir(place)
        os.chmod(place, 0o755)  # some trials have the rights of another account
    except OSError:
        return None
    return place


def remove_trials(executes: Sequence[str]) -> None:
    """Remove the files of trials that have died. What cannot be removed is for the next one."""
    with suppress(OSError):
        for name in of_dead(rf"{TRIAL}(\d+)", os.listdir(executes[0]) if executes else ()):
            trees.remove(f"{executes[0]}/{name}")


def find_out(setup: ContainerSetup, known: ContainerAbilities | None = None) -> tuple[ContainerAbilities, list[str]]:
    """Find out which engines work, with lines for the log. Of an engine ``known`` to work, only the size of its images
    is measured. Containers that no starter attends are removed. It may take as long as engines take."""
    from condor_py.machine.run.trial import images_mb, try_docker, try_singularity

    lines: list[str] = []
    if known is not None:
        return known._replace(cached_mb=images_mb(setup.docker)), _removed(setup)
    found = setup.bare()
    if is_there(setup.docker):
        found = try_docker(setup.docker, setup.test, found, lines.append)
        if found.docker:
            lines += _removed(setup)
    if os.path.exists(setup.singularity.command):
        found = try_singularity(setup.singularity, setup.user, found, lines.append)
    return found, lines


def _removed(setup: ContainerSetup) -> list[str]:
    left = remove_orphans(setup.docker.command, setup.executes, os.getppid())
    return [f"removed the left-over container {container}" for container in left]


class Engines:
    """The engines of one startd. ``found`` receives the abilities after each trial."""

    def __init__(self, loop: Loop, tell: Tell, found: Callable[[ContainerAbilities], object]) -> None:
        self._loop, self._tell, self._found = loop, tell, found
        self._setup = ContainerSetup(DockerSettings())
        self._errand: Errand | None = None
        self._again = False
        self._known: ContainerAbilities | None = None
        #: Names of images that jobs have run in.
        self.images: frozenset[str] = frozenset()
        self._running: dict[str, str] = {}
        self._timer: Timer | None = None
        self._mending = _MENDING

    def use(self, setup: ContainerSetup) -> None:
        """Takes what the configuration says (now), and tries it."""
        self._setup = setup
        self._mending = _MENDING
        self.look()

    def look(self, *, measure: bool = False) -> None:
        """Try everything while the startd works; or only measure the images (``measure``)."""
        if self._errand is not None:
            self._again = self._again or not measure
            return
        if not self._setup.any:
            self._found(self._setup.bare())
            return
        setup, known = self._setup, self._known if measure else None
        work = in_execute(setup.executes, lambda: find_out(setup, known))
        self._errand = Errand(self._loop, work, self._tried, lasting=True)

    def _tried(self, result: tuple[ContainerAbilities, list[str]] | None, why: str) -> None:
        self._errand = None
        if result is None:
            self._tell(f"cannot find out about containers: {why}")
            remove_trials(self._setup.executes)
        else:
            for line in result[1]:
                self._tell(line)
            self._known = result[0]
            _load(result[0])
            self._found(result[0])
        if self._again:
            self._again = False
            self.look()
        else:
            self._look_later(result is None or bool(result[0].docker_broken))

    def _look_later(self, broken: bool) -> None:
        """Schedule the next trial or measurement: image sizes change, and a broken engine may be repaired."""
        if self._timer is not None:
            self._timer.cancel()
        if broken:
            self._timer = self._loop.after(self._mending, self.look)
            self._mending = min(2 * self._mending, _LONGEST_MENDING)
            return
        self._mending = _MENDING
        if self._setup.test.look_interval > 0 and is_there(self._setup.docker):
            self._timer = self._loop.after(self._setup.test.look_interval, lambda: self.look(measure=True))

    def started(self, claim_id: str, job_ad: ClassAd) -> None:
        """A job goes to its starter; its end shows whether its image is good."""
        if image := image_of(job_ad):
            user = job_ad.eval_str("User", None) or ""
            self._running[claim_id] = image if self._setup.docker.trusts_local_images else marked(image, user)

    def ended(self, claim_id: str, report: ExitReport) -> None:
        """A run that failed over its container may mean that an engine has failed."""
        image = self._running.pop(claim_id, "")
        if image and report.exec_time and not report.hold_code and not report.error:
            self.images |= {image}
        elif image:
            self.images -= {image}
        if report.hold_code == HoldCode.INVALID_DOCKER_IMAGE or report.vacate_code == VacateCode.CONTAINER_ERROR:
            self.look()

    def stop(self) -> None:
        """Forget the trial: its result is not needed any more. It removes its container itself."""
        if self._errand is not None:
            self._errand.stop()


def _load(found: ContainerAbilities) -> None:
    """Import the modules for containers once, here: starters are forks of us, and would all import them."""
    if found.docker:
        import condor_py.machine.run.docker
    if found.singularity:
        import condor_py.machine.run.singularity  # noqa: F401


def clear_containers(
    loop: Loop, settings: DockerSettings, executes: tuple[str, ...], tell: Tell, starter: int = 0
) -> None:
    """Removes the containers that starters in these directories have left (that of one process number, if it is given).
    A child does it."""

    def remove() -> list[str]:
        return [container for execute in executes for container in remove_left(settings.command, execute, starter)]

    def removed(found: list[str] | None, why: str) -> None:
        for container in found or ():
            tell(f"removed the left-over container {container}")
        if found is None:
            tell(f"cannot look for left-over containers: {why}")

    if is_there(settings):
        Errand(loop, remove, removed, lasting=True)
