"""condor_gangliad on a pool: what arrives where gmond would listen, and in a real gmond where there is one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for


def _start(pool: PersonalPool, config: str) -> None:
    path = pool.directory / "gmond.conf"
    path.write_text(config)
    pool.knob("GANGLIA_CONFIG", path)
    pool.knob("DAEMON_LIST", "MASTER SCHEDD GANGLIAD")
    pool.knob("GANGLIAD_INTERVAL", "1")
    pool.tool("condor_master")


def test_metrics_arrive(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("GANGLIA_GSTAT_COMMAND", pool.script("gstat", "echo vm:4\necho gone:0\n"))
    pool.knob("GANGLIAD_DEFAULT_MACHINE", '"vm"')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gmond:
        gmond.bind(("127.0.0.1", 0))
        gmond.settimeout(60)
        _start(pool, f"udp_send_channel {{ host = 127.0.0.1 port = {gmond.getsockname()[1]} }}\n")
        found: set[bytes] = set()
        wanted = (b"TotalIdleJobs", b"Idle Jobs in Pool", b"HTCondor Schedd", b"vm:vm")

        def all_there() -> bool:
            found.add(gmond.recv(4096))
            return all(any(word in data for data in found) for word in wanted)

        wait_for(all_there, lambda: f"{wanted} arrive: {found}")
    log = (pool.log / "GangliadLog").read_text()
    assert "Ganglia is monitoring 1 hosts" in log
    pool.tool("condor_off", "-daemon", "gangliad")
    wait_for(lambda: "EXITING WITH STATUS 0" in (pool.log / "GangliadLog").read_text(), "it leaves")


def test_a_configuration_that_cannot_be_read_is_told(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("GANGLIA_CONFIG", "/nosuch")
    done = pool.tool("condor_gangliad", "-f", check=False)
    assert (done.returncode, done.stderr) == (1, "GANGLIA_CONFIG: cannot read /nosuch: No such file or directory\n")


def test_a_real_gmond_shows_them(stopped_pool: PersonalPool, tmp_path: Path) -> None:
    """Where Debian's ganglia-monitor is installed."""
    program = shutil.which("gmond", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("there is no gmond")
    pool = stopped_pool
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = (
        'globals { setuid = no daemonize = no send_metadata_interval = 1 }\ncluster { name = "pool" }\n'
        f"udp_send_channel {{ host = 127.0.0.1 port = {port} }}\n"
        f"udp_recv_channel {{ port = {port} bind = 127.0.0.1 }}\n"
        f"tcp_accept_channel {{ port = {port} bind = 127.0.0.1 }}\n"
    )
    pool.knob("GANGLIA_SEND_DATA_FOR_ALL_HOSTS", "true")
    pool.knob("GANGLIAD_DEFAULT_MACHINE", '"far.away"')
    _start(pool, config)
    process = subprocess.Popen([program, "-f", "-c", str(pool.directory / "gmond.conf")])
    try:
        wait_for(lambda: 'NAME="TotalIdleJobs" VAL="0"' in _shown(port), lambda: _shown(port))
        text = _shown(port)
        assert 'HOST NAME="far.away"' in text
        assert 'NAME="GROUP" VAL="HTCondor Schedd"' in text
    finally:
        process.terminate()
        process.wait()


def _shown(port: int) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as link, link.makefile("rb") as file:
            return file.read().decode(errors="replace")
    except (ConnectionError, TimeoutError):
        return ""
