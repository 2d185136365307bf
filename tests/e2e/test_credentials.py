"""Credentials that users store, and that their jobs get: in a pool of root's, and in that of an ordinary account."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pool import Done, PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool

SHOW = 'cat "$_CONDOR_CREDS"/box_read.use && stat -c "%a %U" "$_CONDOR_CREDS"/box_read.use && ls "$_CONDOR_CREDS"'


def keeps_credentials(pool: PersonalPool, **knobs: str) -> Path:
    """Sets the knobs of a pool with condor_credd; the directory of tokens."""
    directory = pool.directory / "tokens"
    pool.knob("DAEMON_LIST", "MASTER, COLLECTOR, SCHEDD, NEGOTIATOR, STARTD, CREDD")
    pool.knob("SEC_CREDENTIAL_DIRECTORY_OAUTH", directory)
    pool.knob("SEC_CREDENTIAL_DIRECTORY_KRB", pool.directory / "tickets")
    for name, value in knobs.items():
        pool.knob(name, value)
    return directory


def ended(done: Done, code: int) -> str:
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_job_of_another_account_gets_the_tokens_that_it_names(stopped_shared: SharedPool) -> None:
    pool = stopped_shared
    soon = {"SCHEDD_INTERVAL": "1", "SEC_CREDENTIAL_SWEEP_INTERVAL": "1", "SEC_CREDENTIAL_SWEEP_DELAY": "1"}
    directory = keeps_credentials(pool, SEC_CREDENTIAL_REFRESH="1", **soon)
    pool.start()
    token = pool.theirs / "token"
    token.write_text("secret one\n")
    token.chmod(0o644)
    words = ("condor_store_cred", "add-oauth", "-s", "box")
    script = pool.theirs / "job.sh"
    script.write_text(f"#!/bin/sh\n{SHOW}\nuntil grep two $_CONDOR_CREDS/box_read.use; do sleep 0.05; done\n")
    script.chmod(0o755)
    (pool.theirs / "job.sub").write_text(
        "executable = job.sh\noutput = out\nlog = job.log\nuse_oauth_services = box\n"
        "box_oauth_permissions_read = r\nqueue\n"
    )
    missing = ended(pool.as_stranger("condor_submit", "job.sub"), 1)
    assert "OAuth error: ERROR: Credential 'box' of unknown type is missing.'; BAILING OUT." in missing
    added = ended(pool.as_stranger(*words, "-H", "read", "-P", "-i", "token"), 0)
    assert added.startswith(f"Account: <current> ({STRANGER})\nCredType: oauth\n\nOperation succeeded. Credential was ")
    assert f'fully_qualified_user = "{STRANGER}@example.net"' in added
    ended(pool.as_stranger(*words, "-H", "other", "-P", "-i", "token"), 0)
    stored = directory / STRANGER / "box_read.use"
    found = stored.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, stat.S_IMODE(directory.stat().st_mode)) == (0o600, 0, 0o700)
    ended(pool.as_stranger("condor_submit", "job.sub"), 0)
    wait_for(lambda: (1, "1.0") in pool.events(pool.theirs / "job.log"), "the job runs")
    # Another user's are out of reach, whatever an ad or a tool names.
    ended(pool.tool(*words, "-P", "-i", "-", stdin="of root", check=False), 0)
    for service in ("../root/box", "box*"):
        (pool.theirs / "bad.sub").write_text(
            f'executable = /bin/true\nlog = bad.log\n+OAuthServicesNeeded = "{service}"\nqueue\n'
        )
        ended(pool.as_stranger("condor_submit", "bad.sub"), 0)
    held = [["4", *["Job", "credentials", "are", "not", "available"]]] * 2
    wait_for(lambda: pool.queue("HoldReasonCode", "HoldReason")[1:] == held, "the jobs are held")
    token.write_text("secret two\n")
    ended(pool.as_stranger(*words, "-H", "read", "-P", "-i", "token"), 0)
    wait_for(lambda: (5, "1.0") in pool.events(pool.theirs / "job.log"), "the renewed token has come")
    assert (pool.theirs / "out").read_text() == f"secret one\n600 {STRANGER}\nbox_read.use\nsecret two\n"
    assert not any("secret" in path.read_text() for path in pool.log.iterdir() if path.is_file())
    denied = ended(pool.as_stranger("condor_store_cred", "delete-oauth", "-u", "root@example.net"), 1)
    assert "Operation failed because it is not allowed" in denied
    assert "illegal character" in ended(pool.as_stranger(*words[:2], "-s", "../root/box", "-P", "-i", "token"), 1)
    ended(pool.as_stranger("condor_store_cred", "delete-oauth", "-s", "box", "-H", "other"), 0)
    assert sorted(os.listdir(directory / STRANGER)) == ["box_read.use"]
    assert (directory / "root" / "box.use").read_text() == "of root"
    # They go when the user's last job has left; root has had none.
    pool.tool("condor_rm", "-all")
    wait_for(lambda: os.listdir(directory) == ["root"], "the credentials are swept")
    names = pool.tool("condor_status", "-any", "-af", "MyType", "Name").stdout.split("\n")
    assert any(line.startswith("CredD ") for line in names)


def test_an_ordinary_accounts_pool_keeps_tokens_and_tickets(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    producer = pool.script("producer", "printf ticket")
    keeps_credentials(pool, SEC_CREDENTIAL_PRODUCER=str(producer))
    pool.start()
    pool.tool("condor_store_cred", "add-oauth", "-s", "box", "-P", "-i", "-", stdin="odd \x01 bytes \udcff\n")
    pool.submit(
        "executable = /bin/sh\narguments = \"-c 'cat $_CONDOR_CREDS/box.use ${KRB5CCNAME#FILE:}'\"\n"
        "output = out\nlog = job.log\nuse_oauth_services = box\nqueue\n"
    )
    pool.wait("job.log")
    assert (pool.work / "out").read_bytes() == b"odd \x01 bytes \xff\nticket"
    shown = pool.tool("condor_store_cred", "query-krb").stdout
    assert "CredType: kerberos\n\nA credential was stored on 2" in shown
    assert " and is valid.\n" in shown
    shown = pool.tool("condor_store_cred", "query-oauth").stdout
    assert "\nA credential was stored and is valid.\n\nCredential info:\n" in shown
    assert "\nbox.use = 1" in shown
    for kind in ("oauth", "krb"):
        assert "Operation succeeded.\n" in pool.tool("condor_store_cred", f"delete-{kind}").stdout
        assert "No credential is stored.\n" in ended(pool.tool("condor_store_cred", f"query-{kind}", check=False), 1)
    refresh = ended(pool.tool("condor_store_cred", "add-oauth", "-s", "box", "-i", "-", stdin="x", check=False), 1)
    assert "no credential monitor makes access tokens of 'box' here" in refresh
