"""What a startd finds out about an engine of containers, tried with scripts in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.machine.run import trial as testimage
from condor_py.machine.run.trial import try_docker
from condor_py.model.settings.containers import ContainerAbilities, DockerSettings, DockerTest

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
