"""Knobs of containers that are not as usual, in one pool with podman and, where it is there, apptainer."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_pool import left
from pool import PersonalPool, wait_for

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "starter"))

import apptainers
import containers
from registry import Registry

#: One worker runs all: the engine and its pools are made once.
pytestmark = pytest.mark.xdist_group("containers")

#: A network that jobs may not have unless the configuration says so.
_NETWORK = "slirp4netns" if shutil.which("slirp4netns") and not containers.DOCKER else "bridge"
KNOBS = {
    "DOCKER_EXTRA_ARGUMENTS": containers.LIMITS,
    "DOCKER_PERFORM_TEST": "false",
    "DOCKER_RUN_UNDER_INIT": "false",
    "DOCKER_LOG_DRIVER_NONE": "false",
    "DOCKER_DROP_ALL_CAPABILITIES": "TARGET.Trusted isnt true",
    "DOCKER_SHM_SIZE": "1048576 * MY.Cpus",
    "DOCKER_NETWORKS": _NETWORK,
    "DOCKER_SKIP_IMAGE_ARCH_CHECK": "true",
    "DOCKER_IMAGE_CACHE_SIZE": "1",
    "DOCKER_CACHE_ADVERTISE_INTERVAL": "1",
    "MACHINE_RESOURCE_GPUs": "CUDA0 CUDA1",
    "MAXJOBRETIREMENTTIME": "3600",
    "SINGULARITY_TARGET_DIR": "/inside",
    "SINGULARITY_EXTRA_ARGUMENTS": "--env EXTRA=given",
    "SINGULARITY_VERBOSITY": "-q",
    "SINGULARITY_RUN_TEST_BEFORE_JOB": "false",
    "SINGULARITY_USE_PID_NAMESPACES": "false",
    "SINGULARITY_IGNORE_MISSING_BIND_TARGET": "true",
}
#: What a job sees of all that; field 4 of the line of df is its size in KB.
SHOW = """\
alias b=/bin/busybox
b df -k /dev/shm | b tail -1 | b awk '{print "shm", $2}'
b grep -e CapBnd -e NoNewPrivs /proc/self/status
b ls /dev/nvidia*; echo gpu $CUDA_VISIBLE_DEVICES
echo interfaces $(b grep -c : /proc/net/dev)
echo first $(b cat /proc/1/comm)
"""


class Unusual:
    """The pool, and what its programs were asked for."""

    def __init__(self, pool: PersonalPool, engine: str) -> None:
        self.pool, self.engine = pool, engine

    def noting(self, name: str, program: str) -> str:
        """The program, which notes what it is asked for in a directory ``name``."""
        top = self.pool.directory / name
        top.mkdir()
        path = top / "program"
        path.write_text(containers.NOTING.format(top=top, program=program))
        path.chmod(0o755)
        return str(path)

    def calls(self, name: str) -> list[str]:
        return (self.pool.directory / name / "calls").read_text().splitlines()

    def submit(self, name: str, script: str, more: str) -> int:
        self.pool.script(f"{name}.sh", f"{script}\n")
        return self.pool.submit(
            f"executable = {name}.sh\noutput = {name}.out\nerror = {name}.err\nlog = {name}.log\n"
            f"should_transfer_files = yes\nrequest_memory = 100\n{more}\nqueue\n"
        )

    def said(self, name: str) -> list[str]:
        self.pool.wait(f"{name}.log")
        return (self.pool.work / f"{name}.out").read_text().splitlines()


@pytest.fixture(scope="module")
def unusual(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unusual]:
    made = Unusual(PersonalPool(tmp_path_factory.mktemp("unusual") / "pool", 8, **KNOBS), engine)
    pool = made.pool
    pool.knob("DOCKER", made.noting("docker", engine))
    pool.knob("SINGULARITY", "" if apptainers.why_not() else made.noting("singularity", apptainers.command()))
    pool.start()
    try:
        wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasDocker").stdout, "the engine was tried")
        yield made
    finally:
        pool.stop()


@pytest.fixture
def registry(engine: str) -> Iterator[Registry]:
    made = Registry()
    containers.allow_registry(engine, made.address)
    yield made
    made.close()


def test_what_knobs_make_of_jobs_in_singularity(unusual: Unusual, tree: Path) -> None:
    pool = unusual.pool
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasSingularity").stdout, "apptainer was tried")
    image = f"universe = container\ncontainer_image = {tree}\ntransfer_container = false"
    (pool.directory / "data").mkdir()
    image += f'\nMy.SingularityBind = "{pool.directory}/data:/home, {pool.directory}/data:/nowhere"'
    (pool.directory / "data" / "mine").touch()
    script = "pwd; echo $EXTRA; [ $$ -gt 50 ] && echo no namespace of processes; ls -d /home/* /nowhere"
    unusual.submit("knobs", script, image)
    assert unusual.said("knobs") == ["/inside/scratch", "given", "no namespace of processes", "/home/mine"]
    calls = [call for call in unusual.calls("singularity") if call.startswith("-")]
    assert not [call for call in calls if call.startswith("-q -q test")], "the image was not tried before"
    assert [call for call in calls if call.startswith("-q exec ")]


def test_what_knobs_make_of_jobs_in_containers(unusual: Unusual, registry: Registry) -> None:
    """Also: a job with a GPU, one that retires, and condor_tail."""
    pool = unusual.pool
    assert not any(call.startswith(("run", "load")) for call in unusual.calls("docker")), "no container was tried"
    busybox = Path(str(shutil.which("busybox"))).read_bytes()
    files = {"bin/busybox": busybox, "bin/sh": busybox}
    ours, foreign = registry.add("ours", files), registry.add("foreign", files, "arm64")
    docker = f"universe = docker\ndocker_image = {ours}\ndocker_network_type = none\n"
    unusual.submit("plain", SHOW, docker)
    more = f"request_gpus = 1\nrequest_cpus = 2\nMy.Trusted = true\ndocker_network_type = {_NETWORK}"
    unusual.submit("trusted", SHOW, f"{docker}\n{more}")
    missing = unusual.submit("missing", "", f"{docker}\nexecutable = /bin/nothing\ntransfer_executable = false")
    plain, trusted = unusual.said("plain"), unusual.said("trusted")
    assert plain == [
        "shm 1024", "CapBnd:\t0000000000080000", "NoNewPrivs:\t1", "gpu 10000", "interfaces 1", "first plain.sh",
    ]  # fmt: skip
    assert trusted[0] == "shm 2048"
    assert trusted[1] != plain[1]
    assert trusted[2:6] == ["NoNewPrivs:\t0", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl"]
    assert trusted[6] == "gpu 0"
    assert int(trusted[7].split()[1]) > 1
    wait_for(lambda: pool.status_of(f"{missing}.0") == 5, "without an init the engine knows that there is no program")
    told = pool.tool("condor_q", str(missing), "-af", "HoldReasonCode", "HoldReason").stdout
    assert told.startswith("6 ")
    assert "Error running docker job: " in told
    pool.tool("condor_rm", str(missing))
    created = [call for call in unusual.calls("docker") if call.startswith("create")]
    assert not any("--init" in call or "--log-driver" in call for call in created)
    assert _NETWORK in pool.tool("condor_status", "-af", "DockerNetworks").stdout
    how = "docker_pull_policy = always\ndocker_override_entrypoint = true\narguments = first second"
    unusual.submit("foreign", 'echo runs "$@"', f"{docker.replace(ours, foreign)}\n{how}")
    assert unusual.said("foreign") == ["runs first second"]
    (created,) = (call for call in unusual.calls("docker") if call.startswith("create") and foreign in call)
    assert "--pull always" in created
    assert f"--entrypoint ./foreign.sh {foreign}:latest first second" in created
    told_size = "DockerCachedImageSizeMb > 0"
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", told_size).stdout, "what images take is told")
    assert [call for call in unusual.calls("docker") if call == f"rmi {ours}:latest"], "one image is kept"
    script = "echo here; until [ -e go ]; do /bin/busybox sleep 0.1; done; echo gone"
    more = f"docker_network_type = {_NETWORK}\ncontainer_service_names = web\nweb_container_port = 8080"
    job = unusual.submit("retires", script, f"{docker}\n{more}")
    wait_for(lambda: pool.queue("web_HostPort > 0") == [["true"]], "the port of its service is told")
    wait_for(lambda: pool.tool("condor_tail", str(job), check=False).stdout == "here\n", "condor_tail shows its output")
    pool.tool("condor_drain", "-graceful", pool.tool("condor_status", "-af", "Machine").stdout.split()[0])
    wait_for(lambda: "Retiring" in pool.tool("condor_status", "-af", "Activity").stdout, "its slot retires")
    pool.tool("condor_ssh_to_job", str(job), "/bin/busybox touch go")
    assert unusual.said("retires") == ["here", "gone"]
    assert [number for number, _ in pool.events("retires.log") if number in (1, 4, 5)] == [1, 5], "it was not evicted"
    wait_for(lambda: not left(unusual.engine), "no container is left")
