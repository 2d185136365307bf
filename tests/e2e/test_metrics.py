"""condor_metrics on a pool: the figures are right, a file is whole, and a socket answers."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

from pool import MAIN, PersonalPool, wait_for
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

COMMAND = [sys.executable, "-I", str(MAIN), "condor_metrics"]


def figures(pool: PersonalPool) -> dict[tuple[str, ...], float]:
    """By name and values of labels."""
    families = openmetrics(pool.tool("condor_metrics").stdout)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_a_pool_at_work(own_pool: PersonalPool) -> None:
    pool = own_pool
    pool.submit("executable = /bin/true\nlog = a.log\nqueue 3\n")
    pool.wait("a.log")
    pool.submit("executable = /bin/sleep\narguments = 600\nqueue 2\n")
    pool.submit("executable = /bin/sleep\narguments = 600\nhold = true\nqueue\n")
    owner = pool.tool("condor_q", "-af", "Owner").stdout.split()[0]
    wait_for(lambda: figures(pool).get(("condor_jobs", owner, "running")) == 2, "both run", 60)
    wait_for(lambda: figures(pool).get(("condor_slots", "Claimed", "Busy")) == 2, "their slots are shown", 60)
    wait_for(lambda: figures(pool)[("condor_schedd_jobs_completed_total",)] == 3, "the schedd has told of them", 60)
    wait_for(lambda: figures(pool)[("condor_schedd_jobs_started_total",)] == 5, "and of those that run", 60)
    ended = ("condor_negotiation_cycle_end_timestamp_seconds",)
    wait_for(lambda: figures(pool)[ended] > 1e9, "the negotiator has told of a cycle", 60)
    found = figures(pool)
    assert found["condor_jobs", owner, "held"] == 1
    assert found["condor_daemon_up", "schedd"] == 1
    assert found["condor_daemon_resident_memory_bytes", "startd"] > 1e6
    assert found["condor_schedd_log_syncs_total",] >= 3
    assert 0 < found["condor_schedd_log_sync_seconds_total",] < 60
    assert found["condor_startd_job_starts_total",] >= 3
    assert found["condor_disk_free_bytes", "SPOOL"] > 0

    def used() -> float:
        now = figures(pool)
        return now["condor_machine_resources", "Cpus"] - now["condor_machine_resources_free", "Cpus"]

    wait_for(lambda: used() == 2, "what the jobs before had is free")
    wait_for(lambda: any(name[0] == "condor_submitter_priority" for name in figures(pool)), "priorities are told")
    killed = pool.kill("schedd")
    wait_for(lambda: pool.pid("schedd") != killed, "the master has started it again")
    wait_for(lambda: figures(pool)["condor_daemon_up", "schedd"] == 1, "and it is up")


def test_without_daemons_it_says_what_there_is(stopped_pool: PersonalPool) -> None:
    stopped_pool.submit("executable = /bin/true\nqueue 2\n")
    found = figures(stopped_pool)
    assert found["condor_daemon_up", "master"] == 0
    assert [value for name, value in found.items() if name[0] == "condor_jobs"] == [2]


def test_a_file_for_a_node_exporter(stopped_pool: PersonalPool) -> None:
    target = stopped_pool.work / "condor.prom"
    stopped_pool.tool("condor_metrics", "-prometheus", "-file", str(target))
    assert any(family.name == "condor_daemon_up" for family in prometheus(target.read_text()))
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert [path.name for path in stopped_pool.work.glob("*condor.prom*")] == ["condor.prom"]
    link, pipe = stopped_pool.work / "link", stopped_pool.work / "pipe"
    link.symlink_to(target.name)
    target.write_text("old\n")
    stopped_pool.tool("condor_metrics", "-file", str(link))
    assert link.is_symlink()
    assert target.read_text().endswith("# EOF\n")
    os.mkfifo(pipe)
    assert stopped_pool.tool("condor_metrics", "-file", str(pipe), check=False).returncode == 1
    assert pipe.is_fifo()
    missing = stopped_pool.tool("condor_metrics", "-file", "/no/such/place/a.prom", check=False)
    assert (missing.returncode, missing.stderr) == (
        1,
        "condor_metrics: cannot write /no/such/place/a.prom: No such file or directory\n",
    )


def listening(pool: PersonalPool, address: str) -> tuple[subprocess.Popen[str], str]:
    """condor_metrics -listen, and where."""
    tool = subprocess.Popen(
        [*COMMAND, "-listen", address], env=pool.environment, stderr=subprocess.PIPE, text=True, cwd=pool.work
    )
    assert tool.stderr is not None
    return tool, tool.stderr.readline().split()[-1]


def asked(connection: http.client.HTTPConnection, path: str, **headers: str) -> tuple[int, str, str]:
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type", ""), answer.read().decode()


def test_a_port_of_this_machine(stopped_pool: PersonalPool) -> None:
    tool, place = listening(stopped_pool, "0")
    port = int(place.split(":")[2].partition("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    status, kind, shown = asked(connection, "/metrics", Accept="application/openmetrics-text;version=1.0.0")
    assert (status, kind.partition(";")[0]) == (200, "application/openmetrics-text")
    assert any(family.name == "condor_daemon_up" for family in openmetrics(shown))
    status, kind, shown = asked(connection, "/metrics")
    assert (status, kind.partition(";")[0]) == (200, "text/plain")
    assert any(family.name == "condor_daemon_up" for family in prometheus(shown))
    assert asked(connection, "/other")[0] == 404
    tool.send_signal(signal.SIGTERM)
    assert tool.wait(30) == 0
    assert tool.communicate()[1] == ""


def test_a_unix_socket(stopped_pool: PersonalPool, tmp_path: Path) -> None:
    path = tmp_path / "m"
    with socket.socket(socket.AF_UNIX) as old:  # what one that was killed has left behind
        old.bind(str(path))
    tool, place = listening(stopped_pool, f"unix:{path}")
    assert place == f"unix:{path}"
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(path))
    assert asked(connection, "/metrics")[0] == 200
    connection.close()
    second = stopped_pool.tool("condor_metrics", "-listen", f"unix:{path}", check=False)
    assert (second.returncode, second.stderr) == (
        1,
        f"condor_metrics: cannot listen on unix:{path}: Address already in use\n",
    )
    tool.terminate()
    assert tool.wait(30) == 0
    assert not path.exists()


def test_a_file_in_the_way_stays(stopped_pool: PersonalPool) -> None:
    """The kernel refuses a connection to a file as it refuses one to the socket of somebody who is gone."""
    path = stopped_pool.work / "thesis"
    path.write_text("three years\n")
    done = stopped_pool.tool("condor_metrics", "-listen", f"unix:{path}", check=False)
    assert done.returncode == 1
    assert done.stderr == f"condor_metrics: cannot listen on unix:{path}: Address already in use\n"
    assert path.read_text() == "three years\n"
