"""The result of a negotiation cycle: matches, preemptions and a reason for every rejection."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from condor_py.model.ids import JobId


class Preemption(IntEnum):
    """Why a slot is a candidate; the numbers are those of the PreemptState attribute (higher is better)."""

    PRIORITY = 0
    RANK = 1
    NONE = 2


class Match(NamedTuple):
    """One job given one slot.

    ``slot`` is the Name of the slot ad that matched (a partitionable slot is carved by the startd);
    ``victims`` the Names of claimed slots to preempt first; ``weight`` the slot weight charged. ``group`` is the
    group that was being served, ``own_group`` the submitter's (empty where no groups are configured).
    """

    job: JobId
    submitter: str
    slot: str
    weight: float
    preemption: Preemption = Preemption.NONE
    victims: tuple[str, ...] = ()
    group: str = "<none>"
    autoregroup: bool = False
    own_group: str = ""


class Rejection(NamedTuple):
    """A request that found no slot; ``reason`` is HTCondor's wording (LastRejMatchReason). ``fault``: it could not be
    judged at all, and its job is to be held."""

    job: JobId
    submitter: str
    autocluster: int
    reason: str
    fault: bool = False


class Plan(NamedTuple):
    """The result of one cycle, in the order in which matches were made. ``reserved`` is the cluster of the parallel job
    that free slots are kept for, 0 for none."""

    matches: tuple[Match, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    log: tuple[str, ...] = ()
    reserved: int = 0
