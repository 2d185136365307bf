"""Short commands of libvirt's virsh."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from condor_py.machine.run.vm.machine import Failure

SESSION = "qemu:///session"


class Virsh:
    """``program`` with an environment in which the user's own libvirt daemon lives in ``directory``."""

    def __init__(self, program: str, environment: Mapping[str, str], directory: str) -> None:
        self._program, self._directory = program, directory
        self._environment = dict(environment)

    def ask(self, *words: str, patience: float, stdin: str = "") -> str:
        """What it answers. Failure with what it complains of."""
        argv: Sequence[str] = (self._program, "--quiet", "--connect", SESSION, *words)
        try:
            done = subprocess.run(
                argv, input=stdin.encode(), capture_output=True, timeout=patience, check=False,
                cwd=self._directory, env=self._environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Failure(f"libvirt does not answer: virsh {words[0]}") from None
        except OSError as error:
            raise Failure(f"cannot run {self._program}: {error.strerror}") from None
        if done.returncode:
            said = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
            raise Failure(said[-1].removeprefix("error: ").strip() if said else f"virsh {words[0]} failed")
        return done.stdout.decode(errors="replace").strip()
