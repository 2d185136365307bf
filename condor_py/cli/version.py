"""condor_version: the two version lines, which every tool's ``-version`` prints too."""

from __future__ import annotations

import os
import sys

from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.lang.config.installed import commit
from condor_py.model import system
from condor_py.model.version import condor_platform, with_commit

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
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 0
    words = {"arch": _arch(), "opsys": "LINUX"}
    asked = [words[use.name] for use in args.uses if use.name in words]
    sys.stdout.write("\n".join(asked) + "\n" if asked else version_lines())
    return 0


def version_lines() -> str:
    """The two lines of ``-version``."""
    full = system.long_name(_read)
    tag = system.platform_tag(system.distribution(full), system.version(full)[0])
    return f"{with_commit(commit())}\n{condor_platform(_arch(), tag)}\n"


def _arch() -> str:
    return system.arch(os.uname().machine)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
