"""condor_config_val: what the configuration says, and why."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from condor_py.config import load
from condor_py.model.errors import CondorError
from condor_py.tools.options import Args, Opt, ToolSpec, UsageError, parse

if TYPE_CHECKING:
    from condor_py.config import Config
    from condor_py.macro import Macro

_DAEMONS = ("master", "schedd", "startd", "collector", "negotiator")
_CHANGES = ("set", "unset", "rset", "runset")

_WHERE = "Where to look"
_SHOW = "What to show"
_CHANGE = "Changing a daemon's configuration"

_SPEC = ToolSpec(
    name="condor_config_val",
    usage="[options] [use] NAME ...",
    summary="Print values of the configuration, where they come from, or what a template contains.",
    positional="NAME",
    positional_help="a knob; a regular expression with -dump; text with -macro; CATEGORY or CATEGORY:NAME after 'use'",
    description="Values are shown with their macros expanded, as daemons see them.",
    options=(
        Opt("name", 1, arg="DAEMON", help="ask the daemon of this name", group=_WHERE, dash_value=True),
        Opt("address", 1, arg="ADDRESS", help="ask the daemon at this address", group=_WHERE, dash_value=True),
        Opt("pool", 1, arg="HOST", help="find the daemon in this pool", group=_WHERE, dash_value=True),
        Opt("local-name", 2, arg="NAME", help="look knobs up under NAME. first", group=_WHERE, dash_value=True),
        Opt("subsystem", 3, arg="NAME", help="look knobs up as this daemon does", group=_WHERE, dash_value=True),
        Opt("owner", 1, help="print the account that the daemons run as"),
        Opt("tilde", 1, help="print the home directory of the account condor"),
        Opt("master", 2, help="as the master sees it", group=_WHERE),
        Opt("schedd", 2, help="as the schedd sees it", group=_WHERE),
        Opt("startd", 2, help="as the startd sees it", group=_WHERE),
        Opt("collector", 3, help="as a collector would see it", group=_WHERE),
        Opt("negotiator", 3, help="as the negotiator sees it", group=_WHERE),
        Opt("set", 2, help="set NAME = VALUE for good", group=_CHANGE),
        Opt("unset", 3, help="undo -set of NAME", group=_CHANGE),
        Opt("rset", 3, help="set NAME = VALUE until the daemon restarts", group=_CHANGE),
        Opt("runset", 5, help="undo -rset of NAME", group=_CHANGE),
        Opt("mixedcase", 2, help="accepted; names are always shown as they are spelled", group=_SHOW),
        Opt("raw", 3, help="the text as it was written, macros not expanded", group=_SHOW),
        Opt("default", 3, help="the default", group=_SHOW),
        Opt("config", 2, help="the configuration files", group=_SHOW),
        Opt("verbose", 1, colon="usage", help="also file, line and text", group=_SHOW),
        Opt("dump", 1, help="all knobs, or those that match NAME", group=_SHOW),
        Opt("trace", 2, help="also every earlier setting of NAME", group=_SHOW),
        Opt("stats", 4, colon="keep", help="numbers about the configuration", group=_SHOW),
        Opt("info", 3, colon="x", help="also what a knob is for and what it may be", group=_SHOW),
        Opt("expanded", 2, help="with -dump: expanded values", group=_SHOW),
        Opt("macro", 3, colon="path", help="expand the macros of the text NAME", group=_SHOW),
        Opt("evaluate", 2, help="with a daemon: the value of the expression", group=_SHOW),
        Opt("unused", 4, help="with -dump: knobs that no default refers to", group=_SHOW),
        Opt("used", 2, help="with -dump: knobs that defaults refer to", group=_SHOW),
        Opt("summary", 3, colon="detected", help="what files and environment set", group=_SHOW),
        Opt("writeconfig", 3, arg="FILE", colon="FILTER", help="write it to FILE", group=_SHOW, dash_value=True),
        Opt("root-config", 4, arg="FILE", help="read this file first", group=_WHERE, dash_value=True, takes="file"),
        Opt("debug", 2, colon="FLAGS", help="accepted"),
        Opt("help", 2, help="this text"),
        Opt("version", 3, help="the version and the platform"),
    ),
    examples=(
        ("condor_config_val -verbose SPOOL", "the value, the file and the line that set it"),
        ("condor_config_val -dump _LOG", "every knob whose name contains _LOG"),
        ("condor_config_val use ROLE:Personal", "what a template sets"),
    ),
    exit_status="0; 1 when a name is not defined, the configuration is wrong or the command line is.",
    missing="-{name} requires an argument",
    unknown="{arg} is not a valid argument",
    usage_after=("unknown", ""),
    see_also=("condor_reconfig", "condor_master"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_config_val."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        from condor_py.tools.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 1
    if args.has("version"):
        from condor_py.tools.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    _check(args)
    if args.has("owner") or args.has("tilde"):
        return _account(tilde=args.last("owner", "tilde") is not None and not args.has("owner"))
    config = _load(args)
    for warning in config.warnings:
        sys.stderr.write(warning + "\n")
    return _answer(args, config)


def _check(args: Args) -> None:
    pairs = (("default", "verbose"), ("verbose", "default"), ("writeconfig", "summary"), ("summary", "writeconfig"))
    for first, second in pairs:
        one, two = args.last(first), args.last(second)
        if one is not None and two is not None and one.position > two.position:
            shown = one.spelling if first in ("writeconfig", "summary") else f"-{first}"
            raise UsageError(f"{shown} cannot be used with -{second}", _SPEC)
    if args.has("pool") and not args.has("name"):
        raise CondorError("Error: you must specify -name with -pool")


def _account(*, tilde: bool) -> int:
    import pwd

    from condor_py.config.detected import condor_home

    home = condor_home()
    if tilde:
        if home is None:
            raise CondorError("Error: Specified -tilde but can't find condor's home directory")
        print(home)
        return 0
    # The daemons take the account condor where there is one, and otherwise stay with the caller's.
    try:
        print("condor" if home is not None else pwd.getpwuid(os.geteuid()).pw_name)
    except KeyError:
        raise CondorError(f"Error: user id {os.geteuid()} has no account on this machine") from None
    return 0


def _load(args: Args) -> Config:
    asked = args.last(*_DAEMONS)
    subsystem = args.text("subsystem") or (asked.name.upper() if asked else "TOOL")
    traced = {name.lower() for name in args.positional}

    def trace(old: Macro) -> None:
        from condor_py.tools.config_val_show import location

        if old.name.lower() in traced:
            print(f" # trace: {old.name}\n  # was: {old.value}\n  # set at: {location(old.origin)}")

    return load(
        os.environ,
        subsystem=subsystem,
        local_name=args.text("local-name"),
        root=args.text("root-config"),
        trace=trace if args.has("trace") else None,
    )


def _answer(args: Args, config: Config) -> int:
    """Everything that follows once the configuration is read."""
    from condor_py.tools import config_val_show as show

    if args.has("config"):
        show.sources(config)
    change = args.last(*_CHANGES)
    if change is not None:
        return _change(args, config, change.name)
    if args.has("summary") or args.has("writeconfig"):
        from condor_py.tools.config_val_write import write

        code = write(args, config)
        if code or not args.positional:
            return code
    if args.has("dump"):
        show.dump(args, config)
        return 0
    if args.has("stats"):
        show.stats(config)
        return 0
    if not args.positional and not args.has("config"):
        raise UsageError("", _SPEC)
    return _names(args, config)


def _names(args: Args, config: Config) -> int:
    """Print each NAME of the command line; 1 when one is not defined."""
    from condor_py.tools import config_val_show as show

    remote = args.last(*_DAEMONS, "name", "address") is not None
    missing = 0
    names = iter(args.positional)
    for name in names:
        if name.lower() == "use":
            show.template(next(names, ""), expanded=args.has("expanded"))
        elif args.has("macro"):
            show.macro(args, config, name)
        elif not show.knob(args, config, name, remote=remote):
            missing += 1
    return 1 if missing and not args.has("info") and not remote else 0


def _change(args: Args, config: Config, how: str) -> int:
    """-set and its relatives ask a daemon; ours take no settings by message, so the honest answer is failure."""
    from condor_py.config.rooms.daemon import address

    asked = args.last(*_DAEMONS)
    daemon = asked.name if asked else "master"
    verb = "set" if how in ("set", "rset") else "unset"
    for text in args.positional:
        name, equals, _ = text.partition("=")
        if verb == "set" and not (equals and name.strip()) and not text.lower().startswith("use "):
            raise CondorError(
                f'condor_config_val: Can\'t set configuration value ("{text}")\n'
                'You must specify "macro_name = value" or "use category:option"'
            )
        host = config.string("FULL_HOSTNAME")
        raise CondorError(f'Attempt to {verb} configuration "{text}" on {daemon} {host} {address(config)} failed.')
    raise UsageError("", _SPEC)
