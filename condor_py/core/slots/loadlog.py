"""What the log tells of loads and idle times for STARTD_DEBUG = D_LOAD and D_KEYBOARD: each slot's with every update,
and with ``:2`` behind the word at every look, the machine's too."""

from __future__ import annotations

from condor_py.core.slots.pool import Pool


def tell(pool: Pool, *, updating: bool) -> None:
    """The lines that are wanted now."""
    loads, keyboard = (level > 1 or (level and updating) for level in (pool.settings.log_load, pool.settings.log_idle))
    if not loads and not keyboard:
        return
    ads = {slot.tag: pool.make_ad(slot) for slot in pool.every_slot()}
    own = {tag: ad.eval_real("CondorLoadAvg", 0.0) or 0.0 for tag, ad in ads.items()}
    if pool.settings.log_load > 1:
        ours = sum(own.values())
        rest = max(0.0, pool.facts.load_avg - ours)
        machine = f"SystemLoad: {pool.facts.load_avg:.3f}"
        pool.log(None, f"{machine}\t- TotalCondorLoad: {ours:.3f}\t= TotalOwnerLoad: {rest:.3f}")
    for slot in pool.every_slot():
        ad = ads[slot.tag]
        if keyboard:
            idle, console = (ad.eval_int(name, -1) for name in ("KeyboardIdle", "ConsoleIdle"))
            pool.log(slot, f"Idle time: Keyboard: {idle:<8} Console: {console}")
        if loads:
            load, mine = ad.eval_real("LoadAvg", 0.0) or 0.0, own[slot.tag]
            pool.log(slot, f"LoadAvg: {load:.2f}  CondorLoad: {mine:.2f}  OwnerLoad: {load - mine:.2f}")
