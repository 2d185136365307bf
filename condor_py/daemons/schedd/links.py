"""The daemons that the schedd works with: what it says to startd and negotiator, and what it hears from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.client.spooling import shared_room
from condor_py.core.jobs.effects import Effect, StageFiles
from condor_py.core.jobs.events import (
    ClaimGranted,
    CycleWanted,
    OrderRefused,
    Planned,
    StartdConnected,
    StartdLost,
)
from condor_py.core.jobs.parts import ClaimInfo, is_local
from condor_py.daemons.common.demand import demand_message, plan_of
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import monotonic
from condor_py.daemons.schedd.checkpointcleaner import CheckpointCleaner
from condor_py.daemons.schedd.locate import Locations
from condor_py.daemons.schedd.peer import PeerLink
from condor_py.daemons.schedd.shadowhooks import Preparations
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd, sent
from condor_py.lang.config import Config
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.schedd import shadow_hooks
from condor_py.model import jsontext
from condor_py.model.commonfiles import staging_id
from condor_py.model.errors import CondorError, shortage
from condor_py.model.ids import JobId
from condor_py.model.messages import claims as say
from condor_py.model.messages import cycles
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.runs import (
    CatalogWanted,
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
)
from condor_py.model.plan import Plan
from condor_py.model.report import ExitReport
from condor_py.model.settings.schedd import ShadowHooks

if TYPE_CHECKING:
    from condor_py.daemons.starter.starterhooks import Pairs


#: ``MATCH_EXP_X`` is X with its ``$$()`` filled in: what the starter gets as X.
_EXPANDED = "MATCH_EXP_"
_ANY_EXPANDED = _EXPANDED.encode()
#: Seconds that a demand may take to say before there is a pause, and the pause as a multiple of them.
_MOMENT = 0.002
_PAUSE = 4.0


class Acknowledgements:
    """Those of one batch. Each leaves with the next order on its claim, or by itself at the end of the batch."""

    def __init__(self, send: Callable[[Message], object]) -> None:
        self._send = send
        self._by_claim: dict[str, say.Acknowledge] = {}

    def add(self, ended: say.Acknowledge) -> None:
        """The outcome of a run is durable."""
        if (before := self._by_claim.pop(ended.claim, None)) is not None:
            self._send(before)
        self._by_claim[ended.claim] = ended

    def joined(self, order: say.Activate) -> say.Activate:
        """Return an order with the acknowledgement on its claim, if there is one."""
        ended = self._by_claim.pop(order.claim, None)
        return order if ended is None else order.but(ended_job=ended.job, ended_run=ended.run)

    def send_rest(self) -> None:
        """The batch ends."""
        for ended in self._by_claim.values():
            self._send(ended)
        self._by_claim.clear()


class StartdLink:
    """Effects of the core become messages, messages become its events. ``carry_out_here`` takes the effects that
    concern the schedd's own claims, and the ad of a job that they start."""

    def __init__(
        self,
        shared: Shared,
        config: Config,
        locations: Locations,
        cleaner: CheckpointCleaner,
        edited_hooks: Callable[[], ShadowHooks | None],
        carry_out_here: Callable[[Effect, bytes], None],
    ) -> None:
        self._loop, self._log = shared.loop, shared.log
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._locations = locations
        self._cleaner = cleaner
        self._carry_out_here = carry_out_here
        self._spool = shared.paths.spool
        self._talks = False
        #: NEGOTIATOR_MATCH_EXPRS: what the ads of matched jobs get on their way to the startd.
        self._match_exprs: dict[str, str] = {}
        #: NEGOTIATOR_INFORM_STARTD: whether the startd hears of a match before it hears of the claim.
        self._tells_matches = False
        shadow_log, hooks = daemon_knobs.log(config, "SHADOW"), shadow_hooks(config)
        core = shared.core

        def niceness() -> int:
            return core.settings.shadow_renice_increment

        self.preparations = Preparations(
            self._loop, shadow_log, hooks, edited_hooks, self._activate, self._not_started, niceness, self._spool
        )
        path = shared.paths.socket("startd")
        self.peer = PeerLink(self._loop, path, say.FROM_STARTD, self._message, self._connected, self._gone)
        self.acknowledgements = Acknowledgements(self.peer.send)
        self._sign_of_life = daemon_knobs.sign_of_life(config)
        self._says_alive = False

    @property
    def up(self) -> bool:
        """Whether there is a connection."""
        return self.peer.up

    def follow_plan(self, match_exprs: dict[str, str], tells_matches: bool) -> None:
        """Takes what the negotiator says with each plan: NEGOTIATOR_MATCH_EXPRS and NEGOTIATOR_INFORM_STARTD."""
        self._match_exprs, self._tells_matches = match_exprs, tells_matches

    def _connected(self) -> None:
        self.peer.send(say.Hello())

    def _gone(self) -> None:
        if self._talks:
            self._talks = False
            self._log("Lost the connection to the startd")
            self._inbox.news(StartdLost())

    def keep_leases(self) -> None:
        """After each batch: while there are claims the startd hears signs of life; without any neither of us need wake
        up."""
        if not self._says_alive and self._core.needs_leases:
            self._say_alive_soon()

    def _say_alive_soon(self) -> None:
        if not self._says_alive:
            self._says_alive = True
            self._loop.after(self._sign_of_life, self._say_alive)

    def _say_alive(self) -> None:
        """The leases of our claims hold as long as the startd hears this."""
        self._says_alive = False
        if self._core.needs_leases:
            self.keep_leases()
            self.peer.send(say.Alive())

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        match message:
            case RunStarted():
                self._locations.started(message)
                self._inbox.news(message)
            case RunUpdate():
                self._cleaner.updated(message, self._core.jobs.job(message.job))
                self._inbox.news(message)
            case RunDelayed() | RunNotice() | RunSuspended() | RunEnded() | StagingStep():
                self._inbox.news(message)
            case say.ClaimRefused() | say.ClaimLost() | say.ClaimReleased() | say.FilesStaged():
                self._inbox.news(message)
            case say.Granted():
                self._inbox.news(ClaimGranted(message.id, claim_of(message)))
            case say.Claims(claims):
                self._talks = True
                self._say_alive_soon()  # there may be claims, even if nothing can be written for long
                self._inbox.news(StartdConnected(tuple(map(claim_of, claims))))
            case say.NewOffer():
                self._inbox.news(CycleWanted())
            case Refused():
                self._refused(message)

    def _refused(self, refusal: Refused) -> None:
        """Log the startd's refusal of a whole message and end the wait for its answer, which will not come."""
        self._log(f"The startd says: {refusal.error}")
        match refusal.word:
            case say.RequestClaim.op:
                self._inbox.news(
                    say.ClaimRefused(refusal.id, f"The startd refused the request: {refusal.error}", fault=True)
                )
            case say.Activate.op | say.Deactivate.op:
                self._inbox.news(OrderRefused(refusal.claim, refusal.error, refusal.job))

    def tell(self, effect: Effect) -> None:
        """Carries out an effect that concerns a claim. Where that fails, nothing waits for an answer to it."""
        try:
            self._tell(effect)
        except Exception as error:
            lacks = shortage(error)
            why = f"the schedd cannot send it: {lacks or type(error).__name__}"
            match effect:
                case say.Activate(claim_id, job, _):
                    self._inbox.news_at_once(OrderRefused(claim_id, why, str(job)))
                case say.RequestClaim(request_id):
                    self._inbox.news_at_once(say.ClaimRefused(request_id, why, fault=not lacks))
            raise

    def _tell(self, effect: Effect) -> None:
        if is_local(getattr(effect, "claim", "")):
            payload = self._payload(effect.job) if isinstance(effect, say.Activate) else b""
            self._carry_out_here(effect, payload)
            return
        match effect:
            case say.Activate(_, job, _):
                ad = self._queue.job(job)
                if ad is None or not self.preparations.begin(effect, ad):
                    self._activate(effect, ())
            case StageFiles(_, job, _):
                self.peer.send(stage_message(effect), self._payload(job))
            case say.Acknowledge():
                self.acknowledgements.add(effect)
            case say.RequestClaim():
                self._request_claim(effect)
            case say.Deactivate() if self.preparations.stop(effect.claim):
                pass  # the job waited for its hook
            case Message():
                self.peer.send(effect)

    def _activate(self, order: say.Activate, changes: Pairs) -> None:
        """Sends a job to its claim; a hook may have changed its ad for the run."""
        self.peer.send(self.acknowledgements.joined(order), self._payload(order.job, changes, order.claim))

    def _not_started(self, report: ExitReport) -> None:
        self._inbox.news(RunEnded(report))

    def _request_claim(self, request: say.RequestClaim) -> None:
        if self._tells_matches:
            request = request.but(matched=True)
        if not self.peer.send(request, self._payload(request.job)):
            self._inbox.news(say.ClaimRefused(request.id, "the startd is not there"))

    def _payload(self, job: JobId, changes: Pairs = (), claim: str = "") -> bytes:
        node = self._core.node_ad(claim) if claim else None
        if node is not None:
            self._share_room(JobId(job.cluster, 0), node)
        ad = node or self._queue.job(job) or self._core.request_ad(job)
        if ad is None:
            return b"{}"
        if not changes and not self._match_exprs and _ANY_EXPANDED not in (body := sent.write(ad)):
            return body
        items = dict(ad.pairs())
        if _EXPANDED in " ".join(items):  # hardly a job has any
            for name in [name for name in items if name.startswith(_EXPANDED)]:
                items[name[len(_EXPANDED) :]] = items[name]
        items.update(self._match_exprs)
        items.update(changes)
        return jsontext.write(items).encode()

    def _share_room(self, lead: JobId, node: ClassAd) -> None:
        """Tell a node of a parallel job where all of its nodes may leave files by condor_chirp."""
        owner = node.eval_str("OsUser", "") or node.eval_str("Owner", "")
        try:
            node.set_str("RemoteSpoolDir", shared_room(self._spool, lead, owner))
        except CondorError as error:
            self._log(f"job {lead} runs without _CONDOR_REMOTE_SPOOL_DIR: {error}")


