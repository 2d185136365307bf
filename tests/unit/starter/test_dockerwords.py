"""The command line with which a container is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.docker import container_name
from condor_py.machine.run.dockerimages import check_image, image_of, is_name
from condor_py.machine.run.dockerwords import Wanted, create_words, devices_of
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.process import StartError
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.model.settings.containers import DockerSettings, Volume

BARE = {"ClusterId": 7, "ProcId": 3, "Iwd": "/home/ann", "Cmd": "/home/ann/run", "ShouldTransferFiles": "YES"}
NOWHERE = "/execute/dir_5"
#: Whose jobs are in NOWHERE; jobs of a test's own directory are ours.
ANN = Account("ann", 1001, 1002, "/home/ann", (1002, 50))


def words(
    settings: DockerSettings = DockerSettings("docker"),  # noqa: B008
    slot: dict[str, object] | None = None,
    cores: tuple[int, ...] = (),
    told: list[str] | None = None,
    root: str = NOWHERE,
    **attributes: object,
) -> list[str]:
    ad = ClassAd({**BARE, **attributes})
    job = read_job(ad, "here")
    place = Place("slot1@here", "there", Sandbox(root), "", {})
    execution = Execution(job, place, job.directory(f"{root}/scratch"), ANN if root == NOWHERE else None)
    wanted = Wanted(execution, "N", "img:1", {"B": "y z", "A": "x"}, cores)
    slot_ad = ClassAd({"Cpus": 2, "Memory": 512, "Machine": "here", **(slot or {})})
    return create_words(settings, slot_ad, ad, wanted, ([] if told is None else told).append)


def after(found: list[str], option: str) -> list[str]:
    """What follows each ``option``."""
    return [found[place + 1] for place, word in enumerate(found) if word == option]


def test_an_ordinary_job() -> None:
    assert words(Args="x y", Owner="ann") == [
        "--cpu-shares=200", "--memory=512m",
        "--cap-drop=all", "--cap-add=SYS_PTRACE", "--security-opt", "no-new-privileges", "--init",
        "--name", "N", "--label=org.htcondorproject=True", "--label=condor_py.execute=/execute",
        "--log-driver", "none", "-e", "A=x", "-e", "B=y z",
        "--volume", "/execute/dir_5:/execute/dir_5",
        "--volume", "/execute/dir_5/scratch:/execute/dir_5/scratch",
        "--workdir", "/execute/dir_5/scratch", "--user", "1001:1002", "--group-add", "1002", "--group-add", "50",
        "--hostname", "ann-7.3-here", "img:1", "./run", "x", "y",
    ]  # fmt: skip


def test_a_job_that_shares_the_file_system_works_in_its_directory() -> None:
    found = words(ShouldTransferFiles="NO")
    assert after(found, "--volume") == ["/execute/dir_5:/execute/dir_5", "/home/ann:/home/ann"]
    assert found[-2:] == ["img:1", "/home/ann/run"]


def test_logs_of_containers() -> None:
    assert after(words(DockerSettings("docker", log_driver="journald")), "--log-driver") == ["none"]
    settings = DockerSettings("docker", keeps_no_log=False, log_driver="journald")
    assert after(words(settings), "--log-driver") == ["journald"]
    assert "--log-driver" not in words(DockerSettings("docker", keeps_no_log=False))


def test_a_remote_directory_is_where_the_job_works_inside() -> None:
    found = words(RemoteIwd="/data/7")
    assert after(found, "--volume") == ["/execute/dir_5:/execute/dir_5", "/data/7:/data/7"]
    assert after(found, "--workdir") == ["/data/7"]
    assert found[-2:] == ["img:1", "/execute/dir_5/scratch/run"]


HOST = ["--hostname", "unknown-7.3-here"]


@pytest.mark.parametrize(
    ("attributes", "end"),
    [
        ({"TransferExecutable": False, "Cmd": "/bin/date"}, ["img:1", "/bin/date"]),
        ({"Cmd": "", "Args": "x"}, ["img:1", "x"]),
        ({"DockerOverrideEntrypoint": True}, ["--entrypoint", "./run", "img:1"]),
        ({"In": "words"}, ["--interactive", *HOST, "img:1", "./run"]),
        ({"DockerNetworkType": "none"}, ["--network=none", *HOST, "img:1", "./run"]),
        ({"DockerNetworkType": "nat"}, ["50", *HOST, "img:1", "./run"]),
        ({"DockerNetworkType": "lab"}, ["--network=lab", *HOST, "img:1", "./run"]),
        ({"DockerNetworkType": "host"}, ["50", "--network=host", "img:1", "./run"]),
        ({"Owner": "o" * 70}, ["--hostname", "o" * 63, "img:1", "./run"]),
        ({"ContainerServiceNames": "www, ssh", "www_ContainerPort": 80, "ssh_ContainerPort": 22},
         ["-p", "80", "-p", "22", "img:1", "./run"]),
        ({"DockerPullPolicy": "Always"}, ["--pull", "always", "img:1", "./run"]),
        ({"DockerPullPolicy": "sometimes"}, [*HOST, "img:1", "./run"]),
        ({"InteractiveJob": True}, ["img:1", "./run", "86400"]),
    ],
)  # fmt: skip
def test_what_a_job_asks_for(attributes: dict[str, object], end: list[str]) -> None:
    assert words(DockerSettings("docker", networks=("lab",)), **attributes)[-len(end) :] == end


def test_a_network_that_is_not_for_jobs_holds_the_job() -> None:
    with pytest.raises(StartError, match="requested network lab, which DOCKER_NETWORKS does not allow"):
        words(DockerNetworkType="lab")


def test_a_service_without_a_port_holds_the_job() -> None:
    with pytest.raises(StartError, match="service 'www' did not specify a port"):
        words(ContainerServiceNames="www", www_ContainerPort="many")


def test_a_directory_with_a_colon_is_none_for_a_container() -> None:
    with pytest.raises(StartError, match="its name has a colon"):
        words(ShouldTransferFiles="NO", Iwd="/home/ann/a:b")


def test_a_slot_that_is_bound_to_cpus_binds_its_container() -> None:
    assert words(cores=(3, 1))[:2] == ["--cpuset-cpus=1,3", "--memory=512m"]


def test_volumes_of_the_machine() -> None:
    volumes = (
        Volume("a", "/data"),
        Volume("b", "/opt/b:/b:ro", "TARGET.WantsB"),
        Volume("c", "/c", "MY.Memory > 100"),
        Volume("d", "/d", "no such ( expression"),
        Volume("e"),
    )
    told: list[str] = []
    found = words(DockerSettings("docker", volumes=volumes), told=told, WantsB=True)
    assert after(found, "--volume")[2:] == ["/data:/data", "/opt/b:/b:ro", "/c:/c"]
    assert "Not adding /d as a docker volume to mount: ..._MOUNT_IF is not true" in told
    assert "WARNING: DOCKER_VOLUME_DIR_e is missing in the configuration" in told
    assert after(words(DockerSettings("docker", volumes=volumes)), "--volume")[2:] == ["/data:/data", "/c:/c"]


def test_directories_of_the_scratch_directory(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    told: list[str] = []
    settings = DockerSettings("docker", mount_under_scratch='"/tmp,/var/tmp"')
    found = words(settings, root=str(tmp_path), told=told, MountUnderScratch="/foo /tmp bad /a:/b")
    here = f"{tmp_path}/scratch"
    assert after(found, "--volume")[2:] == [f"{here}/tmp:/tmp", f"{here}/var/tmp:/var/tmp", f"{here}/foo:/foo"]
    assert (tmp_path / "scratch" / "tmp").stat().st_mode & 0o7777 == 0o1777
    assert told == ["bad cannot be mounted under scratch in a container",
                    "/a:/b cannot be mounted under scratch in a container"]  # fmt: skip


def test_a_directory_is_mounted_once(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    settings = DockerSettings("docker", mount_under_scratch="/tmp /tmp/ //tmp/.")
    found = after(words(settings, root=str(tmp_path)), "--volume")
    assert found[2:] == [f"{tmp_path}/scratch/tmp:/tmp"]
    found = after(words(settings, root=str(tmp_path), RemoteIwd="/tmp/"), "--volume")
    assert found == [f"{tmp_path}:{tmp_path}", "/tmp/:/tmp/"]


def test_a_link_in_the_scratch_directory_leads_no_engine_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "tmp").symlink_to("/etc")
    with pytest.raises(StartError, match="something else is there"):
        words(DockerSettings("docker", mount_under_scratch="/tmp"), root=str(tmp_path))


def test_a_directory_that_cannot_be_made_holds_the_job(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    with pytest.raises(StartError, match=r"Cannot make a directory for /d+ in the container: File name too long"):
        words(DockerSettings("docker"), root=str(tmp_path), MountUnderScratch="/" + "d" * 300)


def test_gpus_are_devices(tmp_path: Path) -> None:
    assert after(words(slot={"AssignedGPUs": "CUDA0,CUDA2"}), "--device") == [
        "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia2",
    ]  # fmt: skip
    for number, uuid in enumerate(("GPU-aaaa1111-x", "GPU-bbbb2222-x")):
        (tmp_path / str(number)).mkdir()
        text = f"Model: \t A\nGPU UUID: \t {uuid}\nDevice Minor: \t {number}\n"
        (tmp_path / str(number) / "information").write_text(text)
    (tmp_path / "-gone").mkdir()
    (tmp_path / "-odd").mkdir()
    (tmp_path / "-odd" / "information").write_bytes(b"GPU UUID: \xff\n")
    common = ["/dev/nvidiactl", "/dev/nvidia-uvm"]
    assert devices_of("GPU-aaaa1111,GPU-bbbb2222", False, str(tmp_path)) == [*common, "/dev/nvidia0", "/dev/nvidia1"]
    assert devices_of("GPU-", False, str(tmp_path)) == [*common, "/dev/nvidia0"]
    assert devices_of("GPU-aaaa1111", False, str(tmp_path / "none")) == common
    assert devices_of("GPU-bbbb2222", False, str(tmp_path)) == [*common, "/dev/nvidia1"]
    assert devices_of("GPU-bbbb2222", True, str(tmp_path)) == [*common, "/dev/nvidia0", "/dev/nvidia1"]
    assert devices_of("", False, str(tmp_path)) == []


@pytest.mark.parametrize("image", ["debian:12", "localhost/a/b-c:latest", "r.example.org:5000/a_b:1.0", "a@sha256:0aF"])
def test_names_of_images(image: str) -> None:
    assert is_name(image)


@pytest.mark.parametrize(
    "image",
    ["", "-v:latest", "--volume=/:/h@x", "--privileged=true", "a b:1", "a;b:1", "dir:/etc:1", "dir:x", "oci-archive:a",
     "/etc/passwd:latest", "a/-b:1", "a:1\n", "docker-archive:/x.tar", "../a:1", "a/../b:1"],
)  # fmt: skip
@pytest.mark.promise("S65")
def test_what_is_an_option_or_a_place_for_the_engine_is_no_image(image: str) -> None:
    assert not is_name(image)
    with pytest.raises(StartError, match="that is no name of an image"):
        check_image(image)


def test_what_the_configuration_asks_for() -> None:
    settings = DockerSettings(
        "docker", "\"--ulimit nofile=9 'a b'\"", "TARGET.Trusted isnt true", False, False, (), "MY.Memory * 8"
    )
    found = words(settings, Trusted=True)
    assert found[:3] == ["--cpu-shares=200", "--memory=512m", "--name"]
    assert found[-7:] == ["--ulimit", "nofile=9", "a b", "--shm-size", "4096", "img:1", "./run"]
    assert "--log-driver" not in found
    assert "--cap-drop=all" in words(settings)


@pytest.mark.parametrize(
    ("attributes", "image"),
    [
        ({"DockerImage": "debian"}, "debian:latest"),
        ({"DockerImage": "docker://debian:12"}, "debian:12"),
        ({"ContainerImage": "docker://reg:5000/a/b"}, "reg:5000/a/b:latest"),
        ({"DockerImage": "a@sha256:00"}, "a@sha256:00"),
        ({}, ""),
    ],
)
def test_images_have_tags(attributes: dict[str, object], image: str) -> None:
    assert image_of(ClassAd(attributes)) == image


def test_a_container_tells_whose_it_is() -> None:
    assert container_name("7.3", "slot1_2@here", os.getpid()) == f"HTCJob7_3_slot1_2_PID{os.getpid()}"


@pytest.mark.parametrize(
    ("text", "size"),
    [("", []), ("1 +", []), ("0", []), ("undefined", []), ("1024 * 2", ["2048"]), ("Memory * 2", ["1024"]),
     ("TARGET.ClusterId", ["7"]), ("real(1.9)", ["1"]), ("1 / 0", [])],
)  # fmt: skip
def test_the_size_of_shared_memory(text: str, size: list[str]) -> None:
    assert after(words(settings=DockerSettings("docker", shm_size=text)), "--shm-size") == size


@pytest.mark.parametrize(
    ("slot", "tag"), [("slot1_2@here", "slot1_2"), ("a.b-c@d@e", "a.b-c"), ("X Y/\u00e9", "X_Y_\u00e9"), ("", "")]
)
def test_the_slot_in_the_name_of_a_container(slot: str, tag: str) -> None:
    assert container_name("7.3", slot, 5) == f"HTCJob7_3_{tag}_PID5"
