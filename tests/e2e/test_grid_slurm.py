"""Jobs of the grid universe in a real Slurm (Debian: slurm-wlm, munge): their lives, and whoever dies meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from pool import ROOT, wait_for
from shared_pool import SharedPool, usable_python
from slurm_engine import Slurm

pytestmark = pytest.mark.xdist_group("slurm")
EXAMPLES = ROOT / "etc" / "examples"
TALKS = r"""cat in
printf '%s\n' "$A" "$@"
env | grep -c _CONDOR_ANCESTOR_
echo "$CUDA_VISIBLE_DEVICES"
echo oops >&2
mkdir d; echo made > made; echo deep > d/deep
i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done
exit 3
"""
#: A site's own sbatch, as many have one, with arguments for what may go wrong. ``grumble``: it warns, and fails
#: although the job is submitted. ``taken``: it has submitted the job when whoever called it dies. ``late``: whoever
#: called it dies first, and it submits the job all the same, when others have had time to look.
SBATCH = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
  *--comment=grumble*) /usr/bin/sbatch "$@" > /dev/null; echo 'low on budget' >&2; exit 1 ;;
  *--comment=taken*) mkdir "$here/taken" && { /usr/bin/sbatch "$@" > "$here/taken/said"; sleep 3; exit 1; } ;;
  *--comment=late*) mkdir "$here/late" && { kill -9 $PPID; sleep 2; } ;;
esac
exec /usr/bin/sbatch "$@"
"""
#: A plugin for slow://DIRECTORY/...: the first transfer each way takes until there is DIRECTORY/go.
PLUGIN = """#!/usr/bin/python3
import os, re, shutil, sys, time
if "-classad" in sys.argv:
    print('PluginType = "FileTransfer"\\nSupportedMethods = "slow"\\nMultipleFileSupport = true')
    sys.exit(0)
upload = "-upload" in sys.argv
given = open(sys.argv[sys.argv.index("-infile") + 1]).read()
with open(sys.argv[sys.argv.index("-outfile") + 1], "w") as out:
    for local, url in re.findall(r'LocalFileName = "([^"]*)"; Url = "([^"]*)"', given):
        place = url.removeprefix("slow:/")
        top = os.path.dirname(place)
        with open(f"{top}/{'going' if upload else 'coming'}", "w") as sign:
            sign.write("begun")
        while not os.path.exists(f"{top}/go"):
            time.sleep(0.05)
        shutil.copy(*((local, place) if upload else (place, local)))
        out.write(f'[ TransferSuccess = true; TransferUrl = "{url}" ]\\n')
"""
HEAD = "universe = grid\ngrid_resource = batch slurm\nlog = log\n"


class GridPool(SharedPool):
    """A pool beside a Slurm."""

    slurm: Slurm

    def grid(self, text: str) -> int:
        """Submits a grid job; its cluster."""
        return self.submit(HEAD + text + "queue\n")

    def ad(self, cluster: int) -> dict[str, str]:
        """Attributes of a job in the queue or the history."""
        for tool in ("condor_q", "condor_history"):
            text = self.tool(tool, f"{cluster}.0", "-l").stdout
            found = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
            if found:
                return found
        return {}

    def told_all(self, log: str, cluster: int) -> None:
        """Waits until the log tells of a job that ran once: its events come a moment after its status."""

        def told() -> list[int]:
            return [event for event, job in self.events(log) if job == f"{cluster}.0"]

        wait_for(lambda: told()[3:], "the job has ended")
        assert told() == [0, 27, 1, 5]

    def status(self, cluster: int) -> str:
        return self.ad(cluster).get("JobStatus", "")

    def wait_status(self, cluster: int, status: int) -> None:
        wait_for(lambda: self.status(cluster) == str(status), lambda: f"{status}: {self.what_is_known(cluster)}", 40)

    def what_is_known(self, cluster: int) -> str:
        """What the job's ad, its notices and the logs of both systems say of it."""
        told = [str(self.ad(cluster)), self.slurm.tool("scontrol", "show", "job")]
        for path in sorted((self.spool / "grid").glob("*/notices/*")):
            told.append(f"{path.name}: {path.read_text()!r}")
        for path in (*self.log.glob("GridmanagerLog*"), *self.slurm.top.glob("slurm*.log")):
            told.append(f"{path.name}:\n{path.read_text(errors='replace')[-4000:]}")
        return "\n".join(told)

    def manager(self, owner: str = "root") -> int:
        """Process id of the last gridmanager."""
        log = (self.log / "SchedLog").read_text()
        return int(re.findall(rf"Started condor_gridmanager for {owner}, pid = (\d+)", log)[-1])

    def script(self, name: str, text: str) -> None:
        path = self.work / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)


