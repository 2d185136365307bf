"""When the startd publishes its slots: at once what the negotiator must know, soon what people look at.

A claim is published before the schedd hears of it, so that no cycle deals its slot out again; claims of one turn are
published together. The first job of a claim makes its slot Busy, and people who have just submitted look: that is
published within the blink of an eye. What turns Busy and Idle from job to job waits for others of its kind.
"""

from __future__ import annotations

from collections.abc import Callable

from condor_py.daemons.common.loop import Loop, Timer, monotonic
from condor_py.model.messages.codec import Message

#: Changes that only turn activities (busy, idle) are published at most this often, in seconds.
_EVERY = 0.5
#: After the first job of a claim; those of other claims come meanwhile.
_BLINK = 0.02


class Publishing:
    """``publish`` writes the ads of now, ``tell`` is what sends a message to the schedd."""

    def __init__(self, loop: Loop, publish: Callable[[], None], tell: Callable[[Message], None]) -> None:
        self._loop, self._publish, self._tell = loop, publish, tell
        self._timer: Timer | None = None
        self._due = 0.0
        self._at = float("-inf")
        self._news: list[Message] = []

    @property
    def is_recent(self) -> bool:
        """Whether what is published is hardly older than what changes at most so often."""
        return monotonic() - self._at < _EVERY

    def soon(self) -> None:
        """An activity has changed."""
        if self._timer is None:
            self._wait(max(0.0, _EVERY - (monotonic() - self._at)))

    def in_a_blink(self) -> None:
        """A claim has its first job."""
        if self._timer is None or self._due - monotonic() > _BLINK:
            self._wait(_BLINK)

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due = monotonic() + seconds
        self._timer = self._loop.after(seconds, self._now)

    def _now(self) -> None:
        """What waits to be told is published with the rest, and once."""
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

    def before(self, message: Message) -> None:
        """Publishes before the schedd hears ``message``, together with others of this turn."""
        if not self._news:
            self._loop.at_turn_end(self.settle)
        self._news.append(message)

    def settle(self) -> None:
        """Now it hears what waits for that."""
        if self._news:
            news, self._news = self._news, []
            self.at_once()
            for message in news:
                self._tell(message)
