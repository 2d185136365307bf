"""What administrators ask of the startd: drains, vacates, matches and attributes for the slots' ads."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.access.wire import Head
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.loop import now
from condor_py.startd import effects as do
from condor_py.startd import events as on

#: The operations of an administrator.
OPERATIONS = ("drain", "cancel-drain", "vacate", "update-ad", "match", "rehome")


class AdminDesk:
    """``handle`` gives an event to the core and carries out what follows; ``rehome`` answers a request to offer the
    machine to another schedd."""

    def __init__(self, handle: Callable[[on.Event], object], rehome: Callable[[Head], Head]) -> None:
        self._handle, self._rehome = handle, rehome
        #: Who waits for the answer about a drain.
        self._asking: Link | None = None

    def take(self, link: Link, head: Head) -> None:
        """A request with one of OPERATIONS, from somebody who may ask."""
        self._asking = link
        match head["op"]:
            case "drain":
                self._handle(_drain(head))
                return
            case "cancel-drain":
                self._handle(on.CancelDrain(now(), head.get("request_id")))
                return
            case "rehome":
                link.send(self._rehome(head))
                return
            case "match":
                self._handle(on.Match(now(), str(head["slot"])))
            case "update-ad":
                self._handle(on.UpdateAd(now(), tuple((str(name), str(text)) for name, text in head["pairs"])))
            case _:
                self._handle(on.Vacate(now(), head.get("slot"), bool(head.get("graceful", True))))
        link.send({"ok": True})

    def answer(self, reply: do.DrainReply) -> None:
        """What became of a drain, for whoever asked last."""
        if self._asking is not None:
            told = {"ok": reply.ok, "request_id": reply.request_id, "error_code": reply.error_code, "error": reply.text}
            self._asking.send(told)
            self._asking = None


def _drain(head: Head) -> on.Drain:
    how, then = head.get("how", "graceful"), head.get("on_completion", "nothing")
    return on.Drain(now(), how, head.get("reason", ""), then, head.get("check", ""), head.get("start", ""))
