"""Containers of jobs with a simulated engine: which images are asked for and kept, and how a container is begun. The
same with a real engine is in test_executors.py and test_dockerimages.py."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import time
from pathlib import Path
from typing import cast

import pytest
from apart import apart

from condor_py.daemons.starter.jobfamily import JobFamily
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.docker import DockerExecutor, Within
from condor_py.machine.run.dockerimages import Images, marked
from condor_py.machine.run.engine import Answer, Engine, remove_orphans
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import account_for
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import StartError
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.trial import images_mb
from condor_py.model.report import ExitReport
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.settings.starter import StarterSettings

ANN, BOB = "ann@example.net", "bob@example.net"


class Shelf:
    """An engine that only has images: names and ids. The last name of one that is ``used`` cannot be removed."""

    def __init__(self, names: dict[str, str], used: str = "") -> None:
        self.names = dict(names)
        self.used = used

    def ask(self, *words: str, patience: float = 0.0) -> Answer:
        match words:
            case ("images", *_):
                rows = [f"{name} {number} 2MB\n" for name, number in self.names.items()]
                return Answer(0, "".join(rows) + "<none>:<none> 99 5MB\n", "")
            case ("inspect", "--format", _, *ids):
                rows = (f"sha256:{number}00 2026-01-{number} 10:00:00 +0000 UTC\n" for number in ids)
                return Answer(0, "".join(rows), "")
            case ("rmi", name):
                last = list(self.names.values()).count(self.names.get(name, "")) == 1
                if name not in self.names or (last and self.names[name] == self.used):
                    return Answer(1, "", "in use")
                del self.names[name]
            case ("tag", source, name):
                self.names[name] = self.names.get(source, source)
            case ("pull", "-q", name):
                self.names[name] = "50"
        return Answer(0, "", "")


FULL = {
    "plain:1": "10", marked("x:1", ANN): "12", marked("x:1", BOB): "12", "x:1": "12", marked("y:1", ANN): "11",
    "y:1": "11", "z:1": "13", marked("z:1", BOB): "13",
}  # fmt: skip


@pytest.mark.parametrize(
    ("most", "used", "gone"),
    [(4, "", ""), (3, "", "11"), (2, "", "11 12"), (1, "", "11 12 13"), (0, "", "11 12 13"), (3, "11", "12")],
)
def test_images_that_were_not_used_for_longest_make_room(most: int, used: str, gone: str) -> None:
    shelf = Shelf(FULL, used)
    images = Images(cast(Engine, shelf), DockerSettings("engine", image_cache_size=most))
    assert [image.id for image in images.ours()] == ["11", "12", "13"]
    assert images.bytes() == 6_000_000
    images.pull("new:1")
    images.mark("new:1", ANN)
    kept = {name: number for name, number in FULL.items() if number not in gone.split()}
    found = {name: number for name, number in shelf.names.items() if number != used}
    assert found == {name: number for name, number in kept.items() if number != used} | {
        "new:1": "50", marked("new:1", ANN): "50",
    }  # fmt: skip
    if used:
        assert shelf.names[marked("y:1", ANN)] == used, "what is in use is still known as brought for a user"


class Asked:
    """An engine that notes what it is asked, and answers all the same."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.words: list[tuple[tuple[str, ...], float]] = []

    def ask(self, *words: str, patience: float = 0.0) -> Answer:
        self.words.append((words, patience))
        return self.answer


def test_what_an_engine_is_asked_about_images() -> None:
    engine = Asked(Answer(0, " amd64\n", ""))
    images = Images(cast(Engine, engine), DockerSettings("engine"))
    assert images.architecture("x:1") == "amd64"
    images.mark("x:1", ANN)
    assert images.named() == []
    images.pull("x:1")
    assert [words for words, _ in engine.words] == [
        ("image", "inspect", "--format", "{{.Architecture}}", "x:1"), ("tag", "x:1", marked("x:1", ANN)),
        ("images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}} {{.Size}}"),
        ("images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}} {{.Size}}"), ("pull", "-q", "x:1"),
    ]  # fmt: skip
    assert engine.words[-1][1] == 72_000.0, "20 hours"
    refusing = Images(cast(Engine, Asked(Answer(1, "x:1 7 2MB", "no\nsuch"))), DockerSettings("engine"))
    assert (refusing.architecture("x:1"), refusing.named(), refusing.bytes()) == (None, [], 0)
    with pytest.raises(StartError, match="Cannot pull image x:1 no such") as caught:
        refusing.pull("x:1")
    assert (caught.value.code, caught.value.subcode) == (35, 0)


