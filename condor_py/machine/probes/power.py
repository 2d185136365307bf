"""Putting this machine to sleep, and setting the clock that wakes it: by pm-utils, systemd, or the kernel's files.

``sys`` and ``proc`` are where these files are, so that tests can hand over a machine of their own. Nothing here needs
to be root to look; to change anything it has to be.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence

from condor_py.model.power import PowerAbilities, SleepState, sleep_state

Run = Callable[[Sequence[str]], int]
#: The methods in the order in which they are tried.
METHODS = ("pm-utils", "systemd", "/sys", "/proc")
_PM = "/usr/sbin"
_SYSTEMCTL = "/usr/bin/systemctl"
_POWER_OFF = "/sbin/poweroff"


class PowerError(Exception):
    """The machine does not go to sleep; the message says why."""


def run(argv: Sequence[str]) -> int:
    """The exit code of a short command; 127 when it cannot be run."""
    try:
        return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode
    except OSError:
        return 127


class Power:
    """The sleep states that this machine can enter."""

    def __init__(self, sys: str = "/sys", proc: str = "/proc", root: str = "", run: Run = run) -> None:
        self._sys = sys
        self._proc = proc
        self._root = root
        self._run = run

    def abilities(self, method: str = "") -> PowerAbilities:
        """By the first method that this machine has, or by ``method`` (LINUX_HIBERNATION_METHOD) alone."""
        known = {"pm-utils": self._pm_utils, "systemd": self._systemd, "/sys": self._files, "/proc": self._acpi}
        for name in METHODS:
            if method and name.lower() != method.lower():
                continue
            states = known[name]()
            if states is not None:
                return PowerAbilities(name, tuple(sorted(states)))
        return PowerAbilities()

    def enter(self, state: SleepState, method: str = "") -> None:
        """Puts the machine to sleep; returns when it is awake again. PowerError."""
        able = self.abilities(method)
        if state not in able.states:
            raise PowerError(f"this machine does not support low power state {state.name}")
        if able.method == "systemd" or state is SleepState.S5:
            return self._by_command(able.method, state)
        if able.method == "pm-utils":
            word = "hibernate" if state is SleepState.S4 else "suspend"
            return self._command(f"{_PM}/pm-{word}")
        if able.method == "/proc":
            return self._write(f"{self._proc}/acpi/sleep", str(int(state)))
        words = self._words("state")
        if state is SleepState.S4:
            if "platform" in self._words("disk"):
                self._write(f"{self._sys}/power/disk", "platform")
            return self._write(f"{self._sys}/power/state", "disk")
        return self._write(
            f"{self._sys}/power/state", "standby" if state is SleepState.S1 and "standby" in words else "mem"
        )

    def wake_at(self, moment: int, device: str = "rtc0") -> bool:
        """Sets the clock that wakes the machine, in Unix seconds (0: it will not); False for a machine without one."""
        path = f"{self._sys}/class/rtc/{device}/wakealarm"
        try:
            self._write(path, "0")  # the kernel does not take a new one while another is set
            if moment > 0:
                self._write(path, str(moment))
        except PowerError:
            return False
        return True

    # -- methods: the states they offer; None where the method is not there

    def _pm_utils(self) -> list[SleepState] | None:
        program = "/usr/bin/pm-is-supported"
        if not os.path.exists(self._root + program):
            return None
        asked = (("--suspend", SleepState.S3), ("--hibernate", SleepState.S4))
        return [state for option, state in asked if self._run([program, option]) == 0]

    def _systemd(self) -> list[SleepState] | None:
        if not (os.path.isdir(f"{self._root}/run/systemd/system") and os.path.exists(self._root + _SYSTEMCTL)):
            return None
        words = self._words("state")
        found = [SleepState.S3] if {"mem", "freeze"} & set(words) else []
        return [*found, *([SleepState.S4] if "disk" in words else []), SleepState.S5]

    def _files(self) -> list[SleepState] | None:
        if not os.path.exists(f"{self._sys}/power/state"):
            return None
        words = {"standby": SleepState.S1, "mem": SleepState.S3, "disk": SleepState.S4}
        found = {words[word] for word in self._words("state") if word in words}
        ways = {"platform": SleepState.S4, "shutdown": SleepState.S5}
        return sorted(found | {ways[word] for word in self._words("disk") if word in ways})

    def _acpi(self) -> list[SleepState] | None:
        text = _text(f"{self._proc}/acpi/sleep")
        if text is None:
            return None
        return [state for word in text.split() if (state := sleep_state(word)) is not SleepState.NONE]

    # -- acting

    def _by_command(self, method: str, state: SleepState) -> None:
        if method == "systemd":
            words = {SleepState.S4: "hibernate", SleepState.S5: "poweroff"}
            self._command(_SYSTEMCTL, words.get(state, "suspend"))
        else:
            self._command(_POWER_OFF)

    def _command(self, *argv: str) -> None:
        code = self._run(argv)
        if code:
            raise PowerError(f"{' '.join(argv)} failed with exit code {code}")

    def _words(self, name: str) -> list[str]:
        text = _text(f"{self._sys}/power/{name}") or ""
        return text.replace("[", " ").replace("]", " ").split()

    def _write(self, path: str, text: str) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise PowerError(f"cannot write {text} to {path}: {error.strerror}") from None


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return None