@pytest.fixture(scope="module")
def grid(slurm: Slurm) -> Iterator[GridPool]:
    top = Path(f"/tmp/condor_py-grid-{os.getpid()}")
    usable_python()
    top.mkdir(mode=0o755)
    made = GridPool(
        top / "pool", cpus=1, GRIDMANAGER_JOB_PROBE_INTERVAL="1", GRIDMANAGER_RESOURCE_PROBE_INTERVAL="1",
        BATCH_GAHP_CHECK_STATUS_ATTEMPTS="2",
    )  # fmt: skip
    made.slurm = slurm
    made.environment |= slurm.environment
    (top / "bin").mkdir()
    (top / "bin" / "sbatch").write_text(SBATCH)
    (top / "bin" / "sbatch").chmod(0o755)
    (top / "plugin").write_text(PLUGIN)
    (top / "plugin").chmod(0o755)
    made.knob("FILETRANSFER_PLUGINS", top / "plugin")
    made.environment["PATH"] = f"{top}/bin:/usr/bin:/bin"
    try:
        made.start()
        yield made
        check_event_logs(made.work)
    finally:
        made.stop()
        shutil.rmtree(top)


def test_the_example(grid: GridPool) -> None:
    """etc/examples/grid.sub as it stands: a partition ``short`` is all it asks of a Slurm."""
    place = grid.work / "example"
    shutil.copytree(EXAMPLES, place)
    done = grid.tool("condor_submit", "grid.sub", cwd=place)
    found = re.search(r"submitted to cluster (\d+)", done.stdout)
    assert found, done.stdout + done.stderr
    grid.wait_status(int(found[1]), 4)
    assert (place / "grid.out").read_text() == socket.gethostname() + "\n"
    assert (place / "grid.err").read_text() == ""
    grid.told_all("example/grid.log", int(found[1]))
    name = grid.ad(int(found[1]))["GridJobId"].split()[2]
    assert f"{name} short 10:00" in grid.slurm.answer("squeue", "-h", "-t", "all", "-o", "%j %P %l")


