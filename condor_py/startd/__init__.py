"""The owner of the slots, pure: claims, policy, draining. Events in, effects out (see core)."""

from condor_py.startd.core import Startd

__all__ = ["Startd"]
