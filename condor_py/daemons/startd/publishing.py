"""Publishing of the slots by the startd: at once what the negotiator must know, soon what people watch.

A claim is published before it is sent to the schedd, so that no cycle matches its slot again; claims of one turn of the
loop are published together. The first job of a claim makes its slot Busy. People who have just submitted watch for
that, so it is published within the blink of an eye. Changes between Busy and Idle from job to job wait and are
published together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from condor_py.core.slots.core import Startd
from condor_py.daemons.common.loop import Loop, Timer, monotonic
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.claims import ClaimTold, Granted
from condor_py.model.messages.codec import Message

#: Changes that only turn activities (busy, idle) are published at most this often, in seconds.
_EVERY = 0.5
#: After the first job of a claim; those of other claims come meanwhile.
_BLINK = 0.02
#: Those who watch get what is new once in so many times as publishing took last: of thousands of slots that is long.
_REST = 4


class Publishing:
    """``publish`` writes the ads of now, ``tell`` is what sends a message to the schedd."""

    def __init__(self, loop: Loop, publish: Callable[[], None], tell: Callable[[Message], None]) -> None:
        self._loop, self._publish, self._tell = loop, publish, tell
        self._timer: Timer | None = None
        self._due = 0.0
        self._at = float("-inf")
        self._took = 0.0
        self._news: list[Message] = []

    @property
    def is_recent(self) -> bool:
        """Whether what is published is hardly older than what changes at most so often."""
        return monotonic() - self._at < _EVERY

    def soon(self) -> None:
        """An activity has changed."""
        if self._timer is None:
            self._wait(max(0.0, max(_EVERY, _REST * self._took) - (monotonic() - self._at)))

    def in_a_blink(self) -> None:
        """A claim has its first job."""
        pause = max(_BLINK, _REST * self._took - (monotonic() - self._at))
        if self._timer is None or self._due - monotonic() > pause:
            self._wait(pause)

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due = monotonic() + seconds
        self._timer = self._loop.after(seconds, self._now)

    def _now(self) -> None:
        """Publish the pending news with the rest, once."""
        if self._news:
            self.settle()
        else:
            self.at_once()

    def at_once(self) -> None:
        """Something that others act on has changed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._at = monotonic()
        self._publish()
        self._took = monotonic() - self._at

    def before(self, message: Message) -> None:
        """Publish before ``message`` is sent to the schedd, together with others of this turn."""
        if not self._news:
            self._loop.at_turn_end(self.settle)
        self._news.append(message)

    def settle(self) -> None:
        """Publish, and send the messages that wait for that."""
        if self._news:
            news, self._news = self._news, []
            self.at_once()
            for message in news:
                self._tell(message)


def claim_told(claim_id: str, slot: str, submitter: str, ad: ClassAd | None, job: str, run: int) -> ClaimTold:
    """One claim, as messages have it."""
    return ClaimTold(claim_id, slot, submitter, _items(ad), job, run)


def granted(request_id: str, claim_id: str, slot: str, submitter: str, ad: ClassAd | None) -> Granted:
    """The answer to a request for a claim."""
    return Granted(id=request_id, claim=claim_id, slot=slot, submitter=submitter, ad=_items(ad))


def _items(ad: ClassAd | None) -> dict[str, str]:
    return dict(ad.text_items()) if ad is not None else {}


def claims_told(core: Startd, unacknowledged: Iterable[tuple[str, str, int]], now: float) -> list[ClaimTold]:
    """Every claim. ``unacknowledged`` are (claim, job, run) of reports that the schedd may have missed: their claims
    are included, though they may be over."""
    claims = []
    for info in core.claims():
        ad = core.slot_ad(info.claim_id, now)
        claim = claim_told(info.claim_id, info.slot_name, info.submitter, ad, info.job, info.run)
        claims.append(claim.but(data=True, staged=info.staged) if info.data else claim)
    known = {claim.claim for claim in claims}
    for claim_id, job, run in unacknowledged:
        claims = [
            claim.but(job=job, run=run) if claim.claim == claim_id and not claim.job else claim for claim in claims
        ]
        if claim_id not in known:
            claims.append(claim_told(claim_id, "", "", None, job, run))
            known.add(claim_id)
    return claims


class MachineLooks:
    """``look`` takes one, and hands the facts to the core; ``pause`` returns the seconds until the next one that the
    core wants."""

    def __init__(self, loop: Loop, interval: float, look: Callable[[], None], pause: Callable[[], float]) -> None:
        self._loop, self._interval, self._take, self._pause = loop, interval, look, pause
        self._rests = False
        self._at = monotonic()
        self._timer = loop.after(interval, self._look)

    def _look(self) -> None:
        self._again(self._interval)  # if this one fails, the next may not
        self._fresh()
        pause = self._pause()
        if pause > self._interval:
            self._again(pause)
            self._rests = True

    def _again(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(seconds, self._look)
        self._rests = False

    def _fresh(self) -> None:
        self._at = monotonic()
        self._take()

    def change(self, interval: float) -> None:
        """Another POLLING_INTERVAL."""
        if interval != self._interval:
            self._interval = interval
            self._again(interval)

    def stir(self) -> None:
        """An event comes: take a look first if one is due, so that decisions rest on the present state, and resume
        looking."""
        if self._rests:
            self.refresh()
            self._again(self._interval)

    def refresh(self) -> None:
        """Bring the slots up to date before they are shown, if the last time is an interval ago."""
        if monotonic() - self._at >= self._interval:
            rests, self._rests = self._rests, False  # what is seen is an event, too
            try:
                self._fresh()
            finally:
                self._rests = rests
