"""The names that the command line program ``htcondor`` imports from here."""
