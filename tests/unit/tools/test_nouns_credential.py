"""htcondor credential: what it asks condor_credd for, and how it lists what is kept, with the jobs that need it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.bindings import CredType, session
from condor_py.bindings.errors import HTCondorException
from condor_py.cli.nouns import credential

WHEN = 1795888800  # 2026-11-28 18:00 UTC


class FakeCredd:
    """A condor_credd that remembers what it is asked for."""

    asked: list[tuple[Any, ...]]
    kerberos: Any = None
    tokens = 'fully_qualified_user = "jane@example.net"\n'

    def query_user_cred(self, kind: CredType) -> Any:
        if isinstance(self.kerberos, Exception):
            raise self.kerberos
        return self.kerberos

    def query_user_service_cred(self, kind: CredType, service: str | None) -> str:
        assert (kind, service) == (CredType.OAuth, None)
        return self.tokens

    def get_oauth2_credential(self, service: str, handle: str | None) -> str:
        return f"token of {service} {handle}"

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.asked.append((name, *args))


@pytest.fixture
def credd(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> FakeCredd:
    monkeypatch.setattr(session, "_pool", None)
    FakeCredd.asked = []
    fake = FakeCredd()
    monkeypatch.setattr(credential, "Credd", lambda: fake)
    return fake


HEAD = "Service             Handle                   Last Refreshed  File"


@pytest.mark.parametrize(
    ("kerberos", "line"),
    [
        (None, ">> no Kerberos credential found"),
        (HTCondorException("no directory"), ">> no Kerberos credential found"),
        (WHEN, ">> Kerberos timestamp 2026-11-28 18:00:00"),
    ],
)
def test_a_user_without_tokens(credd: FakeCredd, spool: Spool, kerberos: Any, line: str) -> None:
    credd.kerberos = kerberos
    credd.tokens += "box.other = 7\n"
    done = spool.run("htcondor", "credential", "list")
    lines = [">> no Windows password found", line, ">> no OAuth credentials found for 'jane@example.net'"]
    assert (done.out.splitlines(), done.err, done.code) == (lines, "", 0)


def test_own_tokens_and_the_jobs_that_need_them(credd: FakeCredd, spool: Spool) -> None:
    for cluster, procs, owner, needed in (
        (1, 1, "jane", "box"), (2, 5, "jane", "scitokens,box*long"), (3, 2, "jane", "box*long"), (4, 1, "bob", "box"),
    ):  # fmt: skip
        spool.add(cluster, procs, owner, OAuthServicesNeeded=f'"{needed}"')
    spool.add(5, 1, "jane")
    spool.set("2.3", "OAuthServicesNeeded", '"none"')
    credd.tokens += f"box.use = {WHEN}\nbox_long.top = {WHEN + 60}\nidle.use = {WHEN}\n"
    done = spool.run("htcondor", "credential", "list")
    assert (done.err, done.code) == ("", 0)
    assert done.out.splitlines()[2:] == [
        ">> Found OAuth2 credentials for 'jane@example.net':",
        f"   {HEAD}          Jobs",
        "   box                                     2026-11-28 18:00:00  box.use       1.0",
        "   box                 long                2026-11-28 18:01:00  box_long.use  2.[0-2],4; 3.0,1",
        "   idle                                    2026-11-28 18:00:00  idle.use      ",
    ]


def test_tokens_of_all_users(credd: FakeCredd, spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    knobs: dict[str, str] = {}
    monkeypatch.setattr(credential, "param", knobs)
    assert spool.run("htcondor", "credential", "listall") == ("", "", 0)
    top = tmp_path / "oauth"
    knobs["SEC_CREDENTIAL_DIRECTORY_OAUTH"] = str(top)
    top.mkdir()
    assert spool.run("htcondor", "credential", "listall").out == ">> no OAuth credentials found\n"
    (top / "CREDMON_COMPLETE").touch()
    for name in ("jane/scitokens.use", "jane/box_long.top", "jane/box.meta", "maximilian/scitokens.top"):
        path = top / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (WHEN, WHEN))
    spool.add(1, 3, "jane", OAuthServicesNeeded='"scitokens"')
    spool.add(2, 1, "maximilian", OAuthServicesNeeded='"scitokens"')
    done = spool.run("htcondor", "credential", "listall")
    assert done.out.splitlines() == [
        ">> Found the following OAuth2 credentials:",
        f"   User        {HEAD}           Jobs",
        "   jane        box                 long                2026-11-28 18:00:00  box_long.use   ",
        "   jane        scitokens                               2026-11-28 18:00:00  scitokens.use  1.[0-2]",
        "   maximilian  scitokens                               2026-11-28 18:00:00  scitokens.use  2.0",
    ]

    def refused(path: str) -> list[str]:
        raise PermissionError(path)

    monkeypatch.setattr(credential.os, "listdir", refused)
    assert spool.run("htcondor", "credential", "listall").out == (
        "This command is meant to be run by the access point administrator.  "
        "(You don't have permission to read the credentials directory.)\n"
    )


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("add oauth2 box_long.tok", ("add_user_service_cred", CredType.OAuth, b"secret", "box", "long.tok")),
        ("add oauth2 box", ("add_user_service_cred", CredType.OAuth, b"secret", "box", None)),
        ("add oauth2 box --service s", ("add_user_service_cred", CredType.OAuth, b"secret", "s", None)),
        ("add oauth2 box --service s --handle h", ("add_user_service_cred", CredType.OAuth, b"secret", "s", "h")),
        ("add kerberos box", ("add_user_cred", CredType.Kerberos, b"secret")),
        ("remove kerberos", ("delete_user_cred", CredType.Kerberos)),
        ("remove oauth2 --service s --handle h", ("delete_user_service_cred", CredType.OAuth, "s", "h")),
    ],
)
def test_what_is_asked_for(credd: FakeCredd, spool: Spool, words: str, asked: tuple[Any, ...]) -> None:
    for name in ("box", "box_long.tok"):
        Path(name).write_bytes(b"secret")
    done = spool.run("htcondor", "credential", *words.split())
    assert (done.err, done.code) == ("", 0)
    assert credd.asked == [asked]


def test_a_token_is_read(credd: FakeCredd, spool: Spool) -> None:
    assert spool.run("htcondor", "credential", "get", "oauth2", "--service", "box").out == "token of box None\n"
    done = spool.run("htcondor", "credential", "get", "kerberos")
    assert (done.out, done.code) == ("", 1)
    assert "a kerberos credential cannot be read back" in done.err
    Path("file").write_text("x")
    for words in (("add", "password", "file"), ("remove", "password")):
        done = spool.run("htcondor", "credential", *words)
        assert (done.out, done.code) == ("", 1)
        assert "passwords are for jobs on Windows" in done.err
    assert credd.asked == []


@pytest.mark.parametrize(
    ("procs", "text"),
    [([], ""), ([4], "4"), ([1, 2], "1,2"), ([1, 2, 3], "[1-3]"), ([0, 2, 4], "0,2,4"),
     ([0, 1, 3, 5, 6, 7], "[0-1],3,[5-7]")],
)  # fmt: skip
def test_procs_in_few_words(procs: list[int], text: str) -> None:
    assert credential._procs(procs) == text
