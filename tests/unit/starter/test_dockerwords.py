"""The command line with which a container is made."""

from __future__ import annotations

import os

import pytest

from condor_py.classad import ClassAd
from condor_py.model.settings.starter import DockerSettings
from condor_py.starter.docker import container_name, image_of
from condor_py.starter.dockerwords import check_image, create_words, is_name
from condor_py.starter.executor import Execution
from condor_py.starter.identity import Account
from condor_py.starter.job import read_job
from condor_py.starter.process import StartError
from condor_py.starter.sandbox import Place, Sandbox

BARE = {"ClusterId": 7, "ProcId": 3, "Iwd": "/home/ann", "Cmd": "/home/ann/run", "ShouldTransferFiles": "YES"}
ANN = Account("ann", 1001, 1002, "/home/ann", (1002, 50))


def words(settings: DockerSettings = DockerSettings("docker"), **attributes: object) -> list[str]:  # noqa: B008
    ad = ClassAd({**BARE, **attributes})
    job = read_job(ad, "here")
    place = Place("slot1@here", "there", Sandbox("/execute/dir_5"), "", {})
    execution = Execution(job, place, "/execute/dir_5/scratch" if job.transfer else job.iwd, ANN)
    return create_words(
        settings, ClassAd({"Cpus": 2, "Memory": 512}), ad, execution, "N", "img:1", {"A": "x", "B": "y z"}
    )


def test_an_ordinary_job() -> None:
    assert words(Args="x y") == [
        "--cpu-shares=200", "--memory=512m",
        "--cap-drop=all", "--cap-add=SYS_PTRACE", "--security-opt", "no-new-privileges", "--init",
        "--name", "N", "--label", "org.htcondorproject=True", "--label", "condor_py.execute=/execute",
        "--log-driver", "none", "--env", "A=x", "--env", "B=y z",
        "--volume", "/execute/dir_5/scratch:/execute/dir_5/scratch",
        "--workdir", "/execute/dir_5/scratch", "--user", "1001:1002", "--group-add", "1002", "--group-add", "50",
        "img:1", "./run", "x", "y",
    ]  # fmt: skip


def test_a_job_that_shares_the_file_system_works_in_its_directory() -> None:
    found = words(ShouldTransferFiles="NO")
    volumes = [found[place + 1] for place, word in enumerate(found) if word == "--volume"]
    assert volumes == ["/execute/dir_5/scratch:/execute/dir_5/scratch", "/home/ann:/home/ann"]
    assert found[-2:] == ["img:1", "/home/ann/run"]


@pytest.mark.parametrize(
    ("attributes", "end"),
    [
        ({"TransferExecutable": False, "Cmd": "/bin/date"}, ["img:1", "/bin/date"]),
        ({"Cmd": "", "Args": "x"}, ["img:1", "x"]),
        ({"DockerOverrideEntrypoint": True}, ["--entrypoint", "./run", "img:1"]),
        ({"In": "words"}, ["--interactive", "img:1", "./run"]),
        ({"DockerNetworkType": "none"}, ["--network=none", "img:1", "./run"]),
        ({"DockerNetworkType": "nat"}, ["50", "img:1", "./run"]),
        ({"DockerNetworkType": "lab"}, ["--network=lab", "img:1", "./run"]),
    ],
)
def test_what_a_job_asks_for(attributes: dict[str, object], end: list[str]) -> None:
    assert words(DockerSettings("docker", networks=("lab",)), **attributes)[-len(end) :] == end


def test_a_network_that_is_not_for_jobs_holds_the_job() -> None:
    with pytest.raises(StartError, match="requested network lab, which DOCKER_NETWORKS does not allow"):
        words(DockerNetworkType="lab")


def test_a_directory_with_a_colon_is_none_for_a_container() -> None:
    with pytest.raises(StartError, match="its name has a colon"):
        words(ShouldTransferFiles="NO", Iwd="/home/ann/a:b")


@pytest.mark.parametrize("image", ["debian:12", "localhost/a/b-c:latest", "r.example.org:5000/a_b:1.0", "a@sha256:0aF"])
def test_names_of_images(image: str) -> None:
    assert is_name(image)


@pytest.mark.parametrize(
    "image",
    ["", "-v:latest", "--volume=/:/h@x", "--privileged=true", "a b:1", "a;b:1", "dir:/etc:1", "dir:x", "oci-archive:a",
     "/etc/passwd:latest", "a/-b:1", "a:1\n", "docker-archive:/x.tar", "../a:1", "a/../b:1"],
)  # fmt: skip
def test_what_is_an_option_or_a_place_for_the_engine_is_no_image(image: str) -> None:
    assert not is_name(image)
    with pytest.raises(StartError, match="that is no name of an image"):
        check_image(image)


def test_what_the_configuration_asks_for() -> None:
    settings = DockerSettings(
        "docker", "\"--ulimit nofile=9 'a b'\"", "TARGET.Trusted isnt true", False, False, (), 4096
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
