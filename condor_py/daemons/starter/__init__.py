"""The starter: one for each claim."""
