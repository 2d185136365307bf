"""``ExprTree`` of ``classad2``."""

from condor_py.lang.classad import ExprTree as ExprTree

ExprTree.__module__ = __name__
