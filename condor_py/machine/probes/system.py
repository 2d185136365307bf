"""The operating system: uname and the distribution's own files."""

from __future__ import annotations

import os

from condor_py.machine.probes.reader import Read, read_file
from condor_py.model.facts import OsFacts
from condor_py.model.system import distribution, long_name, version


def probe(read: Read = read_file, uname: os.uname_result | None = None) -> OsFacts:
    """The facts of the running system."""
    uts = uname or os.uname()
    full = long_name(read)
    name = distribution(full)
    major, number = version(full)
    return OsFacts(
        opsys="LINUX",
        name=name,
        short_name=name,
        long_name=full,
        major_ver=major,
        opsys_ver=number,
        uts_machine=uts.machine,
        uts_nodename=uts.nodename,
        uts_release=uts.release,
        uts_sysname=uts.sysname,
        uts_version=uts.version,
    )
