"""What goes wrong inside the startd's core."""

from __future__ import annotations

from condor_py.model.errors import CondorError


class IllegalTransition(CondorError):
    """A slot was to make a move that does not exist. The text tells the slot's story so far."""


class BrokenInvariant(CondorError):
    """The core's books do not add up. The text names the slot and what is wrong."""
