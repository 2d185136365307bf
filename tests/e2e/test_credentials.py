"""Credentials that users store, and that their jobs get: in a pool of root's, and in that of an ordinary account."""

from __future__ import annotations

import json
import os
import pwd
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hook_programs import hook
from pool import ROOT, Done, PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool

pytest.importorskip("cryptography")
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

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


@pytest.mark.promise("S46")
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
    waits = "until grep two $_CONDOR_CREDS/box_read.use; do sleep 0.05; done"
    script.write_text(f"#!/bin/sh\n{SHOW}\ntouch {pool.theirs}/shown\n{waits}\n")
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
    wait_for((pool.theirs / "shown").exists, "the job has seen the first token")
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
    key = pool.directory / "key.pem"
    keeps_credentials(
        pool, SEC_CREDENTIAL_PRODUCER=str(producer), LOCAL_CREDMON_PROVIDER_NAMES="ours",
        LOCAL_CREDMON_PRIVATE_KEY=str(key), LOCAL_CREDMON_TOKEN_AUDIENCE="https://here", DAGMAN_USE_STRICT="0",
    )  # fmt: skip
    shows = "echo $_CONDOR_CREDS; stat -c '%a %n' $_CONDOR_CREDS $_CONDOR_CREDS/*; cat $_CONDOR_CREDS/box.use"
    hook(pool, "SHADOW_PREPARE_JOB", f"({shows}) >{pool.work}/shown")
    pool.start()
    description = "executable = /bin/sh\narguments = \"-c 'cat $_CONDOR_CREDS/ours.use'\"\nuse_oauth_services = ours\n"
    (pool.work / "ours.sub").write_text(f"{description}output = ours\nlog = ours.log\nqueue\n")
    missing = ended(pool.tool("condor_submit", "ours.sub", check=False), 1)
    assert f"Failed to generate credential 'ours'. (LOCAL_CREDMON_PRIVATE_KEY {key}: No such file" in missing
    made = ec.generate_private_key(ec.SECP256R1())
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    key.write_bytes(made.private_bytes(*form))
    ended(pool.tool("condor_submit", "ours.sub"), 0)
    pool.tool("condor_store_cred", "add-oauth", "-s", "box", "-P", "-i", "-", stdin="odd \x01 bytes \udcff\n")
    pool.submit(
        "executable = /bin/sh\narguments = \"-c 'cat $_CONDOR_CREDS/box.use ${KRB5CCNAME#FILE:}'\"\n"
        "output = out\nlog = job.log\nuse_oauth_services = box\n"
        '+HookKeyword = "mine"\nqueue\n'
    )
    pool.wait("job.log")
    place, *modes = (pool.work / "shown").read_text(errors="surrogateescape").splitlines()
    user = pwd.getpwuid(os.geteuid()).pw_name
    assert modes == [f"755 {place}", f"400 {place}/box.use", f"400 {place}/{user}.cc", "odd \x01 bytes \udcff"]
    assert place == f"{pool.directory}/local/spool/2/_condor_creds.cluster2.proc0"
    assert not os.path.exists(place), "what the hook of a job could read is gone with it"
    pool.wait("ours.log")
    token = json.loads((pool.work / "ours").read_text())
    assert (token["expires_in"], token["access_token"].count(".")) == (1200, 2)
    assert (pool.work / "out").read_bytes() == b"odd \x01 bytes \xff\nticket"
    shown = pool.tool("condor_store_cred", "query-krb").stdout
    assert "CredType: kerberos\n\nA credential was stored on 2" in shown
    assert " and is valid.\n" in shown
    shown = pool.tool("condor_store_cred", "query-oauth").stdout
    assert "\nA credential was stored and is valid.\n\nCredential info:\n" in shown
    assert "\nbox.use = 1" in shown
    wish = ended(pool.tool("condor_store_cred", "add-krb", "-i", "-", stdin="LOCAL:ours"), 0)
    assert "Operation succeeded. Credential was stored on 2" in wish
    listed = pool.tool("htcondor", "credential", "list").stdout
    assert ">> Kerberos timestamp 2" in listed
    assert [line.split()[0] for line in listed.splitlines()[-2:]] == ["box", "ours"]
    (pool.work / "gdrive_read").write_text("of a file")
    pool.tool("htcondor", "credential", "add", "oauth2", "gdrive_read")
    words = ("--service", "gdrive", "--handle", "read")
    assert pool.tool("htcondor", "credential", "get", "oauth2", *words).stdout == "of a file\n"
    pool.tool("htcondor", "credential", "remove", "oauth2", *words)
    assert "gdrive" not in pool.tool("htcondor", "credential", "listall").stdout
    # The jobs of a DAG, too: condor_dagman does not make again what was made for it.
    dag = pool.directory / "dag"
    dag.mkdir()
    (dag / "node.sub").write_text(f"{description}output = node\nqueue\n")
    (dag / "lacks.sub").write_text("executable = /bin/true\nuse_oauth_services = none\nqueue\n")
    (dag / "a.dag").write_text("JOB A node.sub\nJOB B lacks.sub\nPARENT A CHILD B\n")
    producer.write_text(f"#!/bin/sh\necho made >> {dag}/made\necho ticket\n")
    pool.tool("condor_submit_dag", "a.dag", cwd=dag)
    wait_for(lambda: pool.history("ClusterId")[0] == ["3"], "the DAG ends")
    assert (dag / "made").read_text() == "made\n"
    assert json.loads((dag / "node").read_text())["access_token"].count(".") == 2
    lacks = "Failed to produce job credentials: OAuth error: ERROR: Credential 'none' of unknown type is missing."
    assert lacks in (dag / "a.dag.dagman.out").read_text()
    for kind in ("oauth", "krb"):
        assert "Operation succeeded.\n" in pool.tool("condor_store_cred", f"delete-{kind}").stdout
        assert "No credential is stored.\n" in ended(pool.tool("condor_store_cred", f"query-{kind}", check=False), 1)
    refresh = ended(pool.tool("condor_store_cred", "add-oauth", "-s", "box", "-i", "-", stdin="x", check=False), 1)
    assert "no credential monitor makes access tokens of 'box' here" in refresh


