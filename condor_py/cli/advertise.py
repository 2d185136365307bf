"""condor_advertise: ads that are published in addition to those of the daemons, or taken away (manual page)."""

from __future__ import annotations

import sys

from condor_py.cli.common import check_pool, handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.client.advertising import Order
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd


def _sections() -> tuple[tuple[str, str], ...]:
    from condor_py.client.advertising import command_names

    return (("UPDATE COMMANDS", "\n".join(command_names())),)


_SPEC = ToolSpec(
    name="condor_advertise",
    usage="[options] <update-command> [<classad-filename>]",
    summary="Publish ads in the pool, or take published ads away.",
    positional="<update-command> [<classad-filename>]",
    positional_help="what kind of ads it is (-help cmd lists the commands); a file, - or nothing for standard input",
    description=(
        "Ads are lines of 'Name = expression'. They are shown by condor_status next to those of the daemons, until "
        "CLASSAD_LIFETIME seconds, or ClassAdLifetime of the ad, have passed. Without a command, MyType of the first "
        "ad says what kind it is. An INVALIDATE command takes away what was published by an UPDATE command: the ads "
        "for which the Requirements of the ad in the file are true, or those of its Name. The accounts that may "
        "publish are those that may write the pool's files: the account of the pool, and root."
    ),
    options=(
        Opt("help", 4, help="this text"),
        Opt("version", 7, help="the version and the platform"),
        Opt("pool", 4, "HOST", "the pool; this machine is the only one", missing="-pool requires an argument.\n"),
        Opt("debug", 5, help="show the ads that are published on standard error"),
        Opt("tcp", 1, help="accepted; ads of this pool are files, and nothing is sent"),
        Opt("udp", 1, help="accepted; as -tcp"),
        Opt("multiple", 1, help="several ads, separated by blank lines; without it blank lines are ignored"),
    ),
    sections=_sections,
    examples=(
        ("condor_advertise UPDATE_LICENSE_AD licence.ad", "publish an ad that condor_status -license shows"),
        ("echo 'Name = \"old\"' | condor_advertise INVALIDATE_STARTD_ADS", "take an advertised machine away"),
    ),
    exit_status="0 when all ads were published, else 1.",
    unknown="Unknown argument: {arg}\n",
    see_also=("condor_status", "condor_update_machine_ad"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_advertise."""
    args = parse(_SPEC, argv)
    if args.has("help") and args.positional[:1] in (("cmd",), ("all",)):
        sys.stdout.write(f"{_sections()[0][1]}\n")
        return 0
    if handle_help_and_version(args):
        return 0
    command, name = _words(args)
    order = _order(command) if command else None
    ads = list(_ads(name, multiple=args.has("multiple")))
    if not ads:
        raise CondorError(f"{_shown(name)} is empty")
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_pool(args, pool)
    order = order or _guess(ads[0])
    if args.has("debug"):
        for ad in ads:
            sys.stderr.write(f"{'Taking away' if order.removes else 'Publishing'} as {order.kind}:\n{ad}\n")
    return _send(pool, order, ads)


def _words(args: Args) -> tuple[str, str]:
    """Return the command, "" for none, and the file. UsageError."""
    words = args.positional
    if len(words) > 2:
        raise UsageError(f"Extra argument: {words[2]}\n", _SPEC, kind="unknown", argument=words[2])
    if words[:1] == ("-",):
        return "", "-"
    return words[0] if words else "", words[1] if len(words) > 1 else "-"


def _order(command: str) -> Order:
    from condor_py.client.advertising import command_names, order_of

    order = order_of(command)
    if order is None:
        known = "\n".join(f"    {name}" for name in command_names())
        text = f"Unknown command name {command}\n\n<update-command> is one of:\n{known}"
        raise UsageError(text, _SPEC, argument=command)
    return order


def _guess(ad: ClassAd) -> Order:
    """The order that MyType of an ad stands for; the generic one where there is none for it. CondorError."""
    from condor_py.client.advertising import Order, order_of

    kind = ad.eval_str("MyType", None)
    if not kind:
        raise CondorError("MyType not set in ad, aborting.")
    return order_of(f"UPDATE_{kind.upper()}_AD") or Order("GENERIC", False)


def _shown(name: str) -> str:
    return "(stdin)" if name == "-" else name


def _ads(name: str, *, multiple: bool) -> Iterator[ClassAd]:
    """The ads of a file. CondorError."""
    from condor_py.lang.classad import ClassAd, is_valid
    from condor_py.lang.classad.formats.old import split_line

    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(_text(name).split("\n"), 1):
        text = line.strip(" \t\r")
        if not text or text.startswith("#"):
            if multiple and not text and pairs:
                yield ClassAd.from_text_items(pairs)
                pairs = []
            continue
        found = split_line(text)
        if found is None or not is_valid(found[1]):
            raise CondorError(f"couldn't parse ClassAd in {_shown(name)}, line {number}: {text}")
        pairs.append(found)
    if pairs:
        yield ClassAd.from_text_items(pairs)


def _text(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise CondorError(f"couldn't open {name}: {error.strerror}") from None


def _send(pool: Pool, order: Order, ads: list[ClassAd]) -> int:
    from condor_py.client.advertising import advertise
    from condor_py.model.errors import StoreError

    address = pool.schedd_address
    host = address.strip("<>").partition("?")[0].rpartition(":")[0]
    sent = 0
    for ad in ads:
        if not ad.has("MyAddress"):
            ad.set_str("MyAddress", f"<{host}:0>")
        try:
            advertise(pool, order, [ad])
        except StoreError as error:
            sys.stdout.flush()
            sys.stderr.write(f"failed to send classad to {address}: {error}\n")
        else:
            sent += 1
    sys.stdout.write(f"Sent {sent} of {len(ads)} ad{'' if len(ads) == 1 else 's'} to {pool.settings.host}.\n")
    return 0 if sent == len(ads) else 1
