"""condor_ping and condor_token_fetch: accounts of the machine, as daemons see them."""

from __future__ import annotations

import json

import pytest
from shared_pool import STRANGER, SharedPool

from condor_py.client.tokens import read_token

_ALL = """\
               ALLOW             FS       none      none    ALLOW {user}
                READ             FS       none      none    ALLOW {user}
               WRITE             FS       none      none    ALLOW {user}
"""
_REFUSED = "           FAIL       FAIL      FAIL     FAIL FAIL  (use -verbose for more info)"


def _user(pool: SharedPool, name: str) -> str:
    return f"{name}@{pool.tool('condor_config_val', 'UID_DOMAIN').stdout.strip()}"


@pytest.mark.promise("S7")
def test_daemons_know_their_callers_and_sign_tokens_for_them(shared: SharedPool) -> None:
    owner, stranger = _user(shared, "root"), _user(shared, STRANGER)
    assert shared.tool("condor_ping").stdout == (
        f"WRITE command using (no encryption, no integrity, and FS) succeeded as {owner} to local schedd.\n"
    )
    done = shared.as_stranger("condor_ping", "-table", "-type", "startd", "all")
    assert done.returncode == 1
    lines = done.stdout.splitlines(keepends=True)
    assert "".join(lines[1:4]) == _ALL.format(user=stranger)
    assert all(line[20:].rstrip() == _REFUSED for line in lines[4:])
    assert len(lines) == 12
    form = ("-af", "Result", "AuthCommand", "MyRemoteUserName", "Name", "From")
    done = shared.as_stranger("condor_ping", *form, "-type", "master", "RESTART", "12345", "DC_NOP_READ")
    assert done.stdout.splitlines() == [
        f"DENIED 453 {stranger} RESTART local master",
        "#SECMAN:2011:Connection closed during command authorization. Probably due to an unknown command.",
        "FAILED 12345 undefined command 12345 local master",
        f"ALLOWED 60020 {stranger} DC_NOP_READ local master",
    ]
    done = shared.as_stranger("condor_token_fetch", "-authz", "READ", "-lifetime", "60")
    parts = read_token(done.stdout.strip())
    assert parts is not None
    claims = json.loads(parts.payload)
    assert (claims["sub"], claims["scope"]) == (stranger, "condor:/READ")
    assert done.stdout.split(".")[2].strip() not in (shared.log / "SchedLog").read_text()
    for words, why in (
        (("-key", "zork"), "DAEMON:3:Server will not sign with requested key."),
        (("-key", "AP"), "DAEMON:1:TOKEN:1:Failed to read file"),
    ):
        done = shared.as_stranger("condor_token_fetch", *words)
        assert done.returncode == 1
        assert f"Failed to request a session token: {why}" in done.stderr
    done = shared.as_stranger("condor_token_create", "-identity", owner)
    assert (done.returncode, done.stdout) == (2, "")
    began = shared.begin_as_stranger("condor_token_request", "-identity", owner, "-authz", "READ")
    assert began.stdout is not None
    try:
        number = began.stdout.readline().rpartition(" ")[2].strip().rstrip(".")
        wish = {"AuthenticatedIdentity": stranger, "RequestedIdentity": owner, "RequestId": number}
        (listed,) = json.loads(shared.tool("condor_token_request_list", "-json").stdout)
        assert {name: listed[name] for name in wish} == wish
        done = shared.as_stranger("condor_token_request_list")
        assert (done.stdout, done.stderr) == ("", "Remote daemon reports no requests pending.\n")
        done = shared.as_stranger("condor_token_request_auto_approve", "-netblock", "127.0.0.0/8")
        assert done.stderr == (
            'Failed to create new auto-approval rule: SECMAN:2010:Received "DENIED" from server for user '
            f"{stranger} using method FS.\n"
        )
        done = shared.tool("condor_token_request_approve", "-reqid", number, stdin="yes\n")
        assert done.stdout.endswith(f"Request {number} approved successfully.\n")
        parts = read_token(began.communicate(timeout=60)[0].strip())
    finally:
        began.kill()
    assert parts is not None
    assert json.loads(parts.payload)["sub"] == owner
