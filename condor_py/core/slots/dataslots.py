"""Data slots: a claimed slot that fetches common files and keeps them, instead of running a job.

It gives back everything but the disk that its files take once they are there; then the slots of the machine show the
catalogs, so that jobs which share them ask for that much less disk. The files go with the claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.core.slots.effects import Log
from condor_py.core.slots.pool import Pool, give_back
from condor_py.core.slots.resources import Resources
from condor_py.core.slots.state import Slot, SlotKind
from condor_py.lang.classad import quote_string
from condor_py.model.messages.claims import FilesStaged
from condor_py.model.messages.runs import CatalogsStaged

PREFIX = "data"


def refusal(pool: Pool, slot: Slot) -> str:
    """Why a slot cannot become a data slot; empty when it can."""
    if not pool.settings.mapping_method:
        return "Common files are not transferred on this machine"
    if slot.kind is not SlotKind.DYNAMIC or slot.parent is None:
        return "given slot is not dynamic"
    if slot.data:
        return "given slot is a data slot already"
    return "Slot is draining" if pool.drain.active else ""


def make(pool: Pool, slot: Slot) -> None:
    """The slot is a data slot from now on, and is called so."""
    # The id of a claim gives the right to it, as in what HTCondor calls a MATCH session.
    pool.emit(Log("command_data_slot(): authenticated via MATCH.", "D_TEST"))
    slot.data, slot.prefix = True, PREFIX
    slot.name = f"{slot.tag}@{pool.host}"
    pool.log(slot, "New data slot")
    pool.touch()


def on_staged(pool: Pool, event: CatalogsStaged) -> None:
    """The files are there: the slot keeps their disk only, and every job sees them."""
    slot = pool.claims.get(event.claim)
    if slot is None or slot.run is None or not slot.data or slot.catalogs:
        return
    slot.catalogs = event.catalogs
    size = sum(one.size_kb for one in event.catalogs)
    slot.run.usage["DiskUsage"] = str(size)
    _shrink(pool, slot, size)
    found = []
    for one in event.catalogs:
        pool.catalog_number += 1
        found.append((f"catalog_{pool.catalog_number}", one))
    pairs = []
    for number, one in found:
        attributes = {
            "id": quote_string(number), "Catalog": quote_string(one.name), "CatalogID": quote_string(one.identity),
            "AccessPoint": quote_string(one.access_point), "CatalogPath": quote_string(one.path),
            "CatalogSize": str(one.size_kb), "CatalogScope": quote_string(one.scope),
            "CatalogScopeType": quote_string(one.scope_type),
        }  # fmt: skip
        pairs.append((number, f"[ {'; '.join(f'{name} = {text}' for name, text in attributes.items())} ]"))
    pool.extras.announce(slot.the_claim.public_id, tuple(pairs))
    pool.emit(FilesStaged(event.claim))
    pool.publish()


def _shrink(pool: Pool, slot: Slot, disk: int) -> None:
    parent = slot.parent
    if parent is None:
        return
    rest = Resources(disk=min(disk, slot.total.disk), custom=tuple((name, 0.0) for name, _ in slot.total.custom))
    parent.free = parent.free + (slot.total - rest)
    give_back(parent, slot.ids)
    slot.total = slot.free = rest
    slot.ids = {}
    parent.children_changed = pool.now
    pool.touch()


def paths(pool: Pool, slot: Slot, keys: Sequence[str]) -> tuple[str, ...] | None:
    """Paths of the catalogs with these keys that the slot's owner has staged; None when one is not there."""
    if not keys:
        return ()
    owner = slot.the_claim.owner
    known = {
        one.key: one.path
        for other in pool.claimed()
        if other.catalogs and other.the_claim.owner == owner and other.run is not None
        for one in other.catalogs
    }
    found = [known.get(key) for key in keys]
    return None if None in found else tuple(path for path in found if path is not None)
