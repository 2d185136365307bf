"""Proxies, docker's credentials and public files: what condor_submit checks before it takes a job."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from condor_py.lang.macro.macro_set import MacroSet, Origin
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.extras import expiration
from condor_py.lang.submit.macros import Macros
from condor_py.lang.submit.services import requests

EXECUTABLE = "executable = /bin/true\n"
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")


def proxy(folder: Path, begins: datetime, ends: datetime) -> Path:
    """A certificate that is valid between these times, with its key, as a proxy file has them."""
    key, certificate, both = folder / "key.pem", folder / "cert.pem", folder / "proxy.pem"
    form = "%Y%m%d%H%M%SZ"
    request = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=alice", "-keyout", str(key)]
    subprocess.run([*request, "-out", str(folder / "req.pem")], check=True, capture_output=True)
    base = folder / "ca"
    base.mkdir()
    (base / "index").touch()
    (base / "serial").write_text("01\n")
    (base / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=c\n[c]\ndatabase={base}/index\nserial={base}/serial\nnew_certs_dir={base}\n"
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n"
    )
    sign = ["openssl", "ca", "-batch", "-selfsign", "-config", str(base / "ca.cnf"), "-keyfile", str(key)]
    times = ["-startdate", begins.strftime(form), "-enddate", ends.strftime(form)]
    names = ["-in", str(folder / "req.pem"), "-out", str(certificate), "-notext"]
    subprocess.run([*sign, *times, *names], check=True, capture_output=True)
    both.write_text(certificate.read_text() + key.read_text())
    return both


@needs_openssl
@pytest.mark.parametrize(
    ("left", "message"),
    [(timedelta(hours=1), ""), (timedelta(minutes=1), "proxy lifetime too short"), (timedelta(minutes=-1), "expired")],
)
def test_a_proxy_must_be_valid_for_a_while(alice, tmp_path: Path, left: timedelta, message: str) -> None:  # type: ignore[no-untyped-def]
    now = datetime.fromtimestamp(alice.now, UTC)
    path = proxy(tmp_path, now - timedelta(days=1), now + left)
    assert expiration(str(path)) == alice.now + int(left.total_seconds())
    text = f"{EXECUTABLE}x509userproxy = {path}\n"
    if message:
        with pytest.raises(SubmitError, match=message):
            alice.job(text)
    else:
        assert alice.job(text)["x509userproxy"] == f'"{path}"'


def test_a_file_that_is_no_proxy(alice, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "text").write_text("nothing\n")
    for name in ("text", "missing"):
        with pytest.raises(SubmitError, match="unable to read proxy file"):
            alice.job(f"{EXECUTABLE}x509userproxy = {tmp_path}/{name}\n")


@pytest.mark.parametrize(("value", "number"), [("3600", "3600"), ("-3", "-3"), ("0", "0")])
def test_lifetime_of_delegated_proxies(alice, value: str, number: str) -> None:  # type: ignore[no-untyped-def]
    ad = alice.job(f"{EXECUTABLE}delegate_job_gsi_credentials_lifetime = {value}\n")
    assert ad["DelegateJobGSICredentialsLifetime"] == number
    with pytest.raises(SubmitError, match="invalid integer setting delegate_job_gsi_credentials_lifetime = 1h"):
        alice.job(f"{EXECUTABLE}delegate_job_gsi_credentials_lifetime = 1h\n")


def test_docker_credentials_must_be_there(alice, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = "universe = docker\ndocker_image = debian\nexecutable = /bin/true\ndocker_send_credentials = true\n"
    alice.env["HOME"] = str(tmp_path)
    with pytest.raises(SubmitError, match=r"Cannot locate docker credentials file .*/.docker/config.json: No such"):
        alice.job(text)
    (tmp_path / ".docker").mkdir()
    (tmp_path / ".docker/config.json").touch()
    assert alice.job(text)["DockerSendCredentials"] == "true"


def test_public_files_are_listed_apart(alice) -> None:  # type: ignore[no-untyped-def]
    assert alice.job(f"{EXECUTABLE}public_input_files = a, b\n")["PublicInputFiles"] == '"a,b"'


@pytest.mark.parametrize("command", ["max_idle", "max_materialize", "materialize_max_idle"])
def test_how_many_jobs_a_factory_keeps_is_a_number(alice, command: str) -> None:  # type: ignore[no-untyped-def]
    from condor_py.lang.submit.build import clusters_of, wants_factory

    def draft(value: str):  # type: ignore[no-untyped-def]
        return clusters_of(alice.parse(f"{EXECUTABLE}{command} = {value}\nqueue 3\n"))[0]

    assert wants_factory(draft("1 + 1"))
    assert not wants_factory(draft(""))
    with pytest.raises(SubmitError, match=rf"{command}=few is invalid, must eval to an integer."):
        wants_factory(draft("few"))


@pytest.mark.parametrize(
    ("lines", "needed"),
    [
        ("use_oauth_services = box", "box"),
        ("UseOAuthServices = gdrive, box  Another,box", "Another,box,gdrive"),
        ("use_oauth_services = box\nbox_oauth_permissions = r", "box"),
        ("use_oauth_services = box\nBox_OAuth_Permissions_read = r\nbox_oauth_resource_write = x",
         "Box*read,box*write"),
        ("use_oauth_services = box, b\nbox_oauth_permissions_read = r\nbox_oauth_resource = x\nx_oauth_options_h = 1",
         "b,box,box*read"),
    ],
)  # fmt: skip
def test_the_tokens_that_a_job_needs(alice, lines: str, needed: str) -> None:  # type: ignore[no-untyped-def]
    assert alice.job(f"{EXECUTABLE}{lines}\n")["OAuthServicesNeeded"] == f'"{needed}"'


def test_requests_for_tokens() -> None:
    table = MacroSet()
    for name, value in (("box_oauth_permissions_read", "$(WHAT)"), ("WHAT", "r w"), ("BOX_OAUTH_RESOURCE", "there")):
        table.set(name, value, Origin("test"))
    macros = Macros(table, {}, env={})
    knobs = {"box_DEFAULT_SCOPES": "all", "b_USER_DEFINE_OPTIONS": "Required", "c_DEFAULT_AUDIENCE": "them"}
    made = requests(["box", "box*read", "c"], macros, lambda name: knobs.get(name, ""))
    assert made == [
        {"Service": "box", "Scopes": "all", "Audience": "there"},
        {"Service": "box", "Handle": "read", "Scopes": "r w"},
        {"Service": "c", "Audience": "them"},
    ]
    with pytest.raises(SubmitError, match=r"You must specify b_OAUTH_OPTIONS to use OAuth service b\."):
        requests(["b"], macros, lambda name: knobs.get(name, ""))