def test_times_of_images_may_be_missing() -> None:
    rows = "sha256:1100 2026-01-02 10:00 UTC\nodd\nsha256:2200\n"
    images = Images(cast(Engine, Asked(Answer(0, rows, ""))), DockerSettings("engine"))
    assert images._used(["11", "22", "33"]) == {"11": "2026-01-02 10:00 UTC"}
    engine = Asked(Answer(0, "", ""))
    assert Images(cast(Engine, engine), DockerSettings("engine"))._used([]) == {}
    assert engine.words == []


ENGINE = """\
#!/bin/sh
echo "$*" >>{top}/calls
case $1 in
    image) test -e {top}/architecture && cat {top}/architecture ;;
    pull) echo amd64 >{top}/architecture; test ! -e {top}/refuses ;;
    create) echo abc123 ;;
    inspect) cat {top}/state ;;
    start) echo started; exec sleep 100 ;;
esac
"""


class Bench:
    """An executor with an engine that notes what it is asked."""

    def __init__(self, top: Path) -> None:
        self.top = top
        program = top / "engine"
        program.write_text(ENGINE.format(top=top))
        program.chmod(0o755)
        (top / "scratch").mkdir()

    def executor(
        self, images: frozenset[str] = frozenset(), ad: dict[str, object] | None = None, **settings: object
    ) -> DockerExecutor:
        family = JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd())
        wanted = {"trusts_local_images": True, **settings}
        made = DockerSettings(str(self.top / "engine"), **wanted)  # type: ignore[arg-type]
        within = Within(ClassAd({"Memory": 100, "Cpus": 1}), images=images)
        job_ad = ClassAd({"DockerImage": "small", "User": ANN} if ad is None else ad)
        return DockerExecutor(made, family, within, job_ad, print)

    def execution(self, **attributes: object) -> Execution:
        owner = pwd.getpwuid(os.geteuid()).pw_name
        bare = {
            "ClusterId": 7, "ProcId": 3, "Owner": owner, "Iwd": str(self.top / "scratch"), "Cmd": "/bin/job",
            "ShouldTransferFiles": "NO", "Out": "out",
        }  # fmt: skip
        job = read_job(ClassAd({**bare, **attributes}), "here")
        place = Place("slot1@here", "there", Sandbox(str(self.top)), "", {})
        return Execution(job, place, str(self.top / "scratch"), account_for(owner))

    def has(self, architecture: str) -> None:
        (self.top / "architecture").write_text(f"{architecture}\n")

    def calls(self, word: str) -> list[str]:
        path = self.top / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.partition(" ")[0] == word]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_an_image_that_is_not_here_is_pulled_and_marked(bench: Bench) -> None:
    executor = bench.executor(trusts_local_images=False)
    assert executor.fetches_much
    executor.fetch(bench.execution())
    assert bench.calls("pull") == ["pull -q small:latest"]
    assert bench.calls("tag") == [f"tag small:latest {marked('small:latest', ANN)}"]


def test_an_image_that_is_here_is_not_pulled(bench: Bench) -> None:
    bench.has("amd64")
    executor = bench.executor()
    assert not executor.fetches_much
    executor.fetch(bench.execution())
    another = bench.executor()
    another.fetch(bench.execution())
    assert not bench.calls("pull")
    known = bench.executor(images=frozenset(("small:latest",)))
    before = bench.calls("image")
    assert not known.fetches_much
    known.fetch(bench.execution())
    assert bench.calls("image") == before, "the engine need not be asked"
    assert not bench.calls("pull")


@pytest.mark.parametrize("image", ["-v", "/etc", "dir:/etc", "", "a b"])
def test_what_is_no_name_of_an_image_is_not_asked_for(bench: Bench, image: str) -> None:
    bench.has("amd64")
    executor = bench.executor(ad={"DockerImage": image, "User": ANN})
    with pytest.raises(StartError, match="that is no name of an image") as caught:
        executor.fetch(bench.execution())
    assert caught.value.code == 35
    assert not (bench.top / "calls").exists()


