"""condor_update_machine_ad: attributes for the slots of this machine, until its startd ends (manual page)."""

from __future__ import annotations

import sys

from condor_py.cli.common import check_pool, handle_help_and_version
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="condor_update_machine_ad",
    usage="[options] [path/to/update-ad]",
    summary="Change attributes of this machine's slots until its startd ends.",
    positional="[FILE]",
    positional_help="a file of 'Name = expression' lines; standard input when none is given",
    description=(
        "The attributes replace those that the startd made itself. Has<Universe> = false also says, in "
        "OfflineUniverses, <Universe>OfflineTime and <Universe>OfflineReason, that the machine does not take jobs of "
        "that universe now. What identifies a slot or its claim, its State and its Requirements stay as they are."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("version", 1, help="the version and the platform"),
        Opt("pool", 1, "HOST", help="the pool to ask; this machine is the only one"),
        Opt("name", 1, "NAME", help="the startd of this name"),
    ),
    examples=(
        ("echo 'HasVM = False' | condor_update_machine_ad", "no jobs of the vm universe here"),
        ("condor_update_machine_ad licences.ad", "the attributes of a file"),
    ),
    see_also=("condor_status", "condor_drain"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_update_machine_ad."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    name = args.positional[-1] if args.positional else "stdin"
    pairs = _read(name, bool(args.positional))
    from condor_py.client.pool import open_pool
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.machine import UpdateAd

    pool = open_pool()
    check_pool(args, pool)
    target = args.text("name", "").lower()
    settings = pool.settings
    if target and target not in (settings.host.lower(), settings.startd_name.lower(), "localhost"):
        raise CondorError(f"Unable to locate startd: unknown host {args.text('name')}")
    try:
        answer = pool.ask("startd", UpdateAd(pairs))
    except WireError as error:
        raise CondorError(f"Unable to update machine ad: {error}") from None
    if isinstance(answer, Refused):
        raise CondorError(f"Unable to update machine ad: {answer.error}")
    return 0


def _read(name: str, is_file: bool) -> list[tuple[str, str]]:
    """The attributes of the file, or of standard input; lines that hold none are an error."""
    from condor_py.lang.classad import is_valid
    from condor_py.lang.classad.formats.old import split_line

    try:
        if is_file:
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        else:
            lines = sys.stdin.read().splitlines()
    except OSError as error:
        raise CondorError(f"Failed to open '{name}', aborting ({error.errno}: {error.strerror})") from None
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = split_line(line)
        if found is None or not is_valid(found[1]):
            raise CondorError(
                f"Failed to parse '{name}', aborting.\nSyntax error in file, line {number}: {line.strip()}"
            )
        pairs.append(found)
    if not pairs:
        raise CondorError(f"Failed to parse '{name}', aborting.\nFile was empty.")
    return pairs
