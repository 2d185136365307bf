"""Settings of condor_gangliad."""

from __future__ import annotations

from typing import NamedTuple


class Rules(NamedTuple):
    """Settings about all metrics: expressions are texts, "" for none."""

    verbosity: int = 0
    requirements: str = ""
    per_execute_node: bool = True
    cluster: str = ""
    machine: str = ""
    ip: str = ""


class GangliaSettings(NamedTuple):
    """Seconds between two looks (less than 0: never) and the least that a metric is kept; the rules of metrics; paths
    of gmond's configuration, of gmetric ("" for packets of our own) and of definitions; whether hosts are sent that
    Ganglia does not know, and whether sums that end become zero. ``library`` NOOP sends nothing."""

    interval: int
    lifetime: int
    rules: Rules
    config: str
    gmetric: str
    library: str
    gstat: str
    definitions: str
    all_hosts: bool
    resets: bool
