"""The command line and the environment of a job in a container of singularity's."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import StartError
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.machine.run.singularitywords import (
    Inside,
    dressed,
    first_complaint,
    image_of,
    inner_environment,
    launcher,
    moved,
    test_words,
    write_launcher,
)
from condor_py.model.settings.containers import SingularitySettings

test_words.__test__ = False  # type: ignore[attr-defined]

ROOT = "/execute/dir_5"
SCRATCH = f"{ROOT}/scratch"
BARE = {
    "ClusterId": 7, "ProcId": 3, "Iwd": "/home/ann", "Cmd": "/home/ann/run", "ShouldTransferFiles": "YES",
    "ContainerImage": "/images/small", "Args": "x y",
}  # fmt: skip
SETTINGS = SingularitySettings("/usr/bin/apptainer", mount_under_scratch='"/tmp,/var/tmp"')


def inside(
    settings: SingularitySettings = SETTINGS, slot: dict[str, object] | None = None, **attributes: object
) -> tuple[Inside, Execution]:
    ad = ClassAd({**BARE, **attributes})
    job = read_job(ad, "here")
    place = Place("slot1@here", "there", Sandbox(ROOT), "", {})
    slot_ad = ClassAd({"Name": "slot1_2@here", "HasPidNamespaces": True, **(slot or {})})
    return Inside(settings, slot_ad, ad), Execution(job, place, job.directory(SCRATCH), None)


def words(
    settings: SingularitySettings = SETTINGS, slot: dict[str, object] | None = None, **attributes: object
) -> list[str]:
    there, execution = inside(settings, slot, **attributes)
    job = dressed(there, execution, lambda told: None)
    assert job.cmd == settings.command
    assert not job.transfer_executable
    return list(job.arguments)


PLAIN = [
    "-s", "exec", "-S", "/tmp", "-S", "/var/tmp", "-W", SCRATCH, "--pwd", SCRATCH, "-B", ROOT, "--home", SCRATCH, "-C",
    "/images/small", f"{SCRATCH}/run", "x", "y",
]  # fmt: skip


def test_an_ordinary_job() -> None:
    assert words() == PLAIN


def test_without_a_program_that_of_the_image_runs() -> None:
    found = words(Cmd="")
    assert found[:2] == ["-s", "run"]
    assert found[-3:] == ["/images/small", "x", "y"]


def test_a_place_in_which_the_job_lies_stays_that_of_the_machine() -> None:
    settings = SETTINGS.changed(mount_under_scratch="/tmp,/execute")
    assert words(settings)[:5] == ["-s", "exec", "-S", "/tmp", "-W"]
    assert words(settings, ContainerTargetDir="/foo")[:6] == ["-s", "exec", "-S", "/tmp", "-S", "/execute"]
    settings = SETTINGS.changed(mount_under_scratch="/tmp,/execute,/home")
    found = words(settings, ContainerTargetDir="/foo", ShouldTransferFiles="NO")
    assert found[:8] == ["-s", "exec", "-S", "/tmp", "-S", "/execute", "-B", "/home/ann"]


def test_a_program_inside_is_called_as_it_is() -> None:
    assert words(Cmd="/bin/date", TransferExecutable=False)[-3:] == ["/bin/date", "x", "y"]


def test_a_target_directory_takes_the_place_of_the_jobs() -> None:
    found = words(ContainerTargetDir="/foo")
    assert found[found.index("--pwd") :][:4] == ["--pwd", "/foo/scratch", "-B", f"{ROOT}:/foo"]
    assert found[-3] == "/foo/scratch/run"
    assert words(SETTINGS.changed(target_dir="/bar"), ContainerTargetDir="/foo")[-3] == "/bar/scratch/run"


def test_a_remote_directory_is_where_the_job_works_inside() -> None:
    found = words(RemoteIwd="/data/7")
    assert found[found.index("--pwd") :][:4] == ["--pwd", "/data/7", "-B", ROOT]
    assert found[found.index("-B") + 1] == "/data/7"
    assert found[-4:] == ["/images/small", f"{SCRATCH}/run", "x", "y"]
    found = words(RemoteIwd="/data/7", ContainerTargetDir="/foo", ContainerImage="small.sif")
    assert found[found.index("--pwd") :][:6] == [
        "--pwd", "/foo", "-B", f"{ROOT}:/condor_scratch", "-B", "/data/7:/foo",
    ]  # fmt: skip
    assert found[-4:] == [f"{SCRATCH}/small.sif", "/condor_scratch/scratch/run", "x", "y"]


def test_a_job_that_shares_the_file_system() -> None:
    found = words(ShouldTransferFiles="NO", ContainerImage="small.sif")
    assert found[6:13] == ["-B", "/home/ann", "-W", SCRATCH, "--pwd", "/home/ann", "-B"]
    assert "--home" not in found
    assert found[-4:] == ["/home/ann/small.sif", "/home/ann/run", "x", "y"]
    found = words(ShouldTransferFiles="NO", ContainerImage="small.sif", ContainerImageFullPath="/images/small.sif")
    assert found[-4] == "/images/small.sif"
    found = words(ShouldTransferFiles="NO", ContainerTargetDir="/foo")
    assert found[found.index("--pwd") :][:6] == [
        "--pwd",
        "/foo",
        "-B",
        f"{ROOT}:/condor_scratch",
        "-B",
        "/home/ann:/foo",
    ]
    assert found[-3] == "/foo/run"


@pytest.mark.parametrize(
    ("knobs", "slot", "attributes", "wanted"),
    [
        ({"pid_namespaces": False}, {}, {}, ["--contain", "--ipc", "--cleanenv"]),
        ({}, {"HasPidNamespaces": False}, {}, ["--contain", "--ipc", "--cleanenv"]),
        ({"pid_namespaces": True}, {"HasPidNamespaces": False}, {}, ["-C"]),
        ({"extra_arguments": "--fakeroot --writable"}, {}, {}, ["-C", "--fakeroot", "--writable"]),
        ({"extra_arguments": 'ifThenElse(TARGET.Big, "--big", "")'}, {}, {"Big": True}, ["-C", "--big"]),
        ({}, {"AssignedGPUs": "CUDA0", "GPUs_NvidiaDriver": "550"}, {}, ["--nv"]),
        ({"adds_rocm": True}, {"AssignedGPUs": "CUDA0"}, {}, ["--rocm"]),
        ({}, {"AssignedGPUs": "CUDA0", "GPUs_Rocm": 5}, {}, ["--rocm"]),
        ({"bind": '"/usr:/opt/usr:ro,/no/such"'}, {}, {}, ["-B", "/usr:/opt/usr:ro", "--home"]),
        ({}, {}, {"SingularityBind": "/etc"}, ["-B", "/etc", "--home"]),
        ({}, {}, {"MountUnderScratch": "/foo"}, ["-S", "/var/tmp", "-S", "/foo", "-W"]),
        ({}, {}, {"DockerNetworkType": "none"}, ["--net", "--network", "none", "-C"]),
        ({}, {}, {"DockerNetworkType": "host"}, ["--home", SCRATCH, "-C"]),
        ({"verbosity": "-d"}, {}, {}, ["-d", "exec"]),
        ({"mounts_home": True}, {}, {}, ["-B", os.path.expanduser("~"), "--home", SCRATCH]),
        ({"image": '"/all/the/same"'}, {}, {}, ["-C", "/all/the/same"]),
        ({}, {}, {"SingularityImage": "mine.sif"}, ["-C", "mine.sif"]),
    ],
)
def test_what_knobs_and_jobs_ask_for(
    knobs: dict[str, object], slot: dict[str, object], attributes: dict[str, object], wanted: list[str]
) -> None:
    found = words(SETTINGS.changed(**knobs), slot, **attributes)  # type: ignore[arg-type]
    assert any(found[place : place + len(wanted)] == wanted for place in range(len(found))), found


def test_a_place_that_an_image_lacks_is_left_out_where_that_is_wished(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    settings = SETTINGS.changed(bind='"/usr:/there /usr:/away"', ignores_missing_targets=True)
    found = words(settings, ContainerImage=str(tmp_path))
    assert "/usr:/there" in found
    assert "/usr:/away" not in found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees what others do not")
def test_a_job_does_not_learn_what_only_root_can_see(tmp_path: Path) -> None:
    hidden = tmp_path / "private" / "hidden"
    hidden.mkdir(parents=True)
    hidden.parent.chmod(0o700)
    told: list[str] = []
    there, execution = inside(SingularityBind=str(hidden))
    theirs = replace(execution, owner=account("nobody"))
    assert str(hidden) in dressed(there, execution, told.append).arguments
    assert told == []
    assert str(hidden) not in dressed(there, theirs, told.append).arguments
    assert told == [f"Skipping invalid singularity bind source directory {hidden}"]


@pytest.mark.parametrize("image", [None, "--writable"])
def test_a_job_without_an_image_is_held(image: str | None) -> None:
    with pytest.raises(StartError, match="unable to determine the image"):
        words(ContainerImage=image)


def test_an_image_of_docker_runs_here_too() -> None:
    assert image_of(inside(ContainerImage=None, DockerImage="debian:12")[0]) == "docker://debian:12"


def test_the_image_is_tried_with_the_same_options() -> None:
    there, execution = inside()
    found = test_words(there, execution, lambda told: None)
    assert found == ["/usr/bin/apptainer", "-s", "-q", "test", *PLAIN[2:-3]]


def test_variables_reach_the_inside_and_those_of_the_program_do_not_come_from_the_job() -> None:
    there, execution = inside(SETTINGS.changed(allowed_variables=("APPTAINER_NV",)))
    given = {
        "A": "x", "HOME": "/home/ann", "APPTAINER_BIND": "/root", "SINGULARITY_BINDPATH": "/root", "APPTAINER_NV": "1",
        "APPTAINER_DOCKER_USERNAME": "ann", "APPTAINERENV_OWN": "kept", "_CONDOR_SCRATCH_DIR": SCRATCH,
    }  # fmt: skip
    found = inner_environment(there, execution, given)
    assert found == {
        "A": "x", "APPTAINERENV_A": "x", "APPTAINERENV_OWN": "kept",
        "APPTAINER_NV": "1", "APPTAINERENV_APPTAINER_NV": "1",
        "APPTAINER_DOCKER_USERNAME": "ann", "APPTAINERENV_APPTAINER_DOCKER_USERNAME": "ann",
        "_CONDOR_SCRATCH_DIR": SCRATCH, "APPTAINERENV__CONDOR_SCRATCH_DIR": SCRATCH,
        "APPTAINER_CACHEDIR": SCRATCH, "APPTAINERENV_APPTAINER_CACHEDIR": SCRATCH,
        "APPTAINER_TMPDIR": SCRATCH, "APPTAINERENV_APPTAINER_TMPDIR": SCRATCH,
        "APPTAINERENV_PS1": "slot1_2@here$ ",
    }  # fmt: skip
    old = inner_environment(replace(there, apptainer=False), execution, {"A": "x"})
    assert old["SINGULARITYENV_A"] == "x"
    assert "SINGULARITY_CACHEDIR" in old


def test_variables_tell_where_directories_are_inside() -> None:
    there, execution = inside(ContainerTargetDir="/foo")
    found = inner_environment(there, execution, {"_CONDOR_SCRATCH_DIR": SCRATCH, "P": f"/x:{SCRATCH}/bin"})
    assert found["_CONDOR_SCRATCH_DIR"] == SCRATCH
    assert found["APPTAINERENV__CONDOR_SCRATCH_DIR"] == "/foo/scratch"
    assert found["APPTAINERENV_P"] == "/x:/foo/scratch/bin"
    assert found["APPTAINERENV__CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER"] == SCRATCH
    there, execution = inside(ContainerTargetDir="/foo", ShouldTransferFiles="NO")
    given = {"_CONDOR_SCRATCH_DIR": SCRATCH, "_CONDOR_JOB_IWD": "/home/ann"}
    found = inner_environment(there, execution, given)
    assert found["APPTAINERENV__CONDOR_SCRATCH_DIR"] == "/condor_scratch/scratch"
    assert found["APPTAINERENV__CONDOR_JOB_IWD"] == "/foo"


@pytest.mark.parametrize(
    ("path", "to"), [("/a/b", "/t"), ("/a/b/c", "/t/c"), ("/a/bc", "/a/bc"), ("/x", "/x"), ("bin", "bin")]
)
def test_paths_are_moved_with_their_directory(path: str, to: str) -> None:
    assert moved(path, "/a/b", "/t") == to


def test_the_complaint_that_is_worth_reading() -> None:
    said = "WARNING: no passwd\n\x1b[91mFATAL:   no such image\x1b[0m\nINFO: bye\n"
    assert first_complaint(said) == "FATAL:   no such image"
    assert first_complaint("WARNING: only this\n") == "WARNING: only this"
    assert first_complaint("") == "it says nothing"


@pytest.mark.parametrize(
    ("image", "place", "there"),
    [("image", "/data", True), ("image", "/none", False), ("image.sif", "/none", True), ("docker://x", "/none", True)],
)
def test_places_in_images_that_are_directories_are_known(tmp_path: Path, image: str, place: str, there: bool) -> None:
    (tmp_path / "image" / "data").mkdir(parents=True)
    (tmp_path / "image.sif").touch()
    path = image if "://" in image else str(tmp_path / image)
    settings = SingularitySettings("/usr/bin/apptainer", bind=f'"/etc:{place}"', ignores_missing_targets=True)
    assert (f"/etc:{place}" in words(settings, ContainerImage=path)) is there


@pytest.mark.parametrize(
    ("image", "found"),
    [("/i/small", "/i/small"), ("docker://small", "docker://small"), ("small.sif", "/home/ann/small.sif")],
)
def test_the_image_of_a_job_without_file_transfer(image: str, found: str) -> None:
    assert found in words(ContainerImage=image, ShouldTransferFiles="NO")


def test_an_expression_that_is_none_gives_nothing() -> None:
    for text in ("", "(", "1 +"):
        settings = SETTINGS.changed(image=text, bind=text)
        assert words(settings) == PLAIN


def test_the_launcher_begins_the_program_inside(tmp_path: Path) -> None:
    found = words(SETTINGS.changed(uses_launcher=True))
    bound = f"{launcher(ROOT)}:"
    inner = next(word.removeprefix(bound) for word in found if word.startswith(bound))
    assert found[found.index(bound + inner) - 1] == "-B"
    assert found[-5:] == ["/images/small", inner, f"{SCRATCH}/run", "x", "y"]
    before = os.umask(0o077)
    try:
        write_launcher(str(tmp_path))
    finally:
        os.umask(before)
    assert os.stat(launcher(str(tmp_path))).st_mode & 0o777 == 0o755, "the owner of the job runs it"


@pytest.mark.parametrize(("gpus", "bound"), [("CUDA0", 1), ("", 0)])
def test_the_drivers_of_opencl_are_there_for_jobs_with_gpus(
    monkeypatch: pytest.MonkeyPatch, gpus: str, bound: int
) -> None:
    place = "/etc/OpenCL/vendors"
    known = os.path.isdir, os.path.exists
    monkeypatch.setattr(os.path, "isdir", lambda path: path == place or known[0](path))
    monkeypatch.setattr(os.path, "exists", lambda path: path == place or known[1](path))
    slot: dict[str, object] = {"AssignedGPUs": gpus}
    assert words(slot=slot).count(place) == bound
    assert words(SETTINGS.changed(bind=f'"{place}"'), slot).count(place) == 1, "it is bound once"


@pytest.mark.parametrize("slot", [{}, {"GPUs_Rocm": 0}, {"GPUs_Rocm": -1}, {"GPUs_NvidiaDriver": ""}])
def test_gpus_of_other_kinds_have_no_options(slot: dict[str, object]) -> None:
    found = words(slot={"AssignedGPUs": "CUDA0", **slot})
    assert not {"--nv", "--rocm"} & set(found)
    assert not {"--nv", "--rocm"} & set(words(SETTINGS.changed(adds_rocm=True), {"GPUs_Rocm": 5}))


@pytest.mark.parametrize("name", ["plain", "odd:name", "odd,name", "none", ""])
def test_a_home_that_the_command_line_cannot_name_is_not_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = str(tmp_path / name) if name else "/"
    if name not in ("none", ""):
        os.mkdir(home)
    monkeypatch.setenv("HOME", home)
    found = words(SETTINGS.changed(mounts_home=True))
    assert (home in found) == (name == "plain")


@pytest.mark.parametrize("uses", [True, False])
def test_only_a_program_has_a_launcher(uses: bool) -> None:
    settings = SETTINGS.changed(uses_launcher=uses)
    assert ("/condor_container_launcher.sh" in words(settings)) == uses
    assert "/condor_container_launcher.sh" not in words(settings, Cmd="")


def test_variables_that_are_for_the_inside_are_not_put_in_again() -> None:
    """Also where they name a directory of the job."""
    there, execution = inside(ContainerTargetDir="/foo")
    found = inner_environment(there, execution, {"APPTAINERENV_MINE": SCRATCH})
    assert found["APPTAINERENV_MINE"] == SCRATCH
    assert "APPTAINERENV_APPTAINERENV_MINE" not in found
