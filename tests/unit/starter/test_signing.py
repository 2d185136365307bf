"""URLs of S3 and Google are signed with the keys of the job's owner, and nothing else sees a key or a signature."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.job import KeyFiles, read_job
from condor_py.machine.run.signing import Keys, SigningError, read_keys, signed
from condor_py.machine.run.transfer import Transfer
from condor_py.model.settings.starter import TransferSettings

#: The example of Amazon's description of presigned URLs.
KEYS = Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
NOW = 1369353605.0
EXAMPLE = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
PLUGIN = """#!/bin/sh
[ "$1" != -classad ] || { echo 'SupportedMethods = "https"'; echo 'MultipleFileSupport = true'; exit; }
cat "$2" >>%s
echo "I was given $(cat "$2")"
url=$(sed 's/.*Url = "//; s/".*//' "$2")
echo "[ TransferSuccess = false; TransferUrl = \\"$url\\"; TransferError = \\"no luck with $url\\" ]" >"$4"
"""


def test_the_signature_is_that_of_amazons_example() -> None:
    url = signed("s3://examplebucket/test.txt", KEYS, "", "GET", NOW, life=86400)
    assert url.startswith("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&")
    assert "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&" in url
    assert url.endswith(f"&X-Amz-Signature={EXAMPLE}")


@pytest.mark.parametrize(
    ("url", "region", "server", "scope"),
    [
        ("s3://bucket/a b/c?d%20\udcff", "eu-1", "bucket.s3.eu-1.amazonaws.com/a%20b/c%3Fd%2520%FF", "eu-1"),
        ("S3://bucket.s3.us-west-2.amazonaws.com/k", "", "bucket.s3.us-west-2.amazonaws.com/k", "us-west-2"),
        ("s3://Old_bucket/k", "", "s3.amazonaws.com/Old_bucket/k", "us-east-1"),
        ("s3://old_bucket/k", "", "s3.amazonaws.com/old_bucket/k", "us-east-1"),
        ("s3://Bucket/k", "", "s3.amazonaws.com/Bucket/k", "us-east-1"),
        ("s3://new-bucket/k", "", "new-bucket.s3.amazonaws.com/k", "us-east-1"),
        ("s3://minio.here:9000/b/k", "", "minio.here:9000/b/k", "us-east-1"),
        ("gs://bucket/k//l", "", "storage.googleapis.com/bucket/k//l", "us-east-1"),
    ],
)
def test_a_url_leads_to_its_server(url: str, region: str, server: str, scope: str) -> None:
    found = signed(url, KEYS, region, "PUT", NOW)
    assert found.startswith(f"https://{server}?")
    assert f"%2F20130524%2F{scope}%2Fs3%2Faws4_request" in found
    assert valid(found, "PUT")
    assert not valid(found, "GET")


def valid(url: str, verb: str) -> bool:
    """Whether a server that knows the secret key would let the bearer of a URL do this."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    signature = query.pop("X-Amz-Signature")
    text = "&".join(f"{name}={quote(query[name], safe='')}" for name in sorted(query))
    request = f"{verb}\n{parts.path}\n{text}\nhost:{parts.netloc}\n\nhost\nUNSIGNED-PAYLOAD"
    scope = query["X-Amz-Credential"].partition("/")[2]
    key = b"AWS4" + KEYS.secret.encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    signs = f"AWS4-HMAC-SHA256\n{query['X-Amz-Date']}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    return hmac.digest(key, signs.encode(), "sha256").hex() == signature


@pytest.mark.parametrize(
    ("url", "code"), [("s3://bucket", 2), ("s3://", 2), ("s3://bucket.amazonaws.com/k", 3), ("https://x/y", 1)]
)
def test_other_urls_are_refused(url: str, code: int) -> None:
    with pytest.raises(SigningError) as caught:
        signed(url, KEYS, "", "GET", NOW)
    assert caught.value.code == code


