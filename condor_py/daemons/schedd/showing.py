"""The queue for accounts that may not read its file: they get a descriptor of a copy, and read it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import Timer, now
from condor_py.model.errors import StoreError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.queue import CopyIndex, QueueCopy
from condor_py.store.fs import CLOSED
from condor_py.store.public_copy import PublicCopy

if TYPE_CHECKING:
    from condor_py.daemons.schedd.daemon import ScheddDaemon

#: Seconds after the last look at which the copy's memory is given back.
_KEPT_FOR = 60.0


class QueueShown:
    """Answers Query and QueryIndex."""

    def __init__(self, daemon: ScheddDaemon) -> None:
        self._daemon = daemon
        self._copy = PublicCopy(daemon.queue)
        self._until: Timer | None = None

    def show(self, link: Link) -> None:
        """After the batch that is open, so that everybody sees what he was told is done."""
        self._daemon.later(lambda _: self._daemon.commit_for_client([], lambda: self._answer(link)))

    def show_index(self, link: Link) -> None:
        """Of the copy as it was last shown."""
        try:
            descriptor = self._copy.index()
        except OSError:
            descriptor = CLOSED
        link.send(CopyIndex(descriptor != CLOSED), descriptor=descriptor)

    def _keep_index(self) -> None:
        try:
            self._copy.keep_index()
        except (OSError, StoreError) as error:
            self._daemon.log.write(f"no index of the queue for others: {error}")

    def descriptors(self) -> list[int]:
        """What a forked child must not keep."""
        return self._copy.descriptors()

    def _answer(self, link: Link) -> None:
        if self._until is not None:
            self._until.cancel()
        self._until = self._daemon.loop.after(_KEPT_FOR, self._copy.forget)
        try:
            descriptor = self._copy.descriptor()
        except (OSError, StoreError) as error:
            link.send(Refused(f"the queue cannot be shown: {error}"))
            return
        link.send(QueueCopy(int(now())), descriptor=descriptor)
        self._daemon.loop.when_idle(self._keep_index)
