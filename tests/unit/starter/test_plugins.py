"""What is told of URLs that were not moved, and what the starter's log shows of plugins."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from condor_py.classad import ClassAd
from condor_py.config import load
from condor_py.config.rooms.starter import transfer
from condor_py.model.settings.starter import PluginOutput, TransferSettings
from condor_py.starter.plugins import Mover, record_of
from condor_py.starter.urls import UrlError

INPUT = 1


def failure(scratch: Path, url: str) -> dict[str, object]:
    """What the record of a transfer has of one URL that fails."""
    mover = Mover({}, TransferSettings(), str(scratch), lambda text: None)
    with pytest.raises(UrlError):
        mover.move([(url, str(scratch / "file"))], INPUT)
    record = ClassAd.from_text_items(record_of(INPUT, mover.told).items())
    return dict(record.eval("InputPluginResultList")[0]["TransferErrorData"][0])


def test_programs_are_told_why_a_url_failed(tmp_path: Path) -> None:
    missing = failure(tmp_path, f"file://{tmp_path}/nosuch")
    assert (missing["ErrorCode"], missing["ErrorType"]) == (37, "Specification")
    assert missing["ErrorString"] == f"No such file or directory: {tmp_path}/nosuch"
    malformed = failure(tmp_path, "file://$(staging/plots.pdf")
    assert (malformed["ErrorCode"], malformed["ErrorType"], malformed["PluginLaunched"]) == (3, "Parameter", True)
    with socket.socket() as closed:  # bound, but it does not listen
        closed.bind(("127.0.0.1", 0))
        refused = failure(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}/file")
    assert (refused["ErrorCode"], refused["ErrorType"], refused["FailedServer"]) == (7, "Contact", "Unknown")


def test_file_urls_may_name_this_machine(tmp_path: Path) -> None:
    (tmp_path / "a b").write_text("x")
    mover = Mover({}, TransferSettings(), str(tmp_path), lambda text: None)
    mover.move([(f"file://localhost{tmp_path}/a%20b", str(tmp_path / "copy"))], INPUT)
    assert (tmp_path / "copy").read_text() == "x"


PLUGIN = """#!/bin/sh
echo 'he said "this"'
while [ "$1" != -outfile ]; do shift; done
echo 'TransferSuccess = true' > "$2"
exit "$(cat status)"
"""


@pytest.mark.parametrize(("status", "shown"), [(0, False), (3, True)])
def test_the_log_shows_what_failed_plugins_print(tmp_path: Path, status: int, shown: bool) -> None:
    (tmp_path / "plugin").write_text(PLUGIN)
    (tmp_path / "plugin").chmod(0o755)
    (tmp_path / "status").write_text(str(status))
    for settings, wanted in ((TransferSettings(), shown), (TransferSettings(plugin_output=PluginOutput(True)), True)):
        lines: list[str] = []
        mover = Mover({"my": str(tmp_path / "plugin")}, settings, str(tmp_path), lines.append)
        try:
            mover.move([("my://x", str(tmp_path / "x"))], INPUT)
        except UrlError:
            assert status
        line = f'FILETRANSFER: plugin {tmp_path}/plugin exit={status} stdout: he said "this"'
        assert (line in lines) is wanted


@pytest.mark.parametrize(
    ("level", "debug", "shown"),
    [("D_ALWAYS", "", True), ("D_FULLDEBUG", "", False), ("D_FULLDEBUG", "D_FULLDEBUG", True), ("", "D_ALL", False)],
)
def test_levels_of_what_plugins_print(level: str, debug: str, shown: bool) -> None:
    name = "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS"
    env = {"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{name}": level, "_CONDOR_STARTER_DEBUG": debug}
    assert transfer(load(env)).plugin_output == PluginOutput(shown, True)


def test_a_plugin_that_dies_by_a_signal(tmp_path: Path) -> None:
    (tmp_path / "plugin").write_text("#!/bin/sh\nkill -KILL $$\n")
    (tmp_path / "plugin").chmod(0o755)
    mover = Mover({"my": str(tmp_path / "plugin")}, TransferSettings(), str(tmp_path), lambda text: None)
    with pytest.raises(UrlError) as raised:
        mover.move([("my://x", str(tmp_path / "x"))], INPUT)
    assert raised.value.subcode == 9
    assert "ExitBySignal = true; ExitSignal = 9" in record_of(INPUT, mover.told)["InputPluginInvocations"]
