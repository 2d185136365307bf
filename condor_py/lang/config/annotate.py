"""The annotated configuration file: every knob that has an effect, with its meaning and its default, as comments.

``python -m condor_py.lang.config.annotate > etc/condor_config`` writes it; a test holds the file and the table equal.
"""

from __future__ import annotations

import sys
from itertools import groupby
from textwrap import wrap

from condor_py.lang.config.accepted import ACCEPTED
from condor_py.lang.config.descriptions import described
from condor_py.lang.config.params import PARAMS, Param

_WIDTH = 100
_KINDS = {"i": "integer", "r": "number", "b": "True or False", "e": "expression", "p": "path", "z": "size or age"}

_HEAD = """\
##  Configuration of condor_py, with every knob, what it means, and its default.
##
##  Nothing here is set: a line that begins with # is a comment. Remove the # of a line and change its value, or better,
##  put your own settings into a file of the directory that LOCAL_CONFIG_DIR names below.
##
##  Daemons and tools read the file that the environment variable CONDOR_CONFIG names, else /etc/condor/condor_config.
##  Without any file the defaults below are in force, with everything below ~/.local/state/condor_py, or, for root,
##  in /var/lib/condor, /var/log/condor and /run/condor.
##  Variables _CONDOR_NAME of the environment win over all files. condor_config_val -verbose NAME tells what holds.

#LOCAL_CONFIG_DIR = $(CONFIG_ROOT)/config.d

##  Templates set several knobs at once; condor_config_val use POLICY lists those of one category.
#use ROLE : Personal
#use FEATURE : PartitionableSlot
#use POLICY : ALWAYS_RUN_JOBS
"""


def annotated() -> str:
    """The text of the file."""
    parts = [_HEAD]
    for group, knobs in groupby(described(), key=lambda knob: knob.group):
        parts.append(f"\n{'#' * _WIDTH}\n##  {group}\n{'#' * _WIDTH}\n")
        parts += [_knob(knob.name, knob.text) for knob in knobs if knob.name.lower() not in ACCEPTED]
    return "".join(parts)


def _knob(name: str, description: str) -> str:
    param = PARAMS.get(name.lower())
    text = description + (f" ({_values(param)})" if param is not None and _values(param) else "")
    lines = [f"##  {line}" for line in wrap(text, _WIDTH - 4, break_long_words=False)]
    default = param[1] if param is not None else ""
    return "\n" + "\n".join([*lines, f"#{name} = {default}".rstrip()]) + "\n"


def _values(param: Param) -> str:
    """Return in words what the knob may be: its kind, and its range."""
    words = [_KINDS[param[2]]] if param[2] in _KINDS else []
    if param[3] is not None:
        words.append(f"from {param[3]:g}")
    if param[4] is not None:
        words.append(f"to {param[4]:g}")
    return " ".join(words)


if __name__ == "__main__":
    sys.stdout.write(annotated())
