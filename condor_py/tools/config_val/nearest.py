"""What somebody probably meant who misspelled an option or a knob."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from condor_py.config import Config
    from condor_py.tools.options import ToolSpec


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(word, known, 1, 0.75)
    return found[0] if found else ""


def with_option(text: str, spec: ToolSpec) -> str:
    """The error text about an unknown option, with the option that it is probably a misspelling of."""
    word = text.split(" ")[0].lstrip("-").partition(":")[0]
    like = _nearest(word, [option.name for option in spec.options if not option.hidden])
    return f"{text}\nDid you mean -{like}?" if like else text


def suggest_knob(name: str, config: Config) -> None:
    """A word on stderr about the knob that is probably meant; only to a person: scripts compare what tools print."""
    if not sys.stderr.isatty():
        return
    names = {known.lower(): known for known in config.names()}
    like = _nearest(name.lower(), names)
    if like:
        sys.stderr.write(f"Did you mean {names[like]}?\n")
