"""The starter: one for each claim, forked from the startd."""
