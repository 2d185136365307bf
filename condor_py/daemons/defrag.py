"""The condor_defrag daemon: now and then asks the startd to drain, as the policy in ``core.slots.defrag`` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from condor_py.client.wire import WireError, ask
from condor_py.core.slots.defrag import Defrag, DefragPlan
from condor_py.daemons.common.loop import now, period
from condor_py.daemons.common.service import Service
from condor_py.lang.config import Config
from condor_py.lang.config.builders.defrag import defrag as defrag_knobs
from condor_py.model.errors import StoreError
from condor_py.model.messages.codec import Refused, Request
from condor_py.model.messages.machine import CancelDrain, Drain, Draining
from condor_py.store.ad_store import AdStore

if TYPE_CHECKING:
    from condor_py.model.messages.kinds import DrainHow

_PATIENCE = 10.0
#: Seconds after the start until the first look: the startd publishes its slots meanwhile.
_FIRST_LOOK = 5.0


class DefragDaemon(Service):
    """Reads the published slots, and sends the startd what condor_drain would."""

    subsystem = "DEFRAG"
    kinds = ("DEFRAG",)

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        knobs = defrag_knobs(self.config, self.settings.host)
        self.policy = Defrag(knobs, now())
        self.ads = AdStore(self.paths.ads)
        self._say_rate()
        self._polling = self.loop.every(period(knobs.interval), self._poll)
        if knobs.interval > 0:
            self.loop.after(min(_FIRST_LOOK, float(knobs.interval)), self._poll)
        self._updating = self.loop.every(period(knobs.update_interval), self._publish)
        self._publish()

    def _say_rate(self) -> None:
        knobs = self.policy.settings
        if knobs.interval > 0:
            self.log.write(f"Will evaluate defragmentation policy every DEFRAG_INTERVAL={knobs.interval} seconds.")
            rate = f"DEFRAG_DRAINING_MACHINES_PER_HOUR = {knobs.machines_per_hour:f}/hour"
            self.log.write(f"polling interval {knobs.interval}s, {rate}")
        else:
            self.log.write(f"DEFRAG_INTERVAL={knobs.interval}, so no pool defragmentation will be done.")

    def prepare(self, config: Config) -> Callable[[], None]:
        """A new policy."""
        knobs = defrag_knobs(config, self.settings.host)

        def take() -> None:
            self.policy.configure(knobs)
            self._polling.change(period(knobs.interval))
            self._updating.change(period(knobs.update_interval))
            self._say_rate()
            self._publish()

        return take

    def _poll(self) -> None:
        try:
            slots = self.ads.read("STARTD")
        except StoreError as error:
            self.log.write(f"Doing nothing, because the slots cannot be read: {error}")
            return
        plan = self.policy.poll(now(), slots)
        for line in plan.lines:
            self.log.write(line)
        self._carry_out(plan)
        self._publish()

    def _carry_out(self, plan: DefragPlan) -> None:
        for name in plan.cancel:
            self.log.write(f"Cancel draining of {name}.")
            answer = self._ask(CancelDrain())
            if isinstance(answer, Refused):
                self.log.write(f"Unable to cancel draining on {name}: {answer.error}")
            self.policy.cancelled(name, now())
        for order in plan.drain:
            schedule = self.policy.settings.schedule
            self.log.write(f"Initiating {schedule} draining of {order.name}.")
            answer = self._ask(
                Drain(
                    how=cast("DrainHow", schedule),
                    reason=self.policy.reason,
                    on_completion="resume",
                    check=order.check,
                    start=self.policy.settings.draining_start,
                )
            )
            if isinstance(answer, Refused):
                self.log.write(f"Failed to send request to drain {order.name}: {answer.error}")
            self.policy.drained(order.name, now(), not isinstance(answer, Refused))

    def _ask(self, request: Request[Draining]) -> Draining | Refused:
        """The startd's answer; a refusal when it does not answer."""
        try:
            return ask(self.paths.socket("startd"), request, timeout=_PATIENCE)
        except WireError as error:
            return Refused(str(error))

    def _publish(self) -> None:
        ad = self.own_ads.make("Defrag", self.policy.settings.name, self.settings, int(now()))
        for name, text in self.policy.pairs(now()):
            ad.set_text(name, text)
        try:
            self.ads.publish("DEFRAG", [ad])
        except StoreError as error:
            self.log.write(str(error))
        self.published([ad])

    def shutdown(self, how: str) -> None:
        """Leave at once; drains continue."""
        self.leave(0)
