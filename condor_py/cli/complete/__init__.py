"""condor_complete: what shells offer when Tab is pressed. Nothing that takes long to import is imported here."""