def test_keys_are_in_small_files(tmp_path: Path) -> None:
    (tmp_path / "id").write_text(f"\n {KEYS.access}\n")
    (tmp_path / "secret").write_text(KEYS.secret)
    os.mkfifo(tmp_path / "pipe")
    assert read_keys(KeyFiles("id", str(tmp_path / "secret")), str(tmp_path)) == KEYS
    for files, code, text in (
        (KeyFiles(), 7, "access key file not defined"),
        (KeyFiles("pipe", "secret"), 8, "unable to read from access key file"),
        (KeyFiles("id"), 9, "secret key file not defined"),
        (KeyFiles("id", "nosuch\0"), 10, "unable to read from secret key file"),
        (KeyFiles("id", "secret", "."), 11, "unable to read from security token file"),
    ):
        with pytest.raises(SigningError, match=text) as caught:
            read_keys(files, str(tmp_path))
        assert caught.value.code == code


def transfer(top: Path, lines: str, settings: TransferSettings, log: list[str]) -> Transfer:
    """The transfers of a job with these lines in its ad, in the scratch directory ``top/scratch``."""
    ad = ClassAd(
        f'[ ShouldTransferFiles = "YES"; Cmd = "/bin/true"; TransferExecutable = false; Iwd = "{top}"; {lines} ]'
    )
    (top / "scratch").mkdir(exist_ok=True)
    return Transfer(
        read_job(ad, "here"), str(top / "scratch"), "slot1", "there", settings, lambda text, **_: log.append(text),
        lambda: NOW,
    )  # fmt: skip


def test_a_plugin_gets_a_signed_url_and_no_log_does(tmp_path: Path) -> None:
    (tmp_path / "id").write_text(KEYS.access)
    (tmp_path / "secret").write_text(KEYS.secret)
    plugin = tmp_path / "some_plugin"
    plugin.write_text(PLUGIN % (tmp_path / "given"))
    plugin.chmod(0o755)
    log: list[str] = []
    lines = 'EC2AccessKeyId = "id"; EC2SecretAccessKey = "secret"; TransferInput = "s3://here.org/b/in"'
    moving = transfer(tmp_path, lines, TransferSettings(plugins=(str(plugin),)), log)
    with pytest.raises(TransferError) as caught:
        moving.fetch_input()
    assert "using protocol https. Details: no luck with https://here.org/b/in?... ( URL" in str(caught.value)
    given = (tmp_path / "given").read_text()
    assert valid(given.partition('Url = "')[2].partition('"')[0], "GET")
    assert f'LocalFileName = "{tmp_path}/scratch/in"' in given
    seen = "\n".join((*log, str(caught.value), *(str(told) for told in moving.record(NOW))))
    assert "https://here.org/b/in?..." in seen
    for secret in (KEYS.secret, KEYS.access, "X-Amz"):
        assert secret not in seen


def test_a_job_whose_urls_cannot_be_signed_is_held_with_the_reason(tmp_path: Path) -> None:
    lines = 'EC2AccessKeyId = "id"; TransferInput = "s3://here.org/b/in"; TransferOutput = "out"; '
    remaps = 'TransferOutputRemaps = "out = gs://bucket/out"'
    moving = transfer(tmp_path, lines + remaps, TransferSettings(), [])
    with pytest.raises(TransferError) as caught:
        moving.fetch_input()
    assert (caught.value.code, caught.value.subcode, caught.value.holds) == (13, 3, True)
    assert str(caught.value) == (
        "Transfer input files failure at access point there while sending files to execution point slot1. Details: "
        "DoUpload: Failure when signing URL 's3://here.org/b/in': unable to read from access key file"
    )
    before = moving.catalogue()
    (tmp_path / "scratch" / "out").write_text("x")
    with pytest.raises(TransferError, match="Failure when signing URL 'gs://bucket/out': unable to read") as caught:
        moving.send_output(before)
    assert (caught.value.code, caught.value.subcode) == (12, 8)
    unsigned = transfer(tmp_path, lines, TransferSettings(sign_s3_urls=False), [])
    with pytest.raises(TransferError, match="no file transfer plugin for s3"):
        unsigned.fetch_input()
