"""``Value`` of ``classad2``."""

from condor_py.classad import Value as Value

Value.__module__ = __name__
