"""condor_setup -upgrade: its steps in order, what refuses an upgrade, and the way back from each failure."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_runner import Spool

from condor_py.cli.setup import upgrade as module
from condor_py.cli.setup.environment import Done
from condor_py.cli.setup.upgrade import Wish, unit_of, upgrade
from condor_py.model.errors import CondorError

JOBS = ["1 0 1 5", "2 0 2 5", "3 0 5 5", "4 0 2 7"]
QUEUE = "4 jobs (1 held, 1 idle, 2 running)"
CALLS_TO_THE_CONFIGURATION = [
    *(f"{version} condor_config_val LOCAL_DIR SPOOL LOG LOCK EXECUTE HISTORY" for version in ("1.0", "2.0")),
    "2.0 condor_config_val -lint",
]  # fmt: skip


class Installed:
    """An installation, or a new version aside; its commands are noted and answered from the world."""

    def __init__(self, world: World, root: Path, own: str = "", *, is_checkout: bool = False) -> None:
        self.world, self.root, self.own, self.is_checkout = world, str(root), own, is_checkout
        self.python, self.package = sys.executable, f"{root}/condor_py"

    @property
    def version(self) -> str:
        return self.own or self.world.version

    def tool(self, program: str, *words: str) -> Done:
        command = " ".join((program, *words))
        self.world.calls.append(f"{self.version} {command}")
        code, text = self.world.act(self.version, command)
        return Done(command, code, text, "")

    def answer(self, program: str, *words: str) -> str:
        done = self.tool(program, *words)
        if done.returncode:
            raise CondorError(f"{program}: {done.stdout}")
        return done.stdout


class World:
    """A machine with condor_py 1.0, for which there is 2.0, and its pool."""

    def __init__(self, directory: Path, spool: Spool) -> None:
        self.root = directory / "env"
        (self.root / "condor_py").mkdir(parents=True)
        self.local = spool.path.parent.parent
        self.version = "1.0"
        self.master = self.startd = 0
        self.calls: list[str] = []
        self.said: list[str] = []
        self.jobs = list(JOBS)
        #: What commands of a version print, and the status with which they end.
        self.answers: dict[str, tuple[int, str]] = {}
        #: Packages that the new version needs.
        self.needed: tuple[str, ...] = ()
        #: A version that pip does not install.
        self.broken = ""
        self.free = 1 << 30
        self.place = Installed(self, self.root)

    def act(self, version: str, command: str) -> tuple[int, str]:
        program, *words = command.split()
        if (given := self.answers.get(f"{version} {command}")) is not None:
            return given
        if command == "condor_off -master":
            self.master = self.startd = 0
        elif command == "condor_off -peaceful -startd":
            self.startd = 0
            self.jobs[1] = "2 0 4 5"
        elif program == "condor_master":
            self.master = os.getpid()
        elif program == "condor_q":
            return 0, "".join(f"{job}\n" for job in reversed(self.jobs))
        elif words[:1] == ["LOCAL_DIR"]:
            return 0, "".join(f"/pool/{name}\n" for name in words)
        return 0, "nothing found\n" if words == ["-lint"] else ""

    def run(self, **wish: object) -> list[str]:
        """What an upgrade says, without the times."""
        self.said.clear()
        self.calls.clear()
        upgrade(Wish(**wish), lambda text: self.said.append(re.sub(r"^ *\d+\.\d s  ", "", text)))  # type: ignore[arg-type]
        assert not (self.local / "upgrade" / "new").exists()
        return self.said

    def fails(self, kind: type[CondorError] = CondorError, **wish: object) -> str:
        with pytest.raises(CondorError) as caught:
            self.run(**wish)
        assert type(caught.value) is kind
        assert not (self.local / "upgrade" / "new").exists()
        return str(caught.value).removeprefix("condor_setup: ")


class Pip:
    """Notes what it is asked to install, and installs it."""

    world: World

    def __init__(self, where: Installed, log: str) -> None:
        self.log = log

    def gather(self, source: str, into: str) -> str:
        self.world.calls.append(f"gather {source.removeprefix(str(self.world.local))}")
        wheel = f"{into}/condor_py-2.0-py3-none-any.whl"
        Path(wheel).write_text("new")
        for name in self.world.needed:
            Path(f"{into}/{name}-1-py3-none-any.whl").write_text("needed")
        return wheel

    def install(self, wheels: Sequence[str]) -> None:
        version = os.path.basename(wheels[0]).split("-")[1]
        self.world.calls.append(f"install {version}")
        if version == self.world.broken:
            raise CondorError(f"condor_setup: pip cannot install {version}")
        assert Path(wheels[0]).read_text() == {"1.0": "old", "2.0": "new"}[version]
        self.world.version = version

    def compile(self) -> None:
        self.world.calls.append("compile")


@pytest.fixture
def world(tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path, spool)
    spool.add(1)
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, SCHEDD STARTD")
    monkeypatch.setattr(Pip, "world", made, raising=False)

    def wheel_of(where: Installed, into: str) -> str:
        (Path(into) / "condor_py-1.0-py3-none-any.whl").write_text("old")
        return f"{into}/condor_py-1.0-py3-none-any.whl"

    doubles = {
        "place": lambda prefix: made.place,
        "Pip": Pip,
        "unpacked": lambda wheel, directory, python: Installed(made, Path(directory), "2.0"),
        "wheel_of": wheel_of,
        "size_of": lambda wheel: 10 << 20,
        "lock_holder": lambda path: made.startd if "startd" in str(path).lower() else made.master,
        "serving": lambda paths, name: bool(made.master),
        "lives": lambda number: number in (str(made.master), str(made.startd)),
        "unit_of": lambda master: (),
        "make_ready": lambda where: made.calls.append("make ready"),
        "state_directory": lambda: str(tmp_path / "state"),
        "_POLL": 0.001,
    }
    for name, double in doubles.items():
        monkeypatch.setattr(module, name, double)
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_bavail=made.free >> 12, f_frsize=4096))
    return made


def test_without_a_pool_the_version_is_exchanged_and_goes_back(world: World) -> None:
    before = f"{world.local}/upgrade/before"
    assert world.run() == [
        f"condor_py 2.0 can be installed in place of 1.0 in {world.root}",
        "a wheel of 1.0 is ready for the way back; 1.0 GB are free",
        "2.0 accepts the configuration",
        f"2.0 finds nothing wrong in {world.local}/spool",
        f"{QUEUE}; no pool runs, and none is started",
        f"kept 1.0 and a copy of the queue in {before}",
        "installed condor_py 2.0",
        "2.0 reads the same 4 jobs as 1.0",
        "compiled 2.0",
        "condor_py 2.0 is installed.",
        "Back to 1.0: condor_setup -upgrade -back",
    ]
    listed = "condor_q -allusers -af ClusterId ProcId JobStatus JobUniverse"
    assert world.calls == [
        "gather ", *CALLS_TO_THE_CONFIGURATION, "2.0 condor_store_check", f"2.0 {listed}", f"1.0 {listed}",
        "install 2.0", f"2.0 {listed}", "compile",
    ]  # fmt: skip
    assert sorted(os.listdir(before)) == ["condor_py-1.0-py3-none-any.whl", "job_queue.log"]
    assert os.stat(before).st_mode & 0o777 == 0o700
    world.run(back=True, dry_run=True)
    assert world.calls[0] == "gather /upgrade/before/condor_py-1.0-py3-none-any.whl"


def test_a_pool_is_stopped_and_started_again(world: World, tmp_path: Path) -> None:
    world.master = os.getpid()
    (tmp_path / "state" / "condor_py").mkdir(parents=True)
    (tmp_path / "state" / "condor_py" / "setup.json").write_text("{}")
    said = world.run()
    assert said[4:6] == [
        f"{QUEUE}; 1 job is asked to stop, and runs again afterwards (-drain lets it end)",
        "stopped the pool",
    ]
    assert [re.sub(r"off for \d+ s", "off for a while", line) for line in said[9:]] == [
        "started the pool: master, schedd, startd",
        f"every job is there: {QUEUE}",
        "compiled 2.0",
        "brought the files of condor_setup up to date",
        "condor_py 2.0 is installed and runs; the pool was off for a while.",
        "Back to 1.0: condor_setup -upgrade -back",
    ]
    changes = [call for call in world.calls if not re.search("condor_q|config_val|store_check", call)]
    assert changes == [
        "gather ", "1.0 condor_off -master", "install 2.0", "2.0 condor_master", "compile", "2.0 condor_setup",
    ]  # fmt: skip
    assert world.run(prefix=str(world.root))[-1].endswith(f"condor_setup -upgrade -back -prefix {world.root}")
    assert "2.0 condor_setup" not in world.calls


def test_a_dry_run_says_what_would_be_done(world: World) -> None:
    world.master = os.getpid()
    assert world.run(dry_run=True, drain=True)[4:] == [
        f"{QUEUE}; first 1 job that runs ends (-drain)",
        "           would wait until no job runs, while none starts",
        f"           would stop the pool, process {world.master}",
        f"           would keep 1.0 and a copy of the queue in {world.local}/upgrade/before",
        "           would install condor_py-2.0-py3-none-any.whl",
        "           would start the pool, and look for every job",
        "nothing was changed (-dry-run)",
    ]
    assert not (world.local / "upgrade").exists()
    assert (world.version, world.master) == ("1.0", os.getpid())
    world.jobs = ["1 0 2 5", "2 0 7 5", "3 0 6 5"]
    asked = "3 jobs are asked to stop, and run again afterwards (-drain lets them end)"
    assert world.run(dry_run=True)[4] == f"3 jobs (2 running, 1 suspended); {asked}"
    world.jobs = ["1 0 1 5", "2 0 2 12"]
    assert world.run(dry_run=True)[4] == "2 jobs (1 idle, 1 running); none is interrupted"
    world.jobs = []
    world.master = 0
    assert world.run(dry_run=True)[4:] == [
        "no jobs; no pool runs, and none is started",
        f"           would keep 1.0 and a copy of the queue in {world.local}/upgrade/before",
        "           would install condor_py-2.0-py3-none-any.whl",
        "nothing was changed (-dry-run)",
    ]


def test_a_drain_lets_jobs_end_first(world: World) -> None:
    world.master, world.startd = os.getpid(), 1 << 30
    world.answers["1.0 condor_off -master"] = (1, "nobody there")
    message = world.fails(drain=True)
    assert message == "condor_off: nobody there; condor_py 1.0 is installed and runs as before"
    assert world.said[5] == "no job runs any more"
    assert world.calls[-3:] == ["1.0 condor_off -peaceful -startd", "1.0 condor_off -master", "1.0 condor_master"]


@pytest.mark.parametrize(("jobs", "told"), [(1, "1 job still runs"), (2, "2 jobs still run")])
def test_a_drain_with_a_limit(world: World, jobs: int, told: str) -> None:
    world.master, world.startd = os.getpid(), 1 << 30
    world.jobs = [f"{number} 0 2 5" for number in range(jobs)]
    world.answers["1.0 condor_off -peaceful -startd"] = (0, "")
    message = world.fails(drain=True, limit=0)
    assert message == f"{told} after 0 s; condor_py 1.0 is installed and runs as before"
    assert world.calls[-1] == "1.0 condor_on -startd"
    assert world.version == "1.0"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"2.0 condor_config_val LOCAL_DIR SPOOL LOG LOCK EXECUTE HISTORY":
          (0, "/pool/LOCAL_DIR\n/else\n/pool/LOG\n/pool/LOCK\n/pool/EXECUTE\n/pool/HISTORY\n")},
         "SPOOL of 2.0 is /else, and that of 1.0 is /pool/SPOOL: put SPOOL = /pool/SPOOL into the configuration"),
        ({"2.0 condor_config_val -lint": (1, "A is wrong\nB is wrong\n")}, "2.0 refuses the configuration: A is wrong"),
        ({"2.0 condor_store_check": (1, "log is cut\n")}, "log is cut"),
        ({"2.0 condor_store_check": (1, "a\nb\nc\n")}, "a (and 2 more: condor_store_check)"),
    ],
)  # fmt: skip
def test_what_the_new_version_refuses_changes_nothing(
    world: World, answers: dict[str, tuple[int, str]], message: str
) -> None:
    world.answers = answers
    world.master = os.getpid()
    assert world.fails() == f"{message}; nothing was changed"
    assert world.version == "1.0"
    assert not [call for call in world.calls if call.startswith("install") or "condor_off" in call]


def test_a_warning_is_told_if_the_old_version_did_not_have_it(world: World) -> None:
    world.answers = {
        "2.0 condor_config_val -lint": (0, "old warning\n\nnew warning\n"),
        "1.0 condor_config_val -lint": (0, "old warning\n"),
    }
    assert world.run(dry_run=True)[2] == "2.0 accepts the configuration\n           new warning"


def test_packages_that_the_new_version_needs(world: World) -> None:
    world.needed = ("six",)
    said = world.run(dry_run=True)
    assert said[0].startswith("condor_py 2.0 and 1 package that it needs can be installed in place of 1.0 in ")
    world.needed = ("six", "attrs")
    said = world.run(dry_run=True)
    assert said[0].startswith("condor_py 2.0 and 2 packages that it needs can be installed in place of 1.0 in ")
    would = said[-2].removeprefix("           would install ").split(", ")
    assert (would[0], sorted(would[1:])) == (
        "condor_py-2.0-py3-none-any.whl", ["attrs-1-py3-none-any.whl", "six-1-py3-none-any.whl"],
    )  # fmt: skip


def test_a_drain_tells_how_many_jobs_still_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job and then the startd end while condor_q is asked; a limit that has not passed ends nothing."""
    world.master, world.startd = os.getpid(), 1 << 30
    world.answers["1.0 condor_off -peaceful -startd"] = (0, "")
    monkeypatch.setattr(module, "_TELL", 0.0)
    act = world.act
    asked: list[str] = []

    def end(version: str, command: str) -> tuple[int, str]:
        if command.startswith("condor_q"):
            asked.append(command)
            if len(asked) == 3:
                world.jobs[1] = "2 0 4 5"
            if len(asked) == 4:
                world.startd = 0
        return act(version, command)

    monkeypatch.setattr(world, "act", end)
    said = world.run(drain=True, limit=1000)
    assert said[5:9] == ["1 job still runs", "0 jobs still run", "0 jobs still run", "no job runs any more"]
    assert said[9] == "stopped the pool"


