"""The turns of file transfers: starters ask before they move much, and wait for their answer."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.slots.transferqueue import TransferQueue
from condor_py.daemons.common.loop import Loop, now
from condor_py.model.messages import runs
from condor_py.model.messages.codec import Message
from condor_py.model.settings.starter import TransferQueueSettings

Log = Callable[[str], None]
#: Seconds between two looks while transfers wait: the load of the disk and the age of transfers change.
_PAUSE = 5.0


class TransferTurns:
    """Of one startd."""

    def __init__(
        self, loop: Loop, settings: TransferQueueSettings, tell: Callable[[str, Message], None], log: Log
    ) -> None:
        self._loop, self._settings, self._tell, self._log = loop, settings, tell, log
        self._queue = TransferQueue()
        self._looks = False

    def change(self, settings: TransferQueueSettings) -> None:
        """Take other limits, and begin what they allow."""
        self._settings = settings
        self._begin()

    def hear(self, claim: str, message: Message) -> None:
        """A message of the starter of a claim, which may be about a transfer or its end."""
        match message:
            case runs.TransferWanted(_, upload, user):
                self._queue.ask(claim, upload, user)
                if claim not in self._begin():
                    self._tell(claim, runs.TransferTurn(False))
            case runs.TransferOver() | runs.RunEnded():
                self.over(claim)

    def over(self, claim: str) -> None:
        """The transfer of a claim, if there is one, is over."""
        if self._queue.over(claim):
            self._begin()

    def _begin(self) -> list[str]:
        begun, lost = self._queue.begin(self._settings, now())
        for claim in lost:
            which = f"{claim.rpartition('#')[0]}#..."
            self._log(f"The file transfer of claim {which} takes longer than MAX_TRANSFER_QUEUE_AGE: others begin")
        for claim in begun:
            self._tell(claim, runs.TransferTurn(True))
        if self._queue.waiting and not self._looks:
            self._looks = True
            self._loop.after(_PAUSE, self._look)
        return begun

    def _look(self) -> None:
        self._looks = False
        self._begin()
