"""The command condor_web: its options, and what it prints."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, check_place, handle_help_and_version, refuse_words
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.model import packages
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.settings.web import WebSettings

_SPEC = ToolSpec(
    name="condor_web",
    usage="[-login] [-wall] [-port PORT | -socket PATH] [-f]",
    summary="Live pages of this pool for a browser.",
    description=(
        "Serves pages of the pool (slots, queue, reasons, shares, history) at 127.0.0.1, and prints an address that "
        "lets its caller in. With WEB in DAEMON_LIST the condor_master runs it, and every account of the machine "
        "gets in by the address that condor_web -login prints, which works once, within a minute. Others' jobs show "
        "what condor_q shows of them; arguments, environment, files and logs are for owners and administrators. "
        "Every page is also JSON (Accept: application/json; /openapi.json describes it), /metrics is for Prometheus. "
        "Pages only show; with WEB_ALLOW_ACTIONS users may hold, release, remove and prioritize their jobs. It needs "
        "the packages of condor_py[web]."
    ),
    options=(
        Opt("login", 1, help="print an address that lets you into the pages that are served already"),
        Opt("wall", 1, help="the address of the page for a screen on the wall (WEB_WALL: without a login)"),
        Opt("port", 3, "PORT", "listen on this port of 127.0.0.1 (WEB_PORT); 0 for any that is free", convert=int),
        Opt("socket", 1, "PATH", "listen on a Unix socket (WEB_SOCKET), for a proxy", takes="file"),
        Opt("f", EXACT, help="stay in the foreground, as it always does (for condor_master)"),
        Opt("name", 1, "NAME", "the schedd of this name"),
        Opt("pool", 3, "HOST", "the pool to show; this machine is the only one"),
        HELP,
        VERSION,
    ),
    examples=(
        ("condor_web", "serve the pages until ^C, and print how to get in"),
        ("condor_web -login", "an address for another browser, or for the pages that the master serves"),
        ("condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) WEB'", "let the master serve them from its next start"),
    ),
    exit_status="0 when it was stopped, 1 when it could not start or no pages are served.",
    see_also=("condor_top", "condor_report", "condor_metrics", "condor_q", "condor_status"),
)
SPECS = (_SPEC,)
_MISSING = "condor_web: it needs packages that are not installed (no {name}): {python} -m pip install 'condor_py[web]'"


def main(argv: list[str]) -> int:
    """Run condor_web."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    from condor_py.client.pool import open_pool

    pool = open_pool("WEB")
    check_place(args, pool, "condor_web: {name} is not the schedd of this machine, the only one that is shown")
    if args.has("login"):
        return _log_in(pool, args)
    settings = _settings(pool, args)
    packages.make_known()
    try:
        from condor_py.cli.web.serve import serve
    except ModuleNotFoundError as error:
        raise CondorError(_MISSING.format(name=error.name, python=sys.executable)) from None
    return serve(pool, settings, wall=args.has("wall"))


def _settings(pool: Pool, args: Args) -> WebSettings:
    """Return the settings with what the command line says in their place. UsageError."""
    from condor_py.lang.config.builders.web import web

    settings = web(pool.config)
    port, socket = args.number("port"), args.text("socket")
    if port is not None and socket is not None:
        raise UsageError("condor_web: -port and -socket cannot be used together", _SPEC)
    if port is not None:
        if not 0 <= port < 65536:
            raise UsageError(f"condor_web: -port is a number from 0 to 65535, not {port}", _SPEC)
        settings = settings.changed(port=port, socket="")
    if socket is not None:
        settings = settings.changed(socket=socket)
    return settings


def _log_in(pool: Pool, args: Args) -> int:
    if args.has("port") or args.has("socket"):
        raise UsageError(
            "condor_web: -login asks the pages that are served already: it takes no -port or -socket", _SPEC
        )
    from condor_py.cli.web.places import ask_for_login

    address = ask_for_login(pool)
    if args.has("wall"):
        open_to_all = _settings(pool, args).wall
        address = f"{address.partition('/login/')[0]}/wall" if open_to_all else f"{address}?to=wall"
    sys.stdout.write(f"{address}\n")
    return 0
