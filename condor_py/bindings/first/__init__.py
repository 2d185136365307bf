"""The first version of HTCondor's Python bindings, on top of the second: ``classad`` and ``htcondor``."""
