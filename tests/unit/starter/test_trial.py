"""What a startd finds out about an engine of containers, tried with scripts in its place."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from condor_py.machine.run import trial as testimage
from condor_py.machine.run.trial import try_docker, try_singularity
from condor_py.model.settings.containers import ContainerAbilities, DockerSettings, DockerTest, SingularitySettings

#: An engine without the program that --init asks for (podman without catatonit).
NO_INIT = f"""#!/bin/sh
case "$1" in
-v) echo "podman version 4.3.1" ;;
run)
    for word; do
        if [ "$word" = --init ]; then
            echo "Error: container-init binary not found on the host: stat /usr/libexec/podman/catatonit" >&2
            exit 125
        fi
    done
    exit {testimage.CODE} ;;
esac
"""


@pytest.fixture
def engine(tmp_path: Path) -> str:
    path = tmp_path / "podman"
    path.write_text(NO_INIT)
    path.chmod(0o755)
    (tmp_path / "image.tar").write_text("")
    return str(path)


def test_an_engine_without_its_init_program_is_told_with_what_to_do(engine: str, tmp_path: Path) -> None:
    told: list[str] = []
    test = DockerTest(image=str(tmp_path / "image.tar"), look_interval=0)
    found = try_docker(DockerSettings(engine), test, ContainerAbilities(), told.append)
    assert not found.docker
    assert found.docker_broken.startswith("containers do not run with --init: install catatonit (podman)")
    (line,) = told
    assert "DOCKER_RUN_UNDER_INIT = false" in line
    assert "container-init binary not found" in line


def test_it_runs_jobs_that_need_none(engine: str, tmp_path: Path) -> None:
    told: list[str] = []
    test = DockerTest(image=str(tmp_path / "image.tar"), look_interval=0)
    found = try_docker(DockerSettings(engine, under_init=False), test, ContainerAbilities(), told.append)
    assert (found.docker, found.docker_broken) == ("podman version 4.3.1", "")
    assert told == ["Docker test container ran correctly!  Docker works!"]


# -- images that are made for the trial


def test_the_program_of_the_trial_runs_and_tells_its_namespace(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    testimage.make_tree(str(tree))
    done = subprocess.run([f"{tree}{testimage.PROGRAM}"], capture_output=True, check=False)
    assert done.returncode == 37
    if os.uname().machine == "x86_64":
        assert done.stdout.decode() == os.readlink("/proc/self/ns/user")
    assert sorted(path.name for path in tree.iterdir()) == ["dev", "etc", "exit_37", "proc", "tmp", "var"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in tree.rglob("*")} == {0o755}
    assert (tree / "var" / "tmp").is_dir()


def test_an_image_is_an_archive_as_docker_saves_it(tmp_path: Path) -> None:
    path = tmp_path / "image.tar"
    testimage.make_image(str(path), "name_1")
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
        assert {member.mode for member in archive} == {0o644}
    (manifest,) = json.loads(files["manifest.json"])
    assert manifest == {"Config": manifest["Config"], "RepoTags": ["name_1:latest"], "Layers": ["layer.tar"]}
    text = files[manifest["Config"]]
    assert manifest["Config"] == f"{hashlib.sha256(text).hexdigest()}.json"
    known = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    assert json.loads(text) == {
        "architecture": known, "os": "linux", "config": {},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files['layer.tar']).hexdigest()}"]},
    }  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(files["layer.tar"])) as layer:
        (member,) = layer
        assert (member.name, member.mode) == ("exit_37", 0o755)
        assert layer.extractfile(member).read() == testimage.program()  # type: ignore[union-attr]


#: An engine that notes its command lines; "COMMAND" beside it holds the exit code of that command.
NOTING = """#!/bin/sh
here=${0%/*}
echo "$*" >>"$here/calls"
[ "$1" != load ] || cp "$3" "$here/loaded"
[ "$1" != -v ] || printf 'Docker version 24\\nmore\\n'
[ ! -e "$here/$1" ] || { echo "bad  $1" >&2; exit "$(cat "$here/$1")"; }
[ "$1" != ps ] || cat "$here/there" 2>/dev/null
[ "$1 $3" != "ps --external" ] || cat "$here/unfinished" 2>/dev/null || exit 125
[ "$1" != images ] || cat "$here/left" 2>/dev/null
[ "$1" != run ] || exit 37
"""


def noting(tmp_path: Path) -> DockerSettings:
    path = tmp_path / "docker"
    path.write_text(NOTING)
    path.chmod(0o755)
    return DockerSettings(str(path))


def test_an_image_is_loaded_run_and_removed(tmp_path: Path) -> None:
    told: list[str] = []
    found = try_docker(noting(tmp_path), DockerTest(name="test"), ContainerAbilities(sif=True), told.append)
    assert (found.docker, found.docker_broken, found.cached_mb, found.sif) == ("Docker version 24", "", 0, True)
    *calls, load, run, removal = (tmp_path / "calls").read_text().splitlines()[:8]
    name = f"test_{os.getpid()}"
    asked = (
        "ps --all --format {{.Names}}",
        "ps --all --external --format {{.Names}}",
        "images --format {{.Repository}}",
    )
    assert calls == ["-v", "info", *asked]
    assert load.startswith("load -i ")
    assert load.endswith("/image.tar")
    assert run == f"run --rm=true --name={name} --init {name} /exit_37"
    assert removal == f"rmi {name}"
    with tarfile.open(tmp_path / "loaded") as archive:
        assert "manifest.json" in archive.getnames()


def test_trials_that_were_killed_lose_their_containers_and_images(tmp_path: Path) -> None:
    """A container may have lost its image: an image has several names, one a trial, and each trial removes its own."""
    (tmp_path / "there").write_text(
        f"test_4194305\ntest_4194306_plain\ntest_{os.getppid()}\ntest_one\nmy_test_4194305\n"
    )
    (tmp_path / "left").write_text(f"localhost/test_4194307\nlocalhost/test_{os.getppid()}\nother\n")
    try_docker(noting(tmp_path), DockerTest(name="test"), ContainerAbilities(), lambda line: None)
    removals = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("rm")]
    assert removals == [
        "rm --force test_4194305 test_4194306_plain", "rmi localhost/test_4194307", f"rmi test_{os.getpid()}",
    ]  # fmt: skip


def test_what_a_killed_podman_had_not_finished_goes_before_the_image_that_it_uses(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("other\n")
    (tmp_path / "unfinished").write_text(f"test_4194305\ntest_{os.getppid()}\nbuild\n")
    (tmp_path / "left").write_text("localhost/test_4194305\n")
    try_docker(noting(tmp_path), DockerTest(name="test"), ContainerAbilities(), lambda line: None)
    removals = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("rm")]
    assert removals[:2] == ["rm --force test_4194305", "rmi localhost/test_4194305"]


def test_the_container_of_an_image_of_the_site_has_a_plain_name(tmp_path: Path) -> None:
    (tmp_path / "image.tar").touch()
    test = DockerTest(name="localhost:5000/ours", image=str(tmp_path / "image.tar"))
    try_docker(noting(tmp_path), test, ContainerAbilities(), lambda line: None)
    (run,) = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("run")]
    assert run == f"run --rm=true --name=localhost_5000_ours_{os.getpid()} --init localhost:5000/ours /exit_37"


def test_a_container_that_does_not_end_as_it_should_is_removed(tmp_path: Path) -> None:
    docker = noting(tmp_path)
    (tmp_path / "run").write_text("137")
    found = try_docker(docker, DockerTest(name="test"), ContainerAbilities(), lambda line: None)
    assert found.docker_broken.startswith("a test container returned 137 instead of 37")
    name = f"test_{os.getpid()}"
    removals = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("rm")]
    assert removals == [f"rm --force {name} {name}_plain", f"rmi {name}"]


def test_an_engine_that_is_not_to_be_tried_is_asked_only(tmp_path: Path) -> None:
    told: list[str] = []
    test = DockerTest(wanted=False, look_interval=0)
    found = try_docker(noting(tmp_path), test, ContainerAbilities(), told.append)
    assert (found.docker, found.cached_mb, told) == ("Docker version 24", -1, [])
    assert (tmp_path / "calls").read_text().splitlines() == ["-v", "info"]


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("-v", 1, "{} -v failed: bad -v Docker version 24 more"),
        ("info", 1, "{} info failed: bad info"),
        ("load", 1, "{} load failed: bad load"),
        ("run", 3, "a test container returned 3 instead of 37: bad run"),
    ],
)
def test_an_engine_that_fails_is_told(tmp_path: Path, command: str, code: int, message: str) -> None:
    told: list[str] = []
    docker = noting(tmp_path)
    (tmp_path / command).write_text(str(code))
    found = try_docker(docker, DockerTest(name="test"), ContainerAbilities(), told.append)
    text = message.format(docker.command)
    assert told == [f"DOCKER: {text}: no jobs in containers"]
    assert (found.docker, found.docker_broken, found.cached_mb) == ("", text[:200], -1)
    ran = "run" in (tmp_path / "calls").read_text()
    assert ran == (command == "run")
    assert ("rmi" in (tmp_path / "calls").read_text()) == ran


# -- singularity

#: "plan" beside it has lines OPTIONS|IMAGE|OUTPUT: what runs.
APPTAINER = """#!/bin/sh
here=${0%/*}
echo "$*" >>"$here/calls"
case "$1" in
--version) [ ! -e "$here/no-version" ] || { echo "broken" >&2; exit 1; }; echo "apptainer version 1.3"; exit 0 ;;
-s) stat -c %a "${3%/*}" >"$here/mode"; [ "$2" = build ] && [ -e "$here/builds" ] && echo sif >"$3"; exit 0 ;;
exec)
    while IFS='|' read -r options image output; do
        case "$*" in "exec $options "$image" /exit_37") echo "$output"; exit 37 ;; esac
    done <"$here/plan"
    printf 'INFO: x\\n\\033[31mFATAL: no %s\\033[0m\\nmore\\n' "$2" >&2
    exit 255 ;;
esac
"""


class Apptainer:
    """``runs``: lines of the plan; ``calls`` are the command lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "apptainer").write_text(APPTAINER)
        (path / "apptainer").chmod(0o755)
        self.told: list[str] = []

    def trial(self, *runs: str, **settings: object) -> ContainerAbilities:
        (self.path / "plan").write_text("".join(f"{line}\n" for line in runs))
        chosen = SingularitySettings(str(self.path / "apptainer")).changed(**settings)
        return try_singularity(chosen, None, ContainerAbilities(docker="d"), self.told.append)

    def calls(self) -> list[str]:
        return (self.path / "calls").read_text().splitlines()


@pytest.fixture
def apptainer(tmp_path: Path) -> Apptainer:
    return Apptainer(tmp_path)


SANDBOX, SIF = {"test_sandbox": "/t"}, {"test_sandbox": "/t", "test_sif": "/s"}


def test_directories_and_files_run_in_their_own_processes(apptainer: Apptainer) -> None:
    own = os.readlink("/proc/self/ns/user")
    found = apptainer.trial(f"-C|/t|{own}", "-C|/s|x", **SIF)
    assert found == ContainerAbilities(
        docker="d", singularity="apptainer version 1.3", sandbox=True, sif=True, pid_namespaces=True,
        user_namespaces=False,
    )  # fmt: skip
    assert apptainer.told == ["SINGULARITY: apptainer version 1.3 runs directories and SIF files"]
    assert apptainer.calls() == ["--version", "exec -C /t /exit_37", "exec -C /s /exit_37"]


def test_without_processes_of_their_own(apptainer: Apptainer) -> None:
    plain = "--contain --ipc --cleanenv"
    found = apptainer.trial(f"{plain}|/t|user:[1]", **SIF)
    assert (found.sandbox, found.sif, found.pid_namespaces, found.user_namespaces) == (True, False, False, True)
    assert apptainer.told == ["SINGULARITY: apptainer version 1.3 runs directories"]
    assert apptainer.calls()[1:] == ["exec -C /t /exit_37", f"exec {plain} /t /exit_37", f"exec {plain} /s /exit_37"]


@pytest.mark.parametrize(("wanted", "options"), [(True, "-C"), (False, "--contain --ipc --cleanenv")])
def test_the_administrator_may_decide_about_processes(apptainer: Apptainer, wanted: bool, options: str) -> None:
    found = apptainer.trial(f"{options}|/s|x", pid_namespaces=wanted, **SIF)
    assert (found.sandbox, found.sif, found.pid_namespaces, found.user_namespaces) == (False, True, wanted, None)
    assert apptainer.told == ["SINGULARITY: apptainer version 1.3 runs SIF files"]
    assert apptainer.calls()[1:] == [f"exec {options} /t /exit_37", f"exec {options} /s /exit_37"]


def test_images_are_made_where_none_are_set(apptainer: Apptainer) -> None:
    (apptainer.path / "builds").touch()
    found = apptainer.trial("-C|*/tree|x", "-C|*/test.sif|x")
    assert (found.sandbox, found.sif) == (True, True)
    version, tree, build, sif = apptainer.calls()
    place = tree.split()[2].removesuffix("/tree")
    assert (version, tree) == ("--version", f"exec -C {place}/tree /exit_37")
    assert (build, sif) == (f"-s build {place}/test.sif {place}/tree", f"exec -C {place}/test.sif /exit_37")
    assert not os.path.exists(place)
    assert (apptainer.path / "mode").read_text() == "755\n", "another account makes and reads there"


def test_what_it_says_when_nothing_runs(apptainer: Apptainer) -> None:
    found = apptainer.trial(**SIF)
    reason = "Both SIF and Sandbox tests on startup failed : FATAL: no --contain"
    assert (found.singularity, found.singularity_broken) == ("apptainer version 1.3", reason)
    assert (found.sandbox, found.sif) == (False, False)
    assert apptainer.told == [f"SINGULARITY: {reason}: no jobs in its containers"]


def test_a_program_without_a_version_is_none(apptainer: Apptainer) -> None:
    (apptainer.path / "no-version").touch()
    assert apptainer.trial() == ContainerAbilities(docker="d")
    command = str(apptainer.path / "apptainer")
    assert apptainer.told == [f"SINGULARITY: {command} --version failed: broken"]
    apptainer.told.clear()
    found = try_singularity(SingularitySettings("/not/there"), None, ContainerAbilities(), apptainer.told.append)
    assert found == ContainerAbilities()
    assert apptainer.told == ["SINGULARITY: cannot run /not/there: No such file or directory"]


def test_a_program_that_does_not_answer_is_told_and_has_few_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "apptainer"
    path.write_text(f"#!/bin/sh\necho $PATH $SECRET >{tmp_path}/path; exec sleep 1000\n")
    path.chmod(0o755)
    monkeypatch.setenv("SECRET", "x")
    told: list[str] = []
    settings = SingularitySettings(str(path), test_patience=0.1)  # type: ignore[arg-type]
    assert try_singularity(settings, None, ContainerAbilities(), told.append) == ContainerAbilities()
    assert told == [f"SINGULARITY: {path} --version failed: it did not answer within 0.1 seconds"]
    assert (tmp_path / "path").read_text() == f"{os.environ['PATH']}\n"
    monkeypatch.delenv("PATH")
    try_singularity(settings, None, ContainerAbilities(), told.append)
    assert (tmp_path / "path").read_text() == "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
    path.unlink()
    told.clear()
    try_singularity(settings, None, ContainerAbilities(), told.append)
    assert told == [f"SINGULARITY: cannot run {path}: No such file or directory"]
