"""The text of condor_metrics is what the official parsers of the two formats read."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
from tool_runner import Spool

from condor_py.cli.metrics import Text, families, serve
from condor_py.cli.metrics.families import Family, text
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.store.ad_store import AdStore

NUMBERS = st.one_of(st.integers(-(10**17), 10**17), st.floats())


@settings(max_examples=400)
@given(st.lists(st.tuples(st.text(), NUMBERS), min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
def test_any_name_and_number_is_read_back(samples: list[tuple[str, float]]) -> None:
    family = Family("condor_things_seconds", "gauge", 'Of "things"\\', "seconds")
    for owner, value in samples:
        family.add(value, {"owner": owner})
    for form, parser in ((True, openmetrics), (False, prometheus)):
        (found,) = parser(text([family], openmetrics=form))
        assert found.type == "gauge"
        assert [sample.labels["owner"] for sample in found.samples] == [owner for owner, _ in samples]
        for sample, (_, value) in zip(found.samples, samples, strict=True):
            assert float(sample.value) == float(value) or (math.isnan(sample.value) and math.isnan(value))


def test_counters_have_their_suffix_and_what_is_not_known_is_left_out() -> None:
    starts, unknown = Family("condor_starts", "counter", "Starts."), Family("condor_nothing", "gauge", "Nothing.")
    starts.add(3)
    unknown.add(None)
    (found,) = openmetrics(text([starts, unknown]))
    assert (found.name, found.type, found.samples[0].name, found.samples[0].value) == (
        "condor_starts",
        "counter",
        "condor_starts_total",
        3,
    )
    (older,) = prometheus(text([starts, unknown], openmetrics=False))
    assert (older.type, older.samples[0].name) == ("counter", "condor_starts_total")


def test_bytes_that_are_no_text_become_a_sign_for_that() -> None:
    family = Family("condor_things", "gauge", "Things.")
    family.add(1, {"owner": b"a\xff".decode("utf-8", "surrogateescape")})
    (found,) = openmetrics(text([family]).encode().decode())
    assert found.samples[0].labels == {"owner": "a\N{REPLACEMENT CHARACTER}"}


@pytest.mark.parametrize(
    "address", ["0.0.0.0:9000", "10.1.2.3:80", "[::]:80", "example.net:80", "x", "127.0.0.1:99999"]
)
@pytest.mark.promise("S11")
def test_it_listens_on_this_machine_only(address: str) -> None:
    with pytest.raises(CondorError, match="condor_metrics: "):
        serve(address, lambda _: "")


ADS = {
    "STARTD": (
        '[MyType="Machine"; State="Claimed"; Activity="Busy"; Cpus=2; Memory=100; Disk=7; TotalLoadAvg=1.5; '
        "TotalCondorLoadAvg=1.0]",
        '[MyType="Machine"; State="Unclaimed"; Activity="Idle"; Cpus=6; Memory=900; GPUs=1]',
        '[MyType="Machine"; State="Owner"; Activity="Idle"; Cpus=1]',
        '[MyType="StartD"; JobStarts=5; JobPreemptions=2; JobRankPreemptions=1; JobUserPrioPreemptions=0]',
    ),
    "SCHEDD": ("[JobsStarted=7; JobsCompleted=3; LogSyncs=9; LogSyncSeconds=0.25]",),
    "NEGOTIATOR": (
        "[LastNegotiationCycleDuration0=0.5; LastNegotiationCycleCpuTime0=0.25; LastNegotiationCycleMatches0=4; "
        "LastNegotiationCycleRejections0=1; LastNegotiationCycleEnd0=1700000000]",
    ),
    "ACCOUNTING": (
        '[Name="alice@x"; Priority=500.0; PriorityFactor=1000.0; ResourcesUsed=2; WeightedResourcesUsed=3.0; '
        "SubmitterShare=0.75; SubmitterLimit=6.0; WeightedAccumulatedUsage=12.0]",
        '[Name="group_a"; IsAccountingGroup=true; Priority=1.0]',
    ),
}


def test_the_figures_of_a_pool(spool: Spool) -> None:
    for kind, ads in ADS.items():
        AdStore(f"{spool.path.parent}/ads").publish(kind, [ClassAd(ad) for ad in ads])
    spool.add(1, 2, owner="alice")
    spool.add(2, owner="alice", JobStatus="5")
    spool.add(3, owner="bob", JobStatus="9")
    lines = text(families(open_pool()), openmetrics=False).splitlines()
    kinds = [line.split()[2:] for line in lines if line.startswith("# TYPE")]
    assert [kind for name, kind in kinds if kind != ("counter" if name.endswith("_total") else "gauge")] == []
    found = {line for line in lines if not line.startswith("#")}
    assert {line for line in found if not line.startswith(("condor_disk", "condor_daemon_resident"))} == {
        *(f'condor_daemon_up{{daemon="{name}"}} 0' for name in ("master", "schedd", "startd", "negotiator")),
        'condor_jobs{owner="alice",state="idle"} 2',
        'condor_jobs{owner="alice",state="held"} 1',
        'condor_jobs{owner="bob",state="other"} 1',
        "condor_schedd_jobs_started_total 7",
        "condor_schedd_jobs_completed_total 3",
        "condor_schedd_log_syncs_total 9",
        "condor_schedd_log_sync_seconds_total 0.25",
        'condor_slots{state="Claimed",activity="Busy"} 1',
        'condor_slots{state="Unclaimed",activity="Idle"} 1',
        'condor_slots{state="Owner",activity="Idle"} 1',
        'condor_machine_resources{resource="Cpus"} 9',
        'condor_machine_resources{resource="Memory"} 1000',
        'condor_machine_resources{resource="Disk"} 7',
        'condor_machine_resources{resource="GPUs"} 1',
        'condor_machine_resources_free{resource="Cpus"} 7',
        'condor_machine_resources_free{resource="Memory"} 900',
        'condor_machine_resources_free{resource="Disk"} 0',
        'condor_machine_resources_free{resource="GPUs"} 1',
        'condor_machine_load{of="all"} 1.5',
        'condor_machine_load{of="jobs"} 1',
        "condor_startd_job_starts_total 5",
        "condor_startd_evictions_total 2",
        "condor_startd_rank_preemptions_total 1",
        "condor_startd_priority_preemptions_total 0",
        "condor_negotiation_cycle_seconds 0.5",
        "condor_negotiation_cycle_cpu_seconds 0.25",
        "condor_negotiation_cycle_matches 4",
        "condor_negotiation_cycle_rejections 1",
        "condor_negotiation_cycle_end_timestamp_seconds 1700000000",
        'condor_submitter_priority{submitter="alice@x",kind="user"} 500',
        'condor_submitter_priority{submitter="group_a",kind="group"} 1',
        'condor_submitter_priority_factor{submitter="alice@x",kind="user"} 1000',
        'condor_submitter_slots{submitter="alice@x",kind="user"} 2',
        'condor_submitter_weighted_slots{submitter="alice@x",kind="user"} 3',
        'condor_submitter_share_ratio{submitter="alice@x",kind="user"} 0.75',
        'condor_submitter_limit{submitter="alice@x",kind="user"} 6',
        'condor_submitter_usage_total{submitter="alice@x",kind="user"} 12',
    }
    free, size = (
        next(
            int(line.split()[-1]) for line in found if line.startswith(f'condor_disk_{name}_bytes{{directory="SPOOL"}}')
        )
        for name in ("free", "size")
    )
    disk = os.statvfs(spool.path.parent)
    assert size == disk.f_blocks * disk.f_frsize
    assert abs(free - disk.f_bavail * disk.f_frsize) < size / 10


@pytest.mark.parametrize("daemon", ["schedd", "startd"])
def test_a_daemon_that_runs_has_its_memory_and_its_duty_cycle(spool: Spool, daemon: str) -> None:
    pool = open_pool()
    AdStore(f"{spool.path.parent}/ads").publish(daemon.upper(), [ClassAd("[RecentDaemonCoreDutyCycle=0.5]")])
    lock = Path(pool.paths.daemon_lock(daemon.upper()))
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{os.getpid()}\n")
        file.flush()
        found = dict(
            line.rsplit(" ", 1) for line in text(families(pool), openmetrics=False).splitlines() if line[0] != "#"
        )
    label = f'{{daemon="{daemon}"}}'
    assert found[f"condor_daemon_up{label}"] == "1"
    assert found[f"condor_daemon_duty_cycle_ratio{label}"] == "0.5"
    assert 1 << 20 < float(found[f"condor_daemon_resident_memory_bytes{label}"]) < 1 << 40


# ---- the dashboard and the alerts of etc ----------------------------------------------------------------------

ETC = Path(__file__).resolve().parents[3] / "etc"
DASHBOARD = json.loads((ETC / "grafana" / "condor_py.json").read_text(encoding="utf-8"))
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())]


def test_dashboard_and_alerts_name_metrics_and_labels_that_there_are(spool: Spool) -> None:
    store = AdStore(open_pool().paths.ads)
    for kind, texts in ADS.items():
        store.publish(kind, [ClassAd(one) for one in texts])
    spool.add(1)
    found = list(families(open_pool()))
    printed = {f"{one.name}_total" if one.kind == "counter" else one.name for one in found}
    labels = {name for one in found for pairs, _ in one.samples for name, _ in pairs} | {"instance", "job"}
    texts = [*EXPRESSIONS, (ETC / "prometheus" / "condor_py.rules.yml").read_text(encoding="utf-8")]
    named = {name for each in texts for name in re.findall(r"\bcondor_[a-z_]+(?=[{\[ )]|$)", each, re.MULTILINE)}
    named -= {
        "condor_py",
        "condor_who",
        "condor_on",
        "condor_preen",
        "condor_q",
        "condor_top",
        "condor_metrics",
        "condor_web",
    }
    assert named - printed == set()
    used = {name for each in texts for name in re.findall(r'[{,]([a-z_]+)=~?"', each)}
    used |= {name for each in texts for group in re.findall(r"by \(([a-z_, ]+)\)", each) for name in group.split(", ")}
    assert used - labels == set()
    shown = {"condor_submitter_limit", "condor_submitter_usage_total", "condor_submitter_slots"}
    assert printed - named <= {*shown, "condor_submitter_priority_factor"}  # all others are on the dashboard


def test_the_dashboard_is_one_that_grafana_can_lay_out() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        own = {(x, y) for x in range(place["x"], place["x"] + place["w"])
               for y in range(place["y"], place["y"] + place["h"])}  # fmt: skip
        assert max(x for x, _ in own) < 24
        assert not own & cells, panel["title"]
        cells |= own
    assert all('instance=~"$instance"' in expression for expression in EXPRESSIONS)
    assert {variable["name"] for variable in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}


def test_prometheus_takes_the_example_and_the_alerts() -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed (Debian's package prometheus)")
    done = subprocess.run(
        ["promtool", "check", "config", str(ETC / "prometheus" / "condor_py.yml")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def ask(place: str | tuple[str, int], *lines: str) -> tuple[str, str]:
    """The head and the body of the answer to a request of HTTP."""
    with socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET) as connection:
        connection.connect(place)
        connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.decode().partition("\r\n\r\n")
    return head, body


class Said(io.StringIO):
    """The standard error of a server; ``listens`` once it has said so."""

    def __init__(self) -> None:
        super().__init__()
        self.listens = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if text.startswith("condor_metrics: listening on "):
            self.listens.set()
        return written


class Clients:
    """A server of condor_metrics in this process, and the requests that a thread makes of it until it stops it."""

    def __init__(self, requests: list[tuple[str, ...]], text: Text = lambda openmetrics: f"{openmetrics}\n") -> None:
        self.requests, self.text = requests, text
        self.answers: list[tuple[str, str]] = []
        self.said = Said()

    def run(self, address: str) -> list[tuple[str, str]]:
        thread = threading.Thread(target=self._ask)
        thread.start()
        with contextlib.redirect_stderr(self.said):
            assert serve(address, self.text) == 0
        thread.join()
        return self.answers

    def _ask(self) -> None:
        self.said.listens.wait()
        try:
            shown = self.said.getvalue().split()[-1]
            host, _, port = shown.removeprefix("http://").partition("/")[0].rpartition(":")
            place = shown.removeprefix("unix:") if shown.startswith("unix:") else (host, int(port))
            self.answers = [ask(place, *lines) for lines in self.requests]
        finally:
            os.kill(os.getpid(), signal.SIGTERM)


def test_it_answers_scrapes(tmp_path: Path) -> None:
    clients = Clients(
        [
            ("GET /metrics HTTP/1.0",),
            ("GET /metrics HTTP/1.0", "Accept: application/openmetrics-text; version=1.0.0"),
            ("GET / HTTP/1.0",),
            ("GET /metrics?x=1 HTTP/1.0",),
            ("GET /other HTTP/1.0",),
            ("POST /metrics HTTP/1.0",),
        ]
    )
    for address in ("127.0.0.1:0", f"unix:{tmp_path}/socket"):
        plain, opened, root, asked, other, post = clients.run(address)
        assert plain[0].startswith("HTTP/1.0 200 OK\r\n")
        assert "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 6" in plain[0]
        assert "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n" in opened[0]
        assert [plain[1], opened[1], root[1], asked[1]] == ["False\n", "True\n", "False\n", "False\n"]
        assert (other[0][:12], post[0][:12]) == ("HTTP/1.0 404", "HTTP/1.0 501")
        assert len(clients.said.getvalue().splitlines()) == 1  # nothing is said of a request
        clients.said = Said()
    assert os.listdir(tmp_path) == []


def test_figures_that_cannot_be_read_are_an_error_of_the_server() -> None:
    def damaged(openmetrics: bool) -> str:
        raise CondorError("the queue\nis damaged" + "!" * 300)

    clients = Clients([("GET /metrics HTTP/1.0",)], damaged)
    ((head, _),) = clients.run("0")
    assert head.splitlines()[0] == "HTTP/1.0 503 the queue is damaged" + "!" * 180
    assert len(clients.said.getvalue().splitlines()) == 1, "no traceback"


def test_the_socket_of_a_server_that_has_ended_is_taken_over(tmp_path: Path) -> None:
    path = f"{tmp_path}/socket"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(path)
        old.listen()
        with pytest.raises(CondorError, match=f"cannot listen on {path}: Address already in use"):
            serve(path, str)
    assert Clients([("GET / HTTP/1.0",)]).run(path)[0][1] == "False\n"
    Path(path).write_text("a file")
    with pytest.raises(CondorError, match="Address already in use"):
        serve(path, str)
    assert Path(path).read_text() == "a file"


def test_figures_go_to_the_screen_or_to_a_file(spool: Spool) -> None:
    spool.add(1, 2)
    shown = spool.run("condor_metrics")
    assert (shown.err, shown.code) == ("", 0)
    assert shown.out.endswith("# EOF\n")
    assert f'condor_jobs{{owner="{spool.me}",state="idle"}} 2\n' in shown.out
    plain = spool.run("condor_metrics", "-prometheus").out
    assert "# EOF" not in plain
    assert spool.run("condor_metrics", "-prometheus", "-file", "figures") == ("", "", 0)
    assert 'state="idle"} 2\n' in Path("figures").read_text()
    assert "# EOF" not in Path("figures").read_text()
    both = spool.run("condor_metrics", "-file", "figures", "-listen", "0")
    assert (both.err.splitlines()[0], both.code) == ("Error: -file and -listen cannot be used together", 1)
    assert "condor_metrics" in spool.run("condor_metrics", "-help").out
