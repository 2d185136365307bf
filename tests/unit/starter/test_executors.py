"""What every executor promises, whatever it runs its programs with. Each new one is a line of EXECUTORS."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import containers
import pytest
from apart import apart

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.probes import process
from condor_py.machine.run.docker import DockerExecutor, Within
from condor_py.machine.run.engine import Engine, one_line, remove_left
from condor_py.machine.run.environment import job_environment
from condor_py.machine.run.executor import Execution, Executor
from condor_py.machine.run.identity import account_for
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import StartError, Streams
from condor_py.machine.run.processes import ProcessExecutor
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.session import SessionPlace, SessionRequest
from condor_py.machine.run.singularity import SingularityExecutor
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import DockerSettings, SingularitySettings
from condor_py.model.settings.starter import StarterSettings
from condor_py.model.states import HoldCode, VacateCode

OWNER = pwd.getpwuid(os.geteuid()).pw_name


FAMILY = StarterSettings("/nowhere", base_cgroup="")


def of_processes(ad: ClassAd) -> Executor:
    return ProcessExecutor(JobFamily(FAMILY, "slot1@here", ClassAd()), ad)


@cache
def engine() -> str:
    """The one of this process, with the image; it goes when the tests are over."""
    if reason := containers.why_not():
        pytest.skip(reason)
    top = Path(tempfile.mkdtemp(prefix="engine."))
    made = containers.make_engine(top)

    def remove() -> None:
        containers.remove_engine(made)
        shutil.rmtree(top, ignore_errors=True)

    atexit.register(remove)
    return made


def of_docker(ad: ClassAd, command: str = "") -> Executor:
    extra = f"{containers.LIMITS} --network=none"
    settings = DockerSettings(command or engine(), extra, trusts_local_images=True)
    slot = Within(ClassAd({"Memory": 100, "Cpus": 1}))
    ad.set_str("DockerImage", containers.IMAGE)
    return DockerExecutor(settings, JobFamily(FAMILY, "slot1@here", ClassAd()), slot, ad, print)


EXECUTORS: dict[str, Callable[[ClassAd], Executor]] = {"processes": of_processes, "docker": of_docker}


class Bench:
    """One executor and a directory for its jobs."""

    def __init__(self, make: Callable[[ClassAd], Executor], top: Path) -> None:
        self.scratch = top / "scratch"
        self.scratch.mkdir()
        self.place = Place("slot1@here", "there", Sandbox(str(top)), "", {"PATH": os.environ["PATH"]})
        self.place = replace(self.place, log=lambda *told: None)
        self.make = make
        self.mark = str(top)

    def execution(self, script: str, **attributes: str) -> tuple[Executor, Execution]:
        program = self.scratch / "job.sh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        ad = ClassAd()
        texts = {
            "ClusterId": "7", "ProcId": "3", "Owner": quote_string(OWNER), "Iwd": quote_string(str(self.scratch)),
            "Cmd": quote_string("./job.sh"), "Out": quote_string("out"), "Err": quote_string("err"),
            "ShouldTransferFiles": '"NO"', "Environment": quote_string(f"WHOSE={self.mark}"), **attributes,
        }  # fmt: skip
        for name, text in texts.items():
            ad.set_text(name, text)
        job = read_job(ad, "here")
        return self.make(ad), Execution(job, self.place, str(self.scratch), account_for(OWNER))

    def start(self, script: str, **attributes: str) -> tuple[Executor, Execution]:
        executor, execution = self.execution(script, **attributes)
        assert executor.pid == 0
        executor.fetch(execution)
        executor.prepare(execution)
        executor.start(execution, self.environment(execution))
        assert executor.pid > 0
        executor.admit()
        return executor, execution

    def environment(self, execution: Execution) -> dict[str, str]:
        return job_environment(self.place.base_environment, execution.job, execution.owner, self.place.sandbox)

    def living(self) -> set[int]:
        """The processes of the job, by their environment."""
        return process.find_by_environ("WHOSE", self.mark)

    def said(self, name: str) -> str:
        path = self.scratch / name
        return path.read_text() if path.exists() else ""


@pytest.fixture(params=EXECUTORS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    if request.param == "docker":
        engine()
    return Bench(EXECUTORS[request.param], tmp_path)


@pytest.fixture
def processes(tmp_path: Path) -> Bench:
    return Bench(of_processes, tmp_path)


@pytest.fixture
def docker(tmp_path: Path) -> Bench:
    engine()
    return Bench(of_docker, tmp_path)


def wait(executor: Executor) -> None:
    os.waitid(os.P_PID, executor.pid, os.WEXITED | os.WNOWAIT)


def until(true: Callable[[], object]) -> None:
    limit = time.monotonic() + 60
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.01)


def ended(executor: Executor) -> tuple[int | None, int | None]:
    """Exit code and signal, when nothing of the job is left."""
    wait(executor)
    ending = executor.collect()
    executor.end()
    executor.close()
    return ending.exit_code, ending.exit_signal


@apart
def test_a_program_runs_in_its_directory_and_its_code_is_told(bench: Bench) -> None:
    executor, _ = bench.start('pwd; echo "$1 $WORD"; echo no >&2; exit 3', Arguments='"a"', Environment='"WORD=b"')
    assert ended(executor) == (3, None)
    assert (bench.said("out"), bench.said("err")) == (f"{bench.scratch}\na b\n", "no\n")


@apart
def test_a_signal_that_ends_a_program_is_told(bench: Bench) -> None:
    executor, _ = bench.start("kill -USR1 $$")
    assert ended(executor) == (None, signal.SIGUSR1)


@apart
def test_named_pipes_as_streams_keep_nobody_but_the_job_waiting(bench: Bench) -> None:
    for name in ("in", "out"):
        os.mkfifo(bench.scratch / name)
    executor, _ = bench.start("cat; echo no >&2", In='"in"', Err='"out"')
    (bench.scratch / "in").write_text("from outside\n")  # waits until it is read
    assert (bench.scratch / "out").read_text() == "from outside\nno\n"
    assert ended(executor) == (0, None)
    waiting, _ = bench.start("true")
    waiting.kill()
    assert ended(waiting) == (None, signal.SIGKILL)


@apart
def test_a_program_that_cannot_be_executed_is_the_fault_of_its_job(processes: Bench) -> None:
    executor, execution = processes.execution("", Cmd='"nothing"')
    executor.prepare(execution)
    with pytest.raises(StartError) as caught:
        executor.start(execution, {})
    assert caught.value.code == HoldCode.FAILED_TO_CREATE_PROCESS
    executor.close()


@apart
def test_a_signal_goes_to_the_program_alone(bench: Bench) -> None:
    executor, _ = bench.start(
        "trap 'exit 9' USR1; (trap 'echo child > child' USR1; echo > ready; sleep 1000) & while :; do wait; done"
    )
    until(lambda: (bench.scratch / "ready").exists())
    executor.signal(signal.SIGUSR1)
    assert ended(executor) == (9, None)
    assert not bench.said("child")


@apart
def test_everything_of_a_job_is_killed(bench: Bench) -> None:
    executor, _ = bench.start("trap '' TERM; setsid sh -c 'echo > ready; exec sleep 1000' & while :; do sleep 1; done")
    until(lambda: (bench.scratch / "ready").exists())
    assert len(bench.living()) >= 2
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)
    assert not bench.living()


@apart
def test_minus_one_is_an_exit_code_and_no_signal(docker: Bench) -> None:
    executor, _ = docker.start("exit 255")
    assert ended(executor) == (255, None)


@apart
def test_what_a_program_leaves_behind_ends_with_it(bench: Bench) -> None:
    executor, _ = bench.start("setsid sleep 1000 & exit 0")
    assert ended(executor) == (0, None)
    assert not bench.living()


@apart
def test_a_job_stands_still_and_goes_on(bench: Bench) -> None:
    executor, _ = bench.start("sleep 1000 & sleep 1000 & while :; do echo x >> ticks; sleep 0.01; done")
    until(lambda: bench.said("ticks"))
    assert executor.suspend() >= 3, "all of its processes are counted"
    seen = [""]

    def quiet() -> bool:
        """Nothing was written since the last look, some time ago."""
        time.sleep(0.1)
        seen.append(bench.said("ticks"))
        return seen[-1] == seen[-2]

    until(quiet)
    before = bench.said("ticks")
    assert executor.resume() >= 1
    until(lambda: len(bench.said("ticks")) > len(before))
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)


@apart
def test_what_lives_of_a_job_is_measured(bench: Bench) -> None:
    executor, _ = bench.start("echo > ready; sleep 1000 & wait")
    until(lambda: (bench.scratch / "ready").exists())
    until(lambda: executor.usage().processes)  # an engine is not asked while it starts a container
    assert executor.usage().rss_kb > 0
    assert not executor.over_limit()
    assert executor.look_interval > 0
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)


@apart
def test_a_program_that_waited_for_a_session_is_dismissed(processes: Bench) -> None:
    executor, _ = processes.start("exec sleep 1000")
    executor.dismiss()
    assert ended(executor) == (None, signal.SIGTERM)


@apart
def test_a_program_that_is_over_takes_no_signal(bench: Bench) -> None:
    executor, _ = bench.start("exit 5")
    wait(executor)
    assert executor.collect().exit_code == 5
    executor.signal(signal.SIGTERM)
    executor.dismiss()
    executor.kill()
    executor.end()
    assert executor.uncounted((1e9, 1e9)) == (0.0, 0.0)
    report = ExitReport("claim", "7.3", 1, exit_code=5)
    assert executor.judge(report) == report
    executor.close()


@apart
def test_a_program_is_started_again(bench: Bench) -> None:
    executor, execution = bench.start("echo x >> runs; exit 85")
    for _ in range(2):
        wait(executor)
        assert executor.collect().exit_code == 85
        executor.end()
        executor.start(execution, bench.environment(execution))
    assert ended(executor) == (85, None)
    assert bench.said("runs") == "x\n" * 3


@apart
def test_the_use_of_a_program_that_follows_is_counted_from_its_start(
    processes: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    monkeypatch.setattr(JobFamily, "again", lambda family: begun.append(executor.pid))
    executor, execution = processes.start("true")
    ended(executor)
    assert begun == []
    executor.start(execution, {})
    assert begun == [executor.pid]
    ended(executor)


@apart
def test_a_session_sees_what_the_program_sees_and_ends_with_it(bench: Bench) -> None:
    executor, execution = bench.start("echo > ready; sleep 1000 & wait")
    until(lambda: (bench.scratch / "ready").exists())
    executor.admit()
    with open(bench.scratch / "told", "wb") as told:
        streams = Streams(os.open(os.devnull, os.O_RDONLY), told.fileno(), told.fileno())
        request = SessionRequest("pwd; echo $_CONDOR_SSH_TO_JOB; hostname; exec sleep 1000", ("/bin/sh",), False)
        place = SessionPlace(execution.directory, bench.environment(execution), (executor.pid,), "slot1@here", "1.1")
        session = executor.enter(request, place, streams, execution.owner)
    until(lambda: bench.said("told").count("\n") == 3)
    assert bench.said("told").splitlines()[:2] == [str(bench.scratch), "1.1"]
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)
    assert not process.alive(session.pid)
    assert not bench.living()


@apart
def test_a_session_has_the_limits_of_its_program(processes: Bench) -> None:
    executor, execution = processes.start("ulimit -n 321; echo > ready; sleep 1000 & wait")
    until(lambda: (processes.scratch / "ready").exists())
    executor.admit()
    with open(processes.scratch / "told", "wb") as told:
        streams = Streams(os.open(os.devnull, os.O_RDONLY), told.fileno(), told.fileno())
        place = SessionPlace(execution.directory, {}, (executor.pid,), "slot1@here", "1.1")
        request = SessionRequest("ulimit -n", ("/bin/sh",), False)
        session = executor.enter(request, place, streams, execution.owner)
    assert session.wait(60) == 0
    assert processes.said("told") == "321\n"
    executor.kill()
    assert ended(executor) == (None, signal.SIGKILL)


@apart
def test_a_session_that_comes_when_the_program_is_over_has_what_that_was_given(processes: Bench) -> None:
    executor, execution = processes.start("exit 0", JobNice="5")
    wait(executor)
    executor.collect()
    with open(processes.scratch / "told", "wb") as told:
        streams = Streams(os.open(os.devnull, os.O_RDONLY), told.fileno(), told.fileno())
        place = SessionPlace(execution.directory, {}, (executor.pid,), "slot1@here", "1.1")
        session = executor.enter(SessionRequest("nice", ("/bin/sh",), False), place, streams, execution.owner)
    assert session.wait(60) == 0
    assert processes.said("told") == f"{max(5, os.nice(0))}\n"
    executor.end()
    executor.close()


@apart
def test_a_run_that_never_starts_is_closed(bench: Bench) -> None:
    executor, execution = bench.execution("exit 0")
    executor.fetch(execution)
    executor.close()
    assert executor.pid == 0
    executor, execution = bench.execution("exit 0")
    executor.prepare(execution)
    executor.close()
    assert not executor.fetches_much


# -- containers alone ------------------------------------------------------------------------------


@apart
def test_a_container_is_another_machine_and_sees_the_directory_of_its_job(docker: Bench) -> None:
    (docker.scratch / "in").write_text("words")
    executor, _ = docker.start("cat in; cat; ls /; id -u; echo $$", In='"in"')
    assert ended(executor) == (0, None)
    out = docker.said("out")
    assert out.startswith("wordswords")
    assert "srv" not in out.split()
    assert str(os.geteuid()) in out.split()


@apart
def test_variables_of_a_job_do_not_reach_the_engine(tmp_path: Path) -> None:
    """The engine runs with our rights: a library of a job that is loaded into it could do anything."""
    program = tmp_path / "docker"
    program.write_text(f"#!/bin/sh\nenv >> {tmp_path}/env\n")
    program.chmod(0o755)
    executor, execution = Bench(partial(of_docker, command=str(program)), tmp_path).start("")
    place = SessionPlace(execution.directory, {"EVIL": "1"}, (), "slot1@here", "1.1")
    request = SessionRequest("true", ("/bin/sh",), False, (("EVIL", "1"), ("LD_PRELOAD", "evil.so")))
    null = os.open(os.devnull, os.O_RDWR)
    executor.enter(request, place, Streams(null, null, null), execution.owner).wait()
    ended(executor)
    told = (tmp_path / "env").read_text()
    assert "_CONDOR_SSH_TO_JOB=1.1" in told
    assert "EVIL" not in told
    assert "WHOSE" not in told
    assert "LD_PRELOAD" not in told


@apart
def test_an_image_that_is_nowhere_holds_the_job(docker: Bench) -> None:
    executor, execution = docker.execution("")
    setattr(executor, "_image", "nothing:latest")  # noqa: B010
    assert executor.fetches_much
    with pytest.raises(StartError, match=r"^Cannot pull image nothing:latest .") as caught:
        executor.fetch(execution)
    assert caught.value.code == HoldCode.INVALID_DOCKER_IMAGE
    executor.start(execution, {})
    ended(executor)
    assert executor.refused
    report = executor.judge(ExitReport("claim", "7.3", 1, exit_code=125))
    assert report.hold_code == HoldCode.INVALID_DOCKER_IMAGE
    assert "nothing" in report.hold_reason
    executor.close()


@pytest.mark.parametrize(
    ("state", "code", "subcode", "reason"),
    [
        ('"ExitCode": 137, "OOMKilled": true', 34, 102, "Docker job has gone over memory limit of 100 Mb"),
        ('"ExitCode": 127, "Error": "no such\\nfile"', 6, 0, "Error running docker job: no such file"),
        ('"ExitCode": 0, "Error": "", "Status": "created"', 6, 0, "Error running docker job: runc cannot"),
    ],
)
def test_what_an_engine_says_of_an_ended_container_holds_its_job(
    tmp_path: Path, state: str, code: int, subcode: int, reason: str
) -> None:
    """Not every kernel lets podman see who was killed for his memory: this engine is a script."""

    @apart
    def judged() -> None:
        program = tmp_path / "docker"
        told = f"printf '%s' '{{\"Running\": false, {state}}}'"
        program.write_text(
            f'#!/bin/sh\ncase "$1" in inspect) {told};; start) echo Error: runc cannot >&2; exit 127;; esac\n'
        )
        program.chmod(0o755)
        made = partial(of_docker, command=str(program))
        executor, _ = Bench(made, tmp_path).start("")
        ended(executor)
        report = executor.judge(ExitReport("claim", "7.3", 1, exit_code=127))
        assert (report.hold_code, report.hold_subcode, report.hold_reason) == (code, subcode, reason)

    judged()


@apart
def test_containers_of_dead_starters_are_removed(docker: Bench) -> None:
    executor, execution = docker.start("sleep 1000")
    execute = os.path.dirname(execution.place.sandbox.root)
    until(docker.living)
    assert remove_left(engine(), execute, os.getpid() + 1) == []
    assert remove_left(engine(), "/another/pool") == []
    assert docker.living()
    assert len(remove_left(engine(), execute, os.getpid())) == 1
    assert not docker.living()
    assert Engine(engine()).ask("ps", "--all", "--quiet").out == ""
    wait(executor)


def test_what_an_engine_says_is_one_line_without_its_warnings() -> None:
    warning = 'time="2026-11-22T21:46:10Z" level=warning msg="Failed, retrying in 1s ... (1/3)"\n'
    assert one_line(f"{warning}{warning}Error: no\n  such image\n") == "Error: no such image"
    assert one_line(warning) == warning.strip()


def test_an_engine_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "docker"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    answer = Engine(str(program)).ask("ps", patience=0.2)
    assert (answer.code, answer.err) == (-1, f"{program} ps did not answer within 0 seconds")


_STUBBORN = """\
#!/bin/sh
top={top}
echo "$*" >>$top/calls
case $1 in
    start) until [ -e $top/gone ]; do sleep 0.01; done; exit 137 ;;
    kill) echo "cannot kill: is not running" >&2; exit 1 ;;
    rm) [ -e $top/busy ] && {{ echo busy >&2; exit 1; }}; : >$top/gone ;;
    inspect) [ -e $top/gone ] && exit 1; echo '{{"Running": false, "ExitCode": 0}}' ;;
