"""The condor_rooster daemon: now and then wakes machines that sleep although they are wanted."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.core.slots.power import choose
from condor_py.daemons.common.loop import now, period
from condor_py.daemons.common.program import Ended, Program
from condor_py.daemons.common.service import Service
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.machine import rooster as rooster_knobs
from condor_py.model.arguments import ArgumentError, words_of
from condor_py.model.errors import ConfigError, StoreError
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.advertised import Advertised
from condor_py.store.longform import ad_text


class RoosterDaemon(Service):
    """Reads the ads of machines, and runs ROOSTER_WAKEUP_CMD with those to wake."""

    subsystem = "ROOSTER"
    kinds = ()

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self.knobs = rooster_knobs(self.config)
        self._command = _words(self.knobs.command)
        #: Machines whose wakeup call still runs.
        self._calling: set[str] = set()
        self.ads = AdStore(self.paths.ads)
        self._say()
        self._polling = self.loop.every(period(self.knobs.interval), self._poll)

    def _say(self) -> None:
        interval = self.knobs.interval
        if interval > 0:
            self.log.write(f"Will perform unhibernate checks every ROOSTER_INTERVAL={interval} seconds.")
        else:
            self.log.write(f"ROOSTER_INTERVAL={interval}, so no unhibernate checks will be made.")

    def prepare(self, config: Config) -> Callable[[], None]:
        """Other machines, or another command."""
        knobs = rooster_knobs(config)
        command = _words(knobs.command)

        def take() -> None:
            self.knobs, self._command = knobs, command
            self._polling.change(period(knobs.interval))
            self._say()

        return take

    def _poll(self) -> None:
        try:
            machines = Advertised(self.ads, build(RememberedSettings, self.config)).read("STARTD", int(now()))
            machines += [ad for ad in self.ads.read("STARTD") if ad.has("SlotID")]
        except StoreError as error:
            self.log.write(f"Doing nothing, because the machines cannot be read: {error}")
            return
        found = choose(machines, self.knobs)
        for ad in found.ads:
            self._wake(ad)
        for line in found.lines:
            self.log.write(line)

    def _wake(self, ad: ClassAd) -> None:
        name = ad.eval_str("Name", "")
        if name in self._calling:
            self.log.write(f"The last wakeup call to {name} still runs: there is no other.")
            return
        self.log.write(f"Sending wakeup call to {name}.")
        try:
            Program(
                self.loop,
                self._command,
                on_end=lambda ended: self._report(name, ended),
                environment=dict(os.environ),
                stdin=ad_text(ad).encode("utf-8", "surrogateescape"),
            )
        except OSError as error:
            self.log.write(f"Failed to run {self.knobs.command}: {error.strerror}")
        else:
            self._calling.add(name)

    def _report(self, name: str, ended: Ended) -> None:
        self._calling.discard(name)
        for line in (ended.out + ended.err).decode("utf-8", "replace").splitlines():
            self.log.write(line)
        if ended.exit_code != 0:
            how = f"signal {ended.signal}" if ended.exit_code is None else f"exit code {ended.exit_code}"
            self.log.write(f"The wakeup call to {name} ended with {how}")

    def shutdown(self, how: str) -> None:
        """Leaves at once."""
        self.leave(0)


def _words(command: str) -> list[str]:
    """The words of ROOSTER_WAKEUP_CMD. ConfigError."""
    try:
        return words_of(command)
    except ArgumentError as error:
        raise ConfigError(f"ROOSTER_WAKEUP_CMD: {error}", "ROOSTER_WAKEUP_CMD") from None