def test_a_checker_that_only_complains(world: World) -> None:
    tool = world.place.tool
    done = Done("condor_store_check", 1, "", " cannot read it\n")
    world.place.is_checkout = True
    world.place.tool = lambda program, *words: done if "check" in program else tool(program, *words)  # type: ignore[method-assign]
    assert world.fails() == "cannot read it; nothing was changed"


def test_what_cannot_be_upgraded(world: World, tmp_path: Path) -> None:
    assert world.fails(source=str(tmp_path / "x.whl")) == f"{tmp_path}/x.whl: No such file or directory; " \
        "nothing was changed"  # fmt: skip
    assert world.fails(back=True) == f"{world.local}/upgrade/before has no version to go back to; nothing was changed"
    access = os.access
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
        assert world.fails() == f"{world.root}/condor_py cannot be written by this account; nothing was changed"
    world.free = 30 << 20
    assert world.fails() == f"{world.root}/condor_py has 30 MB free, and 20 MB are needed; nothing was changed"
    world.free = 40 << 20
    assert world.run(dry_run=True)[1].endswith("way back; 40 MB are free")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that looks like a master of another installation."""
    main = tmp_path / "other" / "condor_py" / "__main__.py"
    main.parent.mkdir(parents=True)
    words = (sys.executable, "-I", "-S", "-c", "print(flush=True); input()", str(main), "condor_master")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.communicate(b"\n")


def test_a_pool_of_another_installation(world: World, tmp_path: Path, other: subprocess.Popen[bytes]) -> None:
    world.master = other.pid
    runs = f"the pool in {world.local} runs from {tmp_path}/other/condor_py: name that with -prefix"
    assert world.fails() == f"{runs}; nothing was changed"


def test_other_pools_of_the_installation_are_named(
    world: World, tmp_path: Path, other: subprocess.Popen[bytes], spool: Spool
) -> None:
    world.place.package = f"{tmp_path}/other/condor_py"
    told = f"The pool of {spool.me} (process {other.pid}) still runs 1.0: condor_restart in it ends that."
    assert world.run()[-2] == told


def test_an_installation_that_fails_leaves_the_old_version(world: World) -> None:
    world.master = os.getpid()
    world.broken = "2.0"
    message = world.fails()
    assert message == "pip cannot install 2.0; condor_py 1.0 is installed and runs as before"
    assert world.calls[-3:] == ["install 2.0", "install 1.0", "1.0 condor_master"]
    assert world.said[-2:] == ["installed 1.0 again", "started the pool: master, schedd, startd"]
    world.master = 0
    assert world.fails() == "pip cannot install 2.0; condor_py 1.0 is installed as before"


@pytest.mark.parametrize(
    ("command", "answer", "message"),
    [
        ("condor_master", (1, "no memory"), "condor_master: no memory"),
        ("condor_store_check", (1, "spool is broken"), "spool is broken"),
        ("condor_q -allusers -af ClusterId ProcId JobStatus JobUniverse", (0, "1 0 1 5\n"),
         f"1.0 reads {QUEUE} in the queue, 2.0 1 jobs (1 idle)"),
    ],
)  # fmt: skip
def test_a_new_version_that_does_not_work_goes_again(
    world: World, monkeypatch: pytest.MonkeyPatch, command: str, answer: tuple[int, str], message: str
) -> None:
    """The new version fails once it is installed, not aside."""
    world.master = os.getpid()
    act = world.act

    def fail(version: str, given: str) -> tuple[int, str]:
        return answer if (world.version, given) == ("2.0", command) else act(version, given)

    monkeypatch.setattr(world, "act", fail)
    assert world.fails() == f"{message}; condor_py 1.0 is installed and runs as before"
    assert (world.version, world.master) == ("1.0", os.getpid())


def test_a_job_that_is_nowhere_afterwards(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.master = os.getpid()
    act = world.act
    history = "condor_history -af ClusterId ProcId -limit 2 1.0 2.0"
    world.answers[f"2.0 {history}"] = (0, "2 0\n")

    def lose(version: str, command: str) -> tuple[int, str]:
        if command == "condor_master":
            del world.jobs[:2]
        return act(version, command)

    monkeypatch.setattr(world, "act", lose)
    message = "job 1.0 is in neither queue nor history"
    assert world.fails() == f"{message}; condor_py 1.0 is installed and runs as before"
    world.jobs, world.version = list(JOBS), "1.0"
    world.answers[f"2.0 {history}"] = (0, "1 0\n2 0\n")
    assert "every job is there: 2 jobs (1 held, 1 running)" in world.run()


def test_when_the_old_version_does_not_come_back_either(world: World) -> None:
    world.master = os.getpid()
    world.broken = "2.0"
    world.answers["1.0 condor_master"] = (1, "no memory")
    assert world.fails(module.NotRunning) == (
        "pip cannot install 2.0; then condor_master: no memory: the pool does not run; "
        f"{world.local}/upgrade/before has the version and the queue as they were"
    )
    assert module.NotRunning.exit_code == 2


def test_a_checkout_is_made_ready_and_not_exchanged(world: World) -> None:
    world.place.is_checkout = True
    world.master = os.getpid()
    back = "for another version git checkout it (or git pull) there, then condor_setup -upgrade; nothing was changed"
    with pytest.MonkeyPatch.context() as patch:  # git writes there, not we
        patch.setattr(os, "access", lambda path, mode: False)
        assert world.run(dry_run=True)[-1] == "nothing was changed (-dry-run)"
    for wish in ({"source": "x"}, {"back": True}):
        assert world.fails(**wish) == f"{world.root} is a checkout: {back}"
    assert world.run(dry_run=True)[0] == (
        "           would run bin/.setup, which installs packages and builds modules in C where those have changed"
    )
    assert "make ready" not in world.calls
    said = world.run()
    assert said[0] == f"{world.root} is ready: condor_py 1.0"
    assert said[5:7] == [f"kept a copy of the queue in {world.local}/upgrade/before",
                         "started the pool: master, schedd, startd"]  # fmt: skip
    assert said[-1] == "Back: git checkout the commit before, and condor_setup -upgrade again."
    world.answers["1.0 condor_off -master"] = (1, "no")
    assert world.fails() == "condor_off: no; the pool runs"


def test_the_unit_of_systemd_whose_process_the_master_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "systemctl"
    program.write_text(
        '#!/bin/sh\necho "$@" >> asked\ncase "$*" in "--user show"*) echo 42;; *start*) echo no such >&2; exit 1;;\n'
        "*) echo 17;; esac\n"
    )
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert [unit_of(number) for number in (17, 42, 5, 0)] == [("systemctl",), ("systemctl", "--user"), (), ()]
    show = "show --property=MainPID --value condor.service"
    assert (tmp_path / "asked").read_text().splitlines() == [show, *[show, f"--user {show}"] * 2]
    with pytest.raises(CondorError, match=r"^condor_setup: systemctl --user start condor.service: no such$"):
        module._systemctl(("systemctl", "--user"), "start")
    monkeypatch.setenv("PATH", "")
    assert unit_of(17) == ()


def test_a_unit_of_systemd_is_stopped_and_started(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The master that systemd has started is not stopped and started beside it."""
    world.master = os.getpid()
    verbs: list[tuple[tuple[str, ...], str]] = []

    def systemctl(words: tuple[str, ...], verb: str) -> None:
        verbs.append((words, verb))
        world.master = 0 if verb == "stop" else os.getpid()

    monkeypatch.setattr(module, "unit_of", lambda master: ("systemctl", "--user"))
    monkeypatch.setattr(module, "_systemctl", systemctl)
    assert world.run()[-2].startswith("condor_py 2.0 is installed and runs")
    assert verbs == [(("systemctl", "--user"), "stop"), (("systemctl", "--user"), "start")]
    assert not any("condor_off" in call or call.endswith("condor_master") for call in world.calls)


