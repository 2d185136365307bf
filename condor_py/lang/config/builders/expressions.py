"""Additions of the configuration to the language of expressions: maps of users, and functions of Python modules."""

from __future__ import annotations

from condor_py.lang.classad import evaluate
from condor_py.lang.config.builders import usermaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.lang.config.settings import Config

#: Whether this process has modules, which a reconfig without any takes away.
_has_modules = False


def install(config: Config, subsystem: str, warn: Callable[[str], None] = lambda text: None) -> None:
    """Take it over for a daemon, or for TOOL; ``warn`` receives what cannot be used."""
    global _has_modules
    usermaps.install(config, subsystem, warn)
    evaluate.strict(config.boolean("STRICT_CLASSAD_EVALUATION"))
    if _has_modules or config.list("CLASSAD_USER_PYTHON_MODULES") or config.list("CLASSAD_USER_LIBS"):
        from condor_py.lang.config.builders import usermodules

        _has_modules = True
        usermodules.install(config, warn)
