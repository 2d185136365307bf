"""Input from and output to S3: a job names its keys, and a server that speaks S3 (moto) gives and takes the files.

Runs where moto is installed (``pip install .[s3]``); tests/unit/starter/test_signing.py needs no server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pool import PersonalPool, wait_for
from transfers import TRANSFER, hold_of

boto3: Any = pytest.importorskip("boto3")
pytest.importorskip("moto.server")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Host and port of a server for https, and its certificate."""
    certificate, key, log = tmp_path / "server.pem", tmp_path / "server.key", tmp_path / "server.log"
    made = [
        "-keyout",
        str(key),
        "-out",
        str(certificate),
        "-subj",
        "/CN=here",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
    ]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run(["openssl", "req", "-x509", "-nodes", *curve, *made], check=True, capture_output=True)
    words = ["-m", "moto.server", "-p", "0", "-s", "-c", str(certificate), "-k", str(key)]
    with open(log, "w") as lines, subprocess.Popen([sys.executable, *words], stdout=lines, stderr=lines) as process:
        try:
            wait_for(lambda: "Running on https://" in log.read_text(), log.read_text)
            yield log.read_text().partition("Running on https://")[2].split()[0], certificate
        finally:
            process.terminate()


def test_files_come_from_s3_and_go_there(stopped_pool: PersonalPool, server: tuple[str, Path]) -> None:
    pool, (host, certificate) = stopped_pool, server
    client = boto3.client(
        "s3", endpoint_url=f"https://{host}", verify=str(certificate), region_name="us-east-1",
        aws_access_key_id="AKID", aws_secret_access_key="SECRETKEY",
    )  # fmt: skip
    client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="of me/in", Body=b"from far")
    (pool.work / "id").write_text("AKID\n")
    (pool.work / "secret").write_text("SECRETKEY\n")
    os.chmod(pool.work / "secret", 0o600)
    pool.environment["SSL_CERT_FILE"] = str(certificate)
    pool.start()
    program = pool.script("make.sh", "ls -a >seen; tr a-z A-Z <in >out; cat .job.ad out\n")
    common = f"executable = {program}\n{TRANSFER}s3_access_key_id_file = id\ns3_secret_access_key_file = secret\n"
    pool.submit(
        f"{common}output = o\ntransfer_input_files = s3://{host}/bucket/of me/in\ntransfer_output_files = out, seen\n"
        f'transfer_output_remaps = "out = s3://{host}/bucket/made by/out"\nqueue\n'
    )
    pool.wait("job.log")
    assert client.get_object(Bucket="bucket", Key="made by/out")["Body"].read() == b"FROM FAR"
    assert "secret" not in (pool.work / "seen").read_text().split()
    logs = "".join(path.read_text(errors="replace") for path in pool.log.iterdir() if path.is_file())
    everywhere = f"{logs}{(pool.work / 'o').read_text()}{(pool.spool / 'epoch_history').read_text()}"
    assert "SECRETKEY" not in everywhere
    assert "X-Amz-Signature" not in everywhere
    missing = pool.submit(f"{common}transfer_input_files = s3://{host}/bucket/nosuch\nqueue\n")
    code, _, reason = hold_of(pool, missing)
    assert (code, "HTTP error 404: NOT FOUND (NoSuchKey)" in reason) == ("13", True), reason