def test_a_master_that_does_not_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been exchanged yet; the old version goes on, or is started again."""
    world.master = os.getpid()
    for knob in ("SHUTDOWN_GRACEFUL_TIMEOUT", "SHUTDOWN_FAST_TIMEOUT"):
        monkeypatch.setenv(f"_CONDOR_{knob}", "0")
    monkeypatch.setattr(module, "_STOP_PATIENCE", 0.0)
    act = world.act
    monkeypatch.setattr(
        world, "act", lambda version, command: (0, "") if "condor_off" in command else act(version, command)
    )
    assert world.fails().startswith(f"the master (process {os.getpid()}) does not end")
    assert world.version == "1.0"
    assert "install 2.0" not in world.calls


def test_daemons_of_the_new_version_that_do_not_serve(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.master = os.getpid()
    monkeypatch.setattr(module, "_START_PATIENCE", 0.0)
    monkeypatch.setattr(
        module, "serving", lambda paths, name: bool(world.master) and (world.version == "1.0" or name != "STARTD")
    )
    assert world.fails() == "startd of 2.0 does not serve; condor_py 1.0 is installed and runs as before"
    assert world.calls.count("install 1.0") == 1


def test_a_signal_while_the_pool_is_off_brings_the_old_version_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts at the next moment at which the change can be undone, and the handlers of before are there again."""
    world.master = os.getpid()
    before = signal.getsignal(signal.SIGTERM)
    act = world.act

    def interrupt(version: str, command: str) -> tuple[int, str]:
        if command == "condor_off -master":
            os.kill(os.getpid(), signal.SIGTERM)
        return act(version, command)

    monkeypatch.setattr(world, "act", interrupt)
    assert world.fails() == "ended by SIGTERM; condor_py 1.0 is installed and runs as before"
    assert (world.version, world.master) == ("1.0", os.getpid())
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_way_back_stops_the_new_version_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its daemons must not run on files that are exchanged; another signal does not end the way back."""
    world.master = os.getpid()
    act = world.act

    def lose(version: str, command: str) -> tuple[int, str]:
        if command == "condor_master":
            del world.jobs[:2]
        if (version, command) == ("2.0", "condor_off -master"):
            os.kill(os.getpid(), signal.SIGTERM)
        return act(version, command)

    monkeypatch.setattr(world, "act", lose)
    message = world.fails()
    assert message == "job 1.0 is in neither queue nor history; condor_py 1.0 is installed and runs as before"
    changes = [call for call in world.calls if re.search("condor_off|condor_master|install", call)]
    assert changes == [
        "1.0 condor_off -master", "install 2.0", "2.0 condor_master", "2.0 condor_off -master", "install 1.0",
        "1.0 condor_master",
    ]  # fmt: skip


def test_what_a_killed_run_has_left_is_in_no_way(world: World) -> None:
    for name in ("new/wheels", "before.new"):
        (world.local / "upgrade" / name).mkdir(parents=True)
        (world.local / "upgrade" / name / "left").write_text("over")
    world.run()
    assert sorted(os.listdir(world.local / "upgrade" / "before")) == [
        "condor_py-1.0-py3-none-any.whl", "job_queue.log",
    ]  # fmt: skip


def test_a_terminal_shows_the_wait_in_one_line(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    now = [100.0]
    line = SimpleNamespace(show=shown.append, clear=lambda: shown.append("cleared"))
    monkeypatch.setattr(module, "Line", lambda: line)
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    teller = module._Teller(world.said.append)
    now[0] += 75.4
    teller.tell("1 job still runs")
    teller.clear()
    assert (shown, world.said) == (["1 job still runs ... 75 s", "cleared"], [])
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: False, raising=False)
    teller = module._Teller(world.said.append)
    for seconds in (59.9, 0.1, 59.9, 0.1):  # a line a minute
        now[0] += seconds
        teller.tell("1 job still runs")
    teller.clear()
    assert world.said == ["   60.0 s  1 job still runs", "  120.0 s  1 job still runs"]


def test_sizes_and_jobs_in_words() -> None:
    assert [module._size(number) for number in (0, 3 << 20, (1 << 30) - 1, 1 << 30, 3 << 29)] == [
        "0 MB", "3 MB", "1024 MB", "1.0 GB", "1.5 GB",
    ]  # fmt: skip
    assert module._counted([]) == "no jobs"
    assert module._counted(["1 0 1 5", "1 1 2 5", "1 2 2 5", "1 3 5 5"]) == "4 jobs (1 held, 1 idle, 2 running)"
    assert [module._of_jobs(number, "runs", "run") for number in (0, 1, 2)] == [
        "0 jobs run",
        "1 job runs",
        "2 jobs run",
    ]
