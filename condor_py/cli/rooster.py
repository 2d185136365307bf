"""condor_rooster: the daemon that wakes machines which sleep although they are wanted, run by hand."""

from __future__ import annotations

from condor_py.cli.daemon_program import daemon_spec, run

_SPEC = daemon_spec(
    "ROOSTER",
    "The daemon that wakes machines which sleep although they are wanted.",
    "Every ROOSTER_INTERVAL seconds it reads the ads of machines and runs ROOSTER_WAKEUP_CMD, with the ad on "
    "standard input, for those that meet ROOSTER_UNHIBERNATE: by default machines that are offline and whose "
    "Unhibernate is true, which is so when the negotiator has a job for them. ROOSTER_UNHIBERNATE_RANK says which come "
    "first, ROOSTER_MAX_UNHIBERNATE how many at a time. Its log is ROOSTER_LOG.",
    see_also=("condor_power", "condor_status", "condor_master"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_rooster until it is asked to stop."""
    return run(_SPEC, "ROOSTER", argv)
