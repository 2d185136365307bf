"""Additions of the configuration to the language of expressions: maps of users, and functions of Python modules."""

from __future__ import annotations

from condor_py.lang.classad import evaluate
from condor_py.lang.config.builders import usermaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.lang.config.settings import Config

#: Whether userHome() tells home directories.
_tells_homes = True
#: Whether this process has modules, which a reconfig without any takes away.
_has_modules = False


def install(config: Config, subsystem: str, warn: Callable[[str], None] = lambda text: None) -> None:
    """Take it over for a daemon, or for TOOL; ``warn`` receives what cannot be used."""
    global _has_modules
    usermaps.install(config, subsystem, warn)
    evaluate.strict(config.boolean("STRICT_CLASSAD_EVALUATION"))
    _user_home(config.boolean("CLASSAD_ENABLE_USER_HOME"))
    if _has_modules or config.list("CLASSAD_USER_PYTHON_MODULES") or config.list("CLASSAD_USER_LIBS"):
        from condor_py.lang.config.builders import usermodules

        _has_modules = True
        usermodules.install(config, warn)


def _user_home(tells: bool) -> None:
    global _tells_homes
    if tells == _tells_homes:
        return
    _tells_homes = tells
    from condor_py.lang.classad.functions import condor

    condor.find_home = condor.home_of if tells else lambda user: None
