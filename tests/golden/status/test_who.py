"""condor_who: running jobs, daemons, and the readiness ad."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import make_pools

from condor_py.cli.entry import main as run_program

Capture = pytest.CaptureFixture[str]
ME = os.getpid()
SLOTS = [
    {
        **make_pools.COMMON, "Name": '"slot1_1@vm"', "SlotID": "1", "DSlotId": "1", "State": '"Claimed"',
        "RemoteOwner": '"alice@example.net"', "ClientMachine": '"127.0.0.1"', "JobId": '"8.2"', "JobPid": str(ME),
        "TotalJobRunTime": "10",
    },
    {**make_pools.COMMON, "Name": '"slot2@vm"', "SlotID": "2", "State": '"Unclaimed"'},
    {
        **make_pools.COMMON, "Name": '"slot3@vm"', "SlotID": "3", "State": '"Claimed"',
        "RemoteOwner": '"bob@example.net"', "ClientMachine": '"127.0.0.1"', "JobId": '"19.0"',
    },
    {**make_pools.COMMON, "MyType": '"StartD"', "Name": '"vm"', "MyAddress": '"<127.0.0.1:9618>"'},
]  # fmt: skip


@pytest.fixture(autouse=True)
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDOR_CONFIG", str(make_pools.publish(tmp_path, SLOTS)))
    (tmp_path / "log").mkdir()
    (tmp_path / "lock").mkdir(exist_ok=True)
    return tmp_path


def who(capsys: Capture, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    code = run_program("condor_who", list(words))
    out, err = capsys.readouterr()
    return code, out, err


def lock(pool: Path, name: str) -> Path:
    """Lets a daemon of the pool be this process; the lock."""
    from condor_py.client.pool import open_pool

    place = Path(open_pool().paths.lock)
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(f"{ME}\n")
    return place / name


def test_running_jobs(capsys: Capture) -> None:
    place = os.getcwd()
    wide = len(place)
    assert who(capsys) == (
        0,
        "\n--Startd : vm has 2 job(s) running:\n"
        f"OWNER             CLIENT    SLOT JOB    RUNTIME    {'PID':{len(str(ME))}} {'JOB_DIR':{wide}}\n"
        f"alice@example.net 127.0.0.1 1_1  8.2    0+00:00:10 {ME} {place}\n"
        f"bob@example.net   127.0.0.1 3    19.0              {'':{len(str(ME))}} {'':{wide}}\n\n",
        "",
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("-af JobId Name", "8.2 slot1_1@vm\n19.0 slot3@vm\n"),
        ("-format %s, JobId", "8.2,19.0,"),
        ("-con SlotID>2 -af JobId", "19.0\n"),
        ("-limit 1 -af JobId", "8.2\n"),
        ("-con false", ""),
        ("-startd", "\nNAME ADDRESS         \nvm   <127.0.0.1:9618>\n\n"),
        ("-logdir /nonexistent", ""),
    ],
)
def test_forms(words: str, shown: str, capsys: Capture) -> None:
    assert who(capsys, *words.split()) == (0, shown, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-bogus", "Error: -bogus is not a valid argument\n"),
        ("-con ((", "Error: could not parse constraint ((\n"),
        ("-address <127.0.0.1:9>", "Error: communication error\nCEDAR:6001:Failed to connect to <127.0.0.1:9>\n"),
        ("-af", 'Error: Argument -af requires at least one attribute parameter\nUse "condor_who -help" for details\n'),
        ("-wait", "Error: Argument -wait requires a requirements expression\n"),
    ],
)
def test_errors(words: str, message: str, capsys: Capture) -> None:
    assert who(capsys, *words.split()) == (1, "", message)


def test_daemons(pool: Path, capsys: Capture) -> None:
    lock(pool, "schedd.lock")
    _, out, _ = who(capsys, "-daemons")
    rows = {line.split()[0]: line.split()[1:4] for line in out.splitlines() if line[:1].isupper()}
    assert rows["Schedd"][:2] == ["yes", str(ME)]
    assert rows["Startd"] == ["no", "no", "no"]


def test_each_daemon_with_its_log(pool: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, SCHEDD, STARTD, JOB_ROUTER")
    monkeypatch.setenv("_CONDOR_STARTD_LOG", str(pool / "elsewhere"))
    for name in ("log/SchedLog", "log/SchedLog.old", "log/JobRouterLog", "elsewhere"):
        (pool / name).touch()
    _, out, _ = who(capsys, "-verbose")
    shown = {line.split()[0]: line.split(maxsplit=1)[1].strip() for line in out.splitlines()[5:9]}
    assert shown == {
        "Job_router": "JobRouterLog,", "Master": ",", "Schedd": "SchedLog, SchedLog.old", "Startd": f"{pool}/elsewhere,"
    }  # fmt: skip


def test_readiness(pool: Path, capsys: Capture) -> None:
    assert who(capsys, "-quick")[1] == "\nNo master has run here\n"
    lock(pool, "InstanceLock")
    os.utime(lock(pool, "startd.lock"), (1, 1))
    os.utime(pool / "spool" / "ads" / "STARTD.ads", (2, 2))
    _, out, _ = who(capsys, "-quick")
    assert f"MASTER_PID = {ME}\n" in out
    assert 'STARTD = "Alive"\n' in out
    assert 'STARTD_State = "Ready"\n' in out
    assert "IsReady = false\n" in out
    assert who(capsys, "-wait:5", 'STARTD_State == "Ready"')[1] == out
    assert who(capsys, "-wait", "IsReady")[1] == out


def test_a_daemon_is_alive_when_it_has_published(pool: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ads that a killed one has left are no slots to run jobs on."""
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER, STARTD")
    ads = pool / "spool" / "ads" / "STARTD.ads"
    lock(pool, "InstanceLock")
    os.utime(lock(pool, "startd.lock"), (2, 2))
    os.utime(ads, (1, 1))
    out = who(capsys, "-quick")[1]
    assert 'STARTD = "Startup"\n' in out
    assert 'STARTD_State = "Startup"\n' in out
    assert "NumStartup = 1\n" in out
    assert "IsReady = false\n" in out
    os.utime(ads, (3, 3))
    out = who(capsys, "-wait:0", 'STARTD == "Alive"')[1]
    assert 'STARTD = "Alive"\n' in out
    assert "IsReady = true\n" in out


