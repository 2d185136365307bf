"""One job in the making: reading commands, writing attributes, seeing what the cluster already says."""

from __future__ import annotations

import os

from condor_py.lang.macro.lines import SPACE
from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.model.states import Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from condor_py.lang.submit.errors import JobFailure, Messages
    from condor_py.lang.submit.macros import Macros
    from condor_py.model.settings.submit import SubmitSettings

#: Characters of a refused expression that are shown.
_SHOWN = 1000
#: Attribute by lower-case name: (name as spelled, ClassAd text).
Attributes = dict[str, tuple[str, str]]


class JobMaker:
    """Turns commands into attributes of one job after the other.

    Attributes are kept as text. ``cluster`` holds those of the cluster (filled from its first job); ``own`` those
    of the present job that differ. ``written`` and ``read`` are the lower-case attribute names that were set and
    looked up since they were last cleared.
    """

    def __init__(
        self,
        settings: SubmitSettings,
        macros: Macros,
        messages: Messages,
        env: Mapping[str, str],
        now: int,
        user: str,
    ) -> None:
        self.settings = settings
        self.macros = macros
        self.messages = messages
        self.env = env
        self.now = now
        self.user = user
        self.directory = macros.expander.directory
        self.iwd = self.directory
        self.cluster: Attributes = {}
        self.own: Attributes = {}
        self.written: set[str] = set()
        self.read: set[str] = set()
        self.proc = 0
        self.universe = Universe.VANILLA
        self.is_docker = False
        self.is_container = False
        self.grid_type = ""
        #: Cmd as the executable command gives it (Java jobs end up with another Cmd).
        self.program = ""
        self.is_remote = False
        self.is_interactive = False
        self.checks_executable = True
        self.checks_directory = True
        #: False for jobs that are made late: who makes them has other rights than the submitter, and looks at no file.
        self.looks_at_files = True
        #: Whether what does something else than it seems to say is reported.
        self.looks_for_doubtful = True
        self.allow_crlf_script = False
        self.skip_checks = False
        self.checks_warn = False
        self.once: set[str] = set()
        self.param = macros.param

    def use(self, macros: Macros) -> None:
        """Take commands from here on from ``macros`` (the next queue statement of the cluster)."""
        self.macros = macros
        self.param = macros.param

    # Attributes

    def assign(self, name: str, text: str) -> None:
        """Set an attribute to canonical ClassAd text."""
        key = name.lower()
        self.written.add(key)
        known = self.cluster.get(key)
        if known is not None and known[1] == text:
            self.own.pop(key, None)
        else:
            self.own[key] = (name, text)

    def assign_string(self, name: str, value: str) -> None:
        """Set an attribute to a string."""
        self.assign(name, classad_text.quote(value))

    def assign_int(self, name: str, value: int) -> None:
        """Set an attribute to an integer."""
        self.assign(name, str(value))

    def assign_bool(self, name: str, value: bool) -> None:
        """Set an attribute to true or false."""
        self.assign(name, "true" if value else "false")

    def assign_expr(self, name: str, text: str) -> None:
        """Set an attribute to an expression. Fails the job when it does not parse."""
        canonical = classad_text.canonical(text)
        if canonical is None:
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
            raise self.fail(f"Parse error in expression: \n\t{name} = {shown}\n\t")
        self.assign(name, canonical)

    def lookup(self, name: str) -> str | None:
        """The text of an attribute of the job or its cluster, or None."""
        key = name.lower()
        self.read.add(key)
        found = self.own.get(key) or self.cluster.get(key)
        return None if found is None else found[1]

    def has(self, name: str) -> bool:
        """True when the job or its cluster has the attribute."""
        return self.lookup(name) is not None

    def string(self, name: str) -> str | None:
        """The value of an attribute that is a string literal, else None."""
        text = self.lookup(name)
        return None if text is None else classad_text.unquote(text)

    def boolean(self, name: str, default: bool) -> bool:
        """The value of an attribute that is a boolean, else ``default``."""
        text = self.lookup(name)
        if text is None:
            return default
        value = units.parse_bool(text, classad_text.evaluate)
        return default if value is None else value

    def integer(self, name: str, default: int) -> int:
        """The value of an attribute that is an integer, else ``default``."""
        text = self.lookup(name)
        value = None if text is None else units.parse_int(text, classad_text.evaluate)
        return default if value is None else value

    # Commands

    def param_bool(self, name: str, alt: str = "", default: bool = False) -> bool:
        """The truth value of a command. Fails the job when it is not valid."""
        value = self.param(name, alt)
        if value is None:
            return default
        found = units.parse_bool(value, classad_text.evaluate)
        if found is None:
            raise self.fail(f"{name}={value} is invalid, must eval to a boolean.\n")
        return found

    def param_int(self, name: str, alt: str = "", *, is_int32: bool = False) -> int | None:
        """The integer of a command, None when not set. Fails the job when it is not valid."""
        value = self.param(name, alt)
        if value is None:
            return None
        found = units.parse_int(value, classad_text.evaluate)
        if found is None or (is_int32 and not -(2**31) <= found < 2**31 - 1):
            raise self.fail(f"{name}={value} is invalid, must eval to an integer.\n")
        return found

    def string_command(self, name: str, attribute: str) -> None:
        """Set ``attribute`` to the command's text when it is given."""
        value = self.param(name, attribute)
        if value is not None:
            self.assign_string(attribute, value)

    def expr_command(self, name: str, attribute: str) -> bool:
        """Set ``attribute`` to the command's expression; False when it is not given."""
        value = self.param(name, attribute)
        if value is None:
            return False
        self.assign_expr(attribute, value)
        return True

    # Messages

    def fail(self, text: str) -> JobFailure:
        """The exception that stops the submit with this message."""
        return self.messages.fail(text)

    def warn(self, text: str, once: str = "") -> None:
        """Add a warning; at most one with the same ``once``."""
        if once:
            if once in self.once:
                return
            self.once.add(once)
        self.messages.warn(text)

    # Files

    def full_path(self, name: str, *, use_iwd: bool = True) -> str:
        """``name`` made absolute from the job's (or the submitter's) directory, repeated slashes removed."""
        if use_iwd and not name.startswith("/"):
            self.lookup("Iwd")  # a job with another directory makes its path again
        return full_path(name, self.iwd if use_iwd else self.directory)

    def size_kb(self, name: str) -> int:
        """The size of a file, or of all files below a directory, in KB rounded up; 0 when there is none."""
        if is_url(name) or not self.looks_at_files:
            return 0
        path = self.full_path(name)
        try:
            status = os.stat(path)
        except OSError:
            return 0
        size = status.st_size
        if os.path.isdir(path):
            size = sum(_file_size(f"{folder}/{name}") for folder, _, files in os.walk(path) for name in files)
        return (size + 1023) // 1024


def _file_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def full_path(name: str, directory: str) -> str:
    """``name`` below ``directory`` unless absolute, with repeated slashes made one."""
    path = name if name.startswith("/") else f"{directory}/{name}"
    while "//" in path:
        path = path.replace("//", "/")
    return path


def is_url(name: str) -> bool:
    """True for ``scheme://rest``."""
    scheme, colon, rest = name.partition("://")
    return bool(colon and rest and scheme[0:1].isalpha() and all(c.isalnum() or c in "+-." for c in scheme))


def strip_quotes(value: str) -> str:
    """``value`` without spaces around it and without one pair of double quotes."""
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == '"' and value[-1] == '"' else value


def split_list(value: str) -> list[str]:
    """The words of a list separated by commas, spaces, tabs and ends of lines."""
    for separator in ",\t\r\n":
        value = value.replace(separator, " ")
    return [bare for word in value.split(" ") if (bare := word.strip(SPACE))]


def split_commas(value: str) -> list[str]:
    """The non-empty parts between commas, spaces removed around each."""
    return [part.strip() for part in value.split(",") if part.strip()]
