"""Rounding of attributes of jobs: SCHEDD_ROUND_ATTR_<attribute>."""

from __future__ import annotations

from condor_py.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.config.settings import Config

_PREFIX = "SCHEDD_ROUND_ATTR_"
#: Attributes that are rounded where no knob is set.
_USUAL = (
    "DiskUsage",
    "ExecutableSize",
    "ImageSize",
    "NumCkpts",
    "ProportionalSetSizeKb",
    "ResidentSetSize",
)
_MOST_PERCENT = 1000
_MOST_ZEROS = 9


def rounding(config: Config) -> tuple[tuple[str, str], ...]:
    """Return attributes and their rules: the usual ones, and those for which the administrator has set one."""
    names = {name.lower(): name for name in _USUAL}
    for macro in config.macros:
        name = macro.name.rpartition(".")[2]
        if name.upper().startswith(_PREFIX):
            names.setdefault(name[len(_PREFIX) :].lower(), name[len(_PREFIX) :])
    return tuple((name, rule(config, name)) for name in names.values())


def rule(config: Config, attribute: str) -> str:
    """Return the rule of an attribute: ``25%``, a number of zeros, or "" for none. ConfigError: it is neither."""
    knob = f"{_PREFIX}{attribute}"
    text = config.string(knob).strip()
    number, is_percent = text.removesuffix("%"), text.endswith("%")
    try:
        valid = not text or (0 <= float(number) <= _MOST_PERCENT if is_percent else 0 <= int(number) <= _MOST_ZEROS)
    except ValueError:
        valid = False
    if not valid or (text and not text.isascii()):
        raise ConfigError(
            f"{knob}: {text!r} is neither a percentage such as 25% nor a number of zeros from 0 to 9", knob
        )
    return text