def test_a_snapshot_has_four_ads_a_slot(capsys: Capture) -> None:
    _, out, _ = who(capsys, "-snapshot", "-long")
    ads = [dict(line.split(" = ", 1) for line in text.splitlines()) for text in out.split("\n\n") if text]
    assert [ad["MyType"] for ad in ads] == ['"Machine"', '"Slot.Config"', '"Slot.State"', '"Slot.Claim"'] * 2
    whole, config, state, claim = ads[:4]
    assert {name for name in config if name in state} == {"MyType", "MyCurrentTime", "Name"}
    assert config.keys() | state.keys() == whole.keys()
    assert (config["SlotID"], state["JobId"], claim["JobPid"]) == ("1", '"8.2"', str(ME))
    assert who(capsys, "-snapshot", "-af", "MyType")[1] == "Machine\nMachine\n"


def test_the_readiness_ad_in_columns(capsys: Capture, pool: Path) -> None:
    lock(pool, "InstanceLock")
    assert who(capsys, "-quick", "-af", "MASTER_PID", "NoSuch") == (0, f"{ME} undefined\n\n", "")
    assert who(capsys, "-quick", "-af:h", "MASTER", "IsReady")[1] == "MASTER IsReady\nAlive  false  \n\n"
    assert who(capsys, "-quick", "-format", "%s|", "MASTER")[1] == "Alive|\n"
    both = who(capsys, "-daemons", "-quick")[1]
    assert both.index("IsReady") < both.index("LOG directory")
