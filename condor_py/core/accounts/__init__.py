"""Usage and priority of submitters and accounting groups: bookkeeping that the negotiator reads and charges.

``Accountant`` is the room's state; ``edits`` what condor_userprio changes; ``publish`` the ads it shows.
"""

from condor_py.core.accounts.core import Accountant, Holding
from condor_py.core.accounts.publish import GroupReport, SubmitterReport, accounting_ads
from condor_py.core.accounts.tree import ROOT, GroupTree
from condor_py.core.accounts.use import HELD_STATES, ClaimedUse, elsewhere_key, key_of, slot_key, slot_weight

__all__ = [
    "HELD_STATES",
    "ROOT",
    "Accountant",
    "ClaimedUse",
    "GroupReport",
    "GroupTree",
    "Holding",
    "SubmitterReport",
    "accounting_ads",
    "elsewhere_key",
    "key_of",
    "slot_key",
    "slot_weight",
]
