"""Drivers of virtual machines: they are complete before anybody becomes the owner of the job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: An owner who cannot read where our Python lies: from some moment on no module is found any more.
_NOTHING_LEFT = """
import os
import sys
from condor_py.model.settings.virtual import VmSettings
from condor_py.machine.run.vm.drivers import home_maker, work_of
from condor_py.machine.run.vm.spec import VmSpec

settings = VmSettings("kvm", 100, driver=sys.argv[1], qemu="/bin/false", virsh="/bin/false")
directory = sys.argv[2]
make_home = home_maker(settings)
work = work_of(settings, VmSpec("condor_1.0", 64, 1, ()), {"PATH": "/bin"}, directory, lambda: "", home=directory)
sys.meta_path.clear()
home = make_home(directory)
if home.startswith("/tmp/condor_vm."):
    os.rmdir(home)
machine = work.make(directory, lambda: None)
try:
    machine.start()
except ImportError:
    raise
except Exception as error:
    print(type(error).__name__)
machine.off()
"""


@pytest.mark.parametrize("driver", ["qemu", "libvirt"])
def test_what_a_machine_needs_is_there_before_its_owner_takes_over(driver: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", _NOTHING_LEFT, driver, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "Failure\n"), done.stderr
