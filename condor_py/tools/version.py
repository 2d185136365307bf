"""condor_version: the two version lines, which every tool's ``-version`` prints too."""

from __future__ import annotations

import os
import sys

from condor_py.model.version import CONDOR_VERSION, condor_platform
from condor_py.tools.options import Opt, ToolSpec, UsageError, parse

_SPEC = ToolSpec(
    name="condor_version",
    usage="[options]",
    summary="Print the version and the platform of condor_py.",
    description="Without options it prints both lines. With options it prints only what they name, in their order.",
    options=(
        Opt("arch", 1, help="the processor architecture"),
        Opt("opsys", 1, help="the operating system"),
        Opt("help", 1, help="this text"),
        Opt("version", 1, help="both lines"),
    ),
    unknown="ERROR: unrecognized argument: '{arg}'",
    see_also=("condor_config_val",),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_version."""
    # Only the first letter of an option counts here: -a, -arch and -abc are one.
    known = {f"-{option.name[0]}" for option in _SPEC.options}
    args = parse(_SPEC, [arg[:2] if arg[:2] in known else arg for arg in argv])
    if args.positional:
        raise UsageError(f"ERROR: invalid argument: '{args.positional[0]}'", _SPEC, kind="unknown")
    if args.has("help"):
        from condor_py.tools.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 0
    words = {"arch": _arch(), "opsys": "LINUX"}
    asked = [words[use.name] for use in args.uses if use.name in words]
    sys.stdout.write("\n".join(asked) + "\n" if asked else version_lines())
    return 0


def version_lines() -> str:
    """The two lines of ``-version``."""
    return f"{CONDOR_VERSION}\n{condor_platform(_arch(), _distribution())}\n"


def _arch() -> str:
    machine = os.uname().machine
    return {"i386": "INTEL", "i686": "INTEL"}.get(machine, machine if machine == "aarch64" else machine.upper())


def _distribution() -> str:
    """Name and major version of this Linux, like ``Debian_12``."""
    facts = {}
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                facts = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
            break
        except OSError:
            continue
    name = facts.get("ID", "linux").strip('"')
    major = facts.get("VERSION_ID", "").strip('"').split(".")[0]
    shown = _DISTRIBUTIONS.get(name, name.capitalize())
    return f"{shown}_{major}" if major else shown


_DISTRIBUTIONS = {
    "almalinux": "AlmaLinux",
    "amzn": "AmazonLinux",
    "centos": "CentOS",
    "opensuse-leap": "openSUSE",
    "rhel": "RedHat",
    "rocky": "Rocky",
    "sles": "SLES",
}
