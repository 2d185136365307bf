"""The exception of ``classad2``."""

from condor_py.lang.classad import ClassAdException as ClassAdException

ClassAdException.__module__ = __name__
