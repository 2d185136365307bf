"""The schedd as the analysis of local and scheduler jobs sees it."""

from __future__ import annotations

from functools import cache

from condor_py.cli.q.analysis.counts import LOCAL_UNIVERSE, RUNNING, SCHEDULER_UNIVERSE, Schedd
from condor_py.cli.q.source import Source
from condor_py.lang.classad.ad import ClassAd


def schedd_of(source: Source) -> Schedd:
    """A function that returns what the schedd tells of itself, with what it starts itself; None without a pool."""

    @cache
    def ad() -> ClassAd | None:
        """Its published ad, with the expressions for local and scheduler jobs and how many of them run."""
        if source.pool is None:
            return None
        from condor_py.lang.config.rooms.schedd import schedd as schedd_knobs

        found = next(iter(source.pool.ads("SCHEDD")), ClassAd()).flat_copy()
        knobs = schedd_knobs(source.pool.config)
        for name, text, universe in (
            ("Local", knobs.start_local_universe, LOCAL_UNIVERSE),
            ("Scheduler", knobs.start_scheduler_universe, SCHEDULER_UNIVERSE),
        ):
            states = [job.eval_int("JobStatus") for job in source.jobs if job.eval_int("JobUniverse") == universe]
            found.set_text(f"Start{name}Universe", text)
            found.set_int(f"Total{name}JobsRunning", states.count(RUNNING))
        return found

    return ad
