"""The exceptions of the module, those of both generations of HTCondor's Python bindings.

Programs written for the older bindings catch ``HTCondorIOError`` and its relatives, or the built-in class behind them;
the newer ones know only ``HTCondorException``.
"""

from __future__ import annotations


class HTCondorException(Exception):
    """Whatever a daemon, the queue or the configuration refused."""


class HTCondorIOError(HTCondorException, OSError):
    """A daemon or a file could not be reached."""


class HTCondorLocateError(HTCondorException, OSError):
    """There is no such daemon."""


class HTCondorReplyError(HTCondorException, RuntimeError):
    """A daemon answered with a refusal."""


class HTCondorInternalError(HTCondorException, RuntimeError):
    """Something that should not have happened."""


class HTCondorValueError(HTCondorException, ValueError):
    """An argument with a value that cannot be."""


class HTCondorTypeError(HTCondorException, TypeError):
    """An argument of a wrong type."""


class HTCondorEnumError(HTCondorException, NotImplementedError):
    """A number that no member of an enumeration has."""
