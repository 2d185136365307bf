"""condor_watch_q: the state of jobs as their event logs tell it, again and again."""