#: A credential monitor of a site: copies what was stored when it is told that there is something.
MONITOR = """
import glob, os, shutil, signal, sys
top = sys.argv[1]
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
for kind in ("tokens", "tickets"):
    with open(f"{top}/{kind}/pid", "w") as file:
        file.write(str(os.getpid()))
while signal.sigwait([signal.SIGHUP]):
    for path in glob.glob(f"{top}/tokens/*/*.top") + glob.glob(f"{top}/tickets/*.cred"):
        shutil.copy(path, path.replace(".top", ".use").replace(".cred", ".cc"))
"""


def test_the_bindings_and_a_credential_monitor(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    keeps_credentials(pool, SEC_CREDENTIAL_PRODUCER=str(pool.script("producer", "printf ticket")))
    pool.start()
    program = """
import sys, json
sys.path.insert(0, sys.argv[1])
from condor_py import htcondor as htcondor2
from condor_py.lang.classad import ClassAd
def caught(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)
credd = htcondor2.Credd()
oauth, krb = htcondor2.CredType.OAuth, htcondor2.CredType.Kerberos
check = lambda name: credd.check_user_service_creds(oauth, [ClassAd({"Service": name, "Handle": "r"})])
job = htcondor2.Submit({"executable": "/bin/true", "use_oauth_services": "box"})
answer = [
    caught(job.issue_credentials),
    (check("box").present, check("box").error, check("box").services),
    credd.query_user_cred(krb),
    credd.add_user_service_cred(oauth, b"secret", "box", "r"),
    credd.add_user_service_cred(oauth, "other", "box"),
    credd.get_oauth2_credential("box", "r"),
    check("box").present, bool(check("box")), check("box").error,
    job.issue_credentials(), job["MY.SendCredential"],
    credd.query_user_cred(krb) > 0,
    sorted(line.split(" = ")[0] for line in credd.query_user_service_cred(oauth, None).splitlines()),
    credd.delete_user_service_cred(oauth, "box", "r"),
    caught(lambda: credd.get_oauth2_credential("box", "r"))[0],
    credd.delete_user_cred(krb), credd.query_user_cred(krb),
    caught(lambda: credd.add_user_service_cred(oauth, b"x", "a/b")),
    caught(lambda: credd.query_user_service_cred(oauth, None, "r")),
    caught(lambda: credd.add_user_cred(htcondor2.CredType.Password, b"x"))[0],
]
print(json.dumps(answer))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT)], env=pool.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    missing = "OAuth error: ERROR: Credential 'box' of unknown type is missing."
    assert json.loads(done.stdout) == [
        ["HTCondorException", missing],
        [False, missing.removeprefix("OAuth error: "), "box*r"],
        None, None, None, "secret", True, True, None, None, "true", True,
        ["box.use", "box_r.use", "fully_qualified_user"],
        None, "HTCondorException", None, None,
        ["HTCondorException", "Operation aborted due to missing or bad arguments: "
         "illegal character in the name of the service or its handle"],
        ["ValueError", "invalid service argument"], "HTCondorException",
    ]  # fmt: skip
    with subprocess.Popen([sys.executable, "-c", MONITOR, str(pool.directory)]) as monitor, ExitStack() as at_end:
        at_end.callback(monitor.kill)
        wait_for((pool.directory / "tickets" / "pid").read_text, "the monitor is there")
        told = pool.tool("condor_store_cred", "add-krb", "-i", "-", stdin="ticket").stdout
        assert "Operation succeeded. Credential was stored on 2" in told
        words = ("condor_store_cred", "add-oauth", "-s", "cloud", "-S", "read", "-A", "there", "-i", "-")
        assert "Failure parsing credential as JSON" in ended(pool.tool(*words, check=False, stdin="{"), 1)
        told = pool.tool(*words, stdin='{"refresh_token": "x"}').stdout
        assert "Operation succeeded and is waiting for processing.\n" in told
        query = ("condor_store_cred", "query-oauth", *words[2:6])
        assert "did not match requested scopes" in ended(pool.tool(*query, check=False), 2)
        wait_for(lambda: "is valid" in pool.tool(*query, "-A", "there").stdout, "the monitor has made the token")
        vault = ended(pool.tool(*words, check=False, stdin='{"vault_url": "https://v"}'), 1)
        assert "this pool does not work with Vault" in vault
