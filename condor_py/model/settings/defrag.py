"""The settings of condor_defrag."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, expression, integer, real


class DefragSettings(Settings, group="Draining"):
    """Field names are the knobs' names without DEFRAG_; times in seconds; -1 is no limit; expressions are texts that
    parse. ``interval`` 0 or less: nothing is drained. ``schedule`` is graceful, quick or fast."""

    name: str
    interval: int = integer("DEFRAG_INTERVAL", 600, "Seconds between two checks of what should be drained.")
    machines_per_hour: float = real("DEFRAG_DRAINING_MACHINES_PER_HOUR", "0", "Machines drained in an hour.", least=0)
    max_concurrent: int = integer(
        "DEFRAG_MAX_CONCURRENT_DRAINING", -1, "Machines that drain at a time; -1 without limit.", least=-1
    )
    max_whole: int = integer(
        "DEFRAG_MAX_WHOLE_MACHINES", -1, "Drained machines that are enough; -1 without limit.", least=-1
    )
    requirements: str = expression("DEFRAG_REQUIREMENTS", "", "Which machines may be drained.", checked=True)
    rank: str = expression(
        "DEFRAG_RANK",
        "-ExpectedMachineGracefulDrainingBadput",
        "Which machines are drained first.",
        empty="0",
        checked=True,
    )
    whole_machine: str = expression(
        "DEFRAG_WHOLE_MACHINE_EXPR",
        "Cpus == TotalSlotCpus",
        "Which machines count as whole.",
        needed=True,
        checked=True,
    )
    cancel_requirements: str = expression(
        "DEFRAG_CANCEL_REQUIREMENTS", "$(DEFRAG_WHOLE_MACHINE_EXPR)", "Which drainings are ended early.", checked=True
    )
    draining_start: str = expression(
        "DEFRAG_DRAINING_START_EXPR",
        "FALSE",
        "START of machines while condor_defrag drains them.",
        needed=True,
        checked=True,
    )
    schedule: str = "graceful"
    update_interval: int = integer("DEFRAG_UPDATE_INTERVAL", 300, "Seconds between updates of condor_defrag's ad.")
