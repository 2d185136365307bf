"""condor_q: the queue, in HTCondor's tables."""