@apart
def test_a_name_that_is_none_is_not_begun_with_either(bench: Bench) -> None:
    with pytest.raises(StartError, match="that is no name of an image"):
        bench.executor(ad={"DockerImage": "-v"}).start(bench.execution(), {})
    assert not bench.calls("create")


def test_the_engine_counts_what_has_ended_in_a_container(bench: Bench) -> None:
    assert bench.executor().counts_ended, "sessions are not counted twice"


@pytest.mark.parametrize(("size", "mb"), [(0, 0), (524_287, 0), (524_288, 1), (1_572_863, 1), (5_000_000, 5)])
def test_the_size_of_all_images_is_rounded(monkeypatch: pytest.MonkeyPatch, size: int, mb: int) -> None:
    monkeypatch.setattr(Images, "bytes", lambda images: size)
    assert images_mb(DockerSettings("engine")) == mb


def test_a_job_without_a_user_gets_its_image(bench: Bench) -> None:
    bench.executor(ad={"DockerImage": "small"}, trusts_local_images=False).fetch(bench.execution())
    assert bench.calls("pull") == ["pull -q small:latest"]


def test_an_image_that_cannot_be_pulled_holds_the_job(bench: Bench) -> None:
    (bench.top / "refuses").touch()
    with pytest.raises(StartError, match=r"^Cannot pull image small:latest") as caught:
        bench.executor().fetch(bench.execution())
    assert caught.value.code == 35


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names what runs on x86-64")
@pytest.mark.parametrize("architecture", ["amd64", "", "arm64", "s390x"])
def test_an_image_for_other_machines_holds_the_job(bench: Bench, architecture: str) -> None:
    bench.has(architecture)
    bench.executor(checks_architecture=False).fetch(bench.execution())
    if architecture in ("amd64", ""):
        bench.executor().fetch(bench.execution())
        return
    with pytest.raises(StartError) as caught:
        bench.executor().fetch(bench.execution())
    assert (caught.value.code, str(caught.value)) == (
        35, f"DockerProc::StartJob(): Image Architecture {architecture} not compatible with this machine.",
    )  # fmt: skip


def start(bench: Bench, environment: dict[str, str], **attributes: object) -> DockerExecutor:
    """A container whose program runs."""
    bench.has("amd64")
    executor, execution = bench.executor(), bench.execution(**attributes)
    executor.prepare(execution)
    executor.start(execution, environment)
    said = bench.top / "scratch" / "out"
    limit = time.monotonic() + 30
    while not said.read_text():
        assert time.monotonic() < limit
        time.sleep(0.005)
    return executor


def stop(executor: DockerExecutor) -> None:
    os.kill(executor.pid, signal.SIGKILL)
    os.waitpid(executor.pid, 0)
    executor.close()


@apart
def test_variables_of_this_machine_mean_nothing_in_an_image(bench: Bench) -> None:
    given = {"PATH": "/machine", "_CONDOR_ANCESTOR_1": "2", "_CONDOR_SLOT": "slot1", "HOME": "/h"}
    stop(start(bench, given))
    assert [word for word in bench.calls("create")[0].split() if "=" in word and word.split("=")[0] in given] == [
        "HOME=/h", "_CONDOR_SLOT=slot1",
    ]  # fmt: skip
    stop(start(bench, {"PATH": "/own"}, Environment="PATH=/own"))
    assert " -e PATH=/own " in bench.calls("create")[1]


@apart
def test_the_program_has_an_input_only_if_the_job_names_one(bench: Bench) -> None:
    name = f"HTCJob7_3_slot1_PID{os.getpid()}"
    stop(start(bench, {}))
    (bench.top / "scratch" / "in").touch()
    stop(start(bench, {}, In="in"))
    assert bench.calls("start") == [f"start -a {name}", f"start -a -i {name}"]