def test_output_environment_exit_code_and_signal_come_back(grid: GridPool) -> None:
    grid.script("say", TALKS)
    grid.script("die", "kill -INT $$\n")
    (grid.work / "in").write_text("input\n")
    files = "transfer_input_files = in\ntransfer_output_files = made, d\noutput = out.say\nerror = err.say\n"
    asks = "request_cpus = 2\nrequest_memory = 50\nrequest_gpus = 2\nbatch_queue = other\nbatch_project = physics\n"
    asks += "batch_extra_submit_args = --comment='two  words' --nice=5\n"
    words = "executable = say\narguments = \"'a  b' c\"\nenvironment = \"A='x  ''y'' \"\"z\"\"'\"\n"
    talks = grid.grid(files + words + asks)
    dies = grid.grid("executable = die\nbatch_extra_submit_args = --comment=grumble\n")
    never = grid.grid("executable = /nowhere/prog\ntransfer_executable = false\n")
    grid.wait_status(talks, 4)
    assert (grid.work / "out.say").read_text() == "input\nx  'y' \"z\"\na  b\nc\n0\n0,1\n"
    assert (grid.work / "err.say").read_text() == "oops\n"
    assert (grid.work / "made").read_text() == "made\n"
    assert (grid.work / "d" / "deep").read_text() == "deep\n"
    ad = grid.ad(talks)
    assert (ad["ExitCode"], ad["ExitBySignal"]) == ("3", "false")
    assert re.fullmatch(r'"batch slurm \S+ slurm/\d{8}/\d+"', ad["GridJobId"])
    assert float(ad["RemoteUserCpu"]) > 0
    told = grid.slurm.answer("squeue", "-h", "-t", "all", "-j", ad["GridJobId"].strip('"').rpartition("/")[2], "-O",
                             "Partition:|,NumCPUs:|,MinMemory:|,tres-per-node:|,Account:|,Nice:|,Comment:")  # fmt: skip
    assert told.strip() == "other|2|50M|gres:gpu:2|physics|5|two  words"
    grid.wait_status(dies, 4)
    ad = grid.ad(dies)
    assert (ad["ExitBySignal"], ad["ExitSignal"]) == ("true", "2")
    grid.told_all("log", talks)
    log = (grid.work / "log").read_text()
    assert "    GridResource: batch slurm\n    GridJobId: batch slurm " in log
    grid.wait_status(never, 5)
    ad = grid.ad(never)
    assert (ad["HoldReasonCode"], ad["HoldReasonSubCode"]) == ("6", "2")
    grid.tool("condor_rm", str(never))


def test_what_slurm_does_not_want_is_held_and_what_nobody_knows_is_refused(grid: GridPool) -> None:
    bad = grid.grid("executable = /bin/true\nbatch_queue = nowhere\n")
    grid.wait_status(bad, 5)
    ad = grid.ad(bad)
    assert "invalid partition" in ad["HoldReason"]
    assert ad["HoldReasonCode"] == "21"
    grid.tool("condor_rm", str(bad))
    wait_for(lambda: grid.status(bad) == "3", "it has left")
    for resource in ("batch torque9", "ec2 https://x/", "batch slurm me@there"):
        text = f"universe = grid\ngrid_resource = {resource}\nexecutable = /bin/true\nqueue\n"
        (grid.work / "bad.sub").write_text(text)
        done = grid.tool("condor_submit", "bad.sub", check=False)
        assert done.returncode == 1
        assert len(done.stderr.strip().splitlines()) <= 2, done.stderr


def test_hold_release_remove_and_a_cancel_there(grid: GridPool) -> None:
    grid.script("long", "sleep 600\n")
    held, removed, cancelled = (grid.grid("executable = long\n") for _ in range(3))
    for job in (held, removed, cancelled):
        grid.wait_status(job, 2)
    assert "batch->" in grid.tool("condor_q", "-grid").stdout
    wait_for(lambda: "batch slurm" in grid.tool("condor_status", "-grid").stdout, "the resource is shown")
    numbers = {job: grid.ad(job)["GridJobId"].strip('"').rpartition("/")[2] for job in (held, removed, cancelled)}
    grid.tool("condor_hold", str(held))
    grid.tool("condor_rm", str(removed))
    grid.slurm.answer("scancel", numbers[cancelled])
    wait_for(lambda: "GridJobId" not in grid.ad(held), "it is gone there")
    wait_for(lambda: grid.queue("ClusterId").count([str(removed)]) == 0, "it has left")
    grid.wait_status(cancelled, 5)
    assert grid.ad(cancelled)["HoldReason"] == '"Job removed from batch queue manually"'
    grid.script("long", "exit 0\n")
    grid.tool("condor_release", str(held), str(cancelled))
    for job in (held, cancelled):
        grid.wait_status(job, 4)
        assert grid.ad(job)["GridAttempt"] == "2"


