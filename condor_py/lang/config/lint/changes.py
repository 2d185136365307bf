"""Changes that a daemon cannot take over while it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import base_name
from condor_py.lang.config.lint.subject import value_of

if TYPE_CHECKING:
    from condor_py.lang.config import Config

#: Knobs that every daemon reads only when it starts, and those that only one daemon reads, and only then.
_EVERYWHERE = (
    r"spool|log|lock|daemon_socket_dir|enable_(?:persistent|runtime)_config|persistent_config_dir"
    r"|cgroup_all_daemons|disable_setuid"
)
_AT_START = {
    "STARTD": r"num_cpus|memory|disk|reserved_(?:memory|disk|swap)|num_slots|num_slots_type_\d+|slot_type_\d+"
    r"|slot_type_\d+_partitionable|max_slot_types|machine_resource_\w+|startd_resource_prefix|slot_config_failure_mode"
    r"|execute|base_cgroup",
    "SCHEDD": "job_queue_log|execute|local_univ_execute",
    "NEGOTIATOR": "accountant_database_file",
}


def read_at_start(name: str) -> tuple[str, ...]:
    """The daemons that take ``name`` over only when they start; ("every daemon",) where it is all of them."""
    base = base_name(name)
    if re.fullmatch(_EVERYWHERE, base, re.IGNORECASE):
        return ("every daemon",)
    return tuple(daemon.lower() for daemon, names in _AT_START.items() if re.fullmatch(names, base, re.IGNORECASE))


def check_changes(running: Config, loaded: Config) -> Iterator[Finding]:
    """A warning for each knob of that kind whose value differs, at the place where it is set now.

    Those of the daemon whose configuration it is; of all daemons for a tool's.
    """
    daemon = running.subsystem.upper()
    own = "|".join(_AT_START.values()) if daemon == "TOOL" else _AT_START.get(daemon, "")
    at_start = re.compile(f"(?:{_EVERYWHERE}{'|' if own else ''}{own})\\Z", re.IGNORECASE)
    names = {macro.name.lower(): macro.name for config in (running, loaded) for macro in config.macros}
    for name in names.values():
        if at_start.match(base_name(name)) is None:
            continue
        old, new = value_of(running, name), value_of(loaded, name)
        if old != new:
            origin = loaded.source(name)
            file, line = ("", 0) if origin is None else (origin.source, origin.line)
            message = f"the change from {old or 'nothing'} to {new or 'nothing'} takes effect when the daemon restarts"
            yield Finding("warning", name, file, line, message)
