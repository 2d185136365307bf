"""condor_token_request, -_approve, -_auto_approve and -_list: tokens that an administrator approves (manual pages)."""

from __future__ import annotations

import secrets
import sys
import time
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.tokens import DEBUG, FILES, LIFETIME, PLACE, UNKNOWN, ask, give_out, rights, seconds, type_of, typed
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

#: Seconds between two questions whether a request is approved.
_POLL = 2.0
_CLIENTS = 1000
_RULE = 3600
_REQID = Opt("reqid", 1, "ID", help="the request of this number", dash_value=True,
             missing="{tool}: -reqid requires a request ID argument.")  # fmt: skip
_TYPE = typed("collector")
_WHERE = (
    "The requests are in the memory of one daemon until it is reconfigured or restarted: by default of the master, "
    "which represents HTCondor's collector."
)
_REQUEST = ToolSpec(
    name="condor_token_request",
    usage="[-identity USER@DOMAIN] [-authz AUTHZ] [-lifetime SECONDS] [-token NAME | -file FILE]",
    summary="Ask for a token of any identity, and wait until an administrator approves.",
    description=(
        "Prints the number of the request, which the administrator gives to condor_token_request_approve(1). Then it "
        "waits, an hour at most, and prints the token. Only the account that has asked gets it. " + _WHERE
    ),
    options=(
        rights("limit the token to this level of authorization (READ, WRITE ...); may be repeated"),
        LIFETIME,
        Opt("identity", 1, "USER@DOMAIN", help="the user that the token is for (condor@UID_DOMAIN)", dash_value=True,
            missing="{tool}: -identity requires an argument."),
        *PLACE, *FILES, _TYPE, DEBUG, HELP, VERSION,
    ),
    unknown=UNKNOWN,
    examples=(("condor_token_request -identity jane@example.org -token jane", "wait for it, and keep it"),),
    see_also=("condor_token_request_approve", "condor_token_fetch"),
)  # fmt: skip
_APPROVE = ToolSpec(
    name="condor_token_request_approve",
    usage="[-reqid ID]",
    summary="Approve requests for tokens.",
    description=(
        "Shows each request, and approves it when yes is typed. An administrator (root, and the account of the pool) "
        "may approve every request, and users those for themselves. Anyone may ask for any identity: ask the person "
        "for the number of the request. " + _WHERE
    ),
    options=(_REQID, *PLACE, _TYPE, DEBUG, HELP, VERSION),
    unknown=UNKNOWN,
    examples=(("condor_token_request_approve -reqid 0752581", "the request of this number"),),
    see_also=("condor_token_request", "condor_token_request_list"),
)
_AUTO = ToolSpec(
    name="condor_token_request_auto_approve",
    usage="-netblock NETBLOCK [-lifetime SECONDS]",
    summary="Approve requests of daemons from a network for some time.",
    description=(
        "A rule approves requests for the user condor that are limited to ADVERTISE_STARTD, ADVERTISE_SCHEDD and "
        "ADVERTISE_MASTER. Requests come from this machine (127.0.0.1). condor_reconfig drops all rules. " + _WHERE
    ),
    options=(
        Opt("lifetime", 1, "SECONDS", help=f"approve so long ({_RULE}, which is the most)", dash_value=True,
            convert=seconds, invalid="{tool}: Invalid argument for -lifetime: {value}.",
            missing="{tool}: -lifetime requires an argument."),
        Opt("netblock", 2, "NETBLOCK", help="approve requests from this network (127.0.0.0/8)", dash_value=True,
            missing="{tool}: -netblock request an argument."),
        *PLACE, _TYPE, DEBUG, HELP, VERSION,
    ),
    unknown=UNKNOWN,
    examples=(("condor_token_request_auto_approve -netblock 127.0.0.0/8 -lifetime 600", "for ten minutes"),),
    see_also=("condor_token_request", "condor_token_request_approve"),
)  # fmt: skip
_LIST = ToolSpec(
    name="condor_token_request_list",
    usage="[-reqid ID] [-json]",
    summary="List the requests for tokens that wait.",
    description="An administrator sees all of them, and users those for themselves. " + _WHERE,
    options=(*PLACE, _TYPE, _REQID, DEBUG, Opt("json", EXACT, help="print JSON"), HELP, VERSION),
    unknown=UNKNOWN,
    examples=(("condor_token_request_list", "all that you may approve"),),
    see_also=("condor_token_request", "condor_token_request_approve"),
)
SPECS = (_REQUEST, _APPROVE, _AUTO, _LIST)


class _Daemon:
    """The daemon that the options of a command line name."""

    def __init__(self, args: Args, pool: Pool, kind: str) -> None:
        self.args, self.pool, self.kind = args, pool, kind

    def requests(self, number: str, failed: str) -> list[ClassAd]:
        """Return the requests that wait; CondorError begins with ``failed``."""
        from condor_py.lang.classad import ClassAd
        from condor_py.model.messages.access import ListTokenRequests

        answer = ask(self.args, self.pool, self.kind, ListTokenRequests(number), failed)
        return [ClassAd(request) for request in answer.requests]


