"""Requests for tokens in the memory of a daemon: who may ask, approve and fetch, and how many there are."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from condor_py.client.tokens import read_token
from condor_py.client.wire import Peer
from condor_py.daemons.common.access import Access
from condor_py.daemons.common.tokenrequests import Caller, Denied, TokenRequests
from condor_py.lang.config import load
from condor_py.model.errors import CondorError
from condor_py.model.messages import access as say

JANE, BOB = Caller(1000, "jane@pool", False), Caller(1001, "bob@pool", False)
ROOT = Caller(0, "root@pool", True)
NOW = 1_000_000


def sign(identity: str, rights: Sequence[str], lifetime: int) -> str:
    return f"{identity} {','.join(rights)} {lifetime}"


def cannot_sign(identity: str, rights: Sequence[str], lifetime: int) -> str:
    raise CondorError("no key")


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def requests(told: list[str]) -> TokenRequests:
    return TokenRequests(told.append)


def ask(requests: TokenRequests, caller: Caller = JANE, identity: str = "condor@pool", now: int = NOW) -> str:
    number, token = requests.add(caller, "client", identity, ("READ",), 60, now, sign)
    assert token == ""
    return number


def refusal(requests: TokenRequests, name: str, *words: object) -> tuple[str, int]:
    with pytest.raises(Denied) as error:
        getattr(requests, name)(*words)
    return str(error.value), error.value.number


@pytest.mark.promise("S13")
def test_an_administrator_approves_and_the_one_who_asked_gets_it_once(requests: TokenRequests, told: list[str]) -> None:
    number = ask(requests)
    assert [ad["RequestId"] for ad in requests.listed(ROOT, "", NOW)] == [number]
    assert requests.listed(BOB, "", NOW) == []
    words = ("client", number, NOW, sign)
    assert refusal(requests, "approve", BOB, *words) == ("Insufficient privilege to approve request.", 6)
    assert refusal(requests, "approve", ROOT, "other", *words[1:]) == ("Request unknown.", 5)
    assert requests.take(JANE, "client", number, NOW) == ""
    requests.approve(ROOT, *words)
    assert told == [f"Token request {number} of jane@pool for condor@pool approved by root@pool"]
    assert refusal(requests, "approve", ROOT, *words) == ("Request in incorrect state.", 5)
    assert refusal(requests, "take", BOB, "client", number, NOW) == ("Request ID is not known.", 3)
    assert refusal(requests, "take", JANE, "other", number, NOW) == ("Client ID is incorrect.", 3)
    assert requests.take(JANE, "client", number, NOW) == "condor@pool READ 60"
    assert refusal(requests, "take", JANE, "client", number, NOW) == ("Request ID is not known.", 3)


def test_users_approve_requests_for_themselves(requests: TokenRequests) -> None:
    number = ask(requests, JANE, "bob@pool")
    assert len(requests.listed(BOB, number, NOW)) == 1
    requests.approve(BOB, "client", number, NOW, sign)
    assert requests.take(JANE, "client", number, NOW) == "bob@pool READ 60"


@pytest.mark.parametrize("number", ["x", "-1", "1" * 5000, "١", " 1", "\n"])
def test_a_number_is_a_number(requests: TokenRequests, number: str) -> None:
    wrong = ("Unable to convert request ID to integer.", 2)
    assert refusal(requests, "take", JANE, "client", number, NOW) == wrong
    assert refusal(requests, "listed", JANE, number, NOW) == wrong
    assert refusal(requests, "approve", ROOT, "client", number, NOW, sign) == wrong


def test_no_account_takes_all_places(requests: TokenRequests) -> None:
    for _ in range(100):
        ask(requests)
    many = ("Too many requests in the system.", 3)
    words = ("client", "condor@pool", (), -1, NOW, sign)
    assert refusal(requests, "add", JANE, *words) == many
    ask(requests, BOB)
    for _ in range(899):
        ask(requests, ROOT)
    assert refusal(requests, "add", ROOT, *words) == many
    assert refusal(requests, "add", BOB, *words) == many
    assert ask(requests, JANE, now=NOW + 7201)
    assert len(requests.listed(ROOT, "", NOW + 7201)) == 1
    assert refusal(requests, "add", BOB, "x" * 5000, *words[1:]) == ("The request is too long.", 1)


@pytest.mark.parametrize("odd", ["a\nb", "\x1b[2J", "\0", "\ud800", "\u202e"])
def test_a_request_can_be_printed(requests: TokenRequests, odd: str) -> None:
    why = ("The request has characters that cannot be printed.", 1)
    for words in ((odd, "condor@pool", ()), ("client", odd, ()), ("client", "condor@pool", ("READ", odd))):
        assert refusal(requests, "add", JANE, *words, -1, NOW, sign) == why
    assert requests.listed(ROOT, "", NOW) == []


def test_requests_expire_and_a_reconfiguration_ends_them(requests: TokenRequests) -> None:
    number = ask(requests)
    assert requests.listed(ROOT, "", NOW + 3601) == []
    assert refusal(requests, "take", JANE, "client", number, NOW + 3601) == ("Request has expired.", 5)
    number = ask(requests)
    requests.forget()
    assert refusal(requests, "take", JANE, "client", number, NOW) == ("Request failed.", 4)
    number = ask(requests)
    with pytest.raises(CondorError, match="no key"):
        requests.approve(ROOT, "client", number, NOW, cannot_sign)
    assert refusal(requests, "take", JANE, "client", number, NOW) == ("Request failed.", 4)


@pytest.mark.parametrize(
    ("netblock", "token"),
    [
        ("127.0.0.0/8", "condor@pool ADVERTISE_STARTD -1"), ("127.*", "condor@pool ADVERTISE_STARTD -1"),
        ("127.0.0.1", "condor@pool ADVERTISE_STARTD -1"), ("10.0.0.0/8", ""), ("::/0", ""),
    ],
)  # fmt: skip
def test_a_rule_approves_requests_of_daemons(requests: TokenRequests, netblock: str, token: str) -> None:
    early, _ = requests.add(JANE, "client", "condor@pool", ("ADVERTISE_STARTD",), -1, NOW - 60, sign)
    requests.approve_from(netblock, 600, NOW, sign)
    assert requests.take(JANE, "client", early, NOW) == token
    for identity, rights in (("condor@pool", ("READ",)), ("condor@pool", ()), ("root@pool", ("ADVERTISE_STARTD",))):
        assert requests.add(JANE, "client", identity, rights, -1, NOW, sign)[1] == ""
    assert requests.add(JANE, "client", "condor@pool", ("ADVERTISE_STARTD",), -1, NOW, sign)[1] == token
    assert requests.add(JANE, "client", "condor@pool", ("ADVERTISE_STARTD",), -1, NOW + 601, sign)[1] == ""


@pytest.mark.parametrize("netblock", ["", "zork", "1.2.3.4.5.*", "*", ".*", "10.0.0.0/99", "x" * 5000])
def test_a_rule_needs_a_network_and_a_time(requests: TokenRequests, netblock: str) -> None:
    wrong = ("Auto-approval rule netblock invalid.", 2)
    assert refusal(requests, "approve_from", netblock, 60, NOW, sign) == wrong
    short = ("Auto-approval rule lifetimes must be greater than zero.", 2)
    assert refusal(requests, "approve_from", "10.0.0.0/8", 0, NOW, sign) == short


@pytest.mark.parametrize(
    ("rights", "scope"),
    [
        (("READ,WRITE",), "condor:/READ condor:/WRITE"), (("READ WRITE", "DAEMON"), "condor:/READ condor:/WRITE "
        "condor:/DAEMON"), (("READ",), "condor:/READ"), (("", " , "), None), ((), None),
    ],
)  # fmt: skip
def test_a_text_may_list_several_rights(tmp_path: Path, rights: Sequence[str], scope: str | None) -> None:
    """The administrator sees what the token will hold."""
    (tmp_path / "POOL").write_bytes(b"k" * 32)
    (tmp_path / "POOL").chmod(0o600)
    knobs = {"SEC_TOKEN_POOL_SIGNING_KEY_FILE": f"{tmp_path}/POOL", "SEC_ISSUED_TOKEN_EXPIRATION": "60"}
    config = load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})
    access, me = Access(lambda line: None), Peer(os.getpid(), os.geteuid(), os.getegid())
    fetched = access.answer(config, say.FetchToken(rights, 3600), me)
    assert isinstance(fetched, say.TokenMade)
    parts = read_token(fetched.token)
    assert parts is not None
    payload = json.loads(parts.payload)
    assert payload.get("scope") == scope
    assert payload["exp"] - payload["iat"] == 60
    assert isinstance(access.answer(config, say.RequestToken("jane@pool", "client", rights), me), say.TokenRequested)
    listed = access.answer(config, say.ListTokenRequests(), me)
    assert isinstance(listed, say.TokenRequests)
    (ad,) = listed.requests
    assert ad["TokenLifetime"] == 60
    assert ad.get("LimitAuthorization") == (scope and scope.replace("condor:/", "").replace(" ", ","))
