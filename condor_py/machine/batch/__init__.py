"""Batch systems: their command lines, what their commands print, and the script that runs a job there."""
