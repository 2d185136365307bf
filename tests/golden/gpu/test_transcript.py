"""condor_gpu_discovery on pretended devices prints what HTCondor's prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from condor_py.cli.gpu_discovery import main
from condor_py.machine.probes.gpu import nvidia

TRANSCRIPT = Path(__file__).with_name("transcript.txt").read_text()


def cases() -> list[tuple[str, str]]:
    """(arguments, output) of the transcript."""
    found: list[tuple[str, list[str]]] = []
    for line in TRANSCRIPT.splitlines():
        if line.startswith("$ "):
            found.append((line.partition("discovery ")[2], []))
        elif found:
            found[-1][1].append(line + "\n")
    return [(words, "".join(lines)) for words, lines in found]


@pytest.fixture(autouse=True)
def _no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recording was made on a machine without GPUs."""
    monkeypatch.setattr(nvidia, "devices", list)
    for name in ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("words", "output"), cases())
def test_recorded(words: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(words)) == 0
    assert capsys.readouterr().out == output


def test_the_environment_chooses_devices(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-b1223334")
    assert main(["-simulate:4,2"]) == 0
    assert capsys.readouterr().out == 'DetectedGPUs="GPU-b1223334"\n'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-bogus", "option -bogus is not valid"),
        ("-device", "Error: -device requires an argument"),
        ("-simulate:99", "Error: simulation must be in range of 0-8"),
        ("-simulate:x", "Error: simulation must be in range of 0-8"),
        ("-prefix " + 81 * "x", "Error: -prefix should be less than 80 characters"),
    ],
)
def test_wrong_command_lines(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from condor_py.cli.entry import main as run_program

    assert run_program("condor_gpu_discovery", words.split()) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == message
    assert "Usage: condor_gpu_discovery" in err
