"""HTCondor's ``$(X)`` language, shared by configuration and submit: expansion, reading of statements."""

from condor_py.lang.macro.errors import CommandFailed, MacroError, StatementError
from condor_py.lang.macro.expand import RANDOM, Expander, Lookup, expand, expand_self, references, trace
from condor_py.lang.macro.lines import Line, LineReader
from condor_py.lang.macro.macro_set import Macro, MacroSet, Origin
from condor_py.lang.macro.statements import Assign, Command, Host, Statement, StatementReader, Warning

__all__ = [
    "RANDOM",
    "Assign",
    "Command",
    "CommandFailed",
    "Expander",
    "Host",
    "Line",
    "LineReader",
    "Lookup",
    "Macro",
    "MacroError",
    "MacroSet",
    "Origin",
    "Statement",
    "StatementError",
    "StatementReader",
    "Warning",
    "expand",
    "expand_self",
    "references",
    "trace",
]
