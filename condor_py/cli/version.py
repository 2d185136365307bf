"""condor_version: the two version lines, which every tool's ``-version`` prints too."""

from __future__ import annotations

import os
import sys

from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.lang.config.installed import commit
from condor_py.model import system
from condor_py.model.later import why_not_built
from condor_py.model.version import condor_platform, with_commit

_SPEC = ToolSpec(
    name="condor_version",
    usage="[options]",
    summary="Print the version and the platform of condor_py.",
    description="Without options it prints both lines. With options it prints only what they name, in their order.",
    options=(
        Opt("arch", 1, help="the processor architecture"),
        Opt("opsys", 1, help="the operating system"),
        Opt("compiled", 1, help="which modules in C are in use, and why not; without one its twin in Python is used"),
        Opt("help", 1, help="this text"),
        Opt("version", 1, help="both lines"),
    ),
    examples=(("condor_version", "the version and the platform"), ("condor_version -opsys", "the operating system")),
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
    words = {"arch": _arch, "opsys": lambda: "LINUX", "compiled": _compiled}
    asked = [words[use.name]() for use in args.uses if use.name in words]
    sys.stdout.write("\n".join(asked) + "\n" if asked else version_lines())
    return 0


def version_lines() -> str:
    """The two lines of ``-version``."""
    full = system.long_name(_read)
    tag = system.platform_tag(system.distribution(full), system.version(full)[0])
    return f"{with_commit(commit())}\n{condor_platform(_arch(), tag)}\n"


def _compiled() -> str:
    """A line for each module in C."""
    from condor_py.core.accounts import kernel as accounts
    from condor_py.lang.classad import kernel as classad
    from condor_py.machine.probes import benchmark
    from condor_py.machine.run import spawning
    from condor_py.store import logreader

    in_use = {
        "condor_py.lang.classad._native": classad.native is not None,
        "condor_py.store._logreader": logreader.COMPILED,
        "condor_py.core.accounts._kernel": accounts.COMPILED,
        "condor_py.machine.run._spawn": spawning.quick(),
        "condor_py.machine.probes._benchmark": benchmark.is_compiled(),
    }
    return "\n".join(f"{name}: {'in use' if used else f'not in use: {why_not_built(name)}'}"
                     for name, used in in_use.items())  # fmt: skip


def _arch() -> str:
    return system.arch(os.uname().machine)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
