"""condor_token_create, condor_token_fetch and condor_token_list: tokens for pools of HTCondor (manual pages)."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.tokens import TokenText
    from condor_py.model.messages.codec import A, Request
    from condor_py.model.settings.tokens import TokenSettings

#: Daemons by the words of -type. There is no collector process: the master answers for it.
DAEMONS = {
    "any": "master", "master": "master", "collector": "master",
    "schedd": "schedd", "negotiator": "negotiator", "startd": "startd", "credd": "credd",
}  # fmt: skip
#: Words that HTCondor knows, of daemons that do not run here.
OTHER_DAEMONS = frozenset(
    (
        "kbdd", "dagman", "view_collector", "cluster_server", "shadow", "starter", "gridmanager", "placementd",
        "lease_manager", "had", "generic",
    )
)  # fmt: skip
_NUMBER = re.compile(r"\s*[-+]?[0-9]+", re.ASCII)
_MOST = 1 << 63
#: HTCondor's number of a request for which the caller has not the right.
_NO_ADMIN = 2010


def seconds(text: str) -> int:
    """Convert as HTCondor does: what follows the number does not count. ValueError."""
    found = _NUMBER.match(text)
    number = int(found[0]) if found and len(found[0]) < 32 else _MOST
    if not -_MOST <= number < _MOST:
        raise ValueError(text)
    return number


def rights(text: str) -> Opt:
    """The option that limits a token to some levels of authorization."""
    return Opt("authz", 1, "AUTHZ", help=text, dash_value=True,
               missing="{tool}: -authz requires an authorization name argument")  # fmt: skip


LIFETIME = Opt(
    "lifetime", 1, "SECONDS", help="the token is valid so long; without a limit otherwise", dash_value=True,
    convert=seconds, invalid="{tool}: Invalid argument for -lifetime: {value}.",
    missing="{tool}: -lifetime requires an integer in seconds.",
)  # fmt: skip
FILES = (
    Opt("token", 2, "NAME", help="write the token to the file NAME of SEC_TOKEN_DIRECTORY", dash_value=True,
        missing="{tool}: -token requires a file name argument."),
    Opt("file", 1, "FILE", help="write the token to this file", dash_value=True, takes="file",
        missing="{tool}: -file requires a file name argument."),
)  # fmt: skip
DEBUG = Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS")
UNKNOWN = "{tool}: Invalid command line argument: {arg}"
_ELSEWHERE = "The daemon asked"
#: Options that name a daemon.
PLACE = (
    Opt("pool", 1, "HOST", help="the pool of the daemon; this machine's is the only one that gives tokens",
        missing="{tool}: -pool requires a pool name argument.", group=_ELSEWHERE),
    Opt("name", 1, "NAME", help="the daemon of this name",
        missing="{tool}: -name requires a daemon name argument.", group=_ELSEWHERE),
)  # fmt: skip


def typed(default: str) -> Opt:
    """The option for the type of the daemon asked."""
    return Opt("type", 1, "TYPE", help=f"its type, of {', '.join(DAEMONS)} ({default})", group=_ELSEWHERE,
               missing="{tool}: -type requires a daemon type argument.")  # fmt: skip


_CREATE = ToolSpec(
    name="condor_token_create",
    usage="-identity USER@DOMAIN [-key KEYID] [-authz AUTHZ] [-lifetime SECONDS] [-token NAME | -file FILE]",
    summary="Make a token that a pool of HTCondor with the same signing key accepts.",
    description=(
        "The token is printed, or written to a file that no other account can read. It is signed with a key of this "
        "machine, which only the account of the pool can read: POOL, which the pool makes when it starts "
        "(SEC_TOKEN_POOL_SIGNING_KEY_FILE), or a file of SEC_PASSWORD_DIRECTORY. Daemons of HTCondor that have the "
        "same key and TRUST_DOMAIN accept it by the method IDTOKENS. The pool of this machine needs no tokens: it "
        "knows its users from the kernel."
    ),
    options=(
        Opt("identity", 2, "USER@DOMAIN", help="the user that the token is for", dash_value=True,
            missing="{tool}: -identity requires a condor identity as an argument"),
        Opt("key", 1, "KEYID", help="the key that signs the token (POOL)", dash_value=True,
            missing="{tool}: -key requires a key ID as an argument"),
        rights("limit the token to this level of authorization (READ, WRITE ...); may be repeated"),
        LIFETIME, *FILES, DEBUG, HELP, VERSION,
    ),
    unknown=UNKNOWN,
    examples=(
        ("condor_token_create -identity jane@example.org -lifetime 86400", "a token for a day"),
        ("condor_token_create -identity jane@example.org -authz READ -token jane", "one that may only read"),
    ),
    exit_status="0 when the token was made, 1 when the command line is wrong or the file cannot be written, 2 when the "
    "key cannot be read.",
    see_also=("condor_token_fetch", "condor_token_list", "condor_ping"),
)  # fmt: skip
_FETCH = ToolSpec(
    name="condor_token_fetch",
    usage="[-type TYPE] [-name NAME] [-pool HOST] [-authz AUTHZ] [-lifetime SECONDS] [-token NAME | -file FILE]",
    summary="Get a token of your own identity from a daemon.",
    description=(
        "The daemon, by default the schedd, signs a token for the user that the kernel says is calling, with the key "
        "SEC_TOKEN_ISSUER_KEY of the pool. Pools of HTCondor that share the key accept it (condor_token_create(1))."
    ),
    options=(
        rights("limit the token to this level of authorization (READ, WRITE ...); may be repeated"),
        LIFETIME, *PLACE,
        Opt("key", 1, "KEY", help="sign with this key, of SEC_TOKEN_FETCH_ALLOWED_SIGNING_KEYS", dash_value=True,
            missing="{tool}: -key requires a key name argument."),
        *FILES, typed("schedd"),
        Opt("remote", 1, help="refused: there is no collector that fetches tokens of other schedds"),
        DEBUG, HELP, VERSION,
    ),
    unknown=UNKNOWN,
    examples=(
        ("condor_token_fetch -lifetime 600", "a token for ten minutes"),
        ("condor_token_fetch -authz READ -token monitor", "one that may only read, for ~/.condor/tokens.d"),
    ),
    see_also=("condor_token_create", "condor_token_list", "condor_ping"),
)  # fmt: skip
_LIST = ToolSpec(
    name="condor_token_list",
    usage="[-dir PATH] [-file FILE]",
    summary="List your tokens.",
    description=(
        "Header and payload of each token in the files of SEC_TOKEN_DIRECTORY, which is ~/.condor/tokens.d where it is "
        "not set, and SEC_TOKEN_SYSTEM_DIRECTORY for root. Files whose names LOCAL_CONFIG_DIR_EXCLUDE_REGEXP matches "
        "are left out. Signatures are neither shown nor checked."
    ),
    options=(
        DEBUG, HELP,
        Opt("dir", 1, "PATH", help="look in this directory", dash_value=True, takes="dir",
            missing="{tool}: -dir requires path argument."),
        Opt("file", 1, "FILE", help="look in this file alone", dash_value=True, takes="file",
            missing="{tool}: -file requires file argument."),
        Opt("capability", 1, help="ask the daemon about capability tokens, which daemons of this pool do not take"),
        *PLACE, typed("schedd"), VERSION,
    ),
    unknown=UNKNOWN,
    examples=(("condor_token_list", "the tokens that HTCondor's tools would use"),),
    see_also=("condor_token_create", "condor_token_fetch"),
)  # fmt: skip
SPECS = (_CREATE, _FETCH, _LIST)


def create(argv: list[str]) -> int:
    """Run condor_token_create."""
    args = parse(_CREATE, argv)
    if handle_help_and_version(args):
        return 0
    if len(argv) < 2:
        raise UsageError(f"{_CREATE.name}: -identity USER@DOMAIN is needed", _CREATE, kind="unknown")
    refuse_words(args)
    from condor_py.client.pool import open_pool
    from condor_py.client.tokens import POOL, TokenError, Wish, make_token, token_settings

    pool = open_pool()
    settings = token_settings(pool.config)
    lifetime = args.number("lifetime")
    wish = Wish(
        args.text("identity", ""), args.texts("authz"), -1 if lifetime is None else lifetime, args.text("key") or POOL
    )
    try:
        token = make_token(settings, wish, pool.now())
    except TokenError as error:
        sys.stderr.write(f"Failed to generate a token.\n{error}\n")
        return 2
    give_out(args, settings, token)
    return 0


def give_out(args: Args, settings: TokenSettings, token: str) -> None:
    """Print a token, or write it to the file that the last of -token and -file names."""
    from condor_py.client.tokens import write_token

    use = args.last("token", "file")
    if use is None or not use.values[0]:
        sys.stdout.write(token + "\n")
        return
    write_token(settings, token, use.values[0], in_directory=use.name == "token")


def fetch(argv: list[str]) -> int:
    """Run condor_token_fetch."""
    args = parse(_FETCH, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    daemon_type = type_of(args, "schedd")
    if args.has("remote"):
        if daemon_type != "schedd":
            raise CondorError(f"{_FETCH.name}: Remote fetch (-remote) is only valid with the schedd.")
        raise CondorError(
            "Remote token fetch failed with the following error:\n\n"
            "this pool has no collector that fetches tokens for other machines; condor_token_fetch asks the schedd"
        )
    from condor_py.client.pool import open_pool
    from condor_py.client.tokens import token_settings
    from condor_py.model.messages.access import FetchToken

    pool = open_pool()
    lifetime = args.number("lifetime")
    request = FetchToken(args.texts("authz"), -1 if lifetime is None else lifetime, args.text("key", ""))
    answer = ask(args, pool, daemon_type, request, "Failed to request a session token: ")
    give_out(args, token_settings(pool.config), answer.token)
    return 0


def type_of(args: Args, default: str) -> str:
    """Return the word of -type in lower case. UsageError for one that names no daemon."""
    word = (args.text("type") or default).lower()
    if word not in DAEMONS and word not in OTHER_DAEMONS:
        raise UsageError(f"ERROR: unrecognized daemon type: {args.text('type')}", args.spec, "type", kind="unknown")
    return word


def located(args: Args, pool: Pool, daemon_type: str) -> str:
    """Return the daemon of this machine that -type, -name and -pool mean. CondorError where it is not one of them."""
    from condor_py.cli.common import check_pool

    check_pool(args, pool)
    name = args.text("name", "")
    daemon = DAEMONS.get(daemon_type, "")
    if daemon and (not name or is_named(pool, daemon, name)) and runs(pool, daemon):
        return daemon
    raise not_located(
        pool, f"ERROR: couldn't locate daemon {name}!" if name else "ERROR: couldn't locate default daemon type."
    )


def not_located(pool: Pool, text: str) -> CondorError:
    """Return the error ``text``, or that the pool is another account's, with what helps where nothing runs at all if a
    person reads it at a terminal."""
    from condor_py.cli.idle_pool import when_nothing_runs
    from condor_py.client.pool import why_closed

    if closed := why_closed(pool.paths):
        return CondorError(closed)
    return CondorError("\n".join(line for line in (text, when_nothing_runs(pool)) if line))


def is_named(pool: Pool, daemon: str, name: str) -> bool:
    """Return whether a daemon of this machine has that name."""
    settings = pool.settings
    own = {"schedd": settings.schedd_name, "startd": settings.startd_name, "master": settings.master_name}
    host = settings.host.lower()
    return name.lower() in (own.get(daemon, host).lower(), host, host.partition(".")[0], "localhost")


def runs(pool: Pool, daemon: str) -> bool:
    """Return whether a daemon listens."""
    from condor_py.client import wire

    try:
        wire.connect(pool.paths.socket(daemon), 5.0).close()
    except wire.WireError:
        return False
    return True


def ask(args: Args, pool: Pool, daemon_type: str, request: Request[A], failed: str) -> A:
    """Return the answer of the daemon that the options name; CondorError begins with ``failed`` when it refuses."""
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused

    daemon = located(args, pool, daemon_type)
    try:
        answer = pool.ask(daemon, request)
    except WireError as error:
        raise CondorError(f"{failed}DAEMON:1:Failed to receive response from daemon: {error}") from None
    if isinstance(answer, Refused):
        source = "SECMAN" if answer.error_code == _NO_ADMIN else "DAEMON"
        raise CondorError(f"{failed}{source}:{answer.error_code or 1}:{answer.error}")
    return answer


def list_tokens(argv: list[str]) -> int:
    """Run condor_token_list."""
    args = parse(_LIST, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    daemon_type = type_of(args, "schedd")
    from condor_py.client.pool import open_pool

    pool = open_pool()
    capabilities = args.has("capability")
    if args.has("file"):
        return 0 if _print_file(args.text("file", ""), args.has("capability")) else 1
    if capabilities:
        try:
            located(args, pool, daemon_type)
        except CondorError:
            raise CondorError("ERROR: couldn't locate daemon.") from None
    return _print_directory(pool, args.text("dir"), capabilities)


def _print_directory(pool: Pool, wanted: str | None, capabilities: bool) -> int:
    from condor_py.client.tokens import token_directory, token_settings

    directory = wanted or token_directory(token_settings(pool.config))
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError as error:
        if wanted is None:
            return 0  # there are none
        raise _unreadable(directory, error) from None
    except (OSError, ValueError) as error:
        raise _unreadable(directory, error) from None
    left_out = re.compile(pool.config.string("LOCAL_CONFIG_DIR_EXCLUDE_REGEXP") or r"(?!)")
    paths = [os.path.join(directory, name) for name in names if not left_out.match(name)]
    read = [_print_file(path, capabilities) for path in paths if not os.path.isdir(path)]
    return 0 if all(read) else 1


def _unreadable(path: str, error: Exception) -> CondorError:
    return CondorError(f"Cannot open {path}: {getattr(error, 'strerror', None) or error}")


def _print_file(path: str, capabilities: bool) -> bool:
    """Print the tokens of a file; whether it could be read."""
    from condor_py.client.tokens import read_tokens

    try:
        tokens = read_tokens(path)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{_unreadable(path, error)}\n")
        return False
    for _, parts in tokens:
        sys.stdout.write(f"Header: {parts.header} Payload: {parts.payload} File: {path}\n")
        if capabilities and _is_capability(parts):
            sys.stderr.write("ERROR: Didn't authenticate with IDTOKENS\n")
    return True


def _is_capability(parts: TokenText) -> bool:
    import json

    return json.loads(parts.payload).get("cap") is True
