"""Requests of tools, the master and condor_defrag to the startd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.codec import A, Answer, Message, Request
from condor_py.model.messages.kinds import DrainHow, OnCompletion, Pairs
from condor_py.model.messages.wakeups import Done
from condor_py.model.texts import Line


class Draining(Answer):
    """It drains, or drains no more; ``request_id`` is for CancelDrain."""

    request_id: str = ""


class DrainWish(Message):
    """``check`` and ``start`` are expressions, "" for none."""

    how: DrainHow = "graceful"
    reason: Line = ""
    check: str = ""
    start: str = ""


class AdminRequest(Request[A]):
    """A request that only users may send who may command the startd."""


class Drain(DrainWish, AdminRequest[Draining], op="drain"):
    """Take no more jobs, let go of those that run, and then ..."""

    on_completion: OnCompletion = "nothing"


class CancelDrain(AdminRequest[Draining], op="cancel-drain"):
    """Take jobs again, if that is the request (None: whatever it is)."""

    request_id: str | None = None


class Vacate(AdminRequest[Done], op="vacate"):
    """Evict the job of a slot, or all jobs."""

    slot: str | None = None
    graceful: bool = True


class UpdateAd(AdminRequest[Done], op="update-ad"):
    """Attributes for the ads of the slots."""

    pairs: Pairs


class Rehome(AdminRequest[Done], op="rehome"):
    """Offer the machine to another schedd without a negotiator, or ``cancel`` that; see ``daemons.startd.rehoming``."""

    schedd_name: str = ""
    schedd_pool: str = ""
    cancel: bool = False
    reboot: bool = False


class Publish(Request[Done], op="publish"):
    """Write the ads of the slots now, if they are not quite fresh."""


class SlotExtras(Answer):
    """For each slot its name and [name, text] of attributes."""

    ads: Sequence[Any]


class Extras(Request[SlotExtras], op="extras"):
    """Ask for what condor_who shows in addition to the published ads."""


OF_TOOLS = (Drain, CancelDrain, Vacate, UpdateAd, Rehome, Publish, Extras)
