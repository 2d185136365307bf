"""From the command line of condor_config_val to what answers it."""

from __future__ import annotations

import os
import sys

from condor_py.cli.config_val.spec import CHANGES, DAEMONS, SPEC
from condor_py.cli.options import Args, UsageError, parse
from condor_py.lang.config import load
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.lang.config import Config
    from condor_py.lang.config.lint import Finding
    from condor_py.lang.macro import Macro


SPECS = (SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_config_val."""
    args = parse(SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(SPEC))
        return 1
    if args.has("version"):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    _check(args)
    if "-" in args.positional:
        raise UsageError("- is not a valid argument", SPEC, kind="unknown")
    if args.has("owner") or args.has("tilde"):
        return _account(tilde=args.has("tilde") and not args.has("owner"))
    if args.has("help-knob"):
        from condor_py.cli.config_val.knob import explain

        return explain(args.text("help-knob", ""))
    config = _load(args)
    if args.has("subsystem"):
        from condor_py.cli.config_val.nearest import suggest_subsystem

        suggest_subsystem(args.text("subsystem", ""), config)
    for warning in config.warnings:
        sys.stderr.write(warning + "\n")
    return _answer(args, config)


def _check(args: Args) -> None:
    pairs = (("default", "verbose"), ("verbose", "default"), ("writeconfig", "summary"), ("summary", "writeconfig"))
    for first, second in pairs:
        one, two = args.last(first), args.last(second)
        if one is not None and two is not None and one.position > two.position:
            shown = one.spelling if first in ("writeconfig", "summary") else f"-{first}"
            raise UsageError(f"{shown} cannot be used with -{second}", SPEC)


def _account(*, tilde: bool) -> int:
    import pwd

    from condor_py.lang.config.detected import condor_home

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
    traced = {name.lower() for name in args.positional}

    def trace(old: Macro) -> None:
        from condor_py.cli.config_val.show import print_trace

        if old.name.lower() in traced:
            print_trace(old)

    return load(
        os.environ,
        subsystem=args.text("subsystem") or "TOOL",
        local_name=args.text("local-name"),
        root=args.text("root-config"),
        trace=trace if args.has("trace") else None,
        keep_defaults=args.has("summary") or args.has("writeconfig"),
        last=args.text("reconfig"),
    )


def asks_daemon(args: Args) -> bool:
    """Whether the answer comes from a daemon: every location option but -pool, and every change."""
    return args.last(*DAEMONS, *CHANGES, "name", "address") is not None


def _answer(args: Args, config: Config) -> int:
    """Everything that follows once the configuration is read."""
    from condor_py.cli.config_val import show

    if args.has("config"):
        show.sources(config, args.text("reconfig"))
    if args.has("check-if"):
        return show.condition(args.text("check-if", ""), config)
    if args.has("lint"):
        return lint_report(args, config)
    remote = asks_daemon(args)
    written = args.has("writeconfig") or (args.has("summary") and not remote)
    if written:
        code = _write(args, config)
        if code:
            return code
    if args.has("pool") and not args.has("name"):
        raise CondorError("Error: you must specify -name with -pool")
    if remote:
        from condor_py.cli.config_val.remote import answer

        return 0 if written and not args.positional else answer(args, config)
    return _locally(args, config, written=written)


def _write(args: Args, config: Config) -> int:
    """-summary and -writeconfig. HTCondor refuses the latter for the master only: for others it writes the files."""
    from condor_py.cli.config_val.write import write

    asked = args.last(*DAEMONS)
    if args.has("writeconfig") and args.has("master") and asked is not None:
        print(f"-writeconfig is not currently supported with -{asked.name}")
        return 1
    return write(args, config)


def _locally(args: Args, config: Config, *, written: bool) -> int:
    from condor_py.cli.config_val import show

    if args.has("dump"):
        show.dump(args, config)
    if args.has("stats"):
        show.stats(config)
    if args.has("dump") or args.has("stats"):
        return 0
    if args.positional:
        return show.names(args, config)
    if not (written or args.has("config")):
        raise UsageError("", SPEC)
    return 0


def lint_report(args: Args, config: Config) -> int:
    """Print the findings, those of NAME alone where names are given; 1 when an error is among them."""
    from condor_py.client.configcheck import check

    def seen(subsystem: str) -> Config:
        """The configuration as a daemon reads it."""
        root, local_name = args.text("root-config"), args.text("local-name")
        return load(config.environ, subsystem=subsystem, local_name=local_name, root=root, last=args.text("reconfig"))

    wanted = {name.lower() for name in args.positional}
    found = [one for one in check(config, seen) if not wanted or one.knob.lower() in wanted]
    form = args.last("json", "toml")
    if form is not None:
        from condor_py.cli.config_val.structured import write

        write([one._asdict() for one in found], form.name)
    else:
        _print(found)
    return 1 if any(one.severity == "error" for one in found) else 0


def _print(found: list[Finding]) -> None:
    """File by file, aligned: line, severity, knob, and what is wrong."""
    number = max((len(str(one.line)) for one in found), default=0)
    knob = min(max((len(one.knob) for one in found), default=0), 32)
    file = None
    for one in found:
        if one.file != file:
            file = one.file
            print(file)
        line = str(one.line) if one.line else ""
        print(f"  {line:>{number}}  {one.severity:<7}  {one.knob:<{knob}}  {one.message}")
    counts = [(name, sum(one.severity == name for one in found)) for name in ("error", "warning", "note")]
    shown = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts if count]
    sys.stdout.flush()
    sys.stderr.write(f"{', '.join(shown) if shown else 'nothing found'}\n")
