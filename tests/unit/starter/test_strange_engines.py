"""What no container engine, machine or job should print is passed over, or refused in words: found by the campaign
``inputs``."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.machine.run import checkpointlists, dockerimages
from condor_py.machine.run.engine import Answer, Engine
from condor_py.machine.run.vm.qmp import Hangup, Monitor
from condor_py.model.errors import CondorError
from condor_py.model.settings.containers import DockerSettings

DEEP = "[" * 100_000


class Says(Engine):
    """An engine that always answers the same."""

    def __init__(self, text: str) -> None:
        self.text = text

    def ask(self, *words: str, patience: float = 0.0) -> Answer:
        return Answer(0, self.text, "")


@pytest.mark.parametrize(
    "text", ['{"80/tcp": "x"}', '{"80/tcp": [5, "x"]}', '{"\u00b2": [{"HostPort": "\u00b2"}]}', '{"80": 5}', DEEP]
)
def test_ports_of_another_shape_are_none(text: str) -> None:
    assert Says(text).ports("c") == {}
    assert Says(DEEP).state("c") is None


def test_a_size_without_end_is_none() -> None:
    assert dockerimages.size_of("9" * 5000 + "MB") == 0


@pytest.mark.parametrize("line", ["htcondor.org/  sha256:", "htcondor.org/lab/a:1 id sha256:", "sha256:id"])
def test_images_of_which_no_time_is_told_were_never_used(line: str) -> None:
    images = dockerimages.Images(Says(line), DockerSettings()).ours()
    assert [image.used for image in images] == [""] * len(images)


class Talk:
    """A monitor of a machine that has said ``lines``."""

    def __init__(self, lines: bytes) -> None:
        self.monitor = Monitor.__new__(Monitor)
        self.monitor._data = lines
        self.events: list[tuple[str, object]] = []
        self.monitor._happened = lambda name, data: self.events.append((name, data))


@pytest.mark.parametrize("line", [b"\n", b"\xd2\n", b"5\n", b"[]\n", b"{\n", DEEP.encode() + b"\n"])
def test_what_is_no_message_ends_the_connection(line: bytes) -> None:
    with pytest.raises(Hangup):
        Talk(line).monitor._message(0.0)


def test_an_event_without_data_is_one() -> None:
    talk = Talk(b'{"event": "STOP", "data": [1]}\n')
    talk.monitor._message(0.0)
    assert talk.events == [("STOP", {})]


def test_a_manifest_of_a_name_with_a_zero_byte_is_refused(tmp_path: Path) -> None:
    (tmp_path / "MANIFEST.0001").write_bytes(b"0 *a\0b\n2 *MANIFEST.0001\n")
    with pytest.raises(CondorError, match="Failed to open checkpoint file"):
        checkpointlists.check_files(str(tmp_path / "MANIFEST.0001"))