@apart
def test_a_container_is_begun_in_a_fresh_state(bench: Bench) -> None:
    """What an earlier container of the run has left does not count for the next."""
    executor = start(bench, {})
    (bench.top / "oom").touch()
    executor._collected, executor._last, executor._root_pid = True, executor.usage(), 5
    os.kill(executor.pid, signal.SIGKILL)
    os.waitpid(executor.pid, 0)
    bench.has("amd64")
    execution = bench.execution()
    executor.start(execution, {})
    assert not executor.refused
    assert executor.traffic == (-1, -1)
    assert not (bench.top / "oom").exists()
    assert [line.split()[0] for line in (bench.top / "calls").read_text().splitlines()][-2:] != ["rm", "rm"]
    assert bench.calls("rm") == [f"rm -f -v HTCJob7_3_slot1_PID{os.getpid()}"], "the old one is removed first"
    found = os.stat(bench.top / "scratch")
    assert executor._directories == {str(bench.top / "scratch"): (found.st_dev, found.st_ino)}
    stop(executor)


@apart
def test_a_container_has_the_limits_of_its_job(bench: Bench) -> None:
    program = bench.top / "engine"
    program.write_text(program.read_text().replace("echo started;", "ulimit -c; ulimit -s;"))
    stop(start(bench, {}, CoreSize=2048, StackSize=4 << 20))
    assert (bench.top / "scratch" / "out").read_text() == "4\n4096\n"


@apart
def test_a_directory_that_is_gone_is_told_before_anything_is_made(bench: Bench) -> None:
    execution = bench.execution()
    (bench.top / "scratch").rmdir()
    with pytest.raises((OSError, StartError), match="scratch"):
        bench.executor().start(execution, {})
    assert not bench.calls("create")


@apart
def test_extra_arguments_that_cannot_be_read_are_the_fault_of_the_machine(bench: Bench) -> None:
    with pytest.raises(OSError, match="DOCKER_EXTRA_ARGUMENTS: ") as caught:
        bench.executor(extra_arguments='"\'"').start(bench.execution(), {})
    assert caught.value.errno == 22


@apart
def test_directories_in_the_scratch_directory_are_remembered(bench: Bench) -> None:
    """They are compared with what the container sees: the owner may have put a link in the place of one."""
    bench.has("amd64")
    executor = bench.executor(mount_under_scratch="/tmp")
    executor.start(bench.execution(), {})
    found = os.stat(bench.top / "scratch" / "tmp")
    assert executor._directories["/tmp"] == (found.st_dev, found.st_ino)
    stop(executor)


def test_credentials_of_the_owner_are_brought_for_the_engine(bench: Bench) -> None:
    """Also where the image is here already: whether its owner may have it is for the repository to say."""
    tells = bench.top / "tell"
    tells.write_text("#!/bin/sh\necho '{\"auths\": {}}'\n")
    tells.chmod(0o755)
    bench.has("amd64")
    program = bench.top / "engine"
    program.write_text(program.read_text().replace("case $1", f"echo $DOCKER_CONFIG >>{bench.top}/places\ncase $1"))
    ad = {"DockerImage": "small", "User": ANN, "DockerSendCredentials": True}
    executor = bench.executor(ad=ad, credentials_program=str(tells))
    assert executor.fetches_much
    executor.fetch(bench.execution())
    place = bench.top / ".docker"
    assert place.is_dir()
    assert (bench.top / "places").read_text() == f"{place}\n"
    another = bench.executor(ad=ad, credentials_program=str(tells))
    another.prepare(bench.execution())
    assert another._engine.environment["DOCKER_CONFIG"] == str(place), "a child may have brought them"
    another.close()
    assert not place.exists()
    without = bench.executor()
    without.prepare(bench.execution())
    assert "DOCKER_CONFIG" not in without._engine.environment
    without.fetch(bench.execution())
    assert not place.exists()


@pytest.mark.parametrize("image", ["small", "/etc"])
def test_without_an_engine_nothing_is_here(bench: Bench, image: str) -> None:
    (bench.top / "engine").unlink()
    assert bench.executor(ad={"DockerImage": image}).fetches_much


def test_a_pull_is_logged_and_its_image_is_checked(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    program = bench.top / "engine"
    program.write_text(program.read_text().replace("echo amd64", "echo other"))
    with pytest.raises(StartError, match="Image Architecture other not compatible"):
        bench.executor().fetch(bench.execution())
    assert capsys.readouterr().out == "Pulling image small:latest\n"


def test_a_machine_of_an_unknown_kind_takes_any_image(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.has("odd")
    machine = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*machine[:4], "odd64")))
    bench.executor().fetch(bench.execution())
    assert not bench.calls("pull")


