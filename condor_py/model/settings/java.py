"""The settings of the java universe, and the result of testing the Java machine."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.settings.knob import Settings, path, string, words


class JavaSettings(Settings, group="Starter"):
    """The command line of the Java machine. ``extra_arguments`` are as JAVA_EXTRA_ARGUMENTS has them."""

    command: str = path("JAVA", "/usr/bin/java", "The Java interpreter; empty for no jobs of the java universe.")
    classpath_argument: str = string(
        "JAVA_CLASSPATH_ARGUMENT", "-classpath", "Its option for the class path.", needed=True
    )
    separator: str = string(
        "JAVA_CLASSPATH_SEPARATOR", ":", "The character that separates the parts of a class path.", needed=True
    )
    classpath: tuple[str, ...] = words(
        "JAVA_CLASSPATH_DEFAULT", "$(LIB) .", "Parts that are always in the class path; nothing means . alone."
    )
    extra_arguments: str = string("JAVA_EXTRA_ARGUMENTS", "", "Further arguments of the interpreter.")


class JavaAbilities(NamedTuple):
    """Facts that the Java machine states about itself; all "" where it does not work."""

    vendor: str = ""
    version: str = ""
    specification: str = ""

    @property
    def any(self) -> bool:
        """Whether jobs of the java universe can run."""
        return bool(self.vendor or self.version or self.specification)
