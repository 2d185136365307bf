"""The errors of macro text; every message names the macro, or the file and line."""

from __future__ import annotations

from condor_py.model.errors import ConfigError


class MacroError(ConfigError):
    """An expansion that cannot be done: a macro that contains itself, a bad argument of ``$INT``."""


class StatementError(ConfigError):
    """A line that is not a statement, or one that cannot be carried out.

    ``source`` and ``line`` say where (the text of the error does not repeat them), ``reason`` what is wrong.
    """

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f'"{source}", line {line}: {reason}')
        self.source = source
        self.line = line
        self.reason = reason


class CommandFailed(OSError):
    """A command of an include that ran and ended with an exit code other than 0; ``output`` is what it had printed."""

    def __init__(self, code: int, output: str) -> None:
        super().__init__(f"exited with error {code}")
        self.code = code
        self.output = output
