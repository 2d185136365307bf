"""What most tools do the same way: the help and version options."""

from __future__ import annotations

import sys

from condor_py.tools.options import Args, Opt

#: The two options for a tool's table; their minimum lengths are HTCondor's usual ones.
HELP = Opt("help", 1, help="this text")
VERSION = Opt("version", 1, help="the version and the platform")


def handle_help_and_version(args: Args) -> bool:
    """Print help or version on stdout if asked to; True then (the tool returns 0)."""
    for use in args.uses:
        if use.name == "help":
            from condor_py.tools.command import help_text

            sys.stdout.write(help_text(args.spec))
            return True
        if use.name == "version":
            from condor_py.tools.version import version_lines

            sys.stdout.write(version_lines())
            return True
    return False
