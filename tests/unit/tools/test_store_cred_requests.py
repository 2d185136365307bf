"""condor_store_cred: what it asks condor_credd for, and the words for each answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.store_cred import _check_name
from condor_py.client import credentials
from condor_py.client.credentials import CredentialProblem, Services
from condor_py.daemons.credd import CreddDaemon, Wish
from condor_py.lang.config import Config, load
from condor_py.model.errors import CondorError
from condor_py.model.messages.credentials import TEXTS, Outcome, StoreCredential, Stored
from condor_py.store.credentials import TokenFiles

WHEN = 1795888800  # 2026-11-28 18:00 UTC


class Credd:
    """A condor_credd that remembers requests, and gives one answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[StoreCredential, bytes]] = []
        self.answer = Stored(Outcome.SUCCESS)
        monkeypatch.setattr(credentials, "ask_credd", self.ask)

    def ask(self, pool: object, request: StoreCredential, body: bytes) -> Stored:
        self.asked.append((request, body))
        return self.answer


@pytest.fixture
def credd(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Credd:
    Path("token").write_bytes(b"secret\n")
    return Credd(monkeypatch)


def fields(request: StoreCredential) -> tuple[Any, ...]:
    names = ("action", "kind", "user", "service", "handle", "scopes", "audience", "refresh")
    return tuple(getattr(request, name) for name in names)


@pytest.mark.parametrize(
    ("words", "wanted", "body", "account", "kind"),
    [
        ("add-oauth -s box -i token", ("add", "oauth", "", "box", "", "", "", True), b"secret\n", "", "oauth"),
        ("add-oauth -s box -P -i token", ("add", "oauth", "", "box", "", "", "", False), b"secret\n", "", "oauth"),
        ("add-oauth -s box -H h -S a,b -A here -i token -u ann@x",
         ("add", "oauth", "ann@x", "box", "h", "a,b", "here", True), b"secret\n", "ann@x", "oauth"),
        ("add-krb -i token", ("add", "krb", "", "", "", "", "", None), b"secret\n", "", "kerberos"),
        ("query-oauth", ("query", "oauth", "", "", "", "", "", True), b"", "", "oauth"),
        ("query-scitokens -s box", ("query", "oauth", "", "box", "", "", "", True), b"", "", "oauth"),
        ("query-kerberos", ("query", "krb", "", "", "", "", "", None), b"", "", "kerberos"),
        ("delete-oauth -s box", ("delete", "oauth", "", "box", "", "", "", True), b"", "", "oauth"),
        ("DELETE-OAUTH delete-krb", ("delete", "oauth", "", "", "", "", "", True), b"", "", "oauth"),
        ("query-oath -d -c", ("query", "oauth", "", "", "", "", "", True), b"", "", "oauth"),
    ],
)  # fmt: skip
def test_what_is_asked_for(
    credd: Credd, spool: Spool, words: str, wanted: tuple[Any, ...], body: bytes, account: str, kind: str
) -> None:
    done = spool.run("condor_store_cred", *words.split())
    assert (done.err, done.code) == ("", 0)
    assert [(fields(request), data) for request, data in credd.asked] == [(wanted, body)]
    assert done.out.startswith(f"Account: {account or f'<current> ({spool.me})'}\nCredType: {kind}\n\n")


INFO = "\n\nCredential info:\nA = 1\nB = x\n\n"


@pytest.mark.parametrize(
    ("action", "answer", "said"),
    [
        ("query", Stored(Outcome.SUCCESS, WHEN), "A credential was stored on 2026-11-28 18:00:00 and is valid."),
        ("query", Stored(Outcome.SUCCESS), "A credential was stored and is valid."),
        ("query", Stored(Outcome.PENDING, WHEN),
         "A credential was stored on 2026-11-28 18:00:00 and is waiting for processing."),
        ("delete", Stored(Outcome.SUCCESS, WHEN), "Operation succeeded."),
        ("delete", Stored(Outcome.PENDING), "Operation succeeded and is waiting for processing."),
        ("add", Stored(Outcome.SUCCESS, WHEN), "Operation succeeded. Credential was stored on 2026-11-28 18:00:00"),
        ("add", Stored(Outcome.PENDING, WHEN),
         "Operation succeeded and is waiting for processing. Credential was stored on 2026-11-28 18:00:00"),
    ],
)  # fmt: skip
def test_what_has_worked(credd: Credd, spool: Spool, action: str, answer: Stored, said: str) -> None:
    credd.answer = Stored(answer.outcome, answer.when, [["A", "1"], ["B", "x"]])
    more = ("-s", "box", "-i", "token") if action == "add" else ()
    done = spool.run("condor_store_cred", f"{action}-oauth", *more)
    assert (done.err, done.code) == ("", 0)
    assert done.out.partition("CredType: oauth\n\n")[2] == f"{said}{INFO}"


@pytest.mark.parametrize(
    ("action", "outcome", "out", "err", "code"),
    [
        ("query", Outcome.NOT_FOUND, "No credential is stored.\n", "", 1),
        ("delete", Outcome.NOT_FOUND, "Operation failed: username not found.\n", "", 1),
        ("query", Outcome.FAILURE, "Operation failed.\n", "", 1),
        ("query", Outcome.NOT_ALLOWED, "", f"{TEXTS.get(Outcome.NOT_ALLOWED, 'Operation failed')}\n", 1),
        ("query", Outcome.CONFIG_ERROR, "", f"{TEXTS.get(Outcome.CONFIG_ERROR, 'Operation failed')}\n", 1),
        ("query", Outcome.MISMATCH, "", f"{TEXTS.get(Outcome.MISMATCH, 'Operation failed')}\n", 2),
    ],
)
def test_what_has_failed(
    credd: Credd, spool: Spool, action: str, outcome: Outcome, out: str, err: str, code: int
) -> None:
    credd.answer = Stored(outcome, why="the disk is full")
    done = spool.run("condor_store_cred", f"{action}-oauth")
    assert done.out.partition("CredType: oauth\n\n")[2] == out
    assert (done.err, done.code) == (f"{err}condor_store_cred: the disk is full\n", code)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("add-oauth -s box", "ERROR: add-krb and add-oauth commands require a credential filename argument"),
        ("add-oauth -i token", "ERROR: add-oauth command requires a service name"),
        ("query-oauth -u ann", "ERROR: Username 'ann' is not of the form: account@domain"),
        ("query-oauth -u @x", "ERROR: Username '@x' is not of the form: account@domain"),
        ("add-krb -i none", "Could not read credential from none: No such file or directory"),
        ("add-krb -i empty", "Could not read credential from empty: it is empty"),
        ("query-oauth -n far.example.org",
         "ERROR: far.example.org is not a valid daemon name: this machine is the only one that can be asked"),
        ("query", "condor_store_cred: passwords are for jobs on Windows"),
        ("query-pwd", "condor_store_cred: passwords are for jobs on Windows"),
        ("query-zork", "ERROR: -zork is not a known credential type"),
        ("zork", "ERROR: Unrecognized command - 'zork'"),
        ("query-oauth add-krb", "ERROR: exactly one command must be provided"),
        ("query-oauth -s a -s b", "ERROR: only one '-s' arg may be provided"),
        ("query-oauth -u", "ERROR: Option '-u' requires a username argument"),
        ("query-oauth -z", "ERROR: Unrecognized option - '-z'"),
    ],
)  # fmt: skip
def test_what_is_refused(credd: Credd, spool: Spool, words: str, said: str) -> None:
    Path("empty").touch()
    done = spool.run("condor_store_cred", *words.split())
    assert done.code == 1
    assert done.err.startswith(said)
    assert credd.asked == []