esac
exit 0
"""


@apart
def test_an_order_that_comes_before_the_program_is_not_lost_and_a_removal_is_tried_again(tmp_path: Path) -> None:
    """An engine that refuses at the wrong moment, as the real one does while a container is only made."""
    command = tmp_path / "engine"
    command.write_text(_STUBBORN.format(top=tmp_path))
    command.chmod(0o755)
    top = tmp_path / "top"
    top.mkdir()
    executor, _ = Bench(partial(of_docker, command=str(command)), top).start("true")
    busy = tmp_path / "busy"
    executor.kill()
    wait(executor)  # it was removed, as it could not be killed
    executor.collect()
    (tmp_path / "gone").unlink()
    busy.touch()
    executor.end()
    assert not (tmp_path / "gone").exists()
    busy.unlink()
    executor.close()
    assert (tmp_path / "gone").exists()


_SERVING = """\
#!/bin/sh
case "$*" in
    start*) exec sleep 1000 ;;
    *NetworkSettings*) echo '{{"80/tcp": [{{"HostIp": "", "HostPort": "49153"}}], "22/tcp": null}}' ;;
    inspect*) echo '{{"Running": true, "Pid": {pid}}}' ;;
    kill*) exit 1 ;;
esac
"""


@apart
def test_ports_of_services_are_told_while_they_are_there(tmp_path: Path) -> None:
    command = tmp_path / "engine"
    command.write_text(_SERVING.format(pid=os.getpid()))
    command.chmod(0o755)
    top = tmp_path / "top"
    top.mkdir()
    names = {"ContainerServiceNames": '"www ssh"', "www_ContainerPort": "80", "ssh_ContainerPort": "22"}
    executor, _ = Bench(partial(of_docker, command=str(command)), top).start("true", **names)
    assert executor.news() == {}
    told: dict[str, str] = {}

    def looked() -> dict[str, str]:
        executor.usage()
        told.update(executor.news())
        return told

    until(looked)
    assert told == {"www_HostPort": "49153"}
    assert executor.news() == {}, "it is told once"
    os.kill(executor.pid, signal.SIGKILL)
    ended(executor)
    assert executor.news() == {"www_HostPort": "undefined"}


@apart
def test_a_container_that_is_not_started_is_no_end_of_its_job(tmp_path: Path) -> None:
    """SINGULARITY_USE_LAUNCHER: what singularity says counts as the job's own only when the program has begun."""
    command = tmp_path / "apptainer"
    command.write_text("#!/bin/sh\n[ -e begins ] && : >.condor_container_launched\nexit 255\n")
    command.chmod(0o755)
    settings = SingularitySettings(str(command), tests_image=False, uses_launcher=True)

    def make(ad: ClassAd) -> Executor:
        ad.set_str("ContainerImage", "/images/small")
        return SingularityExecutor(settings, JobFamily(FAMILY, "slot1@here", ClassAd()), ClassAd(), ad, print)

    (tmp_path / "top").mkdir()
    bench = Bench(make, tmp_path / "top")
    executor, _ = bench.start("true")
    assert ended(executor) == (255, None)
    report = executor.judge(ExitReport("claim", "7.3", 1, exit_code=255))
    assert (executor.refused, report.vacate_code, report.hold_code) == (True, VacateCode.CONTAINER_ERROR, 0)
    assert report.error == "The container was not started: singularity has ended before the program began"
    assert executor.judge(replace(report, error="no disk", vacate_code=0)).error == "no disk"
    assert executor.judge(report.but(error="", vacate_code=0, vacated=True)).error == ""
    assert executor.judge(report.but(error="", vacate_code=0, hold_code=6)).error == ""
    (bench.scratch / "begins").touch()
    executor, _ = bench.start("true")
    assert ended(executor) == (255, None)
    assert not executor.refused
    (bench.scratch / "begins").unlink()
    executor, _ = bench.start("true")
    assert ended(executor) == (255, None)
    assert executor.refused, "also after a run that began, in the same directory"


