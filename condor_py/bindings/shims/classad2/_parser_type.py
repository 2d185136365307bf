"""``ParserType`` of ``classad2``."""

from condor_py.lang.classad import ParserType as ParserType

ParserType.__module__ = __name__
