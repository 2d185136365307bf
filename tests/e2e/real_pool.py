"""A pool of a real HTCondor, of the account nobody, on one port of this machine.

CONDOR_PY_REAL_HTCONDOR names a directory with its bin, sbin, lib and libexec. Modules of HTCondor 25 do not accept FS
of older daemons ("Directory name doesn't match server's network address"): such a pool believes what its clients say.
"""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
from pathlib import Path

import pytest
from pool import Done, kill, of_processes, wait_for
from shared_pool import STRANGER

_CONFIG = """\
RELEASE_DIR = {real}
LOCAL_DIR = {top}/local
BIN = $(RELEASE_DIR)/bin
SBIN = $(RELEASE_DIR)/sbin
LIBEXEC = $(RELEASE_DIR)/libexec
LIB = $(RELEASE_DIR)/lib
LOG = $(LOCAL_DIR)/log
SPOOL = $(LOCAL_DIR)/spool
EXECUTE = $(LOCAL_DIR)/execute
LOCK = $(LOCAL_DIR)/lock
RUN = $(LOCAL_DIR)/run
DAEMON_SOCKET_DIR = {top}/s
UID_DOMAIN = remote.example
FULL_HOSTNAME = remote.example
NETWORK_HOSTNAME = remote.example
NETWORK_INTERFACE = 127.0.0.1
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:{port}
COLLECTOR_PORT = {port}
SHARED_PORT_PORT = {port}
USE_SHARED_PORT = True
SCHEDD_NAME = remote
DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD SHARED_PORT
SEC_DEFAULT_AUTHENTICATION = REQUIRED
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_PASSWORD_DIRECTORY = {top}/passwords
SEC_TOKEN_DIRECTORY = {top}/tokens
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_DAEMON = *
ALLOW_NEGOTIATOR = *
ALLOW_ADMINISTRATOR = *
NUM_CPUS = 4
MEMORY = 4000
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_MIN_INTERVAL = 1
SCHEDD_INTERVAL = 2
RUNBENCHMARKS = False
START = True
SUSPEND = False
PREEMPT = False
KILL = False
DISCARD_SESSION_KEYRING_ON_STARTUP = False
IMMUTABLE_JOB_ATTRS = Guarded
"""


class RealPool:
    """Started by ``start``. ``resource`` is what grid jobs say to get there."""

    def __init__(self, top: Path) -> None:
        real = os.environ.get("CONDOR_PY_REAL_HTCONDOR", "")
        if not real or not Path(real, "sbin", "condor_master").exists():
            pytest.skip("CONDOR_PY_REAL_HTCONDOR does not name an HTCondor")
        if os.geteuid() != 0:
            pytest.skip(f"a pool of the account {STRANGER} needs root")
        self.real, self.top = Path(real), top
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            self.port = int(sock.getsockname()[1])
        self.resource = f"condor remote@remote.example 127.0.0.1:{self.port}"
        self.config = top / "config"

    def start(self) -> None:
        """Until its schedd takes jobs and its slot is there."""
        for name in ("log", "spool", "execute", "lock", "run"):
            (self.top / "local" / name).mkdir(parents=True)
        (self.top / "s").mkdir()
        self.config.write_text(_CONFIG.format(real=self.real, top=self.top, port=self.port))
        account = pwd.getpwnam(STRANGER)
        for path in (self.top, *self.top.rglob("*")):
            os.chown(path, account.pw_uid, account.pw_gid)
        self.tool("condor_master")
        wait_for(lambda: self.tool("condor_status", "-af", "State").stdout.split() == ["Unclaimed"], "its slot", 60)
        wait_for(lambda: self.tool("condor_q").returncode == 0, "its schedd", 60)

    def tool(self, *words: str) -> Done:
        """A command of the real HTCondor, as the account."""
        libraries = f"{self.real}/lib:{self.real}/lib/condor"
        path = f"{self.real}/bin:{self.real}/sbin:/usr/bin:/bin"
        return subprocess.run(
            list(words), user=STRANGER, group=pwd.getpwnam(STRANGER).pw_gid, extra_groups=[], cwd="/",
            env={"PATH": path, "LD_LIBRARY_PATH": libraries, "CONDOR_CONFIG": str(self.config), "HOME": str(self.top)},
            executable=next(str(each) for each in self.real.glob(f"*bin/{words[0]}")),
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    def jobs(self, *attributes: str) -> list[list[str]]:
        """Attributes of the jobs in its queue."""
        return [line.split() for line in self.tool("condor_q", "-allusers", "-af", *attributes).stdout.splitlines()]

    def stop(self) -> None:
        """All of it."""
        self.tool("condor_off", "-master", "-fast")
        mark = f"CONDOR_CONFIG={self.config}".encode()

        def alive() -> list[int]:
            return [pid for pid, data in of_processes("environ") if mark in data]

        try:
            wait_for(lambda: not alive(), "it is gone", 20)
        finally:
            for pid in alive():
                kill(pid)
