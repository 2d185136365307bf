"""What the end of a batch has to do besides what its news caused."""

from __future__ import annotations


class Agenda:
    """``cycle``: a negotiation cycle is wanted. ``kept``: claims without a job are kept, and looked at by the ticks.
    ``closed``: the schedd is shut down, and no job starts any more."""

    def __init__(self) -> None:
        self.cycle = False
        self.kept = False
        self.closed = False

    def close(self) -> None:
        """The schedd is shut down."""
        self.closed = True

    def want_cycle(self) -> None:
        """Something was freed or became wanted: negotiate after this batch."""
        self.cycle = True

    def cycle_asked(self) -> None:
        """The negotiator is called."""
        self.cycle = False

    def begin(self) -> None:
        """The claims are looked at anew."""
        self.kept = False

    def keep(self) -> None:
        """A claim stays ours without a job."""
        self.kept = True
