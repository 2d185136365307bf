"""condor_userprio prints what HTCondor 25.14 printed for the same records (the texts beside this file)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.cli.entry import main
from condor_py.core.accounts import Accountant, edits
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.paths import paths
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.table import raw_items

HERE = Path(__file__).parent
UPDATE = 1_795_216_710  # 2026-11-20 23:18:30 UTC
HEP, LEP, CHEM = "group_physics.hep", "group_physics.lep", "group_chemistry"

# name: priority, factor, use, weight-seconds, floor, ceiling
USERS = {
    f"{HEP}.alice@example.net": (630.79, 1000.0, 10.0, 108.0, 0, -1),
    f"{HEP}.bob@example.net": (1123.91, 2000.0, 5.0, 72.0, 0, -1),
    f"{LEP}.bob@example.net": (520.65, 1000.0, 2.0, 36.0, 0, -1),
    f"{CHEM}.carol@example.net": (575.72, 1000.0, 6.0, 72.0, 2, -1),
    "dave@example.net": (548.19, 1000.0, 4.0, 37.0, 0, 6),
}
# name: parent, priority, use, weight-seconds, effective, config, subtree quota, sort key, surplus, requested
GROUPS = {
    "<none>": ("<none>", 800.0, 4.0, 37.0, 0.0, 0.0, 30.0, 3.4e38, "no", 4.0),
    CHEM: ("<none>", 575.72, 6.0, 72.0, 10.0, 10.0, 10.0, 0.6, "byquota", 6.0),
    "group_physics": ("<none>", 1079.241, 0.0, None, 20.0, 20.0, 20.0, 0.5, "no", 0.0),
    HEP: ("group_physics", 823.0, 15.0, 180.0, 15.0, 15.0, 15.0, 1.0, "no", 36.0),
    LEP: ("group_physics", 560.0, 2.0, 36.0, 5.0, 5.0, 5.0, 0.4, "no", 2.0),
}


def user_ad(name: str) -> ClassAd:
    priority, factor, use, seconds, floor, ceiling = USERS[name]
    group = next((g for g in (HEP, LEP, CHEM) if name.startswith(g + ".")), "<none>")
    return ClassAd(
        {"Name": name, "Priority": priority, "PriorityFactor": factor, "WeightedResourcesUsed": use,
         "ResourcesUsed": int(use), "WeightedAccumulatedUsage": seconds, "AccountingGroup": group,
         "IsAccountingGroup": False, "BeginUsageTime": UPDATE, "LastUsageTime": UPDATE, "LastUpdate": UPDATE,
         "Floor": floor, "Ceiling": ceiling}
    )  # fmt: skip


def group_ad(name: str) -> ClassAd:
    parent, priority, use, seconds, effective, config, subtree, key, surplus, requested = GROUPS[name]
    ad = ClassAd(
        {"Name": name, "Priority": priority, "PriorityFactor": 1000.0, "WeightedResourcesUsed": use,
         "AccountingGroup": parent, "IsAccountingGroup": True, "LastUpdate": UPDATE,
         "EffectiveQuota": effective, "ConfigQuota": config, "SubtreeQuota": subtree, "GroupSortKey": key,
         "SurplusPolicy": surplus, "Requested": requested, "Floor": 0, "Ceiling": -1}
    )  # fmt: skip
    if seconds is not None:
        for attribute, value in (("WeightedAccumulatedUsage", seconds), ("BeginUsageTime", UPDATE)):
            ad[attribute] = value
        ad["LastUsageTime"] = UPDATE
    return ad


@pytest.fixture(autouse=True)
def universal_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """UTC, and a clock that stands at the update."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: float(UPDATE + 20))
    yield
    monkeypatch.delenv("TZ")
    time.tzset()


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pool of its own without daemons; the directory of its spool."""
    config = tmp_path / "condor_config"
    config.write_text(
        f"LOCAL_DIR = {tmp_path}\nSPOOL = {tmp_path}/spool\nLOCK = {tmp_path}\nUID_DOMAIN = example.net\n"
    )
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    return tmp_path / "spool"


@pytest.fixture
def observed(pool: Path) -> None:
    """The records of the observed pool, as its negotiator published them."""
    from condor_py.store.ad_store import AdStore

    directory = paths(load(os.environ)).ads
    ads = [group_ad(name) for name in GROUPS] + [user_ad(name) for name in USERS]
    AdStore(directory).publish("ACCOUNTING", ads)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main("condor_userprio", list(words))
    out, err = capsys.readouterr()
    return code, out, err


def assert_like(text: str, golden: str) -> None:
    """Line by line; a line of three dots in the golden text stands for any lines."""
    lines, wanted = text.splitlines(), (HERE / f"{golden}.txt").read_text().splitlines()
    if "..." not in wanted:
        assert lines == wanted
        return
    cut = wanted.index("...")
    after = wanted[cut + 1 :]
    assert lines[:cut] == wanted[:cut]
    assert not after or lines[-len(after) :] == after


@pytest.mark.parametrize(
    ("golden", "words"),
    [
        ("default", []),
        ("default", ["-most"]),
        ("default", ["-hier", "-collector"]),
        ("all", ["-all"]),
        ("priority", ["-priority"]),
        ("priority", ["-flat", "-prio"]),
        ("usage", ["-usage"]),
        ("quotas", ["-quotas"]),
        ("flat", ["-flat"]),
        ("groupid", ["-groupid"]),
        ("named", [f"{HEP}.alice@example.net"]),
    ],
)
@pytest.mark.usefixtures("observed")
def test_tables(golden: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    assert_like(out, golden)


@pytest.mark.usefixtures("observed")
def test_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    """HTCondor shows stale hours for the unused group (the line before it); we show its own."""
    lines = run(capsys, "-allusers")[1].splitlines()
    row = next(line for line in lines if line.startswith("group_physics "))
    assert row.split() == ["group_physics", "20.00", "no", "1000.00", "0.00", "0"]
    assert lines[-1].split() == ["Number", "of", "users:", "5", "ByQuota", "27", "0.09"]


@pytest.mark.usefixtures("observed")
def test_orders_and_sort_keys(capsys: pytest.CaptureFixture[str]) -> None:
    groups = [f"<none> {'3.4e+38':>24}", f"{CHEM} {'1.00':>16}", f"{HEP} {'3.00':>14}", f"{LEP} {'4.00':>14}"]
    found = [line for line in run(capsys, "-order")[1].splitlines() if line.startswith(("<", "group"))]
    assert [line.split() for line in found] == [line.split() for line in groups]
    found = [line for line in run(capsys, "-sortkey")[1].splitlines() if line.startswith(("<", "group"))]
    assert [line.split()[1] for line in found] == ["3.4e+38", "0.60", "1.00", "0.40"]


@pytest.mark.usefixtures("observed")
def test_short_names_and_unknown_ones(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "dave")[1]
    assert "dave@example.net" in out
    assert "Number of users: 1" in out
    code, out, err = run(capsys, "alice")
    assert (code, out, err) == (0, "", "Not all user(s) found in collector, querying negotiator...\n")


@pytest.mark.usefixtures("observed")
def test_values_and_constraints(capsys: pytest.CaptureFixture[str]) -> None:
    assert "group_physics 1079.241 true\n" in run(capsys, "-af", "Name", "Priority", "IsAccountingGroup")[1]
    out = run(capsys, "-constraint", "PriorityFactor > 1000", "-af", "Name")[1]
    assert out == f"{HEP}.bob@example.net\n"
    long = run(capsys, "-long", "dave@example.net")[1]
    assert long.startswith('AccountingGroup = "<none>"\nBeginUsageTime = ')
    assert long.endswith("WeightedResourcesUsed = 4.0\n\n")
    code, _, err = run(capsys, "-constraint", "1 +")
    assert (code, err) == (1, "Error:  could not parse constraint 1 +\n")


def test_no_records_print_nothing(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys) == (0, "", "")


def test_numbers_that_are_too_wide_are_shortened(capsys: pytest.CaptureFixture[str], observed: None) -> None:
    from condor_py.store.ad_store import AdStore

    ad = user_ad("dave@example.net")
    ad["PriorityFactor"], ad["Priority"] = 1e10, 5e9
    AdStore(paths(load(os.environ)).ads).publish("ACCOUNTING", [ad])
    row = run(capsys)[1].splitlines()[4]
    assert row.split()[1:3] == ["5e+09", "1e+10"]


EDITS = [
    (["-setprio", "alice@example.net", "5"], "The priority of alice@example.net was set to 5.000000"),
    (["-setfactor", "alice@example.net", "5"], "The priority factor of alice@example.net was set to 5.000000"),
    (["-setaccum", "alice@example.net", "7200"], "The Accumulated Usage of alice@example.net was set to 7200.000000"),
    (
        ["-setbegin", "alice@example.net", "1700000000"],
        "The Begin Usage Time of alice@example.net was set to 1700000000",
    ),
    (["-setlast", "alice@example.net", "1700000001"], "The Last Usage Time of alice@example.net was set to 1700000001"),
    (["-setceiling", "alice@example.net", "3"], "The ceiling of alice@example.net was set to 3"),
    (["-setfloor", "alice@example.net", "2"], "The floor of alice@example.net was set to 2"),
    (
        ["-setceiling", "bob@example.net", "3", "-duration", "100"],
        "Set ceiling lease on bob@example.net to 3 for 100 seconds",
    ),
    (
        ["-setfactor", "bob@example.net", "50", "-duration", "100"],
        "Set priority-factor lease on bob@example.net to 50.000000 for 100 seconds",
    ),
    (["-cancelceilinglease", "bob@example.net"], "Cancelled ceiling lease for bob@example.net"),
    (["-resetusage", "bob@example.net"], "The accumulated usage of bob@example.net was reset"),
    (["-resetall"], "The accumulated usage was reset for all users"),
]


def test_edits_without_a_daemon(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in EDITS:
        assert run(capsys, *words) == (0, said + "\n", ""), words
    code, out, err = run(capsys, "-delete", "nosuch@example.net")
    assert (code, out) == (1, "")
    assert "nosuch@example.net" in err
    table = AccountantLog(str(pool / "Accountantnew.log"), readonly=True)
    alice = dict(raw_items(table.customers()["alice@example.net"]))
    assert alice["Priority"] == "5.000000"
    assert alice["PriorityFactor"] == "5.000000"
    assert alice["WeightedAccumulatedUsage"] == "0.000000"
    assert alice["BeginUsageTime"] == str(UPDATE + 20)
    assert (alice["Ceiling"], alice["Floor"]) == ("3", "2")
    out = run(capsys, "-allusers", "-priority")[1]
    assert "alice@example.net         25.00     5.00      5.00" in out
    assert run(capsys, "-delete", "alice@example.net")[0] == 0
    assert "alice" not in run(capsys, "-allusers")[1]


FULL_NAME = "condor_userprio: You must specify the full name of the submittor you wish\n\tto update the priority of "
REFUSED = [
    (["-setfactor", "alice", "5"], FULL_NAME + "(user@uid.domain or user@full.host.name)"),
    (["-setfactor", "a@x", "0.5"], "Priority factors must be greater than or equal to 1."),
    (["-setceiling", "bob@example.net", "-3"], "ceiling must be greater than or equal to -1."),
    (["-setfloor", "bob@example.net", "-1"], "floor must be greater than or equal to 0."),
    (["-setaccum", "bob@example.net", "-1"], "Usage must be greater than 0 seconds"),
    (
        ["-cancelfactorlease", "bob@example.net"],
        "negotiator rejected cancel: no priority-factor lease in effect for bob@example.net",
    ),
    (
        ["-setfactor", "bob@example.net", "5", "-duration", "x"],
        "condor_userprio: -duration requires a positive integer number of seconds",
    ),
    (["-inputfile", "/nonexist"], "Can't open file of userprio ads: /nonexist"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_is_refused(words: list[str], said: str, pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *words) == (1, "", said + "\n")


def test_a_second_lease_is_refused(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-setfloor", "bob@example.net", "3", "-duration", "100"]
    assert run(capsys, *words)[0] == 0
    code, out, err = run(capsys, *words)
    expires = UPDATE + 20 + 100
    assert (code, out) == (1, "")
    assert err == (
        "negotiator rejected floor lease: floor lease for bob@example.net is already in effect "
        f"(expires at {expires})\n"
    )


@pytest.mark.parametrize("words", [["-nosuch"], ["-setprio", "a@x"], ["9lives"]])
def test_a_wrong_command_line(words: list[str], pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (1, "")
    assert err.startswith("usage: condor_userprio [options]")


def test_another_negotiator(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "-name", "nosuch")
    assert (out, err) == ("", "condor_userprio: Can't locate negotiator 'nosuch' in local pool\n")


def test_the_slots_of_a_user(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accountant = Accountant(AccountantSettings())
    for number in (7, 8):
        accountant.charge("alice@example.net", f"slot1_{number}@vm@<127.0.0.1:9618>", 1.0, UPDATE)
    pool.mkdir()
    with AccountantLog(str(pool / "Accountantnew.log")).transaction() as transaction:
        transaction.extend(accountant.take_log())
    assert run(capsys, "-getreslist", "alice@example.net")[1].splitlines() == [
        "Resource Name                    Start Time   Match Time",
        "-------------                    ----------   ----------",
        "slot1_7@vm                      11/20 23:18   0+00:00:20",
        "slot1_8@vm                      11/20 23:18   0+00:00:20",
        "-------------                   ------------  ------------",
        "Number of Resources Used: 2",
    ]


def test_a_file_of_numbered_attributes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several ads in the file count as one; without NumSubmittors there is nothing to show."""
    file = tmp_path / "prio.ads"
    lines = [f"LastUpdate = {UPDATE}", "NumSubmittors = 1", 'Name1 = "alice@example.net"', "", "Priority1 = 500.0"]
    lines += ["PriorityFactor1 = 1000.0", f"LastUsageTime1 = {UPDATE}", "WeightedResourcesUsed1 = 2.0"]
    file.write_text("\n".join(lines) + "\n")
    out = run(capsys, "-inputfile", str(file), "-priority")[1]
    assert "alice@example.net        500.00     0.50   1000.00" in out
    file.write_text("\n".join(lines[:1] + lines[2:]) + "\n")
    assert run(capsys, "-inputfile", str(file)) == (0, "", "")


def test_edits_and_records_agree(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An edit of somebody unknown makes a record with the configured factor."""
    config = Path(os.environ["CONDOR_CONFIG"])
    config.write_text(config.read_text() + "DEFAULT_PRIO_FACTOR = 77\n")
    run(capsys, "-setprio", "eve@example.net", "2")
    table = AccountantLog(str(pool / "Accountantnew.log"), readonly=True)
    accountant = Accountant(AccountantSettings())
    accountant.load(table.customers(), table.resources(), table.last_update)
    assert accountant.effective_priority("eve@example.net") == 154.0
    edits.set_priority(accountant, "eve@example.net", 3.0)
    assert accountant.effective_priority("eve@example.net") == 231.0


def _recorded() -> list[tuple[str, str]]:
    """Options and what HTCondor 25.14 printed with them for file.ads."""
    parts = (HERE / "from_file.txt").read_text().split("$ ")[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize(("options", "printed"), _recorded(), ids=[options for options, _ in _recorded()])
def test_a_file_is_shown_as_htcondor_shows_it(options: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "-inputfile", str(HERE / "file.ads"), *options.split()) == (0, printed, "")