@apart
def test_a_container_that_needs_more_memory_than_it_has_is_held(docker: Bench) -> None:
    """Whether the engine notices it (podman on version 1 of control groups does not) or not."""
    executor, _ = docker.start("x=0123456789abcdef; while true; do x=$x$x; done")

    def looked() -> bool:
        executor.usage()
        return process.stat(executor.pid).state == "Z"  # type: ignore[union-attr]

    until(looked)
    ended(executor)
    report = executor.judge(ExitReport("claim", "7.3", 1, exit_signal=9))
    assert (report.hold_code, report.hold_subcode, executor.refused) == (HoldCode.JOB_OUT_OF_RESOURCES, 102, True)
    assert report.hold_reason == "Docker job has gone over memory limit of 100 Mb"


@apart
def test_the_peak_of_a_container_is_seen_when_it_is_over(docker: Bench) -> None:
    """The kernel knows it; nobody was looking when it was reached. What the engine needs to start is not counted."""
    executor, _ = docker.start(
        "until [ -e go ]; do sleep 0.01; done; dd if=/dev/zero of=/dev/null bs=60M count=1; : >done; sleep 1000"
    )
    until(lambda: executor.usage().processes)
    assert 0 < executor.usage().rss_kb < 10_000
    (docker.scratch / "go").touch()
    until(lambda: (docker.scratch / "done").exists())
    assert executor.usage().rss_kb > 60_000
    executor.kill()
    wait(executor)
    assert 60_000 < executor.collect().max_rss_kb < 100_000
    executor.end()
    executor.close()


