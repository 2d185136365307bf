"""The condor_master and how it is started."""
