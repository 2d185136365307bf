"""Requests of administrators to the startd: drains, vacates, matches and attributes for the slots' ads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.daemons.common.link import Link
from condor_py.model.messages import machine as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.messages.wakeups import Done


class AdminRequests:
    """``handle`` gives an event to the core and carries out what follows; ``rehome`` answers a request to offer the
    machine to another schedd."""

    def __init__(self, handle: Callable[[on.Event], object], rehome: Callable[[say.Rehome], Message]) -> None:
        self._handle, self._rehome = handle, rehome
        #: Who waits for the answer about a drain.
        self._asking: Link | None = None

    def take(self, link: Link, request: say.AdminRequest[Any]) -> None:
        """A request from somebody who may ask."""
        self._asking = link
        match request:
            case say.Drain() | say.CancelDrain():
                self._handle(request)
            case say.Rehome():
                link.send(self._rehome(request))
            case say.UpdateAd():
                self._handle(request)
                link.send(Done())
            case say.Vacate(slot, graceful):
                self._handle(on.Vacate(slot, graceful))
                link.send(Done())

    def answer(self, reply: do.DrainReply) -> None:
        """Send the outcome of a drain to the last client that asked."""
        if self._asking is not None:
            self._asking.send(_answer(reply))
            self._asking = None


def _answer(reply: do.DrainReply) -> Message:
    if reply.ok:
        return say.Draining(reply.request_id)
    return Refused(reply.text, reply.error_code, reply.request_id)
