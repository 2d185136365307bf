"""The parts common to most tools: the help and version options."""

from __future__ import annotations

import sys

from condor_py.cli.options import Args, Opt, UsageError
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.elsewhere import OtherSchedd
    from condor_py.client.pool import Pool

#: The two options for a tool's table; their minimum lengths are HTCondor's usual ones.
HELP = Opt("help", 1, help="this text")
VERSION = Opt("version", 1, help="the version and the platform")


def handle_help_and_version(args: Args) -> bool:
    """Print help or version on stdout if asked to; True then (the tool returns 0)."""
    for use in args.uses:
        if use.name == "help":
            from condor_py.cli.command import help_text

            sys.stdout.write(help_text(args.spec))
            return True
        if use.name == "version":
            from condor_py.cli.version import version_lines

            sys.stdout.write(version_lines())
            return True
    return False


def refuse_words(args: Args, after: int = 0) -> None:
    """Refuse words behind the first ``after`` ones that belong to no option. Raises UsageError."""
    if len(args.positional) > after:
        text = args.spec.unknown.format(arg=args.positional[after], tool=args.spec.name)
        raise UsageError(text, args.spec, kind="unknown")


def check_place(args: Args, pool: Pool, unknown_name: str, option: str = "name") -> None:
    """Refuse a ``-name`` that is not this machine's schedd and a ``-pool`` that is not this machine's pool.

    ``unknown_name`` is the tool's error text, in which ``{name}`` is filled in. Raises CondorError.
    """
    name = args.text(option)
    if name is not None and name.lower() not in (pool.schedd_name.lower(), pool.schedd_name.split("@")[-1].lower()):
        raise CondorError(unknown_name.format(name=name))
    check_pool(args, pool)


def elsewhere(args: Args, pool: Pool, option: str = "name") -> OtherSchedd | None:
    """The schedd of another pool that ``-name`` (or another ``option``) and ``-pool`` name together; None where they do
    not."""
    name, host = args.text(option), args.text("pool")
    if name is None or host is None:
        return None
    try:
        check_place(args, pool, "", option)
    except CondorError:
        from condor_py.client.elsewhere import OtherSchedd

        return OtherSchedd(pool, name, host)
    return None


def check_pool(args: Args, pool: Pool) -> None:
    """Refuse a ``-pool`` that is not this machine's: what was meant for another one must not happen here. Raises
    CondorError."""
    asked = args.text("pool")
    if asked is None:
        return
    host = pool.settings.host.lower()
    configured = [pool.config.string(knob).lower() for knob in ("COLLECTOR_HOST", "CONDOR_HOST")]
    known = {host, host.split(".")[0], "localhost", "127.0.0.1", "::1", *configured}
    if asked.lower() not in known and asked.lower().rsplit(":", 1)[0] not in {text.split(":")[0] for text in known}:
        raise CondorError(f"Error: unknown host {asked}: the pool of this machine is the only one that can be asked")


def host_and_port(address: str) -> str:
    """Return ``host:port`` of a sinful string, "" for any other text."""
    if not (address.startswith("<") and address.endswith(">")):
        return ""
    place = address[1:-1].partition("?")[0]
    host, _, port = place.rpartition(":")
    return place if host and port.isdigit() else ""


def check_address(args: Args, pool: Pool, option: str = "addr") -> None:
    """Refuse an ``-addr`` (or another ``option``) that is not this pool's. Raises CondorError."""
    asked = args.text(option)
    if asked is None:
        return
    place = host_and_port(asked)
    if not place:
        raise CondorError(
            f'{args.spec.name}: "{asked}" is not a valid address\nShould be of the form <ip.address.here:port>\n'
            "For example: <123.456.789.123:6789>"
        )
    if place != host_and_port(pool.settings.address):
        raise CondorError(f"Can't connect to daemon at <{place}>")
