"""The startd's dealings with its schedd beyond single events: requests that wait for their victims, and releases
that wait for the claim to end. Shared by the daemon and the simulator."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from condor_py.core.slots.events import BetterClaim, ClaimRequest, Event, Vacate
from condor_py.core.slots.granting import BY_PRIORITY, BY_RANK
from condor_py.model.messages.claims import ReleaseClaim, WithdrawClaim
from condor_py.model.states import VacateCode

#: "slot1_2@host": a dynamic slot.
_DYNAMIC = re.compile(r"^([^@]*\d)_\d+(@.*)?$")


class PendingClaims:
    """Keeps what the schedd asked for and cannot have yet.

    ``claims`` has the names of the core's claimed slots, by claim id; ``handle`` takes an event to the core and carries
    out what follows.
    """

    def __init__(self, claims: Callable[[], Mapping[str, str]], handle: Callable[[Event], object]) -> None:
        self._claims = claims
        self._handle = handle
        self._waiting: list[tuple[ClaimRequest, frozenset[str]]] = []
        self._releasing: set[str] = set()

    def request(self, request: ClaimRequest, victims: Collection[str], by_rank: bool) -> None:
        """Hands a request to the core; one that preempts waits until the slots named ``victims`` are free."""
        code, reason = VacateCode.BETTER_USER, BY_PRIORITY
        if by_rank:
            code, reason = VacateCode.BETTER_RANK, BY_RANK
        if len(victims) == 1 and request.slot in victims:
            self._handle(BetterClaim(request, by_rank))
            return
        if not victims:
            self._handle(request)
            return
        held = {claim: name for claim, name in self._claims().items() if name in victims}
        told = {held.get(claim) for _, others in self._waiting for claim in others}
        for victim in sorted(frozenset(victims) - told):
            self._handle(Vacate(victim, True, code=int(code), reason=reason, retire=True))
        if self._claims().keys().isdisjoint(held):
            self._handle(request)
        else:  # by their claims: a new slot may get the name of one that is gone
            self._waiting.append((request, frozenset(held)))

    def release(self, claim_id: str) -> None:
        """The schedd gives a claim back; ``settle`` returns it when it is gone."""
        self._releasing.add(claim_id)
        self._handle(ReleaseClaim(claim_id))

    def settle(self) -> list[str]:
        """After an event: serves requests whose victims are gone; the released claims that have ended since."""
        waiting, self._waiting = self._waiting, []
        for request, victims in waiting:
            if self._claims().keys().isdisjoint(victims):
                self._handle(replace(request, slot=_what_is_left(request.slot)))
            else:
                self._waiting.append((request, victims))
        if not self._releasing:
            return []
        live = self._claims().keys()
        gone = sorted(self._releasing - live)
        self._releasing &= live
        return gone

    def withdraw(self, request_id: str) -> None:
        """The schedd withdraws a request; slots that were preempted for it already stay free."""
        self._waiting = [(request, victims) for request, victims in self._waiting if request.request_id != request_id]
        self._handle(WithdrawClaim(request_id))

    def forget_requests(self) -> None:
        """The schedd that asked is gone."""
        self._waiting.clear()


def _what_is_left(slot: str) -> str:
    """The slot to claim when the victim on ``slot`` is gone: a dynamic slot went with it, its parent has the room."""
    return _DYNAMIC.sub(r"\1\2", slot)
