"""Wakeups of a daemon, answered at most by ``Done``. A module by itself, as most tools need nothing else."""

from __future__ import annotations

from condor_py.model.messages.codec import Answer, Message, Request


class Done(Answer):
    """It is done."""


class Ring(Message, op="ring"):
    """The doorbell: look at what lies on disk. Nobody waits for an answer. ``changed`` is what the caller has changed
    in the queue, in words for the log of such changes."""

    changed: str = ""


class Sync(Request[Done], op="sync"):
    """A bell that answers: what was in the queue when it rang has been taken in, its events are in the event logs.
    Removed jobs that nothing keeps are gone. ``changed`` as in Ring."""

    changed: str = ""
