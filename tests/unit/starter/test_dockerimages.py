"""Images of jobs: whose they are, and how few are kept. With a real engine and a repository of our own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import containers
import pytest
from registry import Registry

from condor_py.machine.run.dockerimages import Images, check_image, marked, size_of, unmarked
from condor_py.machine.run.engine import Engine
from condor_py.machine.run.process import StartError
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.states import HoldCode

#: One worker runs all tests: the registry is made once.
pytestmark = pytest.mark.xdist_group("registry")


@pytest.mark.parametrize(
    ("text", "size"), [("104MB", 104_000_000), ("1.5 kB", 1500), ("2 GB", 2 * 10**9), ("12B", 12), ("much", 0)]
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


def test_an_image_whose_name_is_longer_than_an_argument_may_be_is_refused() -> None:
    with pytest.raises(StartError, match="Cannot pull image aaa") as caught:
        check_image("a" * 300_000)
    assert len(str(caught.value)) < 2000
    check_image("a" * 200 + ":latest")


DIGEST = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("image", "mark"),
    [
        ("debian:12", "debian:12"),
        ("r:5000/a/b:1", "r-port-5000/a/b:1"),
        (f"a/b@sha256:{DIGEST}", f"a/b:sha256-{DIGEST}"),
        (f"r:80/a/b@sha256:{DIGEST}", f"r-port-80/a/b:sha256-{DIGEST}"),
    ],
)
def test_second_names(image: str, mark: str) -> None:
    assert marked(image, "ann@example.net") == f"htcondor.org/ann_at_example.net/{mark}"
    assert unmarked(marked(image, "ann@example.net")) == image
    assert unmarked(marked(image, "Ann+x@example.net")) == image
    assert marked(image, "Ann@example.net") != marked(image, "ANN@example.net")


def test_other_names_are_nobodys() -> None:
    assert unmarked("debian:12") == ""


@pytest.fixture(scope="module")
def registry() -> Iterator[Registry]:
    made = Registry()
    yield made
    made.close()


@pytest.fixture
def engine(registry: Registry) -> Iterator[Engine]:
    if reason := containers.why_not():
        pytest.skip(reason)
    top = Path(tempfile.mkdtemp(prefix="engine."))
    made = containers.make_engine(top, registry.address)
    yield Engine(made)
    containers.remove_engine(made)
    shutil.rmtree(top, ignore_errors=True)


def names(images: Images) -> set[str]:
    return {image.name for image in images.named()}


def test_images_are_brought_and_the_oldest_goes(engine: Engine, registry: Registry) -> None:
    images = Images(engine, DockerSettings(engine.argv[0], image_cache_size=2))
    called = [f"{registry.add(f'lab/{name}', {'data': name.encode() * 100_000})}:latest" for name in "abc"]
    before = names(images)
    assert images.bytes() == 0
    for name in called[:2]:
        images.pull(name)
        images.mark(name, "ann@example.net")
    assert names(images) - before == {*called[:2], *(marked(name, "ann@example.net") for name in called[:2])}
    assert images.bytes() > 150_000
    assert images.architecture(called[0]) == "amd64"
    assert images.architecture(called[2]) is None
    images.pull(called[2])
    images.mark(called[2], "bob@example.net")
    kept = names(images) - before
    assert called[2] in kept
    assert len([name for name in kept if not name.startswith("htcondor.org")]) == 2, "one of the others is gone"
    assert before <= names(images), "what nobody brought for a job stays"


def test_an_image_that_a_container_uses_stays(engine: Engine, registry: Registry) -> None:
    images = Images(engine, DockerSettings(engine.argv[0], image_cache_size=1))
    used = f"{registry.add('lab/used', {'data': b'used'})}:latest"
    other = f"{registry.add('lab/other', {'data': b'other'})}:latest"
    images.pull(used)
    images.mark(used, "ann@example.net")
    assert engine.ask("create", "--name", "user", *containers.LIMITS.split(), used, "/data").code == 0
    images.pull(other)
    assert marked(used, "ann@example.net") in names(images)
    engine.remove("user")


def test_an_image_that_the_repository_does_not_have(engine: Engine, registry: Registry) -> None:
    images = Images(engine, DockerSettings(engine.argv[0]))
    with pytest.raises(StartError, match=f"^Cannot pull image {registry.address}/lab/none:1 .*unknown") as caught:
        images.pull(f"{registry.address}/lab/none:1")
    assert caught.value.code == HoldCode.INVALID_DOCKER_IMAGE
