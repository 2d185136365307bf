"""The schedd's own starters, for jobs of the local and scheduler universes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.core.jobs.effects import Effect
from condor_py.core.jobs.events import OrderRefused
from condor_py.daemons.common.configuration import DaemonConfiguration
from condor_py.daemons.common.loop import now
from condor_py.daemons.schedd.locate import Locations
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.model.copies import changed
from condor_py.model.errors import ConfigError
from condor_py.model.ids import JobId
from condor_py.model.messages import runs as say
from condor_py.model.messages.claims import (
    Activate,
    ClaimLost,
    ClaimReleased,
    ContinueClaim,
    Deactivate,
    ReleaseClaim,
    SuspendClaim,
)
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.settings.daemon import DaemonSettings
from condor_py.model.states import Universe

if TYPE_CHECKING:
    from condor_py.daemons.startd.starters import Starters
    from condor_py.daemons.starter.startersetup import StarterSetup

#: Seconds until a job whose directory cannot be made waits again.
_PAUSE = 5.0


class LocalStarters:
    """Carries out the effects that concern the schedd's own claims; what happens comes back as events.

    ``born`` is when the schedd started (Unix seconds).
    """

    def __init__(
        self,
        shared: Shared,
        locations: Locations,
        configuration: DaemonConfiguration,
        settings: Callable[[], DaemonSettings],
        born: int,
    ) -> None:
        self._loop, self._log, self._paths = shared.loop, shared.log, shared.paths
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._locations = locations
        self._configuration = configuration
        self._settings = settings
        self._born = born
        self._starters: Starters | None = None
        self._jobs: dict[str, tuple[str, int]] = {}
        self._execute = configuration.config.path("LOCAL_UNIV_EXECUTE") or f"{self._paths.spool}/local_univ_execute"
        if os.path.isdir(self._execute):
            from condor_py.daemons.common.leftovers import clear_execute  # most schedds never need these modules
            from condor_py.daemons.common.remover import Remover

            clear_execute(self._execute, self._paths.log, Remover(self._loop, self._log), self._log)

    def carry_out(self, effect: Effect, payload: bytes) -> None:
        """One effect of the core; ``payload`` is the job ad of an Activate."""
        match effect:
            case Activate(claim_id, job, run):
                self._start(claim_id, job, run, payload)
            case Deactivate(claim_id, graceful, code, _):
                # Its starter knows which signal the job wants for that, and how long it waits for it.
                self._tell(claim_id, say.SoftKill(claim_id, code) if graceful else say.HardKill(claim_id))
                self._give_up_later(claim_id, graceful)
            case SuspendClaim(claim_id):
                self._tell(claim_id, say.SuspendJob(claim_id))
            case ContinueClaim(claim_id):
                self._tell(claim_id, say.ContinueJob(claim_id))
            case ReleaseClaim(claim_id):
                self._tell(claim_id, say.StopStarter(claim_id))
                self._inbox.news_at_once(ClaimReleased(claim_id))

    def _start(self, claim_id: str, job: JobId, run: int, payload: bytes) -> None:
        if self._starters is None:
            from condor_py.daemons.startd.starters import Starters

            self._starters = Starters(self._loop, self._from_starter, self._gone, self._log)
        sys.stdout.flush()
        ad = self._queue.job(job)
        universe = None if ad is None else ad.eval_int("JobUniverse", None)
        self._jobs[claim_id] = str(job), run
        try:
            os.makedirs(self._execute, 0o755, exist_ok=True)
            setup = self._setup(claim_id, universe)
        except OSError as error:
            self._not_started(claim_id, f"cannot make {self._execute}: {error.strerror}")
            return
        except ConfigError as error:
            self._not_started(claim_id, str(error))
            return
        self._starters.fork(setup)
        self._starters.tell(claim_id, say.StartJob(claim_id, str(job), run), payload)

    def _not_started(self, claim_id: str, why: str) -> None:
        """Log why a job cannot start; after a moment, so that the next attempt does not follow at once, it waits
        again."""
        from condor_py.daemons.startd.starters import NOT_STARTED

        self._log(f"cannot start a starter of our own: {why}")
        self._loop.after(_PAUSE, lambda: self._gone(claim_id, NOT_STARTED))

    def _setup(self, claim_id: str, universe: int | None) -> StarterSetup:
        from condor_py.daemons.starter.startersetup import StarterSetup
        from condor_py.lang.config.builders.starter import starter as starter_knobs

        config, settings = self._configuration.config, self._settings()
        rules = starter_knobs(config).changed(base_cgroup="", tracking_gids=None)  # groups are for slots
        niceness = self._core.settings.shadow_renice_increment
        if universe == Universe.SCHEDULER:
            niceness = 0
            rules = rules.changed(job_renice_increment=config.expression("SCHED_UNIV_RENICE_INCREMENT", "0"))
        log = daemon_knobs.log(config, "STARTER")
        slot = ClassAd()
        slot.set_str("Name", settings.schedd_name)
        return StarterSetup(
            claim_id=claim_id,
            slot_name=settings.schedd_name,
            slot_ad=slot,
            execute=self._execute,
            bin_dir=self._paths.bin,
            host=settings.host,
            file_system_domain=settings.file_system_domain,
            ancestors=(f"_CONDOR_ANCESTOR_{os.getpid()}={os.getpid()}:{self._born}:{self._born}",),
            log=changed(log, path=f"{log.path}.local"),
            settings=rules,
            niceness=niceness,
        )

    def _give_up_later(self, claim_id: str, graceful: bool) -> None:
        """Kill the starter when it has not ended its job KILLING_TIMEOUT after it had to: it may be copying output
        that has no end, or to a file system that does not answer."""
        from condor_py.core.runs.facts import kill_rules

        known = self._jobs.get(claim_id)
        if known is None:
            return
        ad = self._queue.job(JobId.parse(known[0]))
        patience = kill_rules(ad).patience if graceful and ad is not None else None
        killing = self._configuration.config.integer("KILLING_TIMEOUT")

        def give_up() -> None:
            if self._starters is not None and self._jobs.get(claim_id) == known:
                self._log(f"The starter of job {known[0]} does not end its job and is killed")
                self._starters.kill(claim_id)

        self._loop.after((patience or 0.0) + killing, give_up)

    def _tell(self, claim_id: str, message: Message) -> None:
        if self._starters is not None:
            self._starters.tell(claim_id, message)

    def _from_starter(self, claim_id: str, message: Message) -> None:
        match message:
            case say.RunStarted():
                self._locations.started(message)
                self._inbox.news(message)
            case say.RunUpdate() | say.RunDelayed() | say.RunNotice() | say.RunSuspended():
                self._inbox.news(message)
            case say.RunEnded():
                self._jobs.pop(claim_id, None)
                self._inbox.news(message)
            case say.Unable(reason):
                self._log(f"ERROR a starter of our own: {reason}")
            case Refused(reason):
                self._log(f"ERROR a starter of our own: {reason}")
                if message.word == say.StartJob.op:
                    self._inbox.news(OrderRefused(claim_id, reason, message.job))

    def _gone(self, claim_id: str, status: int) -> None:
        """A starter that died under its job loses it; a job that could have none waits again."""
        job = self._jobs.pop(claim_id, None)
        if job is not None:
            from condor_py.daemons.startd.starters import NOT_STARTED

            never = status == NOT_STARTED
            how = "could not be started" if never else f"died (status {status})"
            reason = f"The starter of the job {how} at {int(now())}"
            self._inbox.news(ClaimLost(claim_id, 1008, reason, idle=never))

    def close(self) -> None:
        """Lets go of all starters: they kill their jobs and leave."""
        if self._starters is not None:
            self._starters.close()
