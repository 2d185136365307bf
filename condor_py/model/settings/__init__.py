"""Frozen settings, one module a room. Only ``config`` knows which knobs they come from."""
