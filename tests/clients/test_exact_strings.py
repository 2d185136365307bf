"""What programs that are not installed here look for in our output: their own patterns, on real output."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from pool import PersonalPool, wait_for

#: One worker runs these tests and those of the readers: their pool is made once.
pytestmark = pytest.mark.xdist_group("client_readers")


def _file(pool: PersonalPool, text: str) -> str:
    (pool.work / "job.sub").write_text(text)
    return "job.sub"


def test_nextflow(pool: PersonalPool) -> None:
    """It runs ``condor_submit --terse``, and takes columns 0 and 5 of the lines behind the heading " ID "."""
    manifest = _nextflow(pool, "sleep 600")
    running = pool.tool("condor_submit", "--terse", _file(pool, manifest)).stdout
    held = pool.tool("condor_submit", "--terse", _file(pool, "hold = true\n" + manifest)).stdout
    jobs = [text.split(" -")[0] for text in (running, held)]
    first = pool.first_cluster
    assert jobs == [f"{first}.0", f"{first + 1}.0"]
    wait_for(lambda: pool.status_of(jobs[0]) == 2, "the job runs")
    found, started = {}, False
    for line in pool.tool("condor_q", "-nobatch").stdout.splitlines():
        if not started:
            started = line.startswith(" ID ")
        elif not line.strip():
            break
        else:
            columns = line.split()
            found[columns[0]] = columns[5]
    assert found[jobs[0]] == "R"
    assert found[jobs[1]] == "H"
    pool.tool("condor_rm", jobs[0])


def _nextflow(pool: PersonalPool, command: str) -> str:
    script = pool.work / ".command.run"
    script.write_text(f"#!/bin/bash\n{command}\n")
    script.chmod(0o755)
    return (
        f"universe = vanilla\nexecutable = {script}\nlog = {pool.work}/.command.log\ngetenv = true\n"
        f"initialdir = {pool.work}\nmachine_count = 1\nqueue\n"
    )


def test_arc_galaxy_and_cromwell_read_submit_output_and_the_event_log(pool: PersonalPool) -> None:
    text = "executable = /bin/sh\narguments = \"-c 'exit 3'\"\nlog = run.log\nqueue\n"
    done = pool.tool("condor_submit", _file(pool, text))
    cromwell = re.fullmatch(r"(?sm).*cluster (\d+)..*", done.stdout)
    galaxy = re.search(r"submitted to cluster (\d+)\.", done.stdout)
    arc = re.search(r"^[ \t]*[1-9][0-9]* job\(s\) submitted to cluster ([0-9]+)\.$", done.stdout, re.MULTILINE)
    assert cromwell and galaxy and arc  # noqa: PT018 - three readers of one line
    job = f"{pool.first_cluster:03}"
    assert {cromwell[1].zfill(3), galaxy[1].zfill(3), arc[1].zfill(3)} == {job}
    assert pool.tool("condor_q", cromwell[1]).returncode == 0
    pool.wait("run.log")
    log = (pool.work / "run.log").read_text()
    # Galaxy fills the cluster with zeros up to three places and looks for these beginnings.
    seen = {number: f"{number} ({job}." in log for number in ("001", "004", "007", "005", "009")}
    assert seen == {"001": True, "004": False, "007": False, "005": True, "009": False}
    # ARC takes exit code and times from the event of termination.
    assert re.search(r"^\t\(1\) Normal termination \(return value (\d+)\)", log, re.MULTILINE)[1] == "3"  # type: ignore[index]
    assert re.search(r"^\t\tUsr \d+ \d\d:\d\d:\d\d, Sys \d+ \d\d:\d\d:\d\d  -  Total Remote Usage$", log, re.MULTILINE)
    assert re.search(rf"^001 \({job}\.000\.000\) .* Job executing on host: <", log, re.MULTILINE)


def test_harvester_reads_submit_output_and_xml(pool: PersonalPool) -> None:
    text = 'executable = /bin/sleep\narguments = 600\n+harvesterID = "h"\nqueue 2\n'
    done = pool.tool("condor_submit", "-single-cluster", _file(pool, text))
    found = [re.search(r"^(\d+) job\(s\) submitted to cluster (\d+)\.$", line) for line in done.stdout.splitlines()]
    cluster = str(pool.first_cluster)
    assert [(match[1], match[2]) for match in found if match] == [("2", cluster)]
    ads = []
    shown = pool.tool("condor_q", "-xml", "-constraint", 'harvesterID == "h"').stdout
    for element in ET.fromstring(shown).findall("c"):
        ads.append({item.attrib["n"]: item[0].text for item in element.findall("a")})
    assert [(ad["ClusterId"], ad["ProcId"]) for ad in ads] == [(cluster, "0"), (cluster, "1")]
    pool.tool("condor_rm", cluster)
    wait_for(lambda: not pool.queue("ProcId"), "both are gone")
    root = ET.fromstring(pool.tool("condor_history", "-xml", cluster).stdout)
    assert sorted(item[0].text or "" for item in root.findall("c/a[@n='JobStatus']")) == ["3", "3"]


def test_blah_takes_the_eighth_word(pool: PersonalPool) -> None:
    done = pool.tool("condor_submit", _file(pool, "executable = /bin/sleep\narguments = 600\nqueue\n"))
    words = f"{done.stdout} {done.stderr}".split()
    cluster = words[7].replace(".", "")
    job = f"{cluster}.0"
    assert cluster == str(pool.first_cluster)
    wait_for(lambda: pool.status_of(job) == 2, "the job runs")
    formats = ("-format", "JobStatus = %d\n", "JobStatus", "-format", "RemoteHost = %s\n", "RemoteHost")
    shown = pool.tool("condor_q", cluster, *formats)
    assert re.fullmatch(r"JobStatus = 2\nRemoteHost = slot1_1@\S+\n", shown.stdout)
    assert pool.tool("condor_rm", job).stdout == f"Job {job} marked for removal\n"