@apart
def test_a_container_that_is_killed_had_memory_enough(docker: Bench) -> None:
    executor, _ = docker.start("sleep 1000")
    until(docker.living)
    until(lambda: executor.usage().processes)
    executor.kill()
    ended(executor)
    assert executor.judge(ExitReport("claim", "7.3", 1, exit_signal=9)).hold_code == 0


@apart
def test_a_directory_that_was_swapped_while_the_container_was_made_ends_the_job(docker: Bench, tmp_path: Path) -> None:
    """The engine mounts by name, with our rights: a link that leads elsewhere must not let the job work there."""
    executor, _ = docker.start("sleep 1000")
    setattr(executor, "_directories", {str(docker.scratch): (0, 1)})  # noqa: B010  as if it had been another one
    until(docker.living)

    def looked() -> bool:
        executor.usage()
        return not docker.living()

    until(looked)
    ended(executor)
    report = executor.judge(ExitReport("claim", "7.3", 1, exit_code=0))
    assert (report.hold_code, executor.refused) == (HoldCode.IWD_ERROR, True)


@apart
def test_a_directory_of_the_scratch_directory_that_was_swapped_ends_the_job(docker: Bench, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    executor, _ = docker.start("sleep 1000", MountUnderScratch='"/var/../q"')
    (docker.scratch / "q").rename(docker.scratch / "was")  # the engine has yet to make the container
    (docker.scratch / "q").symlink_to(tmp_path / "other")

    def looked() -> bool:
        executor.usage()
        return not docker.living()

    until(docker.living)
    until(looked)
    ended(executor)
    report = executor.judge(ExitReport("claim", "7.3", 1, exit_code=0))
    assert report.hold_reason == "Cannot access directory /q: it became another one"
