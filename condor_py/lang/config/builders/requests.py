"""Knobs of both ends of a claim: MODIFY_REQUEST_EXPR_REQUEST<resource>, which change what jobs ask a partitionable
slot for, and CLAIM_WORKLIFE."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.lang.config.settings import Config
from condor_py.model.settings.shared import MODIFY_REQUEST

_PREFIX = "MODIFY_REQUEST_EXPR_"


def modify_request(config: Config, expression: Callable[[str, str], str]) -> tuple[tuple[str, str], ...]:
    """Request attribute and expression: those of Cpus, Memory and Disk, which have defaults, and of every custom
    resource that has a knob. ``expression`` gives the text of a knob, by name and default."""
    standard = dict(MODIFY_REQUEST)
    known = {_PREFIX + name.upper(): name for name in standard}
    for macro in config.macros:
        if macro.name.upper().startswith(_PREFIX + "REQUEST"):
            resource = macro.name[len(_PREFIX) + len("REQUEST") :]
            known.setdefault(macro.name.upper(), f"Request{resource}")
    return tuple((attribute, expression(knob, standard.get(attribute, ""))) for knob, attribute in known.items())


def claim_worklife(config: Config) -> int:
    """CLAIM_WORKLIFE in seconds; -1, without end, also where it is set to nothing, as by the policies for desktops."""
    return config.integer("CLAIM_WORKLIFE") if config.string("CLAIM_WORKLIFE").strip() else -1