@pytest.mark.parametrize("name", ["", "HERE.example.org", "here", "localhost", "credd@here.example.org", "a@Here"])
def test_this_machine_is_named_in_any_way(name: str) -> None:
    _check_name(name, SimpleNamespace(settings=SimpleNamespace(host="Here.Example.ORG")))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["there", "example.org", "here.example", "here@there", "org"])
def test_another_machine_is_refused(name: str) -> None:
    pool = SimpleNamespace(settings=SimpleNamespace(host="Here.Example.ORG"))
    with pytest.raises(CondorError, match=f"{name} is not a valid daemon name"):
        _check_name(name, pool)  # type: ignore[arg-type]


def configured(**knobs: str) -> Config:
    return load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})


def test_the_storer_is_run_once_for_each_kind_of_service(tmp_path: Path) -> None:
    storer, log = tmp_path / "storer", tmp_path / "log"
    storer.write_text(f'#!/bin/sh\necho "$CONDOR_CREDENTIAL_STORER_MODE $*" >>{log}\n')
    storer.chmod(0o755)
    names = {"LOCAL_CREDMON_PROVIDER_NAMES": "ours", "PELICAN_CREDMON_PROVIDER_NAMES": "p, q"}
    wanted = [{"Service": "p", "Scopes": "read, write"}, {"Service": "v"}, {"Service": "q", "Handle": "h"}]
    wanted += [{"Service": "ours"}, {"Service": "own"}]
    credentials._store(str(storer), wanted, Services(configured(**names, VAULT_CREDMON_PROVIDER_NAMES="v")))
    assert log.read_text() == "pelican p&scopes=read,write q&handle=h\nvault v\n"
    log.unlink()
    credentials._store(str(storer), wanted, Services(configured(**names, SEC_CREDENTIAL_STORER=str(storer))))
    assert log.read_text() == "pelican p&scopes=read,write q&handle=h\nvault v own\n"
    storer.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(CredentialProblem, match=r"storer' failed: exit code 3$"):
        credentials._store(str(storer), wanted, Services(configured(**names)))
    storer.unlink()
    with pytest.raises(CredentialProblem, match=r"^Failed to run '.*/storer': errno 2 \(No such file or directory\)$"):
        credentials._store(str(storer), wanted, Services(configured(**names)))


@pytest.mark.parametrize(("service", "kind"), [("v", "Vault"), ("p", "Pelican")])
def test_a_token_that_this_pool_cannot_get(tmp_path: Path, service: str, kind: str) -> None:
    names = {"PELICAN_CREDMON_PROVIDER_NAMES": "p", "VAULT_CREDMON_PROVIDER_NAMES": "v"}
    daemon: Any = SimpleNamespace(services=Services(configured(**names)))
    files = TokenFiles(str(tmp_path))
    why = f"ERROR: {kind} credential '{service}' is missing. This pool does not work with it."
    assert CreddDaemon._lacks(daemon, files, "ann", Wish({"Service": service})) == why
    files.put("ann", service, "use", b"token")
    assert CreddDaemon._lacks(daemon, files, "ann", Wish({"Service": service})) == ""