def test_how_often_a_container_is_looked_at(bench: Bench) -> None:
    family = JobFamily(StarterSettings("/nowhere", base_cgroup=""), "slot1@here", ClassAd())
    made = DockerExecutor(DockerSettings("engine"), family, Within(ClassAd()), ClassAd(), print, look_interval=7.5)
    assert made.look_interval == 7.5
    assert made.refused is False


def test_a_new_container_is_soon_looked_at(bench: Bench) -> None:
    looks = bench.executor().first_looks
    assert sum(looks[:9]) < 1, "it may have got another directory than it should"
    assert max(looks) <= 5


@apart
def test_the_engine_gets_none_of_our_descriptors(bench: Bench) -> None:
    program = bench.top / "engine"
    program.write_text(program.read_text().replace("echo started;", f"ls /proc/$$/fd >{bench.top}/fds; echo started;"))
    stop(start(bench, {}))
    assert not set("3456789") & set((bench.top / "fds").read_text().split())


@apart
def test_a_named_pipe_brings_the_input_of_a_container(bench: Bench) -> None:
    os.mkfifo(bench.top / "scratch" / "in")
    program = bench.top / "engine"
    program.write_text(program.read_text().replace("echo started; exec sleep 100", "cat"))
    bench.has("amd64")
    executor, execution = bench.executor(), bench.execution(In="in")
    executor.prepare(execution)
    executor.start(execution, {})
    (bench.top / "scratch" / "in").write_text("from outside")  # waits until it is read
    os.waitpid(executor.pid, 0)
    executor.close()
    assert (bench.top / "scratch" / "out").read_text() == "from outside"


@apart
def test_sessions_wait_for_a_container_that_runs(bench: Bench) -> None:
    assert not bench.executor().ready
    executor = start(bench, {})
    found = {}
    for state in ('{"Running": true}', '{"Running": false}', "{}", "null", "no state"):
        (bench.top / "state").write_text(state)
        found[state] = executor.ready
    assert [state for state, ready in found.items() if ready] == ['{"Running": true}']
    name = f"HTCJob7_3_slot1_PID{os.getpid()}"
    asked = {"inspect --type container --format {{json .State}} " + name}
    assert set(bench.calls("inspect")) == asked, "an image may have the same name"
    stop(executor)


def test_containers_of_starters_that_are_gone_are_removed(tmp_path: Path) -> None:
    """Those whose starter is a child of the startd are spared, and what an engine says besides is no container."""
    child = subprocess.Popen(["/bin/sleep", "60"])
    program = tmp_path / "engine"
    rows = f"one HTCJob1_0_slot1_PID{child.pid}\ntwo HTCJob2_0_slot1_PID1\nWARNING: it is slow\nthree\n"
    (tmp_path / "rows").write_text(rows)
    program.write_text(f'#!/bin/sh\n[ "$1" = ps ] && exec cat {tmp_path}/rows\necho "$@" >> {tmp_path}/calls\n')
    program.chmod(0o755)
    try:
        assert remove_orphans(str(program), ["/execute"], os.getpid()) == ["two"]
    finally:
        child.kill()
        child.wait()
    assert (tmp_path / "calls").read_text() == "kill two\nrm -f -v two\n"
    program.write_text("#!/bin/sh\necho one HTCJob1_0_slot1_PID1\nexit 1\n")
    assert remove_orphans(str(program), ["/execute"], os.getpid()) == [], "an engine that fails lists nothing"


def test_a_job_that_got_another_directory_is_ended(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine opens it by its name, and a user may have put a link in its place."""
    executor, killed = bench.executor(), []
    directory = str(bench.top / "scratch")
    found = os.stat(directory)
    monkeypatch.setattr(executor, "kill", lambda: killed.append(directory))
    for pid, seen, ended in (
        (7, (found.st_dev, found.st_ino), []),
        (7, None, []),
        (0, (0, 1), []),
        (7, (0, 1), [directory]),
    ):
        executor._directories, executor._root_pid = {directory: (found.st_dev, found.st_ino)}, pid
        monkeypatch.setattr(executor._family, "sees", lambda pid, path, seen=seen: seen)
        executor._check_directories()
        assert killed == ended
    executor._collected = True
    report = executor.judge(ExitReport("c", "7.3", 1))
    assert report.hold_reason == f"Cannot access initial working directory {directory}: it became another one"
