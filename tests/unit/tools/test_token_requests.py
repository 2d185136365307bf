"""condor_token_fetch and the condor_token_request tools: what they ask of a daemon, and what the answers become."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import tokenrequests, tokens
from condor_py.client import wire
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.model.messages.access import (
    ApproveToken,
    AutoApproveTokens,
    FetchToken,
    FinishToken,
    ListTokenRequests,
    RequestToken,
    TokenMade,
    TokenRequested,
    TokenRequests,
)
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.wakeups import Done

ONE = {
    "RequestId": "0752581",
    "ClientId": "vm-17",
    "RequestedIdentity": "jane@example.net",
    "PeerLocation": "127.0.0.1",
}
OTHER = ONE | {"RequestId": "0000012", "ClientId": "vm-18"}


class Daemon:
    """A daemon that gives the same answers one after the other, and remembers the requests."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[Any] = []
        self.answers: list[Any] = []
        self.waited: list[float] = []
        monkeypatch.setattr(Pool, "ask", lambda pool, name, request: self.ask(name, request))
        monkeypatch.setattr(tokens, "runs", lambda pool, daemon: True)
        monkeypatch.setattr(tokenrequests.time, "sleep", self.waited.append)

    def ask(self, name: str, request: Any) -> Any:
        self.asked.append((name, request))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def daemon(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Daemon:
    return Daemon(monkeypatch)


# -- condor_token_fetch


@pytest.mark.parametrize(
    ("words", "name", "request_"),
    [
        ("", "schedd", FetchToken((), -1, "")),
        ("-lifetime 0", "schedd", FetchToken((), 0, "")),
        ("-type startd -lifetime 600 -authz READ -authz WRITE", "startd", FetchToken(("READ", "WRITE"), 600, "")),
        ("-type MASTER -key other -name localhost", "master", FetchToken((), -1, "other")),
        ("-type collector", "master", FetchToken((), -1, "")),
    ],
)
def test_a_token_is_fetched(daemon: Daemon, spool: Spool, words: str, name: str, request_: FetchToken) -> None:
    daemon.answers = [TokenMade("a.b.c")]
    assert spool.run("condor_token_fetch", *words.split()) == ("a.b.c\n", "", 0)
    ((asked, request),) = daemon.asked
    assert (asked, tuple(request.rights), request.lifetime, request.key) == (
        name, tuple(request_.rights), request_.lifetime, request_.key,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Refused("no such key"), "Failed to request a session token: DAEMON:1:no such key"),
        (Refused("no", error_code=1001), "Failed to request a session token: DAEMON:1001:no"),
        (Refused("no", error_code=2010), "Failed to request a session token: SECMAN:2010:no"),
        (WireError("gone"), "Failed to request a session token: DAEMON:1:Failed to receive response from daemon: gone"),
    ],
)
def test_a_daemon_that_gives_no_token(daemon: Daemon, spool: Spool, answer: Any, said: str) -> None:
    daemon.answers = [answer]
    assert spool.run("condor_token_fetch") == ("", f"{said}\n", 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-remote", "Remote token fetch failed with the following error:"),
        ("-remote -type startd", "condor_token_fetch: Remote fetch (-remote) is only valid with the schedd."),
        ("-name elsewhere", "ERROR: couldn't locate daemon elsewhere!"),
        ("-type shadow", "ERROR: couldn't locate default daemon type."),
        ("-type shoe", "ERROR: unrecognized daemon type: shoe"),
        ("word", "word"),
    ],
)
def test_what_cannot_be_fetched(daemon: Daemon, spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_token_fetch", *words.split())
    assert (done.out, done.code, daemon.asked) == ("", 1, [])
    assert said in done.err


def test_no_daemon_runs(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(path: str, seconds: float) -> None:
        raise WireError("nobody listens")

    monkeypatch.setattr(wire, "connect", connect)
    done = spool.run("condor_token_fetch")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("ERROR: couldn't locate default daemon type.\n")


# -- condor_token_request


def test_a_request_waits_for_its_approval(daemon: Daemon, spool: Spool) -> None:
    daemon.answers = [TokenRequested("0752581"), TokenMade(""), TokenMade(""), TokenMade("a.b.c")]
    done = spool.run("condor_token_request", "-identity", "jane", "-lifetime", "60", "-authz", "READ")
    assert done == (
        "Token request enqueued.  Ask an administrator to please approve request 0752581.\na.b.c\n", "", 0
    )  # fmt: skip
    (first, begun), *rest = daemon.asked
    assert (first, type(begun)) == ("master", RequestToken)
    assert (begun.identity, begun.lifetime, list(begun.rights)) == ("jane@example.net", 60, ["READ"])
    assert [(name, type(each), each.client, each.request) for name, each in rest] == [
        ("master", FinishToken, begun.client, "0752581")
    ] * 3
    assert len(daemon.waited) == 3
    assert all(0 < seconds <= 10 for seconds in daemon.waited)


@pytest.mark.parametrize(
    ("words", "identity"), [("", "condor@example.net"), ("-identity a@b", "a@b"), ("-identity x", "x@example.net")]
)
def test_a_request_that_a_rule_approves(daemon: Daemon, spool: Spool, words: str, identity: str) -> None:
    daemon.answers = [TokenRequested("7", "a.b.c")]
    assert spool.run("condor_token_request", *words.split()).out.endswith("approve request 7.\na.b.c\n")
    ((_, request),) = daemon.asked
    assert (request.identity, request.lifetime, daemon.waited) == (identity, -1, [])
    host, _, number = request.client.rpartition("-")
    assert host
    assert 0 <= int(number) < 1000


def test_a_request_that_is_dropped(daemon: Daemon, spool: Spool) -> None:
    daemon.answers = [TokenRequested("7"), Refused("unknown request")]
    done = spool.run("condor_token_request")
    assert done.err == "Failed to get a status update for token request: DAEMON:1:unknown request\n"
    assert done.code == 1
    daemon.answers = [Refused("too many")]
    done = spool.run("condor_token_request")
    assert done == ("", "Failed to request a new token: DAEMON:1:too many\n", 1)


# -- condor_token_request_approve


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_each_request_is_shown_and_approved(daemon: Daemon, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "yes\nyes\n")
    daemon.answers = [TokenRequests([ONE, OTHER]), Done(), Done()]
    done = spool.run("condor_token_request_approve")
    assert (done.err, done.code) == ("", 0)
    parts = done.out.split("Request contents:\n")
    assert 'RequestedIdentity = "jane@example.net"\n' in parts[1]
    assert parts[1].endswith("\n\nTo approve, please type 'yes'\nRequest 0752581 approved successfully.\n")
    assert parts[2].endswith("Request 0000012 approved successfully.\n")
    assert [(name, type(each)) for name, each in daemon.asked] == [
        ("master", ListTokenRequests), ("master", ApproveToken), ("master", ApproveToken),
    ]  # fmt: skip
    assert [(each.client, each.request) for _, each in daemon.asked[1:]] == [("vm-17", "0752581"), ("vm-18", "0000012")]


@pytest.mark.parametrize("typed", ["no\n", "", "yes please\n", "Yes\n", "\nyes\n"])
def test_what_is_not_approved(daemon: Daemon, spool: Spool, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    given(monkeypatch, typed)
    daemon.answers = [TokenRequests([ONE])]
    done = spool.run("condor_token_request_approve", "-reqid", "0752581")
    assert (done.err, done.code) == ("Request was NOT approved.\n", 1)
    assert daemon.asked[0][1].request == "0752581"


@pytest.mark.parametrize(
    ("tool", "words", "answer", "said"),
    [
        ("approve", "", TokenRequests([]), "Remote daemon has no request to approve."),
        ("approve", "-reqid 7", TokenRequests([]), "Remote daemon did not provide information for request ID 7."),
        ("list", "-reqid 7", TokenRequests([]), "Remote daemon did not provide information for request ID 7."),
        ("approve", "-reqid 7", Refused("no"), "Failed to locate request corresponding to ID 7: DAEMON:1:no"),
        ("list", "-reqid 7", Refused("no"), "Failed to locate request corresponding to ID 7: DAEMON:1:no"),
        ("list", "", Refused("no"), "Failed to list token requests: DAEMON:1:no"),
        ("auto_approve", "-netblock 10.0.0.0/8", Refused("no"), "Failed to create new auto-approval rule: DAEMON:1:no"),
        ("auto_approve", "-netblock 127.0.0.0/8 -lifetime x", None,
         "condor_token_request_auto_approve: Invalid argument for -lifetime: x."),
        ("auto_approve", "-lifetime 5", None, "condor_token_request_auto_approve: -netblock argument is required."),
        ("list", "word", None, "word"),
    ],
)  # fmt: skip
def test_requests_that_are_not_there(
    daemon: Daemon, spool: Spool, tool: str, words: str, answer: Any, said: str
) -> None:
    daemon.answers = [answer]
    done = spool.run(f"condor_token_request_{tool}", *words.split())
    assert (done.out, done.code, len(daemon.asked)) == ("", 1, 0 if answer is None else 1)
    assert said in done.err


def test_an_approval_that_is_refused(daemon: Daemon, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "yes\n")
    daemon.answers = [TokenRequests([ONE]), Refused("not yours")]
    done = spool.run("condor_token_request_approve")
    assert (done.err, done.code) == ("Failed to approve token request: DAEMON:1:not yours\n", 1)
    assert "approved successfully" not in done.out


# -- condor_token_request_auto_approve and condor_token_request_list


@pytest.mark.parametrize(
    ("words", "lifetime", "hours"), [("", 3600, "1.00"), ("-lifetime 600", 600, "0.17"), ("-lifetime 0", 0, "0.00")]
)
def test_a_rule_that_approves(daemon: Daemon, spool: Spool, words: str, lifetime: int, hours: str) -> None:
    said = f"Successfully installed auto-approval rule for netblock 10.0.0.0/8 with lifetime of {hours} hours\n"
    daemon.answers = [Done(), TokenRequests([])]
    done = spool.run("condor_token_request_auto_approve", "-netblock", "10.0.0.0/8", *words.split())
    assert done == (said, "Remote daemon reports no un-approved requests pending.\n", 0)
    (_, rule), (_, listed) = daemon.asked
    assert (type(rule), rule.netblock, rule.lifetime) == (AutoApproveTokens, "10.0.0.0/8", lifetime)
    assert (type(listed), listed.request) == (ListTokenRequests, "")
    daemon.answers = [Done(), TokenRequests([ONE])]
    done = spool.run("condor_token_request_auto_approve", "-netblock", "10.0.0.0/8", *words.split())
    assert (done.out.startswith(said), done.err, done.code) == (True, "", 0)
    _, shown, after = done.out.split("=" * 50 + "\n")
    assert 'RequestId = "0752581"\n' in shown
    assert after == "To approve these requests, please run condor_token_request_approve manually.\n"


def test_requests_are_listed(daemon: Daemon, spool: Spool) -> None:
    daemon.answers = [TokenRequests([ONE, OTHER]), TokenRequests([ONE, OTHER]), TokenRequests([])]
    done = spool.run("condor_token_request_list")
    assert (done.err, done.code) == ("", 0)
    assert [line for line in done.out.splitlines() if "RequestId" in line] == [
        'RequestId = "0752581"', 'RequestId = "0000012"',
    ]  # fmt: skip
    assert json.loads(spool.run("condor_token_request_list", "-json", "-reqid", "1").out) == [ONE, OTHER]
    assert spool.run("condor_token_request_list") == ("", "Remote daemon reports no requests pending.\n", 0)
    assert [each.request for _, each in daemon.asked] == ["", "1", ""]


# -- condor_token_list


def test_tokens_that_name_their_abilities(daemon: Daemon, spool: Spool) -> None:
    from condor_py.client.tokens import Wish, make_token
    from condor_py.model.settings.tokens import TokenSettings

    Path("POOL").write_bytes(b"k" * 32)
    Path("POOL").chmod(0o600)
    settings = TokenSettings(issuer="vm", keys=".", pool_key="POOL")
    Path("tokens").mkdir()
    Path("tokens/one").write_text(make_token(settings, Wish("jane@example.net"), 1795888261) + "\n")
    done = spool.run("condor_token_list", "-dir", "tokens", "-capability")
    assert (done.out.count('"sub":"jane@example.net"'), done.err, done.code) == (1, "", 0)
    done = spool.run("condor_token_list", "-dir", "tokens", "-capability", "-name", "elsewhere")
    assert done == ("", "ERROR: couldn't locate daemon.\n", 1)
    done = spool.run("condor_token_list", "-dir", "none")
    assert done == ("", "Cannot open none: No such file or directory\n", 1)
