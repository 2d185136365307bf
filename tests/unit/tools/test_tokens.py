"""condor_token_create and condor_token_list, and the tokens themselves."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.client import tokens
from condor_py.client.tokens import TokenError, Wish, make_token, read_token
from condor_py.model.errors import StoreError
from condor_py.model.settings.tokens import TokenSettings
from condor_py.store.signing_keys import make_key, read_key

#: A key file, and what condor_token_create of HTCondor 23.9.6 made of it as POOL and as another key.
KEY = b"a-key-of-thirty-two-bytes-or-so!"
OF_POOL = (
    "eyJhbGciOiJIUzI1NiIsImtpZCI6IlBPT0wifQ.eyJleHAiOjE3OTU4ODgzMjEsImlhdCI6MTc5NTg4ODI2MSwiaXNzIjoidm0iLCJqdGkiOiI5N"
    "mQ5YTc1Mzk5MGI0NzY4NmZiYjM5OGFiZmZmZjljYSIsInNjb3BlIjoiY29uZG9yOlwvUkVBRCBjb25kb3I6XC9XUklURSIsInN1YiI6ImphbmVAZX"
    "hhbXBsZS5uZXQifQ.vxFUOZStL5c0r9gdzcOCXFrIin11E3n-HYxx8_O4ByE"
)
OF_OTHER = (
    "eyJhbGciOiJIUzI1NiIsImtpZCI6Im90aGVyIn0.eyJpYXQiOjE3OTU4ODgyNjEsImlzcyI6InZtIiwianRpIjoiMGFjYmIyN2I0ODM2ZTRkZTljZ"
    "mE2YTM2Zjk0YmU2MmIiLCJzdWIiOiJqYW5lQGV4YW1wbGUubmV0In0.lC5hMKy9b98HGOZp8ILc-wBnJoGLuy7Z1m263Zk8mUw"
)
MADE_AT = 1795888261


@pytest.fixture
def keys(tmp_path: Path) -> TokenSettings:
    """Settings with two keys."""
    for name in ("POOL", "other"):
        (tmp_path / name).write_bytes(KEY)
        (tmp_path / name).chmod(0o600)
    return TokenSettings(issuer="vm", keys=str(tmp_path), pool_key=str(tmp_path / "POOL"))


@pytest.mark.parametrize(
    ("token", "wish"),
    [
        (OF_POOL, Wish("jane@example.net", ("READ", "WRITE"), 60)),
        (OF_OTHER, Wish("jane@example.net", key="other")),
    ],
)
def test_tokens_are_those_of_htcondor(
    keys: TokenSettings, monkeypatch: pytest.MonkeyPatch, token: str, wish: Wish
) -> None:
    parts = read_token(token)
    assert parts is not None
    monkeypatch.setattr(tokens.secrets, "token_hex", lambda _: json.loads(parts.payload)["jti"])
    assert make_token(keys, wish, MADE_AT) == token


@pytest.mark.parametrize("name", ["none", "..", "../POOL", "a\0b", "x" * 5000])
def test_a_key_is_a_file_of_the_directory(keys: TokenSettings, name: str) -> None:
    with pytest.raises(TokenError, match=r"^TOKEN:1:Failed to read file (.|\n)* securely\.$"):
        make_token(keys, Wish("jane@example.net", key=name), MADE_AT)


@pytest.mark.promise("S12")
def test_a_key_that_others_may_read_signs_nothing(keys: TokenSettings, tmp_path: Path) -> None:
    (tmp_path / "POOL").chmod(0o640)
    with pytest.raises(TokenError):
        make_token(keys, Wish("jane@example.net"), MADE_AT)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(StoreError):
        read_key(str(tmp_path / "pipe"))


def test_the_pool_makes_its_key_once(tmp_path: Path) -> None:
    path = tmp_path / "passwords.d" / "POOL"
    assert make_key(str(path))
    key = read_key(str(path))
    assert len(key) == 64
    assert not make_key(str(path))
    assert read_key(str(path)) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["POOL"]
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot make the signing key"):
        make_key(str(tmp_path / "file" / "POOL"))


def test_a_token_goes_to_stdout_or_to_a_file(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_SEC_TOKEN_DIRECTORY", str(tmp_path / "tokens"))
    done = run("condor_token_create", "-identity", "jane@example.net")
    assert (done.code, done.err.splitlines()[0]) == (2, "Failed to generate a token.")
    make_key(str(tmp_path / "local" / "passwords.d" / "POOL"))
    done = run("condor_token_create", "-id", "jane@example.net", "-authz", "READ", "-lifetime", "60s")
    parts = read_token(done.out.strip())
    assert done.code == 0
    assert parts is not None
    claims = json.loads(parts.payload)
    assert (claims["sub"], claims["scope"], claims["iss"]) == ("jane@example.net", "condor:/READ", "example.net")
    assert claims["exp"] == claims["iat"] + 60
    assert run("condor_token_create", "-identity", "bob@x", "-token", "bob").out == ""
    assert stat.S_IMODE((tmp_path / "tokens" / "bob").stat().st_mode) == 0o600
    for words, why in (
        (("-token", "../bob"), "Token name isn't a plain filename\n"),
        (("-file", "/none/bob"), "Cannot write token to /none/bob: No such file or directory (errno=2)\n"),
        (("-lifetime", "soon"), "condor_token_create: Invalid argument for -lifetime: soon.\n"),
        (("-lifetime", "9" * 30), f"condor_token_create: Invalid argument for -lifetime: {'9' * 30}.\n"),
    ):
        done = run("condor_token_create", "-identity", "bob@x", *words)
        assert (done.code, done.err) == (1, why)


def test_tokens_are_listed(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "tokens"
    monkeypatch.setenv("_CONDOR_SEC_TOKEN_DIRECTORY", str(directory))
    assert run("condor_token_list") == ("", "", 0)
    directory.mkdir()
    (directory / "a").write_bytes(f"# mine\n\xff\n{OF_OTHER}\n\n a.b.c\n {OF_POOL} \nno token\n".encode("latin-1"))
    (directory / "b~").write_text(OF_OTHER)
    (directory / "sub").mkdir()
    lines = run("condor_token_list").out.splitlines()
    assert [line.split(" Payload: ")[0] for line in lines] == [
        'Header: {"alg":"HS256","kid":"other"}',
        'Header: {"alg":"HS256","kid":"POOL"}',
    ]
    assert all(line.endswith(f"}} File: {directory / 'a'}") for line in lines)
    assert run("condor_token_list", "-file", str(directory / "b~")).out.startswith('Header: {"alg":"HS256"')
    for words in (("-dir", "/none"), ("-file", "/none")):
        assert run("condor_token_list", *words) == ("", "Cannot open /none: No such file or directory\n", 1)


def test_the_words_of_condor_ping_are_checked(spool: Spool) -> None:
    assert run("condor_ping", "READ") == ("", "ERROR: couldn't locate schedd!\n", 1)
    assert run("condor_ping", "-quiet", "READ") == ("", "", 1)
    done = run("condor_ping", "zork", "SOAP", "007", "9" * 5000)
    words = ("zork", "SOAP", "007", "9" * 5000)
    assert done.err.splitlines() == [f'ERROR: Could not understand TOKEN "{word}".' for word in words]
    assert run("condor_ping", "-address", "here").err == "ERROR: unable to parse sinful string: here\n"
    for words, why in (
        (("-quiet", "-table"), "ERROR: only one output mode may be specified."),
        (("-type", "zork"), "ERROR: unrecognized daemon type: zork"),
        (("-name", "a", "-address", "<1.2.3.4:5>"), "ERROR: -address cannot be used with -pool or -name."),
        (("-pool",), "ERROR: -pool requires an argument."),
    ):
        done = run("condor_ping", *words)
        assert (done.code, done.err.splitlines()[0]) == (1, why)
