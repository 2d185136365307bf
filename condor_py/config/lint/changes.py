"""What a daemon cannot take over while it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.config.lint.finding import Finding
from condor_py.config.lint.known import base_name

if TYPE_CHECKING:
    from condor_py.config import Config

#: Knobs that a daemon reads only when it starts.
_AT_START = re.compile(
    r"(?:num_cpus|memory|disk|reserved_(?:memory|disk|swap)|num_slots|num_slots_type_\d+|slot_type_\d+"
    r"|slot_type_\d+_partitionable|max_slot_types|machine_resource_\w+|startd_resource_prefix|slot_config_failure_mode"
    r"|spool|log|lock|execute|daemon_socket_dir|job_queue_log|accountant_database_file|base_cgroup)\Z",
    re.IGNORECASE,
)


def check_changes(running: Config, loaded: Config) -> Iterator[Finding]:
    """A warning for each knob of that kind whose value differs, at the place where it is set now."""
    names = {macro.name.lower(): macro.name for config in (running, loaded) for macro in config.macros}
    for name in names.values():
        if _AT_START.match(base_name(name)) is None:
            continue
        old, new = running.string(name), loaded.string(name)
        if old != new:
            origin = loaded.source(name)
            file, line = ("", 0) if origin is None else (origin.source, origin.line)
            message = f"the change from {old or 'nothing'} to {new or 'nothing'} takes effect when the daemon restarts"
            yield Finding("warning", name, file, line, message)
