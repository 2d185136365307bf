"""A real A-REX (the computing element of ARC) of one machine in a directory, with a port and an authority for
certificates of its own. It runs jobs as nobody, by fork. Nothing of the machine is touched."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from pool import of_processes, wait_for
from slurm_engine import free_port, kill_all

_START = Path("/usr/share/arc")
_CONF = """\
[common]
hostname=localhost
x509_host_key={top}/hostkey.pem
x509_host_cert={top}/host.pem
x509_cert_dir={top}/certificates
[authgroup:all]
file={top}/allowed
[mapping]
map_to_user=all nobody:nogroup
[lrms]
lrms=fork
[arex]
controldir={top}/control
sessiondir={top}/session
pidfile={top}/run/arex.pid
logfile={top}/log/arex.log
joblog={top}/log/jobs.log
helperlog={top}/log/helper.log
wakeupperiod=1
[arex/ws]
wsurl=https://localhost:{port}/arex
pidfile={top}/run/ws.pid
logfile={top}/log/ws.log
[arex/ws/jobs]
allowaccess=all
[infosys]
logfile={top}/log/info.log
[infosys/glue2]
[infosys/cluster]
[queue:fork]
"""


class ARex:
    """Started by ``start``; what runs with ``environment`` trusts it, and ``proxy`` is a user that it trusts."""

    def __init__(self, top: Path) -> None:
        if os.geteuid() != 0 or not (_START / "arc-arex-ws-start").exists():
            pytest.skip("a private A-REX needs root, and nordugrid-arc-arex of Debian")
        self.top = top
        self.port = free_port()
        self.proxy = top / "proxy.pem"
        self.environment = {"X509_CERT_DIR": str(top / "certificates")}

    @property
    def resource(self) -> str:
        """For grid_resource."""
        return f"arc https://localhost:{self.port}/arex"

    def start(self) -> None:
        for name in ("run", "log", "control", "session", "certificates"):
            (self.top / name).mkdir(parents=True)
        self._certificates()
        (self.top / "arc.conf").write_text(_CONF.format(top=self.top, port=self.port))
        for name in ("arc-arex-start", "arc-arex-ws-start"):
            environment = os.environ | {"ARC_CONFIG": str(self.top / "arc.conf")}
            done = subprocess.run([_START / name], env=environment, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
        wait_for(self._listens, "A-REX listens")

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection(("localhost", self.port), 1):
            return True
        return False

    def _certificates(self) -> None:
        top = self.top
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/DC=test/CN=CA",
                      "-keyout", "cakey.pem", "-out", "ca.pem")  # fmt: skip
        digest = self._openssl("x509", "-hash", "-noout", "-in", "ca.pem").strip()
        (top / "certificates" / f"{digest}.0").write_text((top / "ca.pem").read_text())
        for name, common, more in (
            ("host", "localhost", "subjectAltName=DNS:localhost\n"), ("user", "user", "keyUsage=digitalSignature\n"),
        ):  # fmt: skip
            (top / "extensions").write_text(more + "basicConstraints=CA:false\n")
            self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/DC=test/CN={common}",
                          "-keyout", f"{name}key.pem", "-out", f"{name}.csr")  # fmt: skip
            self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "cakey.pem", "-days", "2",
                          "-CAcreateserial", "-extfile", "extensions", "-out", f"{name}.pem")  # fmt: skip
        self.proxy.write_text((top / "user.pem").read_text() + (top / "userkey.pem").read_text())
        self.proxy.chmod(0o600)
        # It would make parameters of its own, for a minute.
        self._openssl("dhparam", "-dsaparam", "-out", "control/dhparam.pem", "2048")
        (top / "allowed").write_text('"/DC=test/CN=user"\n')

    def _openssl(self, *words: str) -> str:
        done = subprocess.run(["openssl", *words], cwd=self.top, capture_output=True, text=True, check=True)
        return done.stdout

    def jobs(self) -> list[str]:
        """The directories of all jobs."""
        return os.listdir(self.top / "session")

    def stop(self) -> None:
        for name in ("ws", "arex"):
            with suppress(OSError, ValueError):
                os.kill(int((self.top / "run" / f"{name}.pid").read_text()), signal.SIGTERM)
        mark = str(self.top).encode()
        daemons = (b"arched", mark)
        wait_for(
            lambda: not any(all(one in words for one in daemons) for _, words in of_processes("cmdline")),
            "A-REX has ended",
        )
        kill_all(mark)  # jobs that were cancelled, but not by A-REX's own fork scripts, and scripts of its own
