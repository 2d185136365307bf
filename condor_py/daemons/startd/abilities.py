"""What jobs can do here beside being processes, which has to be tried: containers and virtual machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from condor_py.core.slots import events as on
from condor_py.daemons.common.loop import Loop, now
from condor_py.daemons.startd.containers import ContainerSetup, Engines
from condor_py.daemons.startd.virtualmachines import VirtualMachines
from condor_py.lang.classad import ClassAd
from condor_py.model.report import ExitReport
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.settings.virtual import VmSettings


class Abilities:
    """Those of one startd. ``happened`` gets events for its core."""

    def __init__(self, loop: Loop, tell: Callable[[str], None], happened: Callable[[on.Event], object]) -> None:
        self._engines = Engines(loop, tell, lambda found: happened(on.ContainersFound(now(), found)))
        self._machines = VirtualMachines(loop, tell, happened)

    @property
    def images(self) -> frozenset[str]:
        """Names of images that jobs have run in."""
        return self._engines.images

    def settled(self, settings: StarterSettings) -> StarterSettings:
        """The settings of a starter with what was found out."""
        virtual = settings.virtual
        if virtual.host_processor == self._machines.host_processor:
            return settings
        return replace(settings, virtual=replace(virtual, host_processor=self._machines.host_processor))

    def use(self, containers: ContainerSetup, machines: VmSettings) -> None:
        """Takes what the configuration says (now), and tries it."""
        self._engines.use(containers)
        self._machines.use(machines, containers.user)

    def started(self, claim_id: str, job_ad: ClassAd) -> None:
        """A job goes to its starter."""
        self._engines.started(claim_id, job_ad)

    def ended(self, claim_id: str, report: ExitReport) -> None:
        """What became of it may tell that something does not work any more."""
        self._engines.ended(claim_id, report)
        self._machines.ended(report)

    def stop(self) -> None:
        """Nobody wants to know any more."""
        self._engines.stop()
        self._machines.stop()
