"""``Value`` of ``classad2``."""

from condor_py.lang.classad import Value as Value

Value.__module__ = __name__
