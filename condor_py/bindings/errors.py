"""The exceptions of the module, those of both generations of HTCondor's Python bindings.

Programs written for the older bindings catch ``HTCondorIOError`` and its relatives, or the built-in class behind them;
the newer ones know only ``HTCondorException``.
"""

from __future__ import annotations


class HTCondorException(Exception):
    """Whatever a daemon, the queue or the configuration refused."""


class HTCondorIOError(HTCondorException, OSError, RuntimeError, ValueError):
    """A daemon or a file could not be reached."""


class HTCondorLocateError(HTCondorException, OSError, RuntimeError, ValueError):
    """There is no such daemon."""


class HTCondorReplyError(HTCondorException, RuntimeError, ValueError):
    """A daemon answered with a refusal."""


class HTCondorInternalError(HTCondorException, RuntimeError, TypeError, ValueError):
    """Something that should not have happened."""


class HTCondorValueError(HTCondorException, ValueError, RuntimeError):
    """An argument with a value that cannot be."""


class HTCondorTypeError(HTCondorException, TypeError, RuntimeError, ValueError):
    """An argument of a wrong type."""


class HTCondorEnumError(HTCondorException, ValueError, NotImplementedError):
    """A number that no member of an enumeration has."""