class NegotiatorLink:
    """Demand goes out, plans come in."""

    def __init__(self, shared: Shared, startd: StartdLink) -> None:
        self._loop, self._log, self._core, self._inbox = shared.loop, shared.log, shared.core, shared.inbox
        self._startd = startd
        self._known_ads: set[int] = set()
        self._pausing = self._wanted = False
        self.peer = PeerLink(
            self._loop,
            shared.paths.socket("negotiator"),
            cycles.FROM_NEGOTIATOR,
            self._message,
            self._connected,
            self._known_ads.clear,
        )

    def _connected(self) -> None:
        self._inbox.news(CycleWanted())

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        match message:
            case cycles.PlanMade():
                plan: Plan = plan_of(message)
                self._startd.follow_plan(message.match_exprs, message.inform_startd)
                # Most plans of an idle pool say nothing; but jobs that a limit holds back are not in them.
                if plan.matches or plan.rejections or self._core.state.quotas:
                    self._inbox.news(Planned(plan))
            case cycles.Call():
                self.call()
            case cycles.Significant():
                self._inbox.news(message)
            case Refused(error):
                self._log(f"The negotiator says: {error}")
                self._known_ads.clear()

    def call(self) -> None:
        """Asks for a cycle with the demand of now. A demand that took long to say is not said anew at once: while very
        many jobs come or change others wait for that. A negotiator that is not there is asked when it comes: nothing
        counts as known to it before."""
        if not self.peer.up:
            return
        if self._pausing:
            self._wanted = True
            return
        begun, known = monotonic(), set(self._known_ads)
        self.peer.send(demand_message(self._core, known))
        self._known_ads.update(known)  # not before: what could not be sent is unknown
        took = monotonic() - begun
        if took > _MOMENT:
            self._pausing = True
            self._loop.after(took * _PAUSE, self._rested)

    def _rested(self) -> None:
        self._pausing = False
        if self._wanted:
            self._wanted = False
            self.call()


def claim_of(claim: say.ClaimTold) -> ClaimInfo:
    """A claim of a message."""
    slot_ad = ClassAd.from_text_items(claim.ad.items())
    run = claim.job, claim.run
    return ClaimInfo(claim.claim, claim.slot, claim.submitter, slot_ad, *run, claim.data, tuple(claim.staged))


def stage_message(effect: StageFiles) -> say.Activate:
    """Make the message that asks the startd for a data slot; it carries the catalogs of the job that asked."""
    catalogs = [CatalogWanted(**one._asdict()) for one in effect.catalogs]
    return say.Activate(effect.claim_id, staging_id(effect.job), 1, catalogs=catalogs)
