"""``condor_q -better-analyze`` and its kin: why jobs do not run."""
