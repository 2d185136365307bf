"""Looks at the real machine: one probe a file, each with an injected reader, and the facts put together."""

from condor_py.hardware.machine import facts

__all__ = ["facts"]
