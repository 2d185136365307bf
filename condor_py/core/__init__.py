"""The cores that decide: events in, effects out; no clock, file, socket or configuration."""
