"""Choice of the driver of virtual machines: the work of a keeper for one job. The modules of a driver are imported
here, before the process takes the job owner's identity, which may not be able to read our Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from condor_py.machine.run.vm import saved
from condor_py.machine.run.vm.keeper import PORT, Work
from condor_py.machine.run.vm.machine import Machine
from condor_py.machine.run.vm.spec import VmSpec
from condor_py.model.settings.virtual import LIBVIRT, VmSettings


def home_maker(settings: VmSettings) -> Callable[[str], str]:
    """Return the function that makes a directory that the driver needs besides that of the job, to be removed when the
    job is over; it returns "" for none. To be called with the directory of the job and the rights of its owner.
    OSError."""
    if settings.driver != LIBVIRT:
        return lambda _directory: ""
    from condor_py.machine.run.vm.libvirt import make_home

    return make_home


def work_of(
    settings: VmSettings,
    spec: VmSpec,
    environment: Mapping[str, str],
    directory: str,
    job_ad: Callable[[], str],
    port: int = -1,
    home: str = "",
) -> Work:
    """``environment`` is that of the program which runs the machine; ``job_ad`` gives the text of the job's ad.
    ``port`` is the descriptor of its port of a bridge, -1 for none, ``home`` what ``home_maker`` made."""
    make: Callable[[str, Callable[[], None]], Machine]
    if settings.driver == LIBVIRT:
        from condor_py.machine.run.vm.libvirt import LibvirtMachine

        def make(_board: str, check: Callable[[], None]) -> Machine:
            return LibvirtMachine(settings, spec, environment, directory, check, job_ad, home)
    else:
        from condor_py.machine.run.vm.qemu import Qemu

        def make(board: str, check: Callable[[], None]) -> Machine:
            return Qemu(settings, spec, environment, directory, check, board, PORT if port >= 0 else -1)

    return Work(
        directory,
        make,
        partial(saved.find, directory, spec, settings.driver),
        lambda board: saved.note(directory, spec, settings.driver, board),
        spec.checkpoints,
        port,
    )
