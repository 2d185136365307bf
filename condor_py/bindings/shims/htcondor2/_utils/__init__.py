"""What the command line program ``htcondor`` takes from here."""
