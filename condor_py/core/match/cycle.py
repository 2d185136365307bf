"""One negotiation cycle: a snapshot in, a plan out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from condor_py.core.accounts import (
    HELD_STATES,
    Accountant,
    ClaimedUse,
    GroupReport,
    SubmitterReport,
    edits,
    elsewhere_key,
    key_of,
)
from condor_py.core.match import explain
from condor_py.core.match.asked import Asked
from condor_py.core.match.carried import Carried
from condor_py.core.match.consumption import slot_weight
from condor_py.core.match.groups import GroupRound
from condor_py.core.match.session import Session, wanted_slots
from condor_py.core.match.slices import Pie
from condor_py.core.match.slot import Slot
from condor_py.core.match.snapshot import Snapshot
from condor_py.core.match.tally import Clocks, Tally
from condor_py.lang.classad import clock
from condor_py.model import garbage
from condor_py.model.plan import Plan
from condor_py.model.settings.negotiator import NegotiatorSettings
from condor_py.model.submitters import fault_of


class Cycle(NamedTuple):
    """A cycle that was run: ``plan``, what it worked out for the Accounting ads, and its figures.

    ``turns`` are the groups that are not owed a slot made of fractions any more.
    """

    plan: Plan
    groups: dict[str, GroupReport]
    submitters: dict[str, SubmitterReport]
    tally: Tally
    turns: frozenset[str] = frozenset()
    #: In how many seconds a cycle without news could do more than this one did; None where none could.
    again: int | None = None
    #: Jobs left waiting (submitter, autocluster, how many), the slots as they were left, the pool's slot weight.
    left: tuple[tuple[str, int, int], ...] = ()
    slots: Sequence[Slot] = ()
    weight: float = 0.0


def negotiate(
    snapshot: Snapshot,
    accountant: Accountant,
    settings: NegotiatorSettings,
    carried: Carried | None = None,
    clocks: Clocks | None = None,
) -> Cycle:
    """A whole cycle, as the negotiator and the simulator run it: its steps are ``prepare``, ``match_slots`` and
    ``charge``. ClassAd time stands at ``snapshot.now``.

    ``carried`` is what the cycles before left, and is brought up to date. ``clocks`` measure the cycle; without them
    no time passes in it, and no time limit is ever reached.
    """
    carried = carried or Carried()
    carried.forget(snapshot.now, settings.cycle_delay)
    with garbage.kept(), clock.frozen(snapshot.now):
        tally = Tally(settings, clocks or Clocks())
        with tally.phase(2):
            prepare(snapshot, accountant, settings)
        done = match_slots(snapshot, accountant, settings, tally, carried)
        charge(done.plan, snapshot, accountant)
        accountant.group_turns.update(dict.fromkeys(done.turns, snapshot.now))
    return done


def match_slots(
    snapshot: Snapshot,
    accountant: Accountant,
    settings: NegotiatorSettings,
    tally: Tally | None = None,
    carried: Carried | None = None,
) -> Cycle:
    """Match the demand with the slots. The accountant is not changed: the same call on an altered snapshot is a
    what-if.

    It must be up to date (see ``prepare``); the matches are charged afterwards (see ``charge``). ``tally`` measures the
    cycle, ``carried`` is brought up to date.
    """
    tally = tally or Tally(settings, Clocks())
    with tally.phase(2):
        session = Session(snapshot, accountant, settings, tally, carried)
    session.log.append(explain.CYCLE_STARTED)
    session.log.extend(explain.snapshot_lines(len(snapshot.submitters), len(snapshot.slots)))
    session.log.append(explain.PHASE_2)
    shares, reports, turns = {}, {}, set()
    with tally.phase(4):
        if accountant.tree.parent:
            groups = GroupRound(session)
            groups.run()
            shares, reports, turns = groups.shares, groups.reports(), groups.turns()
        else:
            pie = Pie(session, list(session.members), session.pool_size)
            pie.run()
            shares = pie.shares
    session.log.append(explain.CYCLE_FINISHED)
    submitters = {name: SubmitterReport(share, limit) for name, (share, limit) in shares.items()}
    plan = session.plan()
    session.carried.take(session.left)
    return Cycle(
        plan, reports, submitters, tally, frozenset(turns),
        again=session.again, left=session.left_waiting(), slots=session.slots, weight=session.total_weight,
    )  # fmt: skip


def prepare(snapshot: Snapshot, accountant: Accountant, settings: NegotiatorSettings) -> None:
    """Bring the accountant up to ``snapshot.now``: leases, decay, and use as the slot ads tell it.

    Slots that NEGOTIATOR_SLOT_CONSTRAINT leaves out are charged to no submitter.
    """
    edits.expire_leases(accountant, snapshot.now)
    accountant.update(snapshot.now)
    # Submitters that wait have a record, too.
    named = [demand for demand in snapshot.submitters if not fault_of(demand.name)]
    accountant.welcome([demand.name for demand in named if demand.requests])
    claimed = []
    slots = wanted_slots(snapshot.slots, settings)
    states = Asked(slots, ("State",)).strings("State")
    for ad, state in zip(slots, states, strict=True):
        use = ClaimedUse.of_ad(ad, accountant.settings) if state.lower() in HELD_STATES else None
        if use is not None:
            claimed.append(use._replace(weight=slot_weight(ad, settings)))
    elsewhere = accountant.elsewhere() if snapshot.elsewhere is None else snapshot.elsewhere
    claimed += [
        ClaimedUse(elsewhere_key(name), name, weight) for name, weight in elsewhere.items() if not fault_of(name)
    ]
    accountant.adopt(claimed, snapshot.now)


def charge(plan: Plan, snapshot: Snapshot, accountant: Accountant) -> None:
    """Charge the matches of a plan.

    Several matches on one partitionable slot get keys of their own, in HTCondor's form
    (``SLOT@ADDRESS_cp_match_000``); the next ``prepare`` puts the dynamic slots in their place.
    """
    asked = Asked(snapshot.slots, ("Name", "StartdIpAddr", "MyAddress", "PartitionableSlot"))
    names = asked.strings("Name")
    columns = names, asked.strings("StartdIpAddr"), asked.strings("MyAddress")
    keys = {name: key_of(name, own or other) for name, own, other in zip(*columns, strict=True)}
    parts = set(compress(names, asked.truths("PartitionableSlot")))
    uses = [(keys[slot], submitter, weight) for _, submitter, slot, weight, *_ in plan.matches]
    if parts:
        pieces: dict[str, int] = {}
        for place, match in enumerate(plan.matches):
            if match.slot in parts:
                key, submitter, weight = uses[place]
                number = pieces[key] = pieces.get(key, -1) + 1
                uses[place] = f"{key}_cp_match_{number:03d}", submitter, weight
    accountant.charge_all(uses, snapshot.now)