def _begin(spec: ToolSpec, argv: list[str]) -> _Daemon | None:
    """Return the daemon that a command line means; None where help or version was all that was asked for."""
    args = parse(spec, argv)
    if handle_help_and_version(args):
        return None
    refuse_words(args)
    kind = type_of(args, "collector")
    if spec is _AUTO and not args.text("netblock"):
        raise UsageError(
            f"{spec.name}: -netblock argument is required.\nExample: {spec.name} -netblock 192.168.0.0/24", spec
        )
    from condor_py.client.pool import open_pool

    return _Daemon(args, open_pool(), kind)


def request(argv: list[str]) -> int:
    """Run condor_token_request."""
    if (daemon := _begin(_REQUEST, argv)) is None:
        return 0
    from condor_py.client.tokens import token_settings
    from condor_py.model.messages.access import FinishToken, RequestToken

    args, pool = daemon.args, daemon.pool
    settings = token_settings(pool.config)
    identity = args.text("identity") or "condor"
    if "@" not in identity:
        identity = f"{identity}@{pool.settings.uid_domain}"
    lifetime = args.number("lifetime") or -1
    client = f"{pool.settings.host}-{secrets.randbelow(_CLIENTS)}"
    wish = RequestToken(identity, client, args.texts("authz"), lifetime)
    begun = ask(args, pool, daemon.kind, wish, "Failed to request a new token: ")
    token = begun.token
    sys.stdout.write(f"Token request enqueued.  Ask an administrator to please approve request {begun.request}.\n")
    sys.stdout.flush()
    while not token:
        time.sleep(_POLL)
        finish = FinishToken(client, begun.request)
        token = ask(args, pool, daemon.kind, finish, "Failed to get a status update for token request: ").token
    give_out(args, settings, token)
    return 0


def _failed(number: str) -> str:
    return f"Failed to locate request corresponding to ID {number}: "


def approve(argv: list[str]) -> int:
    """Run condor_token_request_approve."""
    if (daemon := _begin(_APPROVE, argv)) is None:
        return 0
    from condor_py.model.messages.access import ApproveToken
    from condor_py.store.longform import ad_text

    number = daemon.args.text("reqid", "")
    found = daemon.requests(number, _failed(number))
    if not found:
        what = f"did not provide information for request ID {number}" if number else "has no request to approve"
        raise CondorError(f"Remote daemon {what}.")
    for ad in found:
        sys.stdout.write(f"Request contents:\n{ad_text(ad)}\nTo approve, please type 'yes'\n")
        sys.stdout.flush()
        if sys.stdin.readline().rstrip("\n") != "yes":
            raise CondorError("Request was NOT approved.")
        request_id, client = ad.eval_str("RequestId", ""), ad.eval_str("ClientId", "")
        ask(
            daemon.args, daemon.pool, daemon.kind, ApproveToken(client, request_id), "Failed to approve token request: "
        )
        sys.stdout.write(f"Request {request_id} approved successfully.\n")
    return 0


def auto_approve(argv: list[str]) -> int:
    """Run condor_token_request_auto_approve."""
    if (daemon := _begin(_AUTO, argv)) is None:
        return 0
    from condor_py.model.messages.access import AutoApproveTokens
    from condor_py.store.longform import ad_text

    args = daemon.args
    given, netblock = args.number("lifetime"), args.text("netblock", "")
    lifetime = _RULE if given is None else given
    rule = AutoApproveTokens(netblock, lifetime)
    ask(args, daemon.pool, daemon.kind, rule, "Failed to create new auto-approval rule: ")
    sys.stdout.write(
        f"Successfully installed auto-approval rule for netblock {netblock} with lifetime of {lifetime / 3600:.2f} "
        "hours\n"
    )
    left = daemon.requests("", "Failed to list remaining token requests: ")
    if not left:
        sys.stdout.flush()
        sys.stderr.write("Remote daemon reports no un-approved requests pending.\n")
        return 0
    line = "=" * 50 + "\n"
    ads = "".join(f"{ad_text(ad)}\n" for ad in left)
    sys.stdout.write(
        f"The following requests remain after auto-approval rule was installed:\n{line}{ads}{line}"
        "To approve these requests, please run condor_token_request_approve manually.\n"
    )
    return 0


def list_requests(argv: list[str]) -> int:
    """Run condor_token_request_list."""
    if (daemon := _begin(_LIST, argv)) is None:
        return 0
    from condor_py.cli.output.ads import JSON, LONG, write_ads

    number = daemon.args.text("reqid", "")
    found = daemon.requests(number, _failed(number) if number else "Failed to list token requests: ")
    if number and not found:
        raise CondorError(f"Remote daemon did not provide information for request ID {number}.")
    if not found:
        sys.stderr.write("Remote daemon reports no requests pending.\n")
        return 0
    sys.stdout.writelines(write_ads(found, JSON if daemon.args.has("json") else LONG))
    return 0
