"""The lines of condor_metrics, which figures count for what, and where it listens."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.cli import metrics
from condor_py.cli.metrics.families import Family, text
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError


def samples(found: list[Family]) -> dict[str, float]:
    """The samples of families as lines without their head."""
    lines = text(found, openmetrics=False).splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_the_lines_of_a_family() -> None:
    spent = Family("condor_time_seconds", "counter", "Time.\nOf two lines.", "seconds")
    spent.add(2.5, {"of": 'a"b\\c\nd', "kind": "x"})
    spent.add(3)
    empty = Family("condor_none", "gauge", "None.")
    assert text([spent, empty]).splitlines() == [
        "# TYPE condor_time_seconds counter",
        "# UNIT condor_time_seconds seconds",
        r"# HELP condor_time_seconds Time.\nOf two lines.",
        r'condor_time_seconds_total{of="a\"b\\c\nd",kind="x"} 2.5',
        "condor_time_seconds_total 3",
        "# EOF",
    ]
    bare = Family("condor_bare", "gauge", "Bare.")
    bare.add(1)
    assert text([bare]).splitlines()[:2] == ["# TYPE condor_bare gauge", "# HELP condor_bare Bare."]
    assert text([empty, spent], openmetrics=False).splitlines() == [
        "# TYPE condor_time_seconds_total counter",
        r"# HELP condor_time_seconds_total Time.\nOf two lines.",
        r'condor_time_seconds_total{of="a\"b\\c\nd",kind="x"} 2.5',
        "condor_time_seconds_total 3",
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (0.0, "0"),
        (-2.0, "-2"),
        (0.25, "0.25"),
        (123456789012345.0, "123456789012345"),
        (1e15, "1000000000000000.0"),
        (-1e15, "-1000000000000000.0"),
        (10**16, "10000000000000000"),
        (1e300, "1e+300"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_numbers(value: float, written: str) -> None:
    family = Family("condor_x", "gauge", "X.")
    family.add(value)
    assert text([family]).splitlines()[-2] == f"condor_x {written}"


def test_units_are_those_of_the_names(spool: object) -> None:
    """A family that has a unit ends with it, as OpenMetrics wants."""
    families = [*metrics._schedd(None), *metrics._negotiator(None)]
    assert [family.unit for family in families if family.name.endswith("_seconds")] == ["seconds"] * 4
    assert [family.unit for family in families if not family.name.endswith("_seconds")] == [""] * 5
    assert all(not family.samples for family in families), "nothing is known without an ad"


def test_which_parts_of_a_machine_are_free() -> None:
    ads = [
        ClassAd({"State": "Unclaimed", "Activity": "Idle", "Cpus": 3, "TotalLoadAvg": 2.5, "TotalCondorLoadAvg": 0.5}),
        ClassAd({"State": "Unclaimed", "Activity": "Idle", "Cpus": 1, "Memory": 7.5}),
        ClassAd({"State": "Owner", "Cpus": 5, "TotalLoadAvg": 9.0}),
        ClassAd({"State": "Claimed", "Activity": "Busy", "Cpus": 10, "GPUs": 1}),
        ClassAd({"State": "Drained", "Activity": "Idle", "Cpus": 20}),
        ClassAd({"MyType": "StartD", "Cpus": 99, "JobStarts": 4}),
        ClassAd({"MyType": "Machine", "JobStarts": 99}),
    ]
    found = samples(list(metrics._slots(ads)))
    assert found == {
        'condor_slots{state="Unclaimed",activity="Idle"}': 2,
        'condor_slots{state="Owner",activity=""}': 1,
        'condor_slots{state="Claimed",activity="Busy"}': 1,
        'condor_slots{state="Drained",activity="Idle"}': 1,
        'condor_machine_resources{resource="Cpus"}': 39,
        'condor_machine_resources{resource="Memory"}': 7.5,
        'condor_machine_resources{resource="Disk"}': 0,
        'condor_machine_resources{resource="GPUs"}': 1,
        'condor_machine_resources_free{resource="Cpus"}': 9,
        'condor_machine_resources_free{resource="Memory"}': 7.5,
        'condor_machine_resources_free{resource="Disk"}': 0,
        'condor_machine_resources_free{resource="GPUs"}': 0,
        'condor_machine_load{of="all"}': 2.5,
        'condor_machine_load{of="jobs"}': 0.5,
        "condor_startd_job_starts_total": 4,
    }
    (slots, *_) = metrics._slots(ads)
    assert [dict(labels)["state"] for labels, _ in slots.samples] == ["Claimed", "Drained", "Owner", "Unclaimed"]
    assert not any(family.samples for family in metrics._slots([]))


def test_jobs_are_ordered_by_owner_and_state_and_named_as_condor_does(spool) -> None:  # type: ignore[no-untyped-def]
    from condor_py.client.pool import open_pool

    for cluster, (owner, status) in enumerate(
        [
            ("Xbea", "7"),
            ("Xbea", "6"),
            ("ann", "5"),
            ("ann", "4"),
            ("ann", "3"),
            ("ann", "2"),
            ("ann", "1"),
            ("ann", "8"),
        ]
    ):
        spool.add(cluster + 1, cluster % 2 + 1, owner, JobStatus=status)
    found = [(*dict(labels).values(), value) for labels, value in metrics._jobs(open_pool()).samples]
    assert found == [
        ("Xbea", "transferring_output", 2), ("Xbea", "suspended", 1), ("ann", "idle", 1), ("ann", "running", 2),
        ("ann", "removed", 1), ("ann", "completed", 2), ("ann", "held", 1), ("ann", "other", 2),
    ]  # fmt: skip


def test_memory_of_a_process_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    resident = metrics._resident(os.getpid())
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert resident == pytest.approx(pages * os.sysconf("SC_PAGE_SIZE"), rel=0.2)
    assert metrics._resident((1 << 22) + 1) is None
    monkeypatch.setattr("condor_py.machine.probes.process.stat", lambda pid: SimpleNamespace(rss_kb=3))
    assert metrics._resident(1) == 3072


def test_each_family_is_a_gauge_or_a_counter(spool: object) -> None:
    from condor_py.client.pool import open_pool

    found = list(metrics.families(open_pool()))
    assert {family.kind for family in found} == {"gauge", "counter"}
    assert len({family.name for family in found}) == len(found)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("unix:/run/x", (socket.AF_UNIX, "/run/x")),
        ("/run/x", (socket.AF_UNIX, "/run/x")),
        ("9618", (socket.AF_INET, ("127.0.0.1", 9618))),
        (":9618", (socket.AF_INET, ("127.0.0.1", 9618))),
        ("localhost:0", (socket.AF_INET, ("127.0.0.1", 0))),
        ("127.0.0.2:65535", (socket.AF_INET, ("127.0.0.2", 65535))),
        ("[::1]:80", (socket.AF_INET6, ("::1", 80))),
    ],
)
def test_addresses(address: str, place: object) -> None:
    assert metrics._place(address) == place


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:65536", "is not a port of a loopback address: put a proxy in front of it"),
        ("127.0.0.1:-1", "is not a port of a loopback address: put a proxy in front of it"),
        ("192.168.0.1:80", "is not a port of a loopback address: put a proxy in front of it"),
        ("[fe80::1]:80", "is not a port of a loopback address: put a proxy in front of it"),
        ("example.net:80", "-listen wants unix:/PATH, PORT or LOOPBACK-ADDRESS:PORT, not example.net:80"),
        ("127.0.0.1:", "-listen wants"),
        ("unix:x", "-listen wants"),
    ],
)
def test_addresses_on_which_it_does_not_listen(address: str, message: str) -> None:
    with pytest.raises(CondorError, match=message):
        metrics._place(address)


def test_only_the_socket_of_a_server_that_has_ended_is_removed(tmp_path: Path) -> None:
    left, served, link, file = (tmp_path / name for name in ("left", "served", "link", "file"))
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(left))
    file.write_text("kept")
    link.symlink_to(left)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(served))
        other.listen()
        for path in (served, link, file, tmp_path / "nothing"):
            metrics._free(str(path))
        assert sorted(os.listdir(tmp_path)) == ["file", "left", "link", "served"]
        metrics._free(str(left))
    assert sorted(os.listdir(tmp_path)) == ["file", "link", "served"]
