"""The operating system: uname and the distribution's own files."""

from __future__ import annotations

import os
import re

from condor_py.hardware.reader import Read, read_file
from condor_py.model.facts import OsFacts

_ISSUE_FILES = ("/etc/issue", "/etc/redhat-release", "/etc/system-release", "/etc/issue.net")
#: Words that must all be in the text (lower case) for a distribution's name; the first hit wins.
_DISTRIBUTIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("red", "hat"), "RedHat"),
    (("fedora",), "Fedora"),
    (("ubuntu",), "Ubuntu"),
    (("debian",), "Debian"),
    (("scientific", "cern"), "SLCern"),
    (("scientific", "slf"), "SLFermi"),
    (("scientific",), "SL"),
    (("centos",), "CentOS"),
    (("rocky",), "Rocky"),
    (("almalinux",), "AlmaLinux"),
    (("amazon linux",), "AmazonLinux"),
    (("opensuse",), "openSUSE"),
    (("suse",), "SUSE"),
)
UNKNOWN = "LINUX"


def distribution(text: str) -> str:
    """The distribution's name in ``text`` ("Debian GNU/Linux 12" is "Debian"), "LINUX" when there is none."""
    lower = text.lower()
    return next((name for words, name in _DISTRIBUTIONS if all(w in lower for w in words)), UNKNOWN)


def version(text: str) -> tuple[int, int]:
    """(major version, OpSysVer) of a long name: the first number, and 100 * major + minor ("8.6": 8, 806)."""
    match = re.search(r"(\d+)(?:\.(\d+))?", text)
    if match is None:
        return 0, 0
    major = int(match[1])
    return major, major * 100 + int(match[2] or 0)


def long_name(read: Read = read_file) -> str:
    """OpSysLongName: the first line of an issue file that names a distribution, else PRETTY_NAME of os-release."""
    for path in _ISSUE_FILES:
        text = read(path)
        if text is None:
            continue
        line = re.sub(r"(\s|\\n|\\l)+\Z", "", text.split("\n", 1)[0])
        if distribution(line) != UNKNOWN:
            return line
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release") or "", re.MULTILINE)
    return match[1] if match else "Unknown"


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