def test_whoever_dies_a_job_runs_once(grid: GridPool) -> None:
    grid.script("once", f"echo run >> {grid.work}/runs.$1; while [ ! -e {grid.work}/all ]; do sleep 0.1; done\n")
    jobs = [grid.grid(f"executable = once\narguments = {number}\noutput = out.{number}\n") for number in range(3)]
    grid.wait_status(jobs[0], 2)
    os.kill(grid.manager(), signal.SIGKILL)
    jobs.append(grid.grid("executable = once\narguments = 3\n"))
    for job in jobs:
        grid.wait_status(job, 2)
    grid.kill("schedd")
    grid.slurm.crash(*(grid.ad(job)["GridJobId"].split()[2] for job in jobs))
    (grid.work / "all").touch()
    for number, job in enumerate(jobs):
        grid.wait_status(job, 4)
        assert (grid.work / f"runs.{number}").read_text() == "run\n"
        grid.told_all("log", job)
    wait_for(lambda: not list((grid.spool / "grid" / "root" / "jobs").iterdir()), "their directories are gone")


def test_killed_at_every_step_a_job_runs_once(grid: GridPool) -> None:
    """The gridmanager dies while one job's input is on the way, one is about to be submitted, one has been submitted
    without its knowing, and one's output is on the way."""
    (grid.work / "given").write_text("input\n")
    grid.script("step", f"echo run >> {grid.work}/step.$1; echo made > made\n")
    slow = f"slow://{str(grid.work)[1:]}"
    more = {
        "out": f'transfer_output_files = made\ntransfer_output_remaps = "made = {slow}/brought"\n',
        "in": f"transfer_input_files = {slow}/given\n",
        "taken": "batch_extra_submit_args = --comment=taken\n",
        "late": "batch_extra_submit_args = --comment=late\n",
    }
    signs = {"out": grid.work / "going", "in": grid.work / "coming", "taken": grid.directory.parent / "bin/taken/said"}
    jobs, manager = {}, 0
    for step, text in more.items():
        if step == "late":
            manager = grid.manager()
            assert Path(f"/proc/{manager}").exists()
        jobs[step] = grid.grid(f"executable = step\narguments = {step}\nlog = {step}.log\n{text}")
        if step in signs:
            sign = signs[step]
            wait_for(lambda sign=sign: sign.exists() and sign.stat().st_size, f"{step} is under way")
    wait_for(lambda: not Path(f"/proc/{manager}").exists(), "the gridmanager is dead")
    (grid.work / "go").touch()
    for step, job in jobs.items():
        grid.wait_status(job, 4)
        assert (grid.work / f"step.{step}").read_text() == "run\n"
        grid.told_all(f"{step}.log", job)
    assert (grid.work / "brought").read_text() == "made\n"


def test_a_controller_that_is_away_is_waited_for(grid: GridPool) -> None:
    """It has heard of the job although it did not answer: the job runs once, even if a look comes before it there and
    it is submitted again."""
    grid.script("away", f"echo run >> {grid.work}/away.ran\n")
    grid.slurm.pause()
    job = grid.grid("executable = away\nlog = away.log\n")
    wait_for(lambda: (26, f"{job}.0") in grid.events("away.log"), "the job is told")
    grid.slurm.go_on()
    grid.wait_status(job, 4)
    wait_for(lambda: (5, f"{job}.0") in grid.events("away.log"), "its end is told")
    events = [event for event, _ in grid.events("away.log")]
    assert events[:2] == [0, 26]
    # It may have ended, which its script tells, before the controller has answered a question.
    assert [event for event in events[2:] if event != 25] == [27, 1, 5]
    name = grid.ad(job)["GridJobId"].split()[2]
    wait_for(lambda: name not in grid.slurm.answer("squeue", "-h", "-o", "%j").split(), "nothing of it is left")
    assert (grid.work / "away.ran").read_text() == "run\n"


def test_jobs_run_there_as_their_owner(grid: GridPool) -> None:
    text = HEAD + "executable = /usr/bin/id\narguments = -un\noutput = out\ntransfer_executable = false\nqueue\n"
    grid.submit_as_stranger(text)
    wait_for(lambda: (grid.theirs / "out").exists() and (grid.theirs / "out").read_text() != "", "it has run")
    assert (grid.theirs / "out").read_text() == "nobody\n"
    assert (grid.theirs / "out").stat().st_uid == (grid.theirs / "log").stat().st_uid == grid.theirs.stat().st_uid
