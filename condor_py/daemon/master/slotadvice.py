"""What the master says about slots that cannot be made, before the startd finds out."""

from __future__ import annotations

from condor_py.config import Config
from condor_py.config.rooms.hardware import probes as probe_knobs
from condor_py.config.rooms.startd import startd as startd_knobs
from condor_py.daemon.common.loop import now
from condor_py.hardware import machine
from condor_py.model.errors import ConfigError
from condor_py.startd.layout import machine_resources, plan


def impossible_slots(config: Config) -> list[str]:
    """A line for each slot that does not fit this machine, or for what is wrong with a slot type; nothing where
    programs have to tell first what there is (MACHINE_RESOURCE_INVENTORY_<name>)."""
    try:
        settings = startd_knobs(config)
        if settings.inventories:
            return []
        facts = machine.Machine(probe_knobs(config)).facts(now())
        errors = plan(settings, machine_resources(settings, facts), facts.slot_volumes).errors
    except ConfigError as error:
        return [str(error)]
    lines: list[str] = []
    for told in errors:
        text, requesting, available = told.removeprefix("ERROR: ").split("\n")
        number = text.partition("type ")[2].partition(")")[0]
        knob = f"NUM_SLOTS_TYPE_{number}, SLOT_TYPE_{number}" if number != "0" else "NUM_SLOTS"
        lines.append(f"{knob}: {text}. {requesting.strip()}; {available.strip()}")
    return lines
